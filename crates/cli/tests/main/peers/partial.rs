//! Runs of only some resources: those that were named, or that a failure leaves possible.

use crate::sandbox::Sandbox;

/// The things of a stack, by name.
fn things(sandbox: &Sandbox) -> Vec<String> {
    let export = sandbox.export();
    let resources = export["deployment"]["resources"].as_array().cloned().unwrap_or_default();
    let urns = resources.iter().filter_map(|resource| resource["urn"].as_str());
    let mut names: Vec<String> = urns
        .filter(|urn| urn.contains("oracle:index:Thing"))
        .filter_map(|urn| urn.rsplit("::").next().map(str::to_owned))
        .collect();
    names.sort();
    names
}

#[test]
fn a_failure_stops_everything_new_or_only_what_depends_on_it() {
    let sandbox = Sandbox::with_stack(
        "name: part\nruntime: yaml\nresources:\n  \
         bad: {type: 'oracle:Thing', properties: {value: x, failOn: create}}\n  \
         dependent: {type: 'oracle:Thing', properties: {value: '${bad.value}'}}\n  \
         slow: {type: 'oracle:Thing', properties: {value: y, delayMs: 500}}\n  \
         late: {type: 'oracle:Thing', properties: {value: '${slow.value}'}}\n",
    );
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1).says(&["could not create `bad`"]);
    assert_eq!(things(&sandbox), ["slow"]);
    sandbox.outrigger(&["up", "--yes", "--skip-preview", "--continue-on-error"]).ended(1).says(&["`bad`"]);
    assert_eq!(things(&sandbox), ["late", "slow"]);
    // Nothing was deleted for not having been reached, and `pulumi` sees the same.
    sandbox.pulumi(&["up", "--yes", "--skip-preview", "--continue-on-error", "--stack", "dev"]).ended(1);
    assert_eq!(things(&sandbox), ["late", "slow"]);
}

#[test]
fn a_deletion_that_fails_keeps_what_it_needs_and_nothing_else() {
    let sandbox = Sandbox::with_stack(
        "name: part\nruntime: yaml\nresources:\n  \
         base: {type: 'oracle:Thing', properties: {value: x}}\n  \
         stuck: {type: 'oracle:Thing', properties: {value: '${base.value}', failOn: delete}}\n  \
         slow: {type: 'oracle:Thing', properties: {value: z, delayMs: 500}}\n  \
         late: {type: 'oracle:Thing', properties: {value: '${slow.value}', delayMs: 500}}\n",
    );
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    let answer = sandbox.outrigger(&["destroy", "--yes", "--skip-preview", "--continue-on-error"]);
    answer.ended(1).says(&[
        "could not delete `stuck`",
        "late oracle:index:Thing deleted",
        "slow oracle:index:Thing deleted",
    ]);
    assert_eq!(things(&sandbox), ["base", "stuck"]);
}

#[test]
fn targets_may_be_patterns() {
    let sandbox = Sandbox::with_stack(
        "name: part\nruntime: yaml\nresources:\n  \
         one-a: {type: 'oracle:Thing', properties: {value: x}}\n  \
         one-b: {type: 'oracle:Thing', properties: {value: x}}\n  \
         two: {type: 'oracle:Thing', properties: {value: x}}\n",
    );
    sandbox.outrigger(&["up", "--yes", "--skip-preview", "--target", "**::one-*"]).ok();
    assert_eq!(things(&sandbox), ["one-a", "one-b"]);
    sandbox.outrigger(&["preview", "--target", "two"]).ok().says(&["1 to create"]);
    sandbox.outrigger(&["up", "--yes", "--skip-preview", "--target", "urn:pulumi:dev::part::oracle:*:*::two"]).ok();
    let nothing = sandbox.outrigger(&["up", "--yes", "--skip-preview", "--target", "*::one-a"]).ok();
    nothing.says(&["no resource matches `*::one-a`", "state list"]);
    sandbox.outrigger(&["destroy", "--yes", "--skip-preview", "--target", "**one-a"]).ok();
    assert_eq!(things(&sandbox), ["one-b", "two"]);
    sandbox.pulumi(&["preview", "--stack", "dev", "--target", "**::one-b", "--expect-no-changes"]).ok();
}

/// A single line to copy, however many there are.
#[test]
fn dependents_that_were_not_named_are_listed_as_flags() {
    let dependent =
        |name: &str| format!("  {name}: {{type: 'oracle:Thing', properties: {{value: '${{base.value}}'}}}}\n");
    let sandbox = Sandbox::with_stack(&format!(
        "name: part\nruntime: yaml\nresources:\n  base: {{type: 'oracle:Thing', properties: {{value: a}}}}\n{}{}",
        dependent("left"),
        dependent("right")
    ));
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    let refused = sandbox.outrigger(&["destroy", "--yes", "--skip-preview", "--target", "**::base"]).failed();
    let flag = |name: &str| format!("--target 'urn:pulumi:dev::part::oracle:index:Thing::{name}'");
    let text = refused.says(&[&format!("Add `{} {}`.", flag("left"), flag("right"))]).text();
    assert_eq!(text.matches("help: Add").count(), 1, "{text}");
}
