//! Parses a CLI configuration: the first version of HCL, or JSON.
//!
//! Terraform and OpenTofu both read these files with the old HCL, in which the name of a setting can be quoted, as in `dev_overrides`. The new
//! HCL does not allow that, so a parser for it cannot be used.

use outrigger_diagnostic::Position;

/// A setting or a block: `keys = value` or `keys { ... }`.
#[derive(Debug)]
pub(super) struct Item {
    /// The name, and any labels before the value. Never empty.
    pub(super) keys: Vec<Key>,
    /// Whether an equals sign stands before the value.
    pub(super) assigned: bool,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) at: Position,
}

#[derive(Debug)]
pub(super) struct Value {
    pub(super) kind: Kind,
    pub(super) at: Position,
}

#[derive(Debug)]
pub(super) enum Kind {
    Text(String),
    /// A number, a boolean or null.
    Word,
    List(Vec<Value>),
    Object(Vec<Item>),
}

/// A mistake, and its position.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) at: Position,
    pub(super) reason: String,
}

/// The contents of a file, and whether it is JSON.
#[derive(Debug)]
pub(super) struct File {
    pub(super) items: Vec<Item>,
    pub(super) json: bool,
}

impl Item {
    pub(super) fn name(&self) -> &str {
        self.keys.first().map_or("", |key| &key.text)
    }

    pub(super) fn at(&self) -> Position {
        self.keys.first().map_or(self.value.at, |key| key.at)
    }
}

/// Blocks within blocks beyond this depth are refused.
const MAX_DEPTH: usize = 32;

/// Reads a whole file.
pub(super) fn parse(text: &str) -> Result<File, Mistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { rest: text, at: Position { line: 1, column: 1 }, depth: 0 };
    reader.blank()?;
    let json = reader.rest.starts_with('{');
    let items = if json {
        reader.next();
        let items = reader.items(Some('}'))?;
        reader.blank()?;
        if !reader.rest.is_empty() {
            return Err(reader.mistake("the file should end here"));
        }
        items
    } else {
        reader.items(None)?
    };
    Ok(File { items, json })
}

struct Reader<'a> {
    rest: &'a str,
    at: Position,
    depth: usize,
}

