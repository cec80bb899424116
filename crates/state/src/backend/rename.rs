//! Renames in a whole state: of one resource, or of all when the stack is renamed.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use serde_json::{Map, Value as Json};

use crate::backend::Backend;
use crate::backend::stack_name::StackName;
use crate::checkpoint::table::Table;
use crate::checkpoint::{Checkpoint, Deployment};
use crate::clock::Clock;
use crate::machine::Machine;

impl Backend {
    /// Renames a stack, with its history and its tags, and the resources named after it.
    pub fn rename_stack(
        &self,
        old: &StackName,
        new: &StackName,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<(), Diagnostic> {
        self.require(old)?;
        self.with_lock(old, machine, clock, || {
            self.with_lock(new, machine, clock, || {
                if self.exists(new)? {
                    return Err(Diagnostic::error("stack-exists", format!("stack `{new}` already exists"))
                        .hint("Choose another name."));
                }
                let file = self.show(old);
                let (table, ..) = self.taken_over(old, machine, clock)?;
                let deployment = table.deployment();
                let renamed = |text: &Arc<str>| -> Result<Arc<str>, Diagnostic> {
                    let mut entry = parsed(text, &file)?;
                    let fields = entry.as_object_mut();
                    fields.into_iter().for_each(|fields| rename_entry(fields, &|urn| rename_urn(urn, new.stack())));
                    Ok(entry.to_string().into())
                };
                let resources = deployment.resources.iter().map(renamed).collect::<Result<Vec<_>, _>>()?;
                let operations = deployment.operations.iter();
                let operations =
                    operations
                        .map(|(kind, text)| Ok((kind.clone(), renamed(text)?)))
                        .collect::<Result<Vec<_>, Diagnostic>>()?;
                let deployment = Deployment { resources, operations, ..deployment };
                let mut table = Table::from_checkpoint(Checkpoint { deployment: Some(deployment) }, &file)?;
                let now = clock.now();
                let rendered = table.render(&new.qualified(), now).map_err(|violation| violation.on_write(&file))?;
                self.put_checkpoint(new, None, rendered.text.as_bytes(), now)
                    .map_err(|error| self.failure("write the state", &new.checkpoint_path(), &error))?;
                self.copy_history(old, new)?;
                self.set_tags(new, &self.tags(old)?)?;
                self.delete_files(old)
            })
        })
    }
}

/// Renames every reference in an entry: its own name and those of other resources.
pub(crate) fn rename_entry(fields: &mut Map<String, Json>, rename: &dyn Fn(&str) -> String) {
    let one = |value: &mut Json| {
        if let Some(text) = value.as_str().filter(|text| !text.is_empty()) {
            *value = rename(text).into();
        }
    };
    let all = |value: &mut Json| value.as_array_mut().into_iter().flatten().for_each(one);
    for (name, value) in fields.iter_mut() {
        match name.as_str() {
            "urn" | "parent" | "deletedWith" | "viewOf" => one(value),
            "dependencies" | "replaceWith" => all(value),
            "propertyDependencies" => value.as_object_mut().into_iter().flatten().for_each(|(_, value)| all(value)),
            // A provider is named by its URN and its id.
            "provider" => {
                if let Some((urn, id)) = value.as_str().and_then(|text| text.rsplit_once("::")) {
                    *value = format!("{}::{id}", rename(urn)).into();
                }
            }
            _ => {}
        }
    }
}

/// A resource's name after its stack is renamed. The stack's own resource is called `PROJECT-STACK`.
fn rename_urn(urn: &str, stack: &str) -> String {
    let parts: Vec<&str> = urn.strip_prefix("urn:pulumi:").unwrap_or_default().splitn(4, "::").collect();
    match parts.as_slice() {
        [_, project, ty @ "pulumi:pulumi:Stack", _] => {
            format!("urn:pulumi:{stack}::{project}::{ty}::{project}-{stack}")
        }
        [_, project, ty, name] => format!("urn:pulumi:{stack}::{project}::{ty}::{name}"),
        _ => urn.to_owned(),
    }
}

pub(crate) fn parsed(text: &str, file: &str) -> Result<Json, Diagnostic> {
    serde_json::from_str(text).map_err(|error| {
        Diagnostic::error("state-malformed", "an entry of the state cannot be read")
            .detail(format!("It is in {file}: {error}"))
            .hint("Restore the state from `.pulumi/backups`, or import a good export with `outrigger stack import`.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_name_follows_the_stack() {
        let mut entry = json!({
            "urn": "urn:pulumi:dev::shop::a:b:C::x",
            "id": "urn:pulumi:dev::not-a-name",
            "parent": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
            "provider": "urn:pulumi:dev::shop::pulumi:providers:a::default::1234",
            "dependencies": ["urn:pulumi:dev::shop::a:b:C::y::z"],
            "propertyDependencies": {"p": ["urn:pulumi:dev::shop::a:b:C::y"], "q": null},
        });
        rename_entry(entry.as_object_mut().unwrap(), &|urn| rename_urn(urn, "prod"));
        assert_eq!(
            entry,
            json!({
                "urn": "urn:pulumi:prod::shop::a:b:C::x",
                "id": "urn:pulumi:dev::not-a-name",
                "parent": "urn:pulumi:prod::shop::pulumi:pulumi:Stack::shop-prod",
                "provider": "urn:pulumi:prod::shop::pulumi:providers:a::default::1234",
                "dependencies": ["urn:pulumi:prod::shop::a:b:C::y::z"],
                "propertyDependencies": {"p": ["urn:pulumi:prod::shop::a:b:C::y"], "q": null},
            })
        );
    }
}
