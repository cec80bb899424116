//! `runtime.options.compiler`: a command whose output is the program.

use outrigger_syntax::{Node, Span};

use super::reader::Reader;

/// The command that produces the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program to run.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its place.
    pub span: Span,
}

impl Compiler {
    pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Option<Self> {
        let Some(text) = node.as_str() else {
            reader.wrong_kind("compiler", node, "a string");
            return None;
        };
        match words(text) {
            Ok(mut words) if !words.is_empty() => {
                let program = words.remove(0);
                Some(Self { program, arguments: words, span: node.span })
            }
            Ok(_) => {
                let hint = "Write the command that prints the program, such as `cue export`, or remove it.";
                reader.fail("project-compiler", "the compiler's command is empty", node.span, hint);
                None
            }
            Err(reason) => {
                let summary = format!("the compiler's command cannot be read: {reason}");
                reader.fail("project-compiler", &summary, node.span, "Close the quote, or write `\\` before it.");
                None
            }
        }
    }
}

/// Splits a command line into words by the peer's rules: quotes, backslashes and comments as in a shell, and nothing else.
fn words(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '#' if word.is_none() => {
                let _comment = letters.by_ref().find(|letter| *letter == '\n');
            }
            '\'' | '"' => quoted(&mut letters, letter, word.get_or_insert_default())?,
            '\\' => match letters.next() {
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err("it ends with a backslash"),
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Reads up to the closing quote. Within double quotes a backslash escapes any letter, unlike in a shell.
fn quoted(letters: &mut std::str::Chars<'_>, quote: char, word: &mut String) -> Result<(), &'static str> {
    const UNCLOSED: &str = "a quote is not closed";
    loop {
        match letters.next().ok_or(UNCLOSED)? {
            letter if letter == quote => return Ok(()),
            '\\' if quote == '"' => word.push(letters.next().ok_or(UNCLOSED)?),
            letter => word.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_as_the_peer_splits_them() {
        for (text, expected) in [
            ("cue export", vec!["cue", "export"]),
            ("  a\t'b c'\n\"d \\\" e\" f\\ g", vec!["a", "b c", "d \" e", "f g"]),
            ("a'b'\"c\"d", vec!["abcd"]),
            ("a '' b#c # rest", vec!["a", "", "b#c"]),
            ("$HOME * | x", vec!["$HOME", "*", "|", "x"]),
            ("", vec![]),
            ("# only", vec![]),
        ] {
            assert_eq!(words(text), Ok(expected.into_iter().map(String::from).collect()), "{text}");
        }
        for text in ["a 'b", "a \"b", "a \\"] {
            assert!(words(text).is_err(), "{text}");
        }
    }
}
