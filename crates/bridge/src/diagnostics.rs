//! A provider's diagnostics, translated for Pulumi's users.

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CheckFailure, LogLevel};
use outrigger_terraform::Report;
use outrigger_terraform::cty::Step;
use outrigger_value::{PathStep, PropertyPath, Urn, nearest};

use crate::naming::object_names::Object;
use crate::naming::property_path;

/// The summary that provider frameworks give an error about a missing required attribute.
const MISSING: &str = "Missing Configuration for Required Attribute";

/// The owner of the inputs that are checked.
#[derive(Clone, Copy)]
pub(crate) enum Checked<'a> {
    /// A resource's.
    Resource(&'a Urn),
    /// A provider's; with its package.
    Provider(&'a Urn, &'a str),
}

/// Takes the errors about a property out of the reports and returns them as check failures.
pub(crate) fn failures(object: &Object, whose: Checked<'_>, reports: &mut Vec<Report>) -> Vec<CheckFailure> {
    let mut failures = Vec::new();
    reports.retain(|report| {
        let Some(at) = property_path::text(object, &report.path).filter(|_| report.is_error()) else { return true };
        let about = property_path::path(object, &report.path).map(PropertyPath);
        // The text names the property itself, as in Pulumi's bridge: given the property, `pulumi` would show its value, which may be secret.
        failures.push(CheckFailure { about, ..CheckFailure::new("", reason(object, whose, report, &at)) });
        false
    });
    failures
}

fn reason(object: &Object, whose: Checked<'_>, report: &Report, at: &str) -> String {
    let explained = |text: String| match property_path::description(object, &report.path) {
        "" => text,
        // On one line: descriptions contain the line breaks of the provider's source.
        description => format!("{text}: {}", description.replace('\n', " ")),
    };
    let said = match report.detail.as_str() {
        "" => report.summary.clone(),
        detail => format!("{}. {detail}", report.summary),
    };
    match whose {
        Checked::Provider(urn, package) if is_default(urn) => {
            let path = if report.path.0.len() > 1 { "--path " } else { "" };
            if report.summary == MISSING {
                let missing = "Provider is missing a required configuration key";
                return explained(format!("{missing}, try `pulumi config set {path}{package}:{at}`"));
            }
            format!(
                "could not validate provider configuration: {said}. Check `pulumi config get {path}{package}:{at}`."
            )
        }
        _ if report.summary == MISSING => explained(format!("Missing required property '{at}'")),
        Checked::Provider(urn, _) => {
            format!("could not validate provider configuration: {said}. Examine values at '{}.{at}'.", urn.name())
        }
        Checked::Resource(urn) => format!("{said}. Examine values at '{}.{at}'.", urn.name()),
    }
}

/// Whether a report says that the attribute conflicts with another one. Each of the two provider libraries has its own wording.
pub(crate) fn conflicts(reports: &[Report], attribute: &str) -> bool {
    const CONFLICTS: [&str; 2] = ["Conflicting configuration arguments", "Invalid Attribute Combination"];
    reports.iter().any(|report| {
        report.is_error()
            && CONFLICTS.contains(&report.summary.as_str())
            && matches!(report.path.0.as_slice(), [Step::Attribute(name)] if **name == *attribute)
    })
}

/// The failure for a property that the provider's configuration does not have.
pub(crate) fn unknown_key(object: &Object, urn: &Urn, package: &str, key: &str) -> CheckFailure {
    let reason = if is_default(urn) {
        let near = object.fields().iter().map(|field| &*field.name);
        let near: Vec<String> = near
            .filter(|name| nearest::distance(key, name) <= nearest::FAR)
            .map(|name| format!("`{package}:{name}`"))
            .collect();
        let hint = if near.is_empty() { String::new() } else { format!(" Did you mean {}?", near.join(" or ")) };
        format!(
            "`{package}:{key}` is not a valid configuration key for the {package} provider.{hint} If the referenced key is not \
             intended for the provider, please choose a different namespace from `{package}:`."
        )
    } else {
        let invalid = "could not validate provider configuration: Invalid or unknown key";
        format!("{invalid}. Examine values at '{}.{key}'.", urn.name())
    };
    let about = Some(PropertyPath(vec![PathStep::Key(key.to_owned())]));
    CheckFailure { about, ..CheckFailure::new("", reason) }
}

/// Why a provider was not found, with notes and hints in the same text: the host of a bridge shows nothing else.
pub(crate) fn not_found(diagnostic: &Diagnostic) -> String {
    let further = diagnostic.notes.iter().chain(&diagnostic.hints).map(|line| format!("\n{line}"));
    format!("{diagnostic}{}", further.collect::<String>())
}

/// Whether the provider is a default one, which no program declares.
fn is_default(urn: &Urn) -> bool {
    urn.name().starts_with("default")
}

/// The errors among the reports, one a line; `None` if there is none. Warnings are logged.
pub(crate) fn error(
    cx: &CallContext,
    urn: Option<&Urn>,
    object: Option<&Object>,
    reports: &[Report],
) -> Option<String> {
    let mut errors: Vec<String> = Vec::new();
    for report in reports {
        let text = text(object, report);
        if report.is_error() {
            errors.push(text);
        } else {
            cx.log.log(LogLevel::Warning, urn, &text, false);
        }
    }
    (!errors.is_empty()).then(|| errors.join("\n"))
}

