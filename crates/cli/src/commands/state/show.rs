//! `outrigger state show`.

use std::fmt::Write;

use clap::Args;
use outrigger_state::Resource;
use outrigger_value::{PropertyMap, Value};
use outrigger_workspace::json::{Secrets, properties_to_json, to_json};
use serde_json::json;

use super::Context;
use crate::failure::Failure;
use crate::output::data;
use crate::render::value::to_line;

/// A value shorter than this is shown on the line of its name.
const ON_A_LINE: usize = 100;

/// Show a resource in the state.
#[derive(Args, Debug)]
pub(super) struct Show {
    /// The resource: its URN or its name.
    #[arg(value_name = "RESOURCE")]
    resource: String,
    /// As JSON.
    #[arg(short, long)]
    json: bool,
    /// Show secrets in clear.
    #[arg(long)]
    show_secrets: bool,
}

impl Show {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let outline = context.outline()?;
        let chosen = Context::select(&outline, std::slice::from_ref(&self.resource))?;
        let secrets = Secrets::from_flag(self.show_secrets);
        let mut texts = Vec::new();
        for entry in chosen {
            let Some(resource) = context.workspace.resource(&context.stack, &entry.urn, secrets)? else { continue };
            texts.push(if self.json { format!("{:#}", object(&resource, secrets)) } else { text(&resource, secrets) });
        }
        Ok(data(&texts.join("\n"))?)
    }
}

fn object(resource: &Resource, secrets: Secrets) -> serde_json::Value {
    json!({
        "urn": resource.urn.as_str(),
        "type": resource.ty(),
        "name": resource.urn.name(),
        "id": resource.id,
        "parent": resource.parent.as_ref().map(ToString::to_string),
        "provider": resource.provider.as_ref().map(|provider| provider.urn.to_string()),
        "dependencies": resource.dependencies.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "protect": resource.protect,
        "taint": resource.taint,
        "created": resource.created,
        "modified": resource.modified,
        "inputs": properties_to_json(&resource.inputs, secrets),
        "outputs": properties_to_json(&resource.outputs, secrets),
    })
}

fn text(resource: &Resource, secrets: Secrets) -> String {
    let mut out = format!("{} {}\n", resource.urn.name(), resource.ty());
    let mut row = |name: &str, value: Option<&str>| {
        // Writing to a string cannot fail, here and below.
        let _ = value.map(|value| writeln!(out, "    {name:<12} {value}"));
    };
    row("URN", Some(resource.urn.as_str()));
    row("ID", resource.id.as_deref());
    row("Parent", resource.parent.as_ref().filter(|parent| !parent.is_stack()).map(|urn| urn.as_str()));
    row("Provider", resource.provider.as_ref().map(|provider| provider.urn.as_str()));
    for dependency in &resource.dependencies {
        row("Depends on", Some(dependency.as_str()));
    }
    row("Created", resource.created.as_deref());
    row("Modified", resource.modified.as_deref());
    row("Protected", resource.protect.then_some("yes"));
    row("Tainted", resource.taint.then_some("yes: the next `up` replaces it"));
    row("External", resource.external.then_some("yes: it was read, and is never deleted"));
    properties(&mut out, "Inputs", &resource.inputs, secrets);
    properties(&mut out, "Outputs", &resource.outputs, secrets);
    out.truncate(out.trim_end().len());
    out
}

fn properties(out: &mut String, heading: &str, properties: &PropertyMap, secrets: Secrets) {
    if properties.is_empty() {
        return;
    }
    let _ = writeln!(out, "    {heading}:");
    for (name, value) in properties.iter().filter(|(name, _)| !name.starts_with("__")) {
        let _ = writeln!(out, "        {name}: {}", shown(value, secrets));
    }
}

fn shown(value: &Value, secrets: Secrets) -> String {
    let line = to_line(value, secrets);
    if line.len() <= ON_A_LINE { line } else { format!("{:#}", to_json(value, secrets)).replace('\n', "\n        ") }
}
