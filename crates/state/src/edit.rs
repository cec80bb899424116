//! Changes to a state that no provider takes part in: entries edited by hand, a stack renamed, and the history read.

use std::collections::HashMap;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use serde_json::Value as Json;

use crate::backend::Backend;
use crate::checkpoint::{Checkpoint, Deployment};
use crate::clock::Clock;
use crate::machine::Machine;
use crate::objects::Condition;
use crate::session::rewrite;
use crate::stack_name::StackName;
use crate::table::Table;

const READ: &str = "read the history";

/// Changes the entries of a state, which are objects as the state file has them.
pub type Edit<'a> = &'a mut dyn FnMut(&mut Vec<Json>) -> Result<(), Diagnostic>;

impl Backend {
    /// Changes the entries of a stack's state, under its lock. Entries that are not touched keep their text; secrets stay encrypted. A
    /// result that would not be sound is refused. Answers what was found on the way.
    pub fn edit_stack(
        &self,
        stack: &StackName,
        machine: &dyn Machine,
        clock: &dyn Clock,
        edit: Edit<'_>,
    ) -> Result<Vec<Diagnostic>, Diagnostic> {
        self.require(stack)?;
        self.with_lock(stack, machine, clock, || {
            let (table, _, findings) = self.taken_over(stack, machine, clock)?;
            let file = self.show(stack);
            let deployment = table.deployment();
            let mut texts: HashMap<String, Arc<str>> = HashMap::new();
            let mut entries = Vec::new();
            for text in &deployment.resources {
                let entry = parsed(text, &file)?;
                texts.insert(entry.to_string(), Arc::clone(text));
                entries.push(entry);
            }
            edit(&mut entries)?;
            let resources = entries.iter().map(|entry| {
                let text = entry.to_string();
                texts.get(&text).cloned().unwrap_or_else(|| text.into())
            });
            let deployment = Deployment { resources: resources.collect(), ..deployment };
            let mut table = Table::from_checkpoint(Checkpoint { deployment: Some(deployment) }, &file)?;
            rewrite(self, stack, &mut table, clock)?;
            Ok(findings)
        })
    }

    /// Gives a stack another name, with its history and its tags. Its resources get the names that follow from it.
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
                    return Err(Diagnostic::error("stack-exists", format!("there is a stack `{new}` already"))
                        .hint("Choose another name."));
                }
                let file = self.show(old);
                let (table, ..) = self.taken_over(old, machine, clock)?;
                let deployment = table.deployment();
                let renamed = |text: &Arc<str>| -> Result<Arc<str>, Diagnostic> {
                    let mut entry = parsed(text, &file)?;
                    rename_entry(&mut entry, &|urn| rename_urn(urn, new.stack()));
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

    /// What the history says of each command on a stack, the last first: objects as `pulumi` stores them.
    pub fn history(&self, stack: &StackName) -> Result<Vec<Json>, Diagnostic> {
        self.require(stack)?;
        let mut paths = self.paths_in(READ, &stack.history_directory())?;
        paths.retain(|path| path.ends_with(".history.json"));
        // The names end with the time, in digits of one length.
        paths.sort();
        let mut found = Vec::new();
        for path in paths.iter().rev() {
            let object = self.get(READ, path)?;
            // An entry that cannot be read says nothing; the others still do.
            found.extend(object.and_then(|object| serde_json::from_slice::<Json>(&object.bytes).ok()));
        }
        Ok(found)
    }

    fn copy_history(&self, old: &StackName, new: &StackName) -> Result<(), Diagnostic> {
        for path in self.paths_in(READ, &old.history_directory())? {
            let Some(object) = self.get(READ, &path)? else { continue };
            let name = path.rsplit('/').next().unwrap_or(&path);
            let rest = name.strip_prefix(old.stack()).unwrap_or(name);
            let path = format!("{}/{}{rest}", new.history_directory(), new.stack());
            (self.objects.put(&path, &object.bytes, Condition::Always))
                .map_err(|error| self.failure("write the history", &path, &error))?;
        }
        Ok(())
    }
}

/// Changes every name of a resource in an entry: its own, and those that it refers to.
pub fn rename_entry(entry: &mut Json, rename: &dyn Fn(&str) -> String) {
    let Some(fields) = entry.as_object_mut() else { return };
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

/// A resource's name in a stack of another name. The stack's own resource is called `PROJECT-STACK`.
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

fn parsed(text: &str, file: &str) -> Result<Json, Diagnostic> {
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
        rename_entry(&mut entry, &|urn| rename_urn(urn, "prod"));
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