/// A report with the path that it is about.
pub(crate) fn text(object: Option<&Object>, report: &Report) -> String {
    let said = if report.summary == report.detail { report.summary.clone() } else { report.to_string() };
    if report.path.0.is_empty() {
        return said;
    }
    let at = object.and_then(|object| property_path::text(object, &report.path));
    format!("[{}] {said}", at.unwrap_or_else(|| report.path.to_string()))
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::Severity;
    use outrigger_terraform::cty::{Path, Step, Type};
    use outrigger_terraform::schema::{Attribute, Block, Description};

    use super::*;
    use crate::test_support::attribute;

    fn object() -> Object {
        let description = Description { text: "Where.".to_owned(), markdown: false };
        let attributes = vec![Attribute { description, ..attribute("home_region", Type::String, "r") }];
        Object::of_block(&Block { attributes, ..Block::default() })
    }

    fn report(severity: Severity, summary: &str, detail: &str, at: &[&str]) -> Report {
        let path = Path(at.iter().map(|name| Step::Attribute((*name).into())).collect());
        Report { severity, summary: summary.to_owned(), detail: detail.to_owned(), path }
    }

    fn provider(name: &str) -> Urn {
        Urn::new("dev", "p", None, "pulumi:providers:x", name)
    }

    fn reasons(whose: Checked<'_>, report: Report) -> Vec<String> {
        failures(&object(), whose, &mut vec![report]).into_iter().map(|failure| failure.reason).collect()
    }

    #[test]
    fn errors_about_a_property_are_failures_of_the_check() {
        let urn = Urn::new("dev", "p", None, "x:index:A", "mine");
        let mut reports = vec![
            report(Severity::Error, "Bad region", "It is not there", &["home_region"]),
            report(Severity::Warning, "Old region", "", &["home_region"]),
            report(Severity::Error, "All is lost", "", &[]),
        ];
        let failures = failures(&object(), Checked::Resource(&urn), &mut reports);
        assert_eq!(failures.len(), 1);
        assert_eq!(failures[0].reason, "Bad region. It is not there. Examine values at 'mine.homeRegion'.");
        let rest: Vec<&str> = reports.iter().map(|report| report.summary.as_str()).collect();
        assert_eq!(rest, ["Old region", "All is lost"]);
    }

    #[test]
    fn what_is_missing_is_told_where_it_is_set() {
        let missing = || report(Severity::Error, MISSING, "", &["home_region"]);
        let wrong = || report(Severity::Error, "Bad region", "", &["home_region"]);
        let (default, declared) = (provider("default_1_0_0"), provider("mine"));
        let try_set = "Provider is missing a required configuration key, try `pulumi config set x:homeRegion`: Where.";
        assert_eq!(reasons(Checked::Provider(&default, "x"), missing()), [try_set]);
        let property = "Missing required property 'homeRegion': Where.";
        assert_eq!(reasons(Checked::Provider(&declared, "x"), missing()), [property]);
        assert_eq!(reasons(Checked::Resource(&declared), missing()), [property]);
        let check = "could not validate provider configuration: Bad region. Check `pulumi config get x:homeRegion`.";
        assert_eq!(reasons(Checked::Provider(&default, "x"), wrong()), [check]);
        let examine = "could not validate provider configuration: Bad region. Examine values at 'mine.homeRegion'.";
        assert_eq!(reasons(Checked::Provider(&declared, "x"), wrong()), [examine]);
    }

    #[test]
    fn a_name_may_be_in_the_way() {
        let old = "Conflicting configuration arguments";
        let conflict = |severity, summary, at: &[&str]| conflicts(&[report(severity, summary, "", at)], "name");
        assert!(conflict(Severity::Error, old, &["name"]));
        assert!(conflict(Severity::Error, "Invalid Attribute Combination", &["name"]));
        assert!(!conflict(Severity::Error, old, &["name_prefix"]));
        assert!(!conflict(Severity::Error, old, &["name", "first"]));
        assert!(!conflict(Severity::Error, "Bad name", &["name"]));
        assert!(!conflict(Severity::Warning, old, &["name"]));
    }

    #[test]
    fn a_key_that_is_not_there_has_a_neighbour() {
        let near = unknown_key(&object(), &provider("default"), "x", "homeRegio").reason;
        assert!(near.starts_with("`x:homeRegio` is not a valid configuration key for the x provider."), "{near}");
        assert!(near.contains(" Did you mean `x:homeRegion`?"), "{near}");
        let far = unknown_key(&object(), &provider("default"), "x", "color").reason;
        assert!(!far.contains("Did you mean"), "{far}");
        let declared = unknown_key(&object(), &provider("mine"), "x", "color").reason;
        assert!(declared.ends_with("Invalid or unknown key. Examine values at 'mine.color'."), "{declared}");
    }

    #[test]
    fn what_was_not_found_is_told_with_notes_and_hints() {
        let diagnostic = Diagnostic::error("terraform-missing", "it was not found").detail("Searched: nothing.");
        assert_eq!(not_found(&diagnostic), "it was not found: Searched: nothing.");
        let diagnostic = diagnostic.hint("Get it.").note("`X` is not known").hint("Or another.");
        let told = "it was not found: Searched: nothing.\n`X` is not known\nGet it.\nOr another.";
        assert_eq!(not_found(&diagnostic), told);
    }

    #[test]
    fn reports_are_told_with_their_places() {
        let said = |report: Report| text(Some(&object()), &report);
        assert_eq!(said(report(Severity::Error, "a", "a", &["home_region"])), "[homeRegion] a");
        assert_eq!(said(report(Severity::Error, "a", "a", &[])), "a");
        let elsewhere = text(None, &report(Severity::Error, "a", "a", &["home_region"]));
        assert_eq!(elsewhere, "[home_region] a");
        let cx = CallContext::background();
        let reports = [report(Severity::Error, "a", "a", &[]), report(Severity::Error, "b", "b", &[])];
        assert_eq!(error(&cx, None, None, &reports).as_deref(), Some("a\nb"));
        assert_eq!(error(&cx, None, None, &[report(Severity::Warning, "a", "a", &[])]), None);
    }
}
