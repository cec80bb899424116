//! `outrigger stack`.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::Args;
use jiff::Timestamp;
use outrigger_state::{Outline, Outlined};
use outrigger_value::Urn;
use outrigger_workspace::json::Secrets;

use super::Context;
use super::output::table;
use crate::failure::Failure;
use crate::output::data;
use crate::render::duration::ago;
use crate::render::step::short_type;
use crate::render::text::{one_line, padded, width};

/// Show a stack.
#[derive(Args, Debug)]
pub(super) struct Show {
    /// Show the URN of each resource.
    #[arg(short = 'u', long)]
    show_urns: bool,
    /// Show the id of each resource.
    #[arg(short = 'i', long)]
    show_ids: bool,
    /// Show only the stack's name.
    #[arg(long)]
    show_name: bool,
    /// Show secret outputs in clear.
    #[arg(long)]
    show_secrets: bool,
}

impl Show {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        if self.show_name {
            return Ok(data(stack.stack())?);
        }
        let base = context.outline(&stack, Secrets::from_flag(self.show_secrets))?;
        let mut out = format!("Current stack is {stack}:\n    Managed by {}\n", context.environment.host);
        let time = base.last_update.as_ref().and_then(|time| time.parse::<Timestamp>().ok());
        // Writing to a string cannot fail, here and below.
        let _ = match time {
            Some(time) => {
                let passed = ago(Timestamp::now().as_second() - time.as_second());
                writeln!(out, "    Last updated: {passed} ({time})")
            }
            None => writeln!(out, "    No updates yet"),
        };
        let _ = writeln!(out, "Current stack resources ({}):", base.entries.len());
        out.push_str(&self.tree(&base));
        for (what, urn) in &base.pending {
            let _ = writeln!(out, "    pending: {what} {} {} (see `outrigger refresh --help`)", urn.ty(), urn.name());
        }
        let _ = write!(out, "\n{}", table(&base.outputs, Secrets::from_flag(self.show_secrets)));
        Ok(data(out.trim_end())?)
    }

    /// The resources by parent.
    fn tree(&self, base: &Outline) -> String {
        let mut children: BTreeMap<Option<&Urn>, Vec<&Outlined>> = BTreeMap::new();
        let root = base.entries.iter().find(|resource| resource.urn.is_stack()).map(|resource| &resource.urn);
        for resource in &base.entries {
            let parent = resource.parent.as_ref().or(root).filter(|_| !resource.urn.is_stack());
            children.entry(parent).or_default().push(resource);
        }
        let mut rows = Vec::new();
        branches(&children, None, "", &mut rows);
        let widest = rows.iter().map(|(label, _, _)| width(label)).max().unwrap_or_default();
        let mut out = String::new();
        for (label, rest, resource) in rows {
            let marked = if resource.delete { " (to be deleted)" } else { "" };
            let _ =
                writeln!(out, "    {}  {}{marked}", padded(&label, widest), one_line(&short_type(resource.urn.ty())));
            if self.show_urns {
                let _ = writeln!(out, "    {rest}      URN: {}", resource.urn);
            }
            if let Some(id) = resource.id.as_ref().filter(|_| self.show_ids) {
                let _ = writeln!(out, "    {rest}      ID: {id}");
            }
        }
        out
    }
}

/// Rows of the tree: the name with its branch, the prefix of its children, the resource.
fn branches<'a>(
    children: &BTreeMap<Option<&Urn>, Vec<&'a Outlined>>,
    parent: Option<&Urn>,
    prefix: &str,
    rows: &mut Vec<(String, String, &'a Outlined)>,
) {
    let Some(own) = children.get(&parent) else { return };
    for (index, resource) in own.iter().enumerate() {
        let last = index + 1 == own.len();
        let (branch, below) = match (parent, last) {
            (None, _) => ("", ""),
            (_, true) => ("└─ ", "   "),
            (_, false) => ("├─ ", "│  "),
        };
        let next = format!("{prefix}{below}");
        rows.push((one_line(&format!("{prefix}{branch}{}", resource.urn.name())), next.clone(), resource));
        // An old copy waiting for its deletion has the same name; its children are listed once, under the live one.
        if !resource.delete && parent != Some(&resource.urn) {
            branches(children, Some(&resource.urn), &next, rows);
        }
    }
}
