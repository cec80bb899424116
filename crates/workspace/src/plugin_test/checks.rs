//! The checks of a resource: each judges the record of its life.

use outrigger_provider::{ErrorKind, Planned, ReadResult, State, Verdict as Planning};
use outrigger_value::{PropertyMap, Value, secrecy};

use super::compare::{differences, is_bookkeeping, surprises};
use super::life::{Change, Life, Origin, is_refusal};
use super::session::{Missing, Step, refusals};
use super::{Reason, Verdict};

/// Passed, or why not.
type Judged = Result<(), Verdict>;

/// Judges a record, and the plugin's log and output.
type Check = fn(&Life, &str) -> Judged;

/// Shorter texts are found everywhere.
const SHORTEST_SECRET: usize = 6;

/// How plugins report that a resource is missing.
const NOT_FOUND: [&str; 8] =
    ["not found", "notfound", "not exist", "no such", "no longer exist", "already deleted", "is gone", "404"];

/// Ids of resources that have none of their own.
const PLACEHOLDERS: [&str; 4] = ["none", "static", "missing ID", "-"];

/// The check `lifecycle` has the reason and the hint.
const NOT_CREATED: &str = "The resource was not created.";

const GIVE_INPUTS: &str = "Pass inputs that work with `--inputs FILE`.";

/// Every check, in the order of the report.
const CHECKS: [(&str, Check); 8] = [
    ("lifecycle", lifecycle),
    ("check", check),
    ("unknown inputs", unknown),
    ("preview", preview),
    ("drift", drift),
    ("import", import),
    ("secrets", secrets),
    ("gone", gone),
];

/// Judges a life. `output` is the plugin's log and output so far.
pub(super) fn all(life: &Life, output: &str) -> Vec<(&'static str, Verdict)> {
    let judged = |check: Check| check(life, output).err().unwrap_or(Verdict::Passed);
    CHECKS.iter().map(|(name, check)| (*name, judged(*check))).collect()
}

/// Create, compare, update, delete.
fn lifecycle(life: &Life, _: &str) -> Judged {
    if let Err(name) = &life.inputs {
        let answer = format!("No test value can be generated for the required input `{name}`.");
        return Err(Verdict::Skipped(Reason::new("Check", answer, GIVE_INPUTS)));
    }
    // A created resource has to be deleted, whatever the inputs were.
    if let Err(Missing::Call(error)) = &life.deleted
        && error.kind != ErrorKind::Cancelled
    {
        return failed("Delete", &error.message, "Delete by the id and the state that Create returned.");
    }
    life.needed("Check", &life.checked)?;
    life.needed("Create", &life.created)?;
    same(life, &life.unchanged, "Compare the inputs, not their order or spelling: nothing has changed.")?;
    match &life.change {
        Ok(change) => life.needed("Update", &change.updated).map(drop),
        Err(Missing::Unreached) => Ok(()),
        Err(missing) => Err(life.missing("Diff", missing)),
    }
}

/// Check leaves its own answer as it is.
fn check(life: &Life, _: &str) -> Judged {
    let (checked, again) = (needed(&life.checked)?, life.sound("Check", &life.rechecked)?);
    match differences(("checked once", checked), ("checked twice", again)) {
        Some(answer) => failed("Check", answer, "Let Check return inputs unchanged if it has already completed them."),
        None => Ok(()),
    }
}

/// A preview where no input is known yet.
fn unknown(life: &Life, _: &str) -> Judged {
    needed(&life.checked)?;
    const HINT: &str = "Accept unknown inputs in a preview, and return outputs that depend on them as unknown.";
    match &life.unknown {
        Err(Missing::Refused(failures)) => failed("Check", refusals(failures), HINT),
        Err(Missing::Call(error)) if is_refusal(error) => failed("Create", &error.message, HINT),
        step => life.sound("Create", step).map(drop),
    }
}

