//! Pages of documentation: on a terminal, as Markdown, and as HTML. The text of a schema is untrusted: each renderer removes whatever would act as
//! markup or commands in its output.

mod html;
mod markdown;
mod site;
mod terminal;

pub(crate) use html::html;
pub(crate) use markdown::markdown;
pub(crate) use site::{Format, write};
pub(crate) use terminal::terminal;

use outrigger_workspace::Subject;

/// The link to the page of a resource or a function from the current page; `None` if it has no page.
pub(crate) type Links<'l> = &'l dyn Fn(&Subject) -> Option<String>;

#[cfg(test)]
mod tests {
    use outrigger_workspace::{Block, Member, PropertyRow, Span, Text};

    use super::*;

    const HOSTILE: &str = "<script>alert(\"1\")</script> [x](javascript:a) ``` *b* \x1b[2J\x07\u{202e}\n# c";

    fn hostile() -> Vec<Block> {
        let plain = |text: &str| -> Text { vec![Span::Plain(text.to_owned())] };
        let url = "https://x.example/\"><script>)".to_owned();
        let subject = Subject::Resource(HOSTILE.to_owned());
        let row = PropertyRow {
            name: HOSTILE.to_owned(),
            ty: vec![
                Span::Code(HOSTILE.to_owned()),
                Span::Plain(" ".to_owned()),
                Span::Member(subject.clone(), HOSTILE.to_owned()),
            ],
            marks: plain(HOSTILE),
            deprecated: Some(plain(HOSTILE)),
            description: vec![Block::Item { depth: 1, text: plain(HOSTILE) }],
        };
        vec![
            Block::Heading { level: 1, text: plain(HOSTILE), anchor: None },
            Block::Paragraph(vec![Span::Link { text: HOSTILE.to_owned(), url }]),
            Block::Code { language: HOSTILE.to_owned(), text: HOSTILE.to_owned() },
            Block::Properties(vec![row]),
            Block::Members(vec![Member { subject, name: HOSTILE.to_owned(), summary: HOSTILE.to_owned() }]),
        ]
    }

    fn assert_harmless(text: &str) {
        assert!(!text.contains("[2J"), "{text:?}");
        assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n' || letter == '\u{202e}'), "{text:?}");
    }

    #[test]
    fn html_holds_no_element_of_a_schemas() {
        let page = html(&hostile(), &|_| Some("a.html".to_owned()));
        assert_harmless(&page);
        let body = page.split_once("<body>").unwrap().1;
        let mut elements: Vec<&str> =
            body.split('<').skip(1).map(|rest| rest.split(['>', ' ']).next().unwrap()).collect();
        elements.sort_unstable();
        elements.dedup();
        let expected = [
            "/a", "/body", "/code", "/dd", "/dl", "/dt", "/h1", "/html", "/li", "/p", "/pre", "/span", "/ul", "a",
            "code", "dd", "dl", "dt", "h1", "li", "p", "pre", "span", "ul",
        ];
        assert_eq!(elements, expected);
        assert!(body.contains("<a href=\"https://x.example/&quot;&gt;&lt;script&gt;)\""), "{body}");
    }

    #[test]
    fn markdown_holds_no_markup_of_a_schemas() {
        let page = markdown(&hostile(), &|_| None);
        assert_harmless(&page);
        let code = regex_lite::Regex::new("(?s)````.*?````").unwrap();
        let prose = code.replace_all(&page, "CODE");
        assert!(!prose.contains("<script") && !prose.contains("[x](java") && !prose.contains(" *b*"), "{prose}");
        assert!(prose.contains("\\[x\\](javascript:a) \\`\\`\\` \\*b\\*"), "{prose}");
        assert_eq!(page.lines().filter(|line| line.trim_start().starts_with('#')).count(), 2, "{page}");
    }
}
