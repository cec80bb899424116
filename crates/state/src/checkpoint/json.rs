//! JSON text as Go's `encoding/json` writes it, so that a file looks the same whichever program wrote it.

use serde_json::Value as Json;

/// Builds compact JSON text.
#[derive(Debug, Default)]
pub(crate) struct JsonWriter {
    text: String,
    /// Go escapes `<`, `>` and `&` by default. Pulumi turns this off for checkpoints, but not for the plaintext of a secret.
    html: bool,
}

impl JsonWriter {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With capacity for so many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), html: false }
    }

    pub(crate) fn escaping_html() -> Self {
        Self { text: String::new(), html: true }
    }

    pub(crate) fn escapes_html(&self) -> bool {
        self.html
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Adds text that is JSON already.
    pub(crate) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a comma unless a list or object has just begun.
    pub(crate) fn separate(&mut self) {
        if !self.text.ends_with(['[', '{', ':']) && !self.text.is_empty() {
            self.text.push(',');
        }
    }

    pub(crate) fn key(&mut self, key: &str) {
        self.separate();
        self.string(key);
        self.text.push(':');
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// A finite number in Go's format: plain digits, with an exponent only for very small and very large ones.
    pub(crate) fn number(&mut self, value: f64) {
        let size = value.abs();
        if size != 0.0 && !(1e-6..1e21).contains(&size) {
            let text = format!("{value:e}");
            match text.split_once('e') {
                Some((digits, power)) if !power.starts_with('-') => {
                    self.raw(digits);
                    self.raw("e+");
                    self.raw(power);
                }
                _ => self.raw(&text),
            }
        } else {
            self.raw(&value.to_string());
        }
    }

    pub(crate) fn string(&mut self, value: &str) {
        self.text.push('"');
        let mut rest = value;
        while let Some(at) = rest.find(|character| self.must_escape(character)) {
            let (plain, from) = rest.split_at(at);
            self.text.push_str(plain);
            let mut characters = from.chars();
            if let Some(character) = characters.next() {
                self.escape(character);
            }
            rest = characters.as_str();
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    pub(crate) fn strings<T: AsRef<str>>(&mut self, values: impl IntoIterator<Item = T>) {
        self.text.push('[');
        for value in values {
            self.separate();
            self.string(value.as_ref());
        }
        self.text.push(']');
    }

    /// A whole value that was parsed before.
    pub(crate) fn json(&mut self, value: &Json) {
        match value {
            Json::Null => self.raw("null"),
            Json::Bool(value) => self.bool(*value),
            Json::Number(number) => match number.as_f64() {
                // Integers that a double cannot represent stay as they are.
                Some(value) if !(number.is_i64() || number.is_u64()) => self.number(value),
                _ => self.raw(&number.to_string()),
            },
            Json::String(value) => self.string(value),
            Json::Array(items) => {
                self.raw("[");
                for item in items {
                    self.separate();
                    self.json(item);
                }
                self.raw("]");
            }
            Json::Object(map) => {
                self.raw("{");
                for (key, item) in map {
                    self.key(key);
                    self.json(item);
                }
                self.raw("}");
            }
        }
    }

    fn must_escape(&self, character: char) -> bool {
        matches!(character, '"' | '\\' | '\0'..='\x1f' | '\u{2028}' | '\u{2029}')
            || (self.html && matches!(character, '<' | '>' | '&'))
    }

    fn escape(&mut self, character: char) {
        match character {
            '"' => self.raw("\\\""),
            '\\' => self.raw("\\\\"),
            '\n' => self.raw("\\n"),
            '\r' => self.raw("\\r"),
            '\t' => self.raw("\\t"),
            '\u{8}' => self.raw("\\b"),
            '\u{c}' => self.raw("\\f"),
            other => self.text.push_str(&format!("\\u{:04x}", u32::from(other))),
        }
    }
}

/// The same JSON with line breaks and four spaces per level, as Pulumi prints it. The text must be valid JSON.
pub fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut level, mut in_string, mut escaped) = (0_usize, false, false);
    let mut characters = text.chars().filter(|each| !matches!(each, '\n' | '\r')).peekable();
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("    ", level));
    };
    while let Some(character) = characters.next() {
        if in_string {
            out.push(character);
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            '"' => {
                in_string = true;
                out.push('"');
            }
            '{' | '[' => {
                out.push(character);
                while characters.next_if(|next| next.is_whitespace()).is_some() {}
                let close = if character == '{' { '}' } else { ']' };
                if characters.next_if_eq(&close).is_some() {
                    out.push(close);
                } else {
                    level += 1;
                    line(&mut out, level);
                }
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                line(&mut out, level);
                out.push(character);
            }
            ',' => {
                out.push(',');
                line(&mut out, level);
            }
            ':' => out.push_str(": "),
            space if space.is_whitespace() => {}
            other => out.push(other),
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: f64) -> String {
        let mut writer = JsonWriter::new();
        writer.number(value);
        writer.finish()
    }

    #[test]
    fn numbers_look_as_go_writes_them() {
        let cases: [(f64, &str); 10] = [
            (12.0, "12"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5e-7"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn strings_come_back() {
        let text = "a\"\\\n\r\t\u{8}\u{c}\u{1}<&>\u{2028}é\u{10ffff}";
        for mut writer in [JsonWriter::new(), JsonWriter::escaping_html()] {
            let html = writer.escapes_html();
            writer.string(text);
            let json = writer.finish();
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            assert_eq!(json.contains('<'), !html);
        }
    }

    #[test]
    fn indentation_changes_nothing_but_space() {
        let text = r#"{"a":[],"b":{},"c":[1,{"d":"x,{\\\"[:"}],  "e" : [ ] }"#;
        let pretty = indented(text);
        let parse = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        assert_eq!(parse(&pretty), parse(text));
        assert_eq!(indented(&pretty), pretty);
        assert!(pretty.starts_with("{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,"), "{pretty}");
    }
}
