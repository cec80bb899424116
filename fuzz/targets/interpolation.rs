//! Any text with placeholders: a parsed text prints as text that parses to the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outrigger_yaml::interpolation::parse;

fuzz_target!(|text: &str| {
    let Ok(parts) = parse(text) else { return };
    let printed: String = parts
        .iter()
        .map(|part| {
            let access = part.access.as_ref().map(|access| format!("${{{access}}}")).unwrap_or_default();
            // A dollar before a placeholder would be taken for its escape.
            format!("{}{access}", part.text.replace('$', "$$"))
        })
        .collect();
    // A root that was written in quotes prints without them, and may hold signs that end a name.
    let plain = |part: &outrigger_yaml::interpolation::Part| {
        part.access
            .as_ref()
            .is_none_or(|access| !access.root.is_empty() && !access.root.contains(['.', '[', '}', '"', '\\']))
    };
    if parts.iter().all(plain) && !text.contains('\\') {
        assert_eq!(parse(&printed), Ok(parts), "{text:?} printed as {printed:?}");
    }
});
