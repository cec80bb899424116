//! A place in a file that the user wrote.

use std::fmt;
use std::sync::Arc;

/// Line and column, both counted from 1; a column counts characters, not bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A range in a file. `end` is exclusive and may equal `start` when only the beginning is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The path as the user would write it, relative to the project where possible.
    pub file: Arc<str>,
    /// Where it begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

impl Place {
    /// A place whose end is not known.
    pub fn point(file: impl Into<Arc<str>>, line: u32, column: u32) -> Self {
        let start = Position { line, column };
        Self { file: file.into(), start, end: start }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.start.line, self.start.column)
    }
}
