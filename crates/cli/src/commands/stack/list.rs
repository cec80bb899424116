//! `outrigger stack ls`.

use clap::Args;
use jiff::Timestamp;
use outrigger_workspace::{Store, Workspace};
use serde_json::json;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::data;
use crate::render::duration::ago;
use crate::render::table::columns;

/// Show the stacks of the project.
#[derive(Args, Debug)]
pub(super) struct List {
    /// The stacks of all projects.
    #[arg(short, long, conflicts_with = "project")]
    all: bool,
    /// The stacks of that project.
    #[arg(short, long)]
    project: Option<String>,
    /// As JSON.
    #[arg(short, long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, environment: &Environment) -> Result<(), Failure> {
        // Without a project there is no selected stack, but the stacks can be listed.
        let (store, own, selected) = match Workspace::open(environment) {
            Ok(workspace) => {
                let selected = workspace.selected()?;
                (workspace.store, Some(workspace.project.name), selected)
            }
            Err(_) if self.all || self.project.is_some() => (Store::open(environment, None)?, None, None),
            Err(error) => return Err(error.into()),
        };
        let project = if self.all { None } else { self.project.or_else(|| own.clone()) };
        let stacks = store.backend.stacks()?;
        let wanted = stacks.into_iter().filter(|stack| project.as_deref().is_none_or(|name| name == stack.project()));
        let mut rows = Vec::new();
        let mut objects = Vec::new();
        for stack in wanted {
            let summary = store.backend.summary(&stack)?;
            let current = selected.as_ref() == Some(&stack);
            let name =
                if own.as_deref() == Some(stack.project()) { stack.stack().to_owned() } else { stack.qualified() };
            let mut object = json!({"name": name, "current": current});
            if let (Some(time), Some(object)) = (&summary.last_update, object.as_object_mut()) {
                object.insert("lastUpdate".to_owned(), json!(time));
            }
            if let (Some(count), Some(object)) = (summary.resources, object.as_object_mut()) {
                object.insert("resourceCount".to_owned(), json!(count));
            }
            objects.push(object);
            let when = summary.last_update.and_then(|time| time.parse::<Timestamp>().ok());
            rows.push([
                format!("{name}{}", if current { "*" } else { "" }),
                when.map_or_else(|| "n/a".to_owned(), |time| ago(Timestamp::now().as_second() - time.as_second())),
                summary.resources.map_or_else(|| "n/a".to_owned(), |count| count.to_string()),
            ]);
        }
        if self.json {
            return Ok(data(&format!("{:#}", serde_json::Value::from(objects)))?);
        }
        Ok(data(columns(["NAME", "LAST UPDATE", "RESOURCE COUNT"], &rows).trim_end())?)
    }
}
