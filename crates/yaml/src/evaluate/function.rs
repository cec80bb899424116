//! The language's functions. Each waits for all outputs inside its arguments: an unknown one makes the result unknown, a
//! secret one makes it secret, and the result has their dependencies.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use outrigger_syntax::Span;
use outrigger_value::{Archive, ArchiveSource, Asset, AssetSource};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use unicode_segmentation::UnicodeSegmentation;

use super::value::Evaluated;
use super::{At, Poisoned, Run, size, text};
use crate::expression::{Expression, Function};
use crate::interpolation::Step;

/// The place, the problem and the hint.
type Problem = (Span, String, &'static str);

impl Run<'_> {
    pub(super) async fn call(
        &self,
        function: Function,
        arguments: &[Expression],
        span: Span,
        at: At,
    ) -> Result<Evaluated, Poisoned> {
        let values = self.all(arguments, span, at).await?;
        if function == Function::Secret {
            return Ok(values.into_iter().next().unwrap_or(Evaluated::Null).into_secret());
        }
        let (value, mut provenance) = Evaluated::List(values).resolved();
        let Evaluated::List(values) = value else { return Err(Poisoned) };
        if function == Function::Unsecret {
            provenance.secret = false;
        }
        if provenance.unknown {
            return Ok(provenance.wrap(Evaluated::Null));
        }
        if function == Function::Select {
            return Ok(provenance.wrap(self.select(values, arguments, span, at).await?));
        }
        self.fits(grown(function, &values), span, at)?;
        let spans: Vec<Span> = arguments.iter().map(|argument| argument.span).collect();
        match self.apply(function, values, &spans, span) {
            Ok(value) => {
                self.fits(value.size(), span, at)?;
                Ok(provenance.wrap(value))
            }
            Err((span, summary, hint)) => Err(self.fail(span, "yaml-function", summary, hint, at)),
        }
    }

    async fn select(
        &self,
        values: Vec<Evaluated>,
        arguments: &[Expression],
        span: Span,
        at: At,
    ) -> Result<Evaluated, Poisoned> {
        let place = |number: usize| arguments.get(number).map_or(span, |argument| argument.span);
        let mut values = values.into_iter();
        let (index, list) = (values.next().unwrap_or(Evaluated::Null), values.next().unwrap_or(Evaluated::Null));
        let index = match index {
            Evaluated::Number(index) => index,
            Evaluated::Integer(index) => index as f64,
            other => {
                let summary = format!("index must be a number, not {}", other.word());
                return Err(self.fail(place(0), "yaml-function", summary, "Write a whole number.", at));
            }
        };
        if index.fract() != 0.0 || !(0.0..=9e15).contains(&index) {
            let summary = format!("index must be a positive integral, not {index}");
            return Err(self.fail(place(0), "yaml-function", summary, "Write a whole number that is at least 0.", at));
        }
        self.follow(list, &[Step::Index(index as i64)], place(1), at).await
    }

    fn apply(
        &self,
        function: Function,
        values: Vec<Evaluated>,
        spans: &[Span],
        span: Span,
    ) -> Result<Evaluated, Problem> {
        let first_span = spans.first().copied().unwrap_or(span);
        let second_span = spans.get(1).copied().unwrap_or(span);
        let mut values = values.into_iter();
        let first = values.next().unwrap_or(Evaluated::Null);
        let second = values.next().unwrap_or(Evaluated::Null);
        let text = |value: Evaluated| match value {
            Evaluated::String(text) => Ok(text),
            other => {
                let summary = format!("the argument to {} must be a string, not {}", function.name(), other.word());
                Err((first_span, summary, "Use a string."))
            }
        };
        let asset = |source: AssetSource| Evaluated::Asset(Asset { hash: String::new(), source });
        let archive = |source: ArchiveSource| Evaluated::Archive(Archive { hash: String::new(), source });
        Ok(match function {
            Function::Join => join(first, second, first_span, second_span)?,
            Function::Split => split(first, second, first_span, second_span)?,
            Function::ToJson => match text::json(&first) {
                Ok(json) => Evaluated::String(json),
                Err(reason) => {
                    return Err((span, format!("failed to encode JSON: {reason}"), "Read a property of it instead."));
                }
            },
            Function::ToBase64 => Evaluated::String(STANDARD.encode(text(first)?)),
            Function::FromBase64 => from_base64(&text(first)?, first_span)?,
            Function::Sha1 => Evaluated::String(hex::encode(Sha1::digest(text(first)?))),
            Function::ReadFile => {
                let bytes = self.file(&text(first)?, first_span)?;
                let invalid =
                    || (first_span, "the file is not UTF-8 text".to_owned(), "Use fn::filebase64 for other files.");
                Evaluated::String(String::from_utf8(bytes).map_err(|_| invalid())?)
            }
            Function::FileBase64 => Evaluated::String(STANDARD.encode(self.file(&text(first)?, first_span)?)),
            Function::FileBase64Sha256 => {
                Evaluated::String(STANDARD.encode(Sha256::digest(self.file(&text(first)?, first_span)?)))
            }
            Function::Length => length(&first, first_span)?,
            Function::SingleOrNone => single(first, first_span)?,
            Function::ResourceName | Function::ResourceType => match first {
                Evaluated::Resource(handle) if function == Function::ResourceName => {
                    Evaluated::String(handle.urn.name().to_owned())
                }
                Evaluated::Resource(handle) => Evaluated::String(handle.urn.ty().to_owned()),
                other => {
                    let summary =
                        format!("the argument to {} must be a resource, not {}", function.name(), other.word());
                    return Err((first_span, summary, "Write `${name}` of a resource."));
                }
            },
            Function::StringAsset => asset(AssetSource::Text(text(first)?)),
            Function::FileAsset => asset(AssetSource::Path(text(first)?)),
            Function::RemoteAsset => asset(AssetSource::Uri(text(first)?)),
            Function::FileArchive => archive(ArchiveSource::Path(text(first)?)),
            Function::RemoteArchive => archive(ArchiveSource::Uri(text(first)?)),
            // Handled earlier, because they need more than values.
            Function::Secret | Function::Unsecret | Function::Select => first,
        })
    }

    fn file(&self, path: &str, span: Span) -> Result<Vec<u8>, Problem> {
        let full = self.source.settings.program_directory.join(path);
        let unreadable = |error: std::io::Error| {
            let summary = format!("Error reading file at path {path}: {error}");
            (span, summary, "Paths are relative to the program's directory.")
        };
        fs::read(full).map_err(unreadable)
    }
}

