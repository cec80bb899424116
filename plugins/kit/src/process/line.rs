//! A command line: a string for the shell, or a program and its arguments.

use outrigger_sdk::shape::Shape;
use outrigger_sdk::{Mismatch, Property, Value};

/// A command line.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// A text for the interpreter.
    Shell(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

impl Line {
    /// The program to start and its arguments.
    pub(super) fn words(&self, interpreter: &[String]) -> Vec<String> {
        match self {
            Self::Shell(text) => interpreter.iter().chain([text]).cloned().collect(),
            Self::Program(words) => words.clone(),
        }
    }

    /// The error in it, if any.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        let words = match self {
            Self::Shell(text) => std::slice::from_ref(text),
            Self::Program(words) => words,
        };
        match words.first() {
            None => Some("the list is empty; its first element is the program"),
            Some(first) if first.is_empty() => Some("it is empty"),
            _ if words.iter().any(|word| word.contains('\0')) => Some("it has a zero byte"),
            _ => None,
        }
    }
}

impl Property for Line {
    /// The schema has no type for one or the other.
    fn shape() -> Shape {
        Shape::Any
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        match value.bare() {
            Value::String(text) => Ok(Self::Shell(text.clone())),
            Value::List(_) => Vec::decode(value).map(Self::Program),
            other => Err(Mismatch::expected("a string for the shell, or a list of a program and its arguments", other)),
        }
    }

    fn encode(self) -> Value {
        match self {
            Self::Shell(text) => text.encode(),
            Self::Program(words) => words.encode(),
        }
    }
}
