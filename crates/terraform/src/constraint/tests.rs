use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Constraint {
    text.parse().unwrap()
}

fn matches(constraint: &str, version: &str) -> bool {
    parse(constraint).matches(&version.parse().unwrap())
}

#[test]
fn each_operator_has_its_meaning() {
    for (constraint, inside, outside) in [
        ("", "9.9.9", "9.9.9-beta"),
        ("1.2.3", "1.2.3", "1.2.4"),
        ("= 1.2.3", "1.2.3", "1.2.2"),
        ("1.2", "1.2.0", "1.2.1"),
        ("!= 1.3.0", "1.3.1", "1.3.0"),
        ("> 1", "1.0.1", "1.0.0"),
        (">= 1", "1.0.0", "0.9.9"),
        ("< 2", "1.9.9", "2.0.0"),
        ("<= 2.0", "2.0.0", "2.0.1"),
        ("~> 1.2.3", "1.2.9", "1.3.0"),
        ("~> 1.2", "1.9.0", "2.0.0"),
        ("~> 1.2", "1.2.0", "1.1.9"),
        ("~> 1", "1.9.0", "2.0.0"),
        (">= 1.0, < 2.0", "1.5.0", "2.0.0"),
        (">=1.0,<2.0,", "1.5.0", "0.5.0"),
    ] {
        assert!(matches(constraint, inside), "{constraint} {inside}");
        assert!(!matches(constraint, outside), "{constraint} {outside}");
    }
}

#[test]
fn a_prerelease_is_only_what_is_asked_for_exactly() {
    assert!(matches("1.0.0-beta.1", "1.0.0-beta.1"));
    assert!(matches("1.0.0-beta.1, >= 0.9", "1.0.0-beta.1"));
    assert!(!matches("1.0.0-beta.1, >= 1.0.0", "1.0.0-beta.1"));
    for constraint in [">= 1.0.0-beta.1", "~> 1.0.0-beta.1", "!= 2.0.0", "< 2", "!= 1.0.0-beta.1"] {
        assert!(!matches(constraint, "1.0.0-beta.1"), "{constraint}");
    }
    assert!(matches("~> 1.0.0-beta.1", "1.0.5"));
}

#[test]
fn what_stands_behind_plus_counts_only_for_equality() {
    assert!(!matches("1.0.0", "1.0.0+a"));
    assert!(matches("1.0.0+a", "1.0.0+a"));
    assert!(matches("!= 1.0.0", "1.0.0+a"));
    assert!(matches(">= 1.0.0+b, <= 1.0.0", "1.0.0+a"));
}

#[test]
fn the_version_that_means_none_is_never_taken() {
    for constraint in ["", "0.0.0", ">= 0"] {
        assert!(!matches(constraint, "0.0.0"), "{constraint}");
    }
}

#[test]
fn the_canonical_form_is_sorted_and_whole() {
    for (text, canonical) in [
        ("", ""),
        (">= 2, >= 2.0.0", ">= 2.0.0"),
        ("< 3, >= 2.1", ">= 2.1.0, < 3.0.0"),
        ("~> 2", "~> 2.0"),
        ("~> 2.0.0,~> 2.0", "~> 2.0.0, ~> 2.0"),
        ("=1.0.0-a+b", "1.0.0-a+b"),
        ("!= 1.0, > 1.0, 1.0, <= 1.0, < 1.0, >= 1.0", "> 1.0.0, >= 1.0.0, 1.0.0, <= 1.0.0, < 1.0.0, != 1.0.0"),
    ] {
        assert_eq!(parse(text).to_string(), canonical);
    }
}

#[test]
fn mistakes_have_a_column_and_a_reason() {
    for (text, column, reason) in [
        ("v1.0", 1, "no `v`"),
        (">= v1.0", 4, "no `v`"),
        ("=> 1.0", 1, "`=>` is not an operator"),
        (">= 1.0, =< 2", 9, "`=<` is not an operator"),
        ("^1.0", 1, "`^` is not an operator"),
        (">=  1.0", 5, "only one space"),
        ("1.*", 3, "have a wildcard"),
        ("1.x", 3, "have a wildcard"),
        ("1.2.3.4", 8, "at most three"),
        (">= 1.0 < 2.0", 8, "a comma is missing"),
        ("1.0 || 2.0", 5, "a comma is missing"),
        ("1..0", 3, "a number is missing"),
        (">=", 3, "a number is missing"),
        ("latest", 1, "a number is missing"),
        ("1.99999999999999999999", 3, "too large"),
        ("1.0.0-", 7, "missing after `-`"),
        ("1.0.0-a..b", 7, "empty"),
        ("1.0.0+", 7, "missing after `+`"),
    ] {
        let error = text.parse::<Constraint>().unwrap_err();
        let detail = error.detail.as_deref().unwrap_or_default();
        assert!(detail.starts_with(&format!("At column {column}: ")) && detail.contains(reason), "{text}: {detail}");
        assert!(!error.hints.is_empty());
    }
}

fn version() -> impl Strategy<Value = Version> {
    (0..4_u64, 0..4_u64, 0..4_u64, prop::option::of("[ab]{1,2}")).prop_map(|(major, minor, patch, pre)| {
        let mut version = Version::new(major, minor, patch);
        if let Some(pre) = pre {
            version.pre = semver::Prerelease::new(&pre).unwrap();
        }
        version
    })
}

fn term() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["", "= ", "!=", "> ", ">=", "< ", "<=", "~> "]);
    let numbers = prop::collection::vec(0..4_u64, 1..=3);
    (operator, numbers, prop::option::of("[ab]{1,2}")).prop_map(|(operator, numbers, pre)| {
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let pre = pre.map(|pre| format!("-{pre}")).unwrap_or_default();
        format!("{operator}{}{pre}", numbers.join("."))
    })
}

proptest! {
    #[test]
    fn the_canonical_form_means_the_same(terms in prop::collection::vec(term(), 0..4), version in version()) {
        let constraint = parse(&terms.join(", "));
        let again = parse(&constraint.to_string());
        prop_assert_eq!(&again, &constraint);
        prop_assert_eq!(again.matches(&version), constraint.matches(&version));
    }

    #[test]
    fn a_release_meets_a_list_if_it_meets_each_term(terms in prop::collection::vec(term(), 1..4), mut version in version()) {
        version.pre = semver::Prerelease::EMPTY;
        let each = terms.iter().all(|term| matches(term, &version.to_string()));
        prop_assert_eq!(parse(&terms.join(",")).matches(&version), each);
    }

    #[test]
    fn opposite_operators_part_the_releases(bound in version(), mut version in version()) {
        version.pre = semver::Prerelease::EMPTY;
        prop_assume!(version != Version::new(0, 0, 0));
        for (one, other) in [(">=", "<"), (">", "<="), ("=", "!=")] {
            let meets = |operator: &str| parse(&format!("{operator} {bound}")).matches(&version);
            prop_assert!(meets(one) != meets(other), "{} {}", one, bound);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,20}") {
        let _ = text.parse::<Constraint>();
        let _ = exact_version(&text);
    }
}