/// A preview predicts the result, and changes nothing.
fn preview(life: &Life, _: &str) -> Judged {
    const RIGHT: &str = "Return the values that the update will produce from a preview, and mark values as unknown that cannot be known yet.";
    const IDLE: &str = "Change nothing while `preview` is set.";
    let predicted = life.needed("Create", &life.predicted)?;
    let created = needed(&life.created)?;
    if let Some(answer) = surprises(predicted, &created.outputs) {
        return failed("Create", answer, RIGHT);
    }
    if let Ok(Change { predicted, previewed, updated, .. }) = &life.change {
        let changed = match (&life.read, previewed) {
            (Ok(ReadResult::Found { state: before, .. }), Ok(ReadResult::Found { state: after, .. })) => {
                differences(("before the preview", &before.outputs), ("after it", &after.outputs))
            }
            _ => None,
        };
        if let Some(answer) = changed {
            return failed("Update", format!("The preview changed the resource.\n{answer}"), IDLE);
        }
        if let (Ok(predicted), Ok(updated)) = (predicted, updated)
            && let Some(answer) = surprises(predicted, &updated.outputs)
        {
            return failed("Update", answer, RIGHT);
        }
    }
    match &life.previewed {
        Ok(ReadResult::Found { .. }) => failed("Create", "The preview of a creation created the resource.", IDLE),
        _ => Ok(()),
    }
}

/// Read finds the state that Create and Update answered.
fn drift(life: &Life, _: &str) -> Judged {
    const HINT: &str =
        "Return the same values from Read as from Create and Update: a refresh reports each difference as drift.";
    let found = life.sound("Read", &life.read)?;
    let created = needed(&life.created)?;
    unmoved(found, created, HINT)?;
    same(life, &life.refreshed, HINT)?;
    match &life.change {
        Ok(Change { updated: Ok(updated), read, .. }) => unmoved(life.sound("Read", read)?, updated, HINT),
        _ => Ok(()),
    }
}

fn unmoved(found: &ReadResult, known: &State, hint: &'static str) -> Judged {
    let ReadResult::Found { state, inputs_known, unchanged } = found else {
        return failed("Read", "Read does not find the resource, although it exists.", hint);
    };
    if state.id != known.id {
        return failed("Read", format!("The id was `{}`, and Read answered `{}`.", known.id, state.id), hint);
    }
    let outputs = differences(("created", &known.outputs), ("read", &state.outputs));
    // If the provider reports no change, its inputs may be written differently.
    let compare = *inputs_known && !unchanged;
    let inputs = compare.then(|| differences(("created with", &known.inputs), ("read", &state.inputs))).flatten();
    match (outputs, inputs) {
        (Some(outputs), _) => failed("Read", format!("Outputs differ.\n{outputs}"), hint),
        (None, Some(inputs)) => failed("Read", format!("Inputs differ.\n{inputs}"), hint),
        (None, None) => Ok(()),
    }
}

/// A read by the id alone returns inputs that change nothing.
fn import(life: &Life, _: &str) -> Judged {
    const HINT: &str = "Return every input that the existing resource shows when Read gets only an id.";
    let imported = match &life.imported {
        Err(Missing::Call(error)) if is_refusal(error) => {
            let hint = "Let Read work without properties if the resource should be importable by its id.";
            return Err(Verdict::Skipped(Reason::new("Read", &error.message, hint)));
        }
        step => life.sound("Read", step)?,
    };
    let created = needed(&life.created)?;
    if PLACEHOLDERS.contains(&created.id.as_str()) {
        let hint = "No change is needed: an import takes another id.";
        return Err(Verdict::Skipped(Reason::new("Read", format!("The id is `{}`.", created.id), hint)));
    }
    let Some(imported) = imported else {
        return failed("Read", format!("No resource was found with the id `{}`.", created.id), HINT);
    };
    for (name, input) in created.inputs.iter().filter(|(name, input)| !is_bookkeeping(name) && !input.contains_secret())
    {
        let required = life.resource.inputs.get(name).is_some_and(|property| property.required);
        let known = required || imported.outputs.get(name).is_some_and(|value| *value.bare() != Value::Null);
        match imported.inputs.get(name) {
            None if known => return failed("Read", format!("The input `{name}` is missing."), HINT),
            Some(value) => {
                let [was, is] = [input, value].map(|value| PropertyMap::from([(name.clone(), value.clone())]));
                if let Some(answer) = differences(("created with", &was), ("imported", &is)) {
                    return failed("Read", answer, HINT);
                }
            }
            None => {}
        }
    }
    if let Err(Missing::Refused(failures)) = &life.reimported {
        return failed("Check", format!("Imported inputs are rejected.\n{}", refusals(failures)), HINT);
    }
    same(life, &life.reimported, HINT)
}