impl Reader<'_> {
    /// Items until the end of the file or of the block.
    fn items(&mut self, end: Option<char>) -> Result<Vec<Item>, Mistake> {
        let mut items = Vec::new();
        loop {
            self.blank()?;
            while self.rest.starts_with(',') {
                self.next();
                self.blank()?;
            }
            match self.peek() {
                None if end.is_none() => return Ok(items),
                None => return Err(self.mistake("a `}` is missing")),
                Some(letter) if Some(letter) == end => {
                    self.next();
                    return Ok(items);
                }
                Some(_) => items.push(self.item()?),
            }
        }
    }

    fn item(&mut self) -> Result<Item, Mistake> {
        let mut keys = Vec::new();
        loop {
            let at = self.at;
            let text = match self.peek() {
                Some('"') => self.string()?,
                Some(letter) if is_word(letter) => self.word(),
                Some('=' | ':' | '{') if !keys.is_empty() => break,
                _ if keys.is_empty() => {
                    return Err(self.mistake("the name of a setting or of a block is expected here"));
                }
                _ => return Err(self.mistake("`=` or `{` is expected here")),
            };
            keys.push(Key { text, at });
            self.blank()?;
        }
        let assigned = !self.rest.starts_with('{');
        if assigned {
            self.next();
            self.blank()?;
        }
        Ok(Item { keys, assigned, value: self.value()? })
    }

    fn value(&mut self) -> Result<Value, Mistake> {
        let at = self.at;
        let kind = match self.peek() {
            Some('"') => Kind::Text(self.string()?),
            Some('<') => Kind::Text(self.heredoc()?),
            Some('{') => {
                self.next();
                self.deeper(|reader| reader.items(Some('}'))).map(Kind::Object)?
            }
            Some('[') => {
                self.next();
                self.deeper(Self::list).map(Kind::List)?
            }
            Some(letter) if is_word(letter) => {
                self.word();
                Kind::Word
            }
            _ => return Err(self.mistake("a value is expected here")),
        };
        Ok(Value { kind, at })
    }

    fn list(&mut self) -> Result<Vec<Value>, Mistake> {
        let mut values = Vec::new();
        loop {
            self.blank()?;
            match self.peek() {
                None => return Err(self.mistake("a `]` is missing")),
                Some(']') => {
                    self.next();
                    return Ok(values);
                }
                Some(_) => values.push(self.value()?),
            }
            self.blank()?;
            match self.peek() {
                Some(',') => _ = self.next(),
                Some(']') => {}
                _ => return Err(self.mistake("`,` or `]` is expected here")),
            }
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Mistake>) -> Result<T, Mistake> {
        if self.depth == MAX_DEPTH {
            return Err(self.mistake("this is nested too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn string(&mut self) -> Result<String, Mistake> {
        let start = self.at;
        self.next();
        let mut text = String::new();
        // Within `${...}` a quote does not end the string.
        let mut braces = 0_usize;
        loop {
            match self.next() {
                None => return Err(Mistake { at: start, reason: "this text has no closing quote".to_owned() }),
                Some('\n') if braces == 0 => {
                    return Err(Mistake { at: start, reason: "this text has no closing quote on its line".to_owned() });
                }
                Some('"') if braces == 0 => return Ok(text),
                Some('$') if self.rest.starts_with('{') && braces == 0 => {
                    self.next();
                    text.push_str("${");
                    braces = 1;
                }
                Some('\\') if braces == 0 => text.push(self.escaped()?),
                Some(letter) => {
                    match letter {
                        '{' if braces > 0 => braces += 1,
                        '}' if braces > 0 => braces -= 1,
                        _ => {}
                    }
                    text.push(letter);
                }
            }
        }
    }

    fn escaped(&mut self) -> Result<char, Mistake> {
        let mistake = self.mistake("this is not an escape sequence");
        let digits = match self.next() {
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('b') => return Ok('\u{8}'),
            Some('f') => return Ok('\u{c}'),
            Some(letter @ ('"' | '\\' | '/')) => return Ok(letter),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            _ => return Err(mistake),
        };
        let code = self.rest.get(..digits).and_then(|text| u32::from_str_radix(text, 16).ok()).and_then(char::from_u32);
        (0..digits).for_each(|_| _ = self.next());
        code.ok_or(mistake)
    }

    /// `<<END`, lines, and `END` on a line of its own.
    fn heredoc(&mut self) -> Result<String, Mistake> {
        let start = self.at;
        let missing = || Mistake { at: start, reason: "this text has no end".to_owned() };
        let line = self.line().ok_or_else(missing)?;
        let end = line.strip_prefix("<<").map(|end| end.trim_start_matches('-').trim().to_owned());
        let end = end
            .filter(|end| !end.is_empty())
            .ok_or_else(|| Mistake { at: start, reason: "a value is expected here".to_owned() })?;
        let mut text = String::new();
        loop {
            let line = self.line().ok_or_else(missing)?;
            if line.trim() == end {
                return Ok(text);
            }
            text.push_str(&line);
            text.push('\n');
        }
    }

    fn line(&mut self) -> Option<String> {
        self.peek()?;
        let mut line = String::new();
        while let Some(letter) = self.next().filter(|letter| *letter != '\n') {
            line.push(letter);
        }
        Some(line)
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(letter) = self.peek().filter(|letter| is_word(*letter)) {
            word.push(letter);
            self.next();
        }
        word
    }

    /// Skips white space and comments.
    fn blank(&mut self) -> Result<(), Mistake> {
        loop {
            if self.rest.starts_with('#') || self.rest.starts_with("//") {
                self.line();
            } else if self.rest.starts_with("/*") {
                let start = self.at;
                while !self.rest.starts_with("*/") {
                    if self.next().is_none() {
                        return Err(Mistake { at: start, reason: "this comment has no end".to_owned() });
                    }
                }
                self.next();
                self.next();
            } else if self.peek().is_some_and(char::is_whitespace) {
                self.next();
            } else {
                return Ok(());
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        self.at = match letter {
            '\n' => Position { line: self.at.line + 1, column: 1 },
            _ => Position { column: self.at.column + 1, ..self.at },
        };
        Some(letter)
    }

    fn mistake(&self, reason: &str) -> Mistake {
        Mistake { at: self.at, reason: reason.to_owned() }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_ways_to_write_it_are_read() {
        for text in [
            "# words\na = \"x\\n\\u00e4\" // more\n/* and\nmore */ b \"c\" { d = [1, \"${ \"q\" }\",], \"e/f\" = true }\n",
            "{\"a\": \"x\\n\\u00e4\", \"b\": {\"d\": [1, \"${ \"q\" }\"], \"e/f\": true}}",
        ] {
            let file = parse(text).unwrap();
            assert_eq!(file.json, text.starts_with('{'));
            assert!(matches!(&file.items[0].value.kind, Kind::Text(text) if text == "x\nä"), "{file:?}");
            let Kind::Object(items) = &file.items[1].value.kind else { panic!("{file:?}") };
            assert!(matches!(&items[0].value.kind, Kind::List(values) if values.len() == 2), "{items:?}");
            assert_eq!(items[1].name(), "e/f");
        }
        let file = parse("a = <<-END\n one\n END\nb = 1").unwrap();
        assert!(matches!(&file.items[0].value.kind, Kind::Text(text) if text == " one\n"), "{file:?}");
        assert_eq!(file.items[1].at(), Position { line: 4, column: 1 });
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, line, column, reason) in [
            ("a = ", 1, 5, "a value is expected"),
            ("\n  = 1", 2, 3, "name of a setting"),
            ("a 1 ]", 1, 5, "`=` or `{`"),
            ("a {\n b = 1\n", 3, 1, "a `}` is missing"),
            ("a = [1", 1, 7, "`,` or `]`"),
            ("a = [", 1, 6, "a `]` is missing"),
            ("a = \"x\nb", 1, 5, "no closing quote"),
            ("a = \"\\q\"", 1, 7, "escape"),
            ("/* x", 1, 1, "no end"),
            ("a = <<END\nx", 1, 5, "no end"),
            ("{\"a\": 1} b", 1, 10, "should end here"),
        ] {
            let mistake = parse(text).unwrap_err();
            assert_eq!((mistake.at.line, mistake.at.column), (line, column), "{text}: {mistake:?}");
            assert!(mistake.reason.contains(reason), "{text}: {mistake:?}");
        }
        assert!(parse(&"a = [".repeat(100)).unwrap_err().reason.contains("expected here"));
        assert!(parse(&format!("a = {}", "[".repeat(100))).unwrap_err().reason.contains("too deeply"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a\"{}=\\[\\],<\\n\\\\$:/*# ]{0,40}") {
            let _ = parse(&text);
        }
    }
}
