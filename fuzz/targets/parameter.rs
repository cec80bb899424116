//! Any text as a constraint, an address, a pattern, arguments, or their stored form: a parsed one survives being written and read again, and a
//! refused one has a hint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outrigger_bridge::{ParameterValue, Parameters};
use outrigger_diagnostic::Diagnostic;
use outrigger_package::terraform::Pattern;
use outrigger_terraform::address::Address;
use outrigger_terraform::constraint::Constraint;
use semver::Version;

fuzz_target!(|text: &str| {
    constraint(text);
    address(text);
    arguments(text);
    stored(text.as_bytes());
});

fn constraint(text: &str) {
    match text.parse::<Constraint>() {
        Ok(constraint) => {
            let canonical = constraint.to_string();
            let again = canonical.parse::<Constraint>();
            assert_eq!(again.as_ref().ok(), Some(&constraint), "{canonical}");
            assert_eq!(again.map(|again| again.to_string()).ok(), Some(canonical));
            assert_eq!(constraint.newest([&Version::new(0, 0, 0)]), None);
        }
        Err(error) => refused(&error),
    }
}

fn address(text: &str) {
    match text.parse::<Address>() {
        Ok(address) => {
            let whole = address.to_string();
            assert_eq!(whole.parse::<Address>().ok().as_ref(), Some(&address), "{whole}");
            assert!(Pattern::parse(&whole).is_ok_and(|pattern| pattern.matches(&address)), "{whole}");
            assert!(Pattern::parse(text).is_ok_and(|pattern| pattern.matches(&address)), "{text}");
        }
        Err(error) => refused(&error),
    }
    if let Err(reason) = Pattern::parse(text) {
        assert!(!reason.is_empty());
    }
}

/// Each line is an argument.
fn arguments(text: &str) {
    let arguments: Vec<&str> = text.split('\n').collect();
    match Parameters::parse(&arguments) {
        Ok(parameters) => match ParameterValue::new(parameters, &Version::new(1, 2, 3)) {
            Ok(value) => kept(&value),
            Err(error) => panic!("a version is no constraint: {error:?}"),
        },
        Err(error) => refused(&error),
    }
}

fn stored(bytes: &[u8]) {
    match ParameterValue::parse(bytes) {
        Ok(value) => kept(&value),
        Err(error) => refused(&error),
    }
}

fn kept(value: &ParameterValue) {
    let bytes = value.to_bytes();
    assert_eq!(ParameterValue::parse(&bytes).ok().as_ref(), Some(value), "{}", String::from_utf8_lossy(&bytes));
}

fn refused(error: &Diagnostic) {
    let help = error.summary == "help was asked for";
    assert!(help || !error.hints.is_empty(), "without a next step: {error:?}");
}