/// A secret stays secret: in answers, in logs, in printed text.
fn secrets(life: &Life, output: &str) -> Judged {
    let created = needed(&life.created)?;
    let mut texts = Vec::new();
    for properties in [Some(&created.inputs), life.inputs.as_ref().ok(), Some(&created.outputs)].into_iter().flatten() {
        secrecy::secret_texts(properties, &mut |text| texts.push(text));
    }
    texts.retain(|text| text.len() >= SHORTEST_SECRET);
    let marked = || life.resource.properties.iter().filter(|(_, property)| property.secret);
    if texts.is_empty() && marked().next().is_none() {
        let answer = "The resource has no secret string property that could be searched for.";
        return Err(Verdict::Skipped(Reason::new("Create", answer, "Pass one as `fn::secret` with `--inputs FILE`.")));
    }
    let found = |result: &Step<ReadResult>| match result {
        Ok(ReadResult::Found { state, .. }) => Some(state.outputs.clone()),
        _ => None,
    };
    let updated = life.change.as_ref().ok().and_then(|change| change.updated.as_ref().ok());
    let imported = life.imported.as_ref().ok().and_then(|state| Some(state.as_ref()?.outputs.clone()));
    // A read by id alone does not know the program's secrets, only those of the schema.
    let answers = [
        ("Create", life.predicted.as_ref().ok().cloned(), texts.as_slice()),
        ("Create", Some(created.outputs.clone()), &texts),
        ("Read", found(&life.read), &texts),
        ("Update", updated.map(|state| state.outputs.clone()), &texts),
        ("Read", imported, &[]),
    ];
    const MARK: &str = "Mark the value as a secret in the answer.";
    for (call, outputs, texts) in answers {
        let outputs = outputs.unwrap_or_default();
        for (name, value) in &outputs {
            if let Some(secret) = texts.iter().find(|secret| is_in_clear(value, secret)) {
                let length = secret.len();
                return failed(call, format!("The output `{name}` holds a secret of {length} bytes in clear."), MARK);
            }
        }
        let unmarked = marked().find(|(name, _)| outputs.get(*name).is_some_and(is_unmarked));
        if let Some((name, _)) = unmarked {
            return failed(call, format!("The output `{name}` is secret in the schema, but not in the answer."), MARK);
        }
    }
    match texts.iter().any(|secret| output.contains(*secret)) {
        true => failed("Log", "A secret was logged or printed to stderr.", "Keep secrets out of logs and stderr."),
        false => Ok(()),
    }
}

/// Whether a text is visible anywhere in a value.
fn is_in_clear(value: &Value, secret: &str) -> bool {
    match value {
        Value::String(text) => text.contains(secret),
        Value::List(items) => items.iter().any(|item| is_in_clear(item, secret)),
        Value::Map(members) => members.values().any(|member| is_in_clear(member, secret)),
        _ => false,
    }
}

fn is_unmarked(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Unknown) && !value.contains_secret()
}

/// A deleted resource can be deleted again, and is not found.
fn gone(life: &Life, _: &str) -> Judged {
    needed(&life.deleted)?;
    match &life.deleted_again {
        Err(Missing::Call(error)) => {
            let message = error.message.to_lowercase();
            if !is_refusal(error) || !NOT_FOUND.iter().any(|words| message.contains(words)) {
                const HINT: &str = "Let Delete succeed, or report that the resource was not found, when the resource no longer exists.";
                return failed("Delete", &error.message, HINT);
            }
        }
        step => life.sound("Delete", step).map(drop)?,
    }
    match (life.sound("Read", &life.gone)?, &life.never) {
        (ReadResult::Gone, _) => Ok(()),
        (_, Ok(ReadResult::Gone)) => failed(
            "Read",
            "Read finds the resource after it was deleted.",
            "Return an empty id for a resource that no longer exists.",
        ),
        // It does not distinguish existing resources from missing ones.
        _ => {
            let answer = "Read returns the state that it was given, whether the resource exists or not.";
            let hint =
                "No change is needed if the resource exists only in the state; otherwise let Read check the resource.";
            Err(Verdict::Skipped(Reason::new("Read", answer, hint)))
        }
    }
}

