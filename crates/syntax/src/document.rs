//! A parsed file, and the conversion of bytes to lines and columns.

use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Place, Position};

use crate::error::{self, Source};
use crate::{Node, Span, parser};

/// The keys that a file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Text only: a program.
    Text,
    /// Any scalar, converted to text as Go prints it: a stack's configuration, as in the peer.
    Scalar,
}

/// The size limit of a file. Ten thousand resources take a few megabytes.
pub const MAX_BYTES: usize = 64 << 20;

/// The limit of nesting.
pub const MAX_DEPTH: usize = 200;

/// A file and its tree.
#[derive(Clone, Debug)]
pub struct Document {
    file: Arc<str>,
    source: Arc<str>,
    lines: Arc<[u32]>,
    /// The place of each alias and of its value, sorted.
    aliases: Arc<[(Span, Span)]>,
    /// The first document of the file; null when the file is empty. Clones of a document share it.
    pub root: Arc<Node>,
    /// Where the second document of the file begins, which nothing reads.
    pub second: Option<Span>,
}

impl Document {
    /// Parses text. `file` is the path as the user would write it.
    ///
    /// Only the first YAML document counts. All bad aliases, keys and duplicates are reported together; a syntax
    /// error stops the parser.
    pub fn parse(file: impl Into<Arc<str>>, source: impl Into<Arc<str>>) -> Result<Self, Vec<Diagnostic>> {
        Self::parse_with(file, source, Keys::Text)
    }

    /// Parses bytes, which must be UTF-8.
    pub fn parse_bytes(file: impl Into<Arc<str>>, bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        Self::parse_bytes_with(file, bytes, Keys::Text)
    }

    /// Parses text, with the choice of keys.
    pub fn parse_with(
        file: impl Into<Arc<str>>,
        source: impl Into<Arc<str>>,
        keys: Keys,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (file, source) = (file.into(), source.into());
        if source.len() > MAX_BYTES {
            return Err(vec![error::too_large(&file, source.len())]);
        }
        let lines = line_starts(&source);
        let at = Source { file: &file, text: &source, lines: &lines };
        let (root, aliases, second) = parser::parse(&at, keys)?;
        Ok(Self { root: root.into(), lines: lines.into(), aliases: aliases.into(), file, source, second })
    }

    /// Parses bytes, which must be UTF-8, with the choice of keys.
    pub fn parse_bytes_with(file: impl Into<Arc<str>>, bytes: &[u8], keys: Keys) -> Result<Self, Vec<Diagnostic>> {
        let file = file.into();
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse_with(file, text, keys),
            Err(bad) => Err(vec![error::not_utf8(&file, bytes, bad.valid_up_to())]),
        }
    }

    /// The path as the user would write it.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// The whole text.
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// The text of a span, or of the value of an alias there; empty for a span of another document.
    pub fn text(&self, span: Span) -> &str {
        self.source.get(self.aliased(span).unwrap_or(span).range()).unwrap_or_default()
    }

    /// Whether a span is an alias.
    pub fn is_alias(&self, span: Span) -> bool {
        self.aliased(span).is_some()
    }

    /// The value of an alias.
    fn aliased(&self, span: Span) -> Option<Span> {
        let at = self.aliases.binary_search_by(|(alias, _)| alias.cmp(&span)).ok()?;
        self.aliases.get(at).map(|(_, value)| *value)
    }

    /// Line and column of a byte.
    pub fn position(&self, byte: u32) -> Position {
        Source { file: &self.file, text: &self.source, lines: &self.lines }.position(byte)
    }

    /// The place of a span, for a diagnostic.
    pub fn place(&self, span: Span) -> Place {
        Source { file: &self.file, text: &self.source, lines: &self.lines }.place(span)
    }
}

