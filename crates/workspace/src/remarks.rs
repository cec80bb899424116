//! Changes of a resource besides its properties, and why it is replaced if no property shows the reason.

use outrigger_engine::{Step, StepOp};
use outrigger_state::Resource;

/// Why a resource is replaced, by the word that the provider's difference has in place of a property.
const REASONS: [(&str, &str); 3] = [
    ("replacementTrigger", "its trigger changed"),
    ("replaceWith", "with a resource that is replaced"),
    ("provider", "another provider"),
];

/// Whether a resource has an option.
type Has = fn(&Resource) -> bool;

/// Options that are set or not: the remark for a resource that gains one, and for one that loses it.
const MARKS: [(&str, &str, Has); 2] = [
    ("now protected", "no longer protected", |resource| resource.protect),
    ("now retained on delete", "no longer retained on delete", |resource| resource.retain_on_delete),
];

/// Whether two states differ in an option.
type Differs = fn(&Resource, &Resource) -> bool;

/// Other parts of a resource's state, by the names of the options.
const OPTIONS: [(&str, Differs); 12] = [
    ("inputs", |old, new| old.inputs != new.inputs),
    // Another version of a default provider affects every resource alike.
    ("provider", |old, new| old.provider != new.provider && !(by_default(old) && by_default(new))),
    ("dependsOn", |old, new| {
        (&old.dependencies, &old.property_dependencies) != (&new.dependencies, &new.property_dependencies)
    }),
    ("additionalSecretOutputs", |old, new| old.additional_secret_outputs != new.additional_secret_outputs),
    ("aliases", |old, new| old.urn == new.urn && old.aliases != new.aliases),
    ("import", |old, new| old.import_id != new.import_id),
    ("deletedWith", |old, new| old.deleted_with != new.deleted_with),
    ("replaceWith", |old, new| old.replace_with != new.replace_with),
    ("customTimeouts", |old, new| old.custom_timeouts != new.custom_timeouts),
    ("ignoreChanges", |old, new| old.ignore_changes != new.ignore_changes),
    ("replaceOnChanges", |old, new| old.replace_on_changes != new.replace_on_changes),
    ("hideDiffs", |old, new| old.hide_diff != new.hide_diff),
];

/// A short remark to follow the step of a resource, such as ` (was bee), now protected`. Empty if there is none.
pub fn remarks(step: &Step) -> String {
    let (Some(old), Some(new)) = (step.old.as_deref(), step.new.as_deref()) else { return String::new() };
    let mut asides: Vec<String> = Vec::new();
    let mut changes: Vec<String> = Vec::new();
    match step.op {
        StepOp::Same if old == new => return String::new(),
        StepOp::Replace | StepOp::CreateReplacement => asides.extend(reason(step, old).map(str::to_owned)),
        StepOp::Same | StepOp::Update => {}
        _ => return String::new(),
    }
    if old.urn != new.urn {
        let was = if old.urn.name() == new.urn.name() { old.urn.ty() } else { old.urn.name() };
        // A parent's new type changes the URN, too, but not the resource's own type.
        if was != new.urn.ty() {
            asides.push(format!("was {was}"));
        }
    }
    if old.parent != new.parent {
        changes.push("another parent".to_owned());
    }
    for (gained, lost, has) in MARKS {
        match (has(old), has(new)) {
            (false, true) => changes.push(gained.to_owned()),
            (true, false) => changes.push(lost.to_owned()),
            _ => {}
        }
    }
    if step.op == StepOp::Same {
        let differing: Vec<&str> =
            OPTIONS.iter().filter(|(_, differs)| differs(old, new)).map(|(name, _)| *name).collect();
        if !differing.is_empty() {
            changes.push(format!("{} changed", differing.join(" and ")));
        }
    }
    let mut text = String::new();
    if !asides.is_empty() {
        text.push_str(&format!(" ({})", asides.join(", ")));
    }
    for change in &changes {
        text.push_str(if text.is_empty() && step.op == StepOp::Same { " " } else { ", " });
        text.push_str(change);
    }
    text
}

fn by_default(resource: &Resource) -> bool {
    resource.provider.as_ref().is_some_and(|provider| provider.urn.name().starts_with("default"))
}

fn reason(step: &Step, old: &Resource) -> Option<&'static str> {
    if old.taint {
        return Some("tainted");
    }
    let diff = step.diff.as_ref().filter(|diff| diff.detailed.is_none())?;
    let [key] = diff.replace_keys.as_slice() else { return None };
    REASONS.iter().find(|(known, _)| known == key && !old.inputs.contains_key(*known)).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use outrigger_provider::Diff;
    use outrigger_value::Urn;

    use super::*;

    fn named(name: &str) -> Resource {
        Resource::new(Urn::new("dev", "shop", None, "a:b:C", name), true)
    }

    fn said(op: StepOp, old: Resource, new: Resource, key: Option<&str>) -> String {
        let diff = key.map(|key| Arc::new(Diff { replace_keys: vec![key.to_owned()], ..Diff::default() }));
        let urn = new.urn.clone();
        remarks(&Step { op, urn, old: Some(Arc::new(old)), new: Some(Arc::new(new)), diff })
    }

    #[test]
    fn every_reason_and_option_has_its_words() {
        let protected = |name: &str| Resource { protect: true, ..named(name) };
        let moved = Resource { parent: Some(named("p").urn), retain_on_delete: true, ..named("bea") };
        let waits = Resource { dependencies: vec![named("p").urn], hide_diff: vec!["x".to_owned()], ..named("bea") };
        let tainted = Resource { taint: true, ..named("bea") };
        let typed = Resource::new(Urn::new("dev", "shop", None, "a:b:D", "bea"), true);
        for (op, old, new, key, expected) in [
            (StepOp::Same, named("bea"), named("bea"), None, ""),
            (StepOp::Same, named("bee"), protected("bea"), None, " (was bee), now protected"),
            (StepOp::Same, protected("bea"), named("bea"), None, " no longer protected"),
            (StepOp::Same, named("bea"), moved, None, " another parent, now retained on delete"),
            (StepOp::Same, named("bea"), waits.clone(), None, " dependsOn and hideDiffs changed"),
            (StepOp::Same, named("bea"), typed, None, " (was a:b:C)"),
            (StepOp::Update, named("bea"), protected("bea"), None, ", now protected"),
            (StepOp::Update, named("bea"), waits, None, ""),
            (StepOp::Replace, tainted, named("bea"), Some("id"), " (tainted)"),
            (StepOp::Replace, named("bea"), named("bea"), Some("replacementTrigger"), " (its trigger changed)"),
            (StepOp::Replace, named("bea"), named("bea"), Some("length"), ""),
            (StepOp::Delete, protected("bea"), named("bea"), None, ""),
        ] {
            assert_eq!(said(op, old, new, key), expected, "{op:?}");
        }
    }
}
