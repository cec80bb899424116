//! Errors in the words of each bridge. An error of the provider has the same text in both; an error of a bridge itself has the same meaning in both.

use regex_lite::Regex;

use super::checks::same_misfit;
use super::{Exception, When, allow};

const PROVIDERS: &str = "the provider's words are told with our names of the properties that they are about";
const OURS: &str = "what the bridge finds itself is told in our words";
const LIES: &str = "what a provider did against the rules is told in our words";
const DIED: &str = "how the provider ended is told, and whether the call had been made";
const NOT_KNOWN: &str = "what is not known is not given to a provider to make";

pub(super) const ALLOWED: &[Exception] = &[
    allow(&["*/*"], "*.error.message", PROVIDERS, |case| same_words(case.told_error(), case.said_error())),
    allow(&["*/*"], "*.error.message", OURS, |case| same_misfit(case.told_error(), case.said_error())),
    said(&["*/introduction"], OURS, r"unknown datasource token: (\S+)$", "^the provider has no function `"),
    said(&["*/introduction"], OURS, r"unknown resource token: (\S+)$", "^the provider has no resource `"),
    said(
        &["*/panic", "random/crash", "*/shapes"],
        DIED,
        r"^\{connection lost\}$",
        r"^\w+ 0\.0\.0, \w+ResourceChange: the plugin exited with code 2 during the call: panic: .*\nThe end of its stderr:\npanic: ",
    ),
    said(
        &["*/panic", "random/crash"],
        DIED,
        r"\{no connection\}",
        r"^the call was not made: the plugin exited with code 2 before\nThe end of its stderr:\npanic: ",
    ),
    said(
        &["*/versions", "random/mistakes"],
        OURS,
        r"The current state of (\S+) was created by a newer provider version .* schema version (\d+) to (\d+)\.",
        "^the state was written by a newer version of the provider",
    ),
    said(
        &["*/versions"],
        OURS,
        r#""schema_version"\] to be an integer, got "(\w+)""#,
        "^the stored `__meta` cannot be read: ",
    ),
    said(
        &["random/mistakes"],
        OURS,
        "expected \"(__meta)\" special property to be a JSON",
        "^the stored `__meta` cannot be read: ",
    ),
    said(
        &["*/versions"],
        OURS,
        "Failed to recover raw state",
        "^the stored state and its `__pulumi_raw_state_delta` do not belong together",
    ),
    said(&["*/configuration"], OURS, "^invalid character '.' ", r"^\w+: a \w+ is needed, in JSON, for example `"),
    said(
        &["*/secrets"],
        NOT_KNOWN,
        "(password|written): an unknown value cannot be kept",
        "is unknown, which is not possible here$",
    ),
    said(
        &["crude/imports"],
        OURS,
        "^ImportResourceState returned more than one result",
        "^the provider found several `",
    ),
    said(&["crude/imports"], OURS, "^ImportResourceState failed to return a result", "^the provider found no `"),
    said(&["crude/lies"], LIES, "unknown values cannot be serialized", "^made: an unknown value cannot be stored$"),
    said(&["crude/lies"], LIES, "unknown values cannot be serialized", "made: is still unknown after it was applied$"),
    said(
        &["crude/lies"],
        LIES,
        r"error decoding object; expected (\d+) attributes, got (\d+)",
        "^the answer cannot be understood: an object with",
    ),
    said(
        &["crude/lies"],
        LIES,
        "expected the decoder to return an Object",
        "^the provider answered neither a state nor an error$",
    ),
    said(&["crude/lies"], LIES, r#"failed to walk attribute path: AttributeName\("(\w+)"\)"#, "^the provider names `"),
    said(&["*/introduction"], OURS, "^Construct is not implemented for ", "^not supported by this plugin$"),
    said(&["tls/configuration"], OURS, r"^unknown method (\S+)$", "^there is no method `"),
    parameters("^help text displayed$", "^help was asked for: "),
    parameters("^could not read package directory: open (./no/such/)", "cannot be read: No such file or directory"),
    parameters(
        "^expected path to end with \"(terraform-provider-)",
        "^`/bin/sh` is not the path of a Terraform provider",
    ),
    parameters("^local providers only accept one argument", "^nothing but flags may follow the path of a provider"),
    parameters(
        "^invalid provider name: Invalid provider source string",
        "^`a/b/c/d` is not the address of a Terraform",
    ),
    parameters("^could not parse version constraint \"(not a version)\"", "is not a version constraint"),
    parameters("^unknown flag: (--no-such-flag)$", "^the flag `"),
    parameters("^failed to parse parameterized value: failed to unmarshal", "cannot be used: (EOF|expected ident) "),
    parameters("must specify either \"(remote)\" or \"(local)\"$", "cannot be used: it has neither"),
    parameters("^failed to parse parameterized value: (local.path) cannot be empty$", "` is empty"),
];

/// An error of the bridges' own: a pattern for the Go bridge's, and one for ours.
const fn said(
    scenarios: &'static [&'static str],
    reason: &'static str,
    told: &'static str,
    ours: &'static str,
) -> Exception {
    Exception { scenarios, pattern: "*.error.message", reason, when: When::Words(told, ours) }
}

