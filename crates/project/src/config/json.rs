//! JSON as Go's `encoding/json` writes it. The text reaches programs, plugins and users, so it must match to the byte.

use outrigger_syntax::scalar::exponent_form;

use super::Item;

/// The value as compact JSON. A secret still encrypted is written as `{"secure": …}`.
pub(crate) fn compact(item: &Item) -> String {
    let mut writer = Writer { out: String::new(), indented: false, html: true };
    writer.item(item, 0);
    writer.out
}

/// Writes JSON piece by piece.
pub(super) struct Writer {
    pub(super) out: String,
    /// Two spaces per level, for people; otherwise no blanks.
    pub(super) indented: bool,
    /// Go's default: characters that could end a script element are escaped.
    pub(super) html: bool,
}

impl Writer {
    pub(super) fn item(&mut self, item: &Item, level: usize) {
        match item {
            Item::Null => self.out.push_str("null"),
            Item::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Item::Int(value) => self.out.push_str(&value.to_string()),
            Item::UInt(value) => self.out.push_str(&value.to_string()),
            Item::Float(value) => self.out.push_str(&number(*value)),
            Item::String(text) => self.string(text),
            Item::Secure(ciphertext) => {
                let text = Item::String(ciphertext.clone());
                self.parts(['{', '}'], [&text], level, |writer, text, level| writer.entry("secure", text, level));
            }
            Item::List(items) => self.parts(['[', ']'], items, level, Writer::item),
            Item::Map(map) => {
                self.parts(['{', '}'], map, level, |writer, (key, value), level| writer.entry(key, value, level));
            }
        }
    }

    /// `"key": value`.
    pub(super) fn entry(&mut self, key: &str, value: &Item, level: usize) {
        self.key(key);
        self.item(value, level);
    }

    pub(super) fn key(&mut self, key: &str) {
        self.string(key);
        self.out.push_str(if self.indented { ": " } else { ":" });
    }

    /// Brackets around parts with commas between them.
    pub(super) fn parts<T>(
        &mut self,
        [open, close]: [char; 2],
        parts: impl IntoIterator<Item = T>,
        level: usize,
        mut each: impl FnMut(&mut Self, T, usize),
    ) {
        self.out.push(open);
        let mut empty = true;
        for part in parts {
            if !std::mem::take(&mut empty) {
                self.out.push(',');
            }
            self.line(level + 1);
            each(self, part, level + 1);
        }
        if !empty {
            self.line(level);
        }
        self.out.push(close);
    }

    fn line(&mut self, level: usize) {
        if self.indented {
            self.out.push('\n');
            (0..level).for_each(|_| self.out.push_str("  "));
        }
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '<' | '>' | '&' if !self.html => self.out.push(c),
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                    self.out.push_str(&format!("\\u{:04x}", u32::from(c)));
                }
                other => self.out.push(other),
            }
        }
        self.out.push('"');
    }
}

/// The shortest form, with an exponent below 1e-6 and from 1e21; a negative exponent of one digit has no leading zero.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        return exponent_form(value).replace("e-0", "e-");
    }
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_go_writes_it() {
        let item = Item::Map(
            [
                ("b".to_owned(), Item::List(vec![Item::Int(1), Item::Float(1.5), Item::Null])),
                ("a<".to_owned(), Item::String("x&\u{2028}\u{1}\n".into())),
            ]
            .into(),
        );
        assert_eq!(compact(&item), "{\"a\\u003c\":\"x\\u0026\\u2028\\u0001\\n\",\"b\":[1,1.5,null]}");
        let mut writer = Writer { out: String::new(), indented: true, html: false };
        writer.item(&Item::List(vec![Item::Map([].into()), Item::Secure("<".into())]), 0);
        assert_eq!(writer.out, "[\n  {},\n  {\n    \"secure\": \"<\"\n  }\n]");
        assert_eq!(number(1e21), "1e+21");
        assert_eq!(number(1.5e-7), "1.5e-7");
        assert_eq!(number(100.0), "100");
    }
}