/// How large the result of a function gets that can make much of little.
fn grown(function: Function, arguments: &[Evaluated]) -> usize {
    match (function, arguments) {
        (Function::Join, [Evaluated::String(delimiter), list @ Evaluated::List(items)]) => {
            delimiter.len().saturating_mul(items.len()).saturating_add(list.size())
        }
        (Function::Split, [Evaluated::String(delimiter), Evaluated::String(source)]) => {
            size::of_parts(source.matches(delimiter.as_str()).count(), source.len())
        }
        _ => 0,
    }
}

fn join(delimiter: Evaluated, list: Evaluated, first: Span, second: Span) -> Result<Evaluated, Problem> {
    let delimiter = match delimiter {
        Evaluated::Null => String::new(),
        Evaluated::String(text) => text,
        other => {
            return Err((first, format!("delimiter must be a string, not {}", other.word()), "Use a string."));
        }
    };
    let Evaluated::List(items) = list else {
        let summary = format!("the second argument to fn::join must be a list, found {}", list.word());
        return Err((second, summary, "Write a list of strings."));
    };
    let mut texts = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        match item {
            Evaluated::String(text) => texts.push(text),
            other => {
                let found = other.word();
                let summary = format!(
                    "the second argument to fn::join must be a list of strings, found {found} at index {index}"
                );
                return Err((
                    second,
                    summary,
                    "Write the value inside a string, such as \"${name}\" with something around it.",
                ));
            }
        }
    }
    Ok(Evaluated::String(texts.join(&delimiter)))
}

fn split(delimiter: Evaluated, source: Evaluated, first: Span, second: Span) -> Result<Evaluated, Problem> {
    let text = |value: Evaluated, span: Span| match value {
        Evaluated::String(text) => Ok(text),
        other => Err((span, format!("Must be a string, not {}", other.word()), "Use a string.")),
    };
    let (delimiter, source) = (text(delimiter, first)?, text(source, second)?);
    let parts: Vec<String> = match delimiter.as_str() {
        // An empty delimiter splits into characters.
        "" => source.chars().map(String::from).collect(),
        delimiter => source.split(delimiter).map(str::to_owned).collect(),
    };
    Ok(Evaluated::List(parts.into_iter().map(Evaluated::String).collect()))
}

fn from_base64(text: &str, span: Span) -> Result<Evaluated, Problem> {
    // Line breaks are allowed, as in Go.
    let compact: String = text.chars().filter(|char| !matches!(char, '\r' | '\n')).collect();
    let problem = |reason: String| (span, format!("fn::fromBase64 {reason}"), "Use standard base64 of UTF-8 text.");
    // The text itself may be a secret, so it is not shown.
    let bytes =
        STANDARD.decode(compact).map_err(|error| problem(format!("is unable to decode its argument: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| problem("output is not a valid UTF-8 string".to_owned()))?;
    Ok(Evaluated::String(text))
}

fn length(value: &Evaluated, span: Span) -> Result<Evaluated, Problem> {
    let length = match value {
        Evaluated::List(items) => items.len(),
        Evaluated::Map(map) => map.len(),
        Evaluated::String(text) => text.graphemes(true).count(),
        other => {
            let summary =
                format!("the argument to fn::length must be a list, an object or a string, not {}", other.word());
            return Err((span, summary, "Use a value that has a length."));
        }
    };
    Ok(Evaluated::Number(length as f64))
}

fn single(value: Evaluated, span: Span) -> Result<Evaluated, Problem> {
    match value {
        Evaluated::List(mut items) => match items.len() {
            0 | 1 => Ok(items.pop().unwrap_or(Evaluated::Null)),
            many => Err((
                span,
                format!("fn::singleOrNone expects at most one element, found {many}"),
                "Use fn::select to choose one.",
            )),
        },
        other => {
            Err((span, format!("the argument to fn::singleOrNone must be a list, not {}", other.word()), "Use a list."))
        }
    }
}
