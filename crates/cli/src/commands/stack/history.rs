//! `outrigger stack history`.

use clap::Args;
use jiff::Timestamp;
use outrigger_workspace::HIDDEN;
use serde_json::{Map, Value as Json, json};

use super::Context;
use crate::failure::Failure;
use crate::output::data;
use crate::render::duration::ago;
use crate::render::table::columns;

/// Show the commands that changed the stack, the last first.
#[derive(Args, Debug)]
pub(super) struct History {
    /// As JSON, with the fields of `pulumi stack history --json`.
    #[arg(short, long)]
    json: bool,
    /// Show when each command began as a date.
    #[arg(long)]
    full_dates: bool,
    /// Show secret configuration in clear; only with `--json`.
    #[arg(long)]
    show_secrets: bool,
    /// How many entries make a page; all of them without it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    page_size: Option<u32>,
    /// Which page, from 1.
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..))]
    page: u32,
}

impl History {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        let mut entries = context.workspace.store.backend.history(&stack)?;
        if let Some(size) = self.page_size {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            let skipped = size.saturating_mul(usize::try_from(self.page - 1).unwrap_or(usize::MAX));
            entries = entries.into_iter().skip(skipped).take(size).collect();
        }
        if self.json {
            let keys = if self.show_secrets { Some(context.workspace.config_key(&stack)?) } else { None };
            // As in `pulumi`: a value encrypted with an earlier key does not hide the others.
            let open = |ciphertext: &str| match &keys {
                Some(keys) => keys.decrypt(ciphertext).unwrap_or_else(|_| "ERROR_UNABLE_TO_DECRYPT".to_owned()),
                None => HIDDEN.to_owned(),
            };
            let entries: Vec<Json> = entries.iter().map(|entry| object(entry, &open)).collect();
            return Ok(data(&format!("{:#}", Json::from(entries)))?);
        }
        if entries.is_empty() {
            return Ok(data("Stack has never been updated")?);
        }
        let rows: Vec<[String; 6]> = entries.iter().map(|entry| row(entry, self.full_dates)).collect();
        let heading = ["WHEN", "KIND", "RESULT", "TOOK", "CHANGES", "MESSAGE"];
        Ok(data(columns(heading, &rows).trim_end())?)
    }
}

fn seconds(entry: &Json, field: &str) -> i64 {
    entry[field].as_i64().unwrap_or_default()
}

fn text(entry: &Json, field: &str) -> String {
    entry[field].as_str().unwrap_or_default().to_owned()
}

fn row(entry: &Json, dated: bool) -> [String; 6] {
    let (started, ended) = (seconds(entry, "startTime"), seconds(entry, "endTime"));
    let changes = entry["resourceChanges"].as_object().into_iter().flatten();
    let changes: Vec<String> =
        changes.filter(|(op, _)| *op != "same").map(|(op, count)| format!("{count} {op}")).collect();
    let first = text(entry, "message").lines().next().unwrap_or_default().to_owned();
    [
        if dated { time(started, "%Y-%m-%d %H:%M:%S UTC") } else { ago(Timestamp::now().as_second() - started) },
        text(entry, "kind"),
        text(entry, "result"),
        format!("{}s", (ended - started).max(0)),
        if changes.is_empty() { "none".to_owned() } else { changes.join(", ") },
        first,
    ]
}

fn time(seconds: i64, form: &str) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().strftime(form).to_string()
}

/// An entry as `pulumi` shows it: times as strings, configuration as objects.
fn object(entry: &Json, open: &dyn Fn(&str) -> String) -> Json {
    let time = |field: &str| time(seconds(entry, field), "%Y-%m-%dT%H:%M:%S.000Z");
    let config: Map<String, Json> = entry["config"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| {
            let shown = match (value.get("secure").and_then(Json::as_str), value) {
                (Some(ciphertext), _) => json!({"value": open(ciphertext), "secret": true}),
                (None, Json::String(text)) => json!({"value": text, "secret": false}),
                (None, other) => json!({"value": other.to_string(), "secret": false}),
            };
            (key.clone(), shown)
        })
        .collect();
    json!({
        "kind": entry["kind"],
        "startTime": time("startTime"),
        "message": entry["message"],
        "environment": entry["environment"],
        "config": config,
        "result": entry["result"],
        "endTime": time("endTime"),
        "resourceChanges": entry["resourceChanges"],
    })
}