const fn parameters(told: &'static str, ours: &'static str) -> Exception {
    said(&["random/parameters"], OURS, told, ours)
}

/// Whether two errors fit an entry: each matches its pattern, and ours contains everything that is captured of the other.
pub(super) fn fit(told: (&str, &str), ours: (&str, &str)) -> bool {
    let captured = Regex::new(told.1).unwrap().captures(told.0);
    let named = captured.is_some_and(|found| found.iter().skip(1).flatten().all(|part| ours.0.contains(part.as_str())));
    named && Regex::new(ours.1).unwrap().is_match(ours.0)
}

/// Everything in the provider's error is in ours, in the same words.
fn same_words(told: &str, said: &str) -> bool {
    let diagnostics = told_diagnostics(told);
    !diagnostics.is_empty() && diagnostics.iter().all(|words| !words.is_empty() && said.contains(words))
}

/// The provider's diagnostics, without their places. Errors of a plan are a list, `* PLACE: SUMMARY - DETAIL`; others are `[PLACE] SUMMARY: DETAIL`,
/// one of them or several.
fn told_diagnostics(told: &str) -> Vec<String> {
    let listed = Regex::new(r"^\d+ errors? occurred:\n").unwrap();
    if !listed.is_match(told) {
        return vec![placeless(told)];
    }
    let place = Regex::new(r"^(?:\w+\([^)]*\)\.?)*: ").unwrap();
    let plain =
        |item: &str| place.replace(item, "").replacen(" - ", ": ", 1).trim_end_matches([':', ' ', '\n']).to_owned();
    told.split("\t* ").skip(1).map(plain).collect()
}

/// A diagnostic without its place and without the separator before a missing detail.
pub(super) fn placeless(told: &str) -> String {
    Regex::new(r"^\[.*?\] ").unwrap().replace(told, "").trim_end_matches([':', ' ', '\n']).to_owned()
}

#[test]
fn words_of_a_provider_are_found_without_their_places() {
    let planned = "2 errors occurred:\n\t* AttributeName(\"a_b\"): Odd - It is 3.\n\t* : Whole - \n\n";
    assert_eq!(told_diagnostics(planned), ["Odd: It is 3.", "Whole"]);
    assert!(same_words(planned, "[aB] Odd: It is 3.\nWhole"));
    assert!(!same_words(planned, "[aB] Odd: It is 3."));
    assert!(same_words("[AttributeName(\"a\")] Failed: Nothing was done.", "[a] Failed: Nothing was done."));
    assert!(same_words("failed: ", "failed") && !same_words(": ", "failed") && !same_words("failed", "other"));
    assert!(fit(("no token: a:b", r"token: (\S+)$"), ("there is no `a:b`", "^there is no `")));
    assert!(!fit(("no token: a:b", r"token: (\S+)$"), ("there is no `c:d`", "^there is no `")));
    assert!(!fit(("no token: a:b", r"token: (\S+)$"), ("`a:b` is wrong", "^there is no `")));
}