/// The byte at which each line begins. A line ends with LF, CR LF or CR, as YAML and editors count.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at as u32 + 1);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Layout, Style};

    fn parse(text: &str) -> Document {
        Document::parse("Pulumi.yaml", text).unwrap()
    }

    fn refused(text: &str) -> Vec<(&'static str, u32, u32)> {
        let found = Document::parse("Pulumi.yaml", text).unwrap_err();
        found
            .iter()
            .map(|one| {
                let place = one.place.as_ref().unwrap();
                assert!(!one.hints.is_empty(), "{one}");
                (one.code, place.start.line, place.start.column)
            })
            .collect()
    }

    #[test]
    fn values_and_their_bytes() {
        let document = parse("é: 1\nb:\nlist:\n- \"q\"  # c\n- |\n  two\n  lines\n\nflow: {x: [1, ~]}\ndone: yes\n");
        let root = document.root.as_object().unwrap();
        let text = |key: &str| document.text(root.get(key).unwrap().span);
        assert_eq!(text("é"), "1");
        assert_eq!(text("b"), "");
        assert_eq!(document.position(root.get("b").unwrap().span.start), Position { line: 2, column: 3 });
        assert_eq!(text("flow"), "{x: [1, ~]}");
        assert_eq!(text("list"), "\"q\"  # c\n- |\n  two\n  lines");
        let list = root.get("list").unwrap().as_list().unwrap();
        assert_eq!(list[0].as_str(), Some("q"));
        assert_eq!(document.text(list[1].span), "|\n  two\n  lines");
        assert_eq!(list[1].as_str(), Some("two\nlines\n"));
        assert!(matches!(&list[1].kind, Kind::String(text) if text.style == Style::Block));
        assert!(matches!(&root.get("flow").unwrap().kind, Kind::Object(object) if object.layout == Layout::Flow));
        assert_eq!(root.get("done").unwrap().as_str(), Some("yes"));
        assert_eq!(document.place(root.entry("é").unwrap().value.span).to_string(), "Pulumi.yaml:1:4");
    }

    #[test]
    fn tags_and_odd_files() {
        let document = parse("a: !!str 5\nb: !!float 3\nc: !Ref x\nd: !!str\n");
        let root = document.root.as_object().unwrap();
        assert_eq!(root.get("a").unwrap().as_str(), Some("5"));
        assert_eq!(document.text(root.get("a").unwrap().span), "!!str 5");
        assert_eq!(root.get("b").unwrap().as_number(), Some(3.0));
        assert_eq!(root.get("c").unwrap().as_str(), Some("x"));
        assert_eq!(root.get("d").unwrap().as_str(), Some(""));
        assert!(parse("").root.is_null());
        assert!(parse("# nothing\n").root.is_null());
        assert_eq!(parse("\u{feff}a: 1\n").root.as_object().unwrap().len(), 1);
        assert_eq!(parse("a: 1\n---\nb: [").root.as_object().unwrap().len(), 1);
        assert_eq!(parse("{\"a\": {\"b\": [1, true, null, \"x\\ny\"]}}").root.as_object().unwrap().len(), 1);
        assert_eq!(parse("a: 1\r\nb: |\r\n  x\r\n").root.as_object().unwrap().get("b").unwrap().as_str(), Some("x\n"));
        assert_eq!(refused("a: !!int x\n"), [("yaml-tag-mismatch", 1, 4)]);
    }

    #[test]
    fn keys_that_cannot_be() {
        assert_eq!(refused("1: y\nd: 1\nd: 2\n"), [("yaml-key-not-text", 1, 1), ("yaml-duplicate-key", 3, 1)]);
        assert_eq!(refused("? [a]\n: 1\n"), [("yaml-key-not-text", 1, 3)]);
        assert_eq!(refused("a:\n  é: 1\n  b: {c: 1, c: 2}\n"), [("yaml-duplicate-key", 3, 13)]);
        let many: String = (0..40).map(|n| format!("k{n}: 1\n")).chain(["k7: 2\n".to_owned()]).collect();
        assert_eq!(refused(&many), [("yaml-duplicate-key", 41, 1)]);
    }

    #[test]
    fn aliases_and_merge_keys() {
        let text = "base: &base\n  size: &size 0x10\n  tags: {a: 1}\none:\n  <<: *base\n  tags: none\ntwo:\n  b: 2\n  <<: [{b: 3, c: 4}, *base]\nthree: *size\n'<<': plain\n*size : key\n";
        let document = Document::parse_with("Pulumi.yaml", text, Keys::Scalar).unwrap();
        let root = document.root.as_object().unwrap();
        let one = root.get("one").unwrap().as_object().unwrap();
        assert_eq!((one.own, one.len()), (1, 2));
        assert_eq!(one.get("tags").unwrap().as_str(), Some("none"));
        assert_eq!(one.get("size").unwrap().as_number(), Some(16.0));
        let two = root.get("two").unwrap().as_object().unwrap();
        let keys: Vec<&str> = two.iter().map(|entry| &*entry.key.text).collect();
        assert_eq!(keys, ["b", "c", "size", "tags"]);
        assert_eq!(two.get("b").unwrap().as_number(), Some(2.0));
        // The value's span is the alias, its text is that of the anchored value, and its parts have the spans where they were written.
        let three = root.get("three").unwrap();
        assert_eq!(
            (document.place(three.span).to_string(), document.text(three.span)),
            ("Pulumi.yaml:10:8".into(), "0x10")
        );
        assert!(document.is_alias(three.span) && !document.is_alias(root.get("base").unwrap().span));
        let tag = two.get("tags").unwrap().as_object().unwrap().get("a").unwrap();
        assert_eq!(document.place(tag.span).to_string(), "Pulumi.yaml:3:13");
        assert_eq!(root.get("<<").unwrap().as_str(), Some("plain"));
        assert_eq!(root.get("16").unwrap().as_str(), Some("key"));
        assert_eq!(document.text(root.get("two").unwrap().span), "b: 2\n  <<: [{b: 3, c: 4}, *base]");
        for (text, found) in [
            ("b: *nowhere\n", ("yaml-alias", 1, 4)),
            ("a: &a [*a]\n", ("yaml-alias", 1, 8)),
            ("a: &a 1\nb: {<<: *a}\n", ("yaml-merge-key", 2, 9)),
            ("a: &a {x: 1}\nb: {<<: [*a, 5]}\n", ("yaml-merge-key", 2, 9)),
            ("a: &a [x]\n*a : 1\n", ("yaml-key-not-text", 2, 1)),
        ] {
            assert_eq!(refused(text), [found], "{text}");
        }
    }

    #[test]
    fn syntax_errors_say_where_and_what_to_do() {
        assert_eq!(refused("a:\n\tb: 1\n"), [("yaml-syntax", 2, 2)]);
        assert_eq!(refused("a: \"x"), [("yaml-syntax", 1, 4)]);
        assert_eq!(refused("a: \"x\nb: y\n"), [("yaml-syntax", 2, 1)]);
        assert_eq!(refused("a:\n   b: 1\n  c: 1\n"), [("yaml-syntax", 3, 3)]);
        assert_eq!(refused("a: b: c\n"), [("yaml-syntax", 1, 5)]);
        assert_eq!(refused("a: [1,\n"), [("yaml-syntax", 1, 4)]);
        assert_eq!(refused("a: @x\n"), [("yaml-syntax", 1, 4)]);
        for text in ["a: [${x.y}]\n", "a: {b: ${x.y}-z}\n", "a: [1, \"${ok}\",\n  ${x.y}]\n"] {
            let found = Document::parse("p.yaml", text).unwrap_err();
            assert_eq!(found[0].code, "yaml-unquoted-placeholder", "{text}");
            assert_eq!(found[0].hints, ["Quote the placeholder: \"${x.y}\"."]);
        }
        let bytes = Document::parse_bytes("p.yaml", b"a: 1\nb: \xff\n").unwrap_err();
        assert_eq!(
            (bytes[0].code, bytes[0].place.as_ref().unwrap().to_string()),
            ("yaml-not-utf8", "p.yaml:2:4".into())
        );
    }

    #[test]
    fn bombs() {
        assert_eq!(refused(&"[".repeat(100_000))[0].0, "yaml-too-deep");
        assert_eq!(refused(&"- ".repeat(5000))[0].0, "yaml-too-deep");
        let deep: String = (0..500).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        assert_eq!(refused(&deep)[0].0, "yaml-too-deep");
        let lol: String = (0..30)
            .fold("a0: &a0 [x]\n".to_owned(), |text, n| format!("{text}a{}: &a{} [*a{n}, *a{n}]\n", n + 1, n + 1));
        assert_eq!(refused(&lol), [("yaml-alias", 18, 18)]);
        let tower: String =
            (0..250).fold("a0: &a0 [x]\n".to_owned(), |text, n| format!("{text}a{}: &a{} [*a{n}]\n", n + 1, n + 1));
        assert_eq!(refused(&tower).first().map(|found| found.0), Some("yaml-too-deep"));
        let wide = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(100));
        assert_eq!(refused(&wide), [("yaml-alias", 2, 253)]);
    }

    #[test]
    fn scalars_as_keys_of_configuration() {
        let document =
            Document::parse_with("p.yaml", "{8080: a, true: b, 0x10: c, 1.50: d, 2e7: e, ~: f}", Keys::Scalar).unwrap();
        let keys: Vec<&str> = document.root.as_object().unwrap().iter().map(|entry| &*entry.key.text).collect();
        assert_eq!(keys, ["8080", "true", "16", "1.5", "2e+07", "<nil>"]);
    }
}
