//! Any text as a CLI configuration: read, or refused with a place in it; with a line put before it, the place is one line further down.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outrigger_diagnostic::Place;
use outrigger_package::terraform::cli_config::CliConfig;

fuzz_target!(|text: &str| {
    // A byte order mark is one only as the first letter.
    if text.starts_with('\u{feff}') {
        return;
    }
    let moved = CliConfig::parse("rc", &format!("# a line\n{text}"));
    match (CliConfig::parse("rc", text), moved) {
        (Ok(config), Ok(moved)) => {
            let places = places(&config);
            places.iter().for_each(|place| check(text, place));
            let further: Vec<Place> = places.into_iter().map(down).collect();
            assert_eq!(further, self::places(&moved));
            assert_eq!(config.plugin_cache, moved.plugin_cache);
        }
        (Err(error), Err(moved)) => {
            let Some(place) = error.place else { panic!("without a place: {:?}", error.detail) };
            check(text, &place);
            assert!(!error.hints.is_empty(), "without a next step: {:?}", error.detail);
            assert_eq!((Some(down(place)), error.detail), (moved.place, moved.detail));
        }
        (one, other) => panic!("{one:?} is {other:?} one line further down"),
    }
});

fn places(config: &CliConfig) -> Vec<Place> {
    let unknown = config.unknown.iter().map(|unknown| &unknown.place);
    let installation = config.installation.iter();
    let inside = installation.flat_map(|block| {
        let overrides = block.overrides.iter().map(|entry| &entry.place);
        [&block.place].into_iter().chain(overrides).chain(block.methods.iter().map(|method| &method.place))
    });
    unknown.chain(inside).cloned().collect()
}

fn down(mut place: Place) -> Place {
    place.start.line += 1;
    place.end.line += 1;
    place
}

/// A place is in the text, or at its end.
fn check(text: &str, place: &Place) {
    let line = text.split('\n').nth(place.start.line as usize - 1);
    let letters = line.map(|line| line.chars().count());
    assert!(letters.is_some_and(|letters| place.start.column as usize <= letters + 1), "{place}");
}