/// A difference in which nothing differs.
fn same(life: &Life, step: &Step<Planned>, hint: &'static str) -> Judged {
    let planned = life.sound("Diff", step)?;
    if planned.verdict == Planning::Same {
        return Ok(());
    }
    let detailed = planned.diff.detailed.iter().flat_map(|detailed| detailed.keys());
    let mut keys: Vec<&String> =
        planned.diff.changed_keys.iter().chain(&planned.diff.replace_keys).chain(detailed).collect();
    keys.sort();
    keys.dedup();
    let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    failed("Diff", format!("{:?} was planned, although nothing has changed: {keys}", planned.verdict), hint)
}

fn failed(call: &'static str, answer: impl Into<String>, hint: &'static str) -> Judged {
    Err(Verdict::Failed(Reason::new(call, answer, hint)))
}

fn interrupted(call: &'static str) -> Verdict {
    Verdict::Skipped(Reason::new(call, "The test was interrupted.", "Run it again."))
}

/// The answer of a step that another check judges; without it there is nothing to check.
fn needed<T>(step: &Step<T>) -> Result<&T, Verdict> {
    step.as_ref().map_err(|_| Verdict::Skipped(Reason::new("Create", NOT_CREATED, "")))
}

impl Life {
    /// The answer of a step that has to work with valid inputs.
    fn needed<'s, T>(&self, call: &'static str, step: &'s Step<T>) -> Result<&'s T, Verdict> {
        step.as_ref().map_err(|missing| self.missing(call, missing))
    }

    /// The answer of a step that has to work with every existing resource.
    fn sound<'s, T>(&self, call: &'static str, step: &'s Step<T>) -> Result<&'s T, Verdict> {
        step.as_ref().map_err(|missing| match missing {
            Missing::Call(error) if matches!(error.kind, ErrorKind::Unsupported | ErrorKind::Cancelled) => {
                self.missing(call, missing)
            }
            Missing::Call(error) => {
                Verdict::Failed(Reason::new(call, &error.message, "Let the call succeed for a resource that exists."))
            }
            Missing::Refused(failures) => {
                let hint = "Check has to accept its own answer, and the inputs that it accepted before.";
                Verdict::Failed(Reason::new("Check", refusals(failures), hint))
            }
            Missing::Unreached => self.missing(call, missing),
        })
    }

    /// Why a step has no answer: with invented inputs a refusal is no fault.
    fn missing(&self, call: &'static str, missing: &Missing) -> Verdict {
        let invented = self.origin == Origin::Invented;
        match missing {
            Missing::Unreached if self.interrupted => interrupted(call),
            Missing::Call(error) if error.kind == ErrorKind::Cancelled => interrupted(call),
            Missing::Unreached => Verdict::Skipped(Reason::new(call, NOT_CREATED, "")),
            Missing::Refused(failures) if invented => {
                Verdict::Skipped(Reason::new("Check", refusals(failures), GIVE_INPUTS))
            }
            Missing::Refused(failures) => {
                let hint = "Correct the inputs in the file, or let Check accept them.";
                Verdict::Failed(Reason::new("Check", refusals(failures), hint))
            }
            Missing::Call(error) if error.kind == ErrorKind::Unsupported => {
                let hint = "No change is needed if the plugin leaves this call out on purpose.";
                Verdict::Skipped(Reason::new(call, &error.message, hint))
            }
            Missing::Call(error) if invented && is_refusal(error) => {
                Verdict::Skipped(Reason::new(call, &error.message, GIVE_INPUTS))
            }
            Missing::Call(error) => {
                let hint = match error.kind {
                    ErrorKind::Crashed => "Check the plugin's stderr: its process ended during the call.",
                    ErrorKind::TimedOut => "Let the call answer, or give it more time with `--timeout`.",
                    _ => "Correct the inputs in the file, or the plugin.",
                };
                Verdict::Failed(Reason::new(call, &error.message, hint))
            }
        }
    }
}
