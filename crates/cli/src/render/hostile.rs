//! Strings that attack a terminal or a renderer, in every field that can hold them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use outrigger_diagnostic::{Diagnostic, Place, Position};
use outrigger_engine::{Step, StepOp};
use outrigger_state::Resource;
use outrigger_value::{PropertyMap, Urn, Value};
use outrigger_workspace::json::Secrets;
use proptest::prelude::*;

use super::detail::in_full;
use super::diagnostic::Renderer;
use super::step::label;
use super::summary::outputs;
use super::table::columns;
use super::text::{Line, clip, harmless, one_line, padded, width};
use super::value::to_line;
use super::{duration, step};

/// Widths at which formats, terminals and integers have their limits.
const LENGTHS: [usize; 8] = [0, 1, 2, 59, 160, 65_535, 65_536, 70_000];

/// A string of parts that are each a trap.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "a",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\0",
        "\u{7f}",
        "\u{8}",
        "日本",
        "e\u{301}\u{302}",
        "\u{200d}",
        "👩‍👩‍👧",
        "\u{202e}",
        "\u{2066}x",
        "\u{200f}",
        "\u{61c}",
        "\u{1b}[2J",
        "\u{1b}]0;title\u{7}",
        "\u{1b}[5m",
        "\u{1b}",
        "\u{9b}5m",
        "\u{2028}",
        "${",
        "fn::secret: ",
        "{}",
        "%s",
        "`",
        "…",
    ]);
    let few = prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat());
    (few, prop::sample::select(LENGTHS.to_vec()), any::<bool>()).prop_map(|(text, length, long)| match long {
        true => format!("{text}{}{text}", "日x".repeat(length / 2)),
        false => text,
    })
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        prop::sample::select(vec![0, 1, 2, 3, 60, 65_535, 65_536, 65_537, 140_000, u32::MAX - 1, u32::MAX]),
        any::<u32>()
    ]
}

/// Checks that a text contains only letters, line ends, and our own colours.
#[track_caller]
pub(crate) fn assert_harmless(shown: &str) {
    let turns = |letter| matches!(letter, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let bare = anstream::adapter::strip_str(shown).to_string();
    let bad = bare.chars().find(|letter| turns(*letter) || (letter.is_control() && !matches!(letter, '\n' | '\t')));
    assert_eq!(bad, None, "{bare:?}");
    // Blinking is no colour of ours, and our styles end at once.
    assert!(!shown.contains("\u{1b}[5m") && !shown.contains("\u{1b}[2J") && !shown.contains("\u{1b}]"), "{shown:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn diagnostics(texts in [text(), text(), text(), text(), text()], at in [number(), number(), number(), number()], file in text()) {
        let [source, summary, detail, hint, note] = texts;
        let position = |line, column| Position { line, column };
        let place = Place { file: "p".into(), start: position(at[0] % 4, at[1]), end: position(at[2] % 4, at[3]) };
        let renderer = Renderer { texts: BTreeMap::from([("p".to_owned(), format!("one\n{source}\nthree"))]), ..Renderer::default() };
        let diagnostic = Diagnostic::error("yaml-syntax", summary).detail(detail).hint(format!("Look at {hint}."))
            .note(note);
        assert_harmless(&renderer.render(&diagnostic.clone().at(place.clone())));
        assert_harmless(&renderer.render(&diagnostic.at(Place { file: file.into(), ..place })));
    }

    #[test]
    fn tables(cells in prop::collection::vec([text(), text()], 0..4), heading in Just(["NAME", "VALUE"])) {
        assert_harmless(&columns(heading, &cells));
    }

    #[test]
    fn lines(text in text(), other in text(), room in prop::sample::select(LENGTHS.to_vec())) {
        assert_harmless(&harmless(&text));
        let bare = one_line(&text);
        prop_assert!(!bare.contains('\n') && !bare.contains('\t'));
        prop_assert!(width(&clip(&bare, room)) <= room);
        prop_assert!(width(&padded(&bare, room)) >= room.min(width(&bare)));
        let mut line = Line::new(room);
        line.push(&bare);
        line.fill(room / 2);
        line.styled(step::words(StepOp::Create).style, &one_line(&other));
        let shown = line.end();
        assert_harmless(&shown);
        prop_assert!(width(&anstream::adapter::strip_str(&shown).to_string()) <= room);
    }

    #[test]
    fn steps_and_values(name in text(), texts in [text(), text(), text()], key in text(), seconds in number()) {
        let [old, new, kind] = texts;
        let urn = Urn::new("dev", "shop", None, &format!("a:b:{kind}"), &name);
        assert_harmless(&label(&urn));
        let properties = |text: &str| {
            let list = Value::List(vec![text.into(), Value::secret(text.into())]);
            let nested = PropertyMap::from_iter([(key.clone(), Value::from(text)), ("list".to_owned(), list)]);
            PropertyMap::from_iter([(key.clone(), Value::from(text)), ("nested".to_owned(), Value::Map(nested))])
        };
        let resource = |text: &str| {
            Some(Arc::new(Resource { inputs: properties(text), outputs: properties(text), ..Resource::new(urn.clone(), true) }))
        };
        for op in [StepOp::Create, StepOp::Update, StepOp::Delete] {
            let step = Step { op, urn: urn.clone(), old: resource(&old), new: resource(&new), diff: None };
            assert_harmless(&in_full(&step, Secrets::Shown));
        }
        assert_harmless(&outputs(&properties(&old), &properties(&new), Secrets::Shown));
        assert_harmless(&to_line(&Value::Map(properties(&new)), Secrets::Shown));
        assert_harmless(&duration::short(Duration::from_secs(seconds.into())));
    }
}
