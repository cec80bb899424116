//! One life for all: created, read, left alone, edited, refreshed, destroyed.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::sandbox::Sandbox;

/// The effect of an edit on an existing resource.
#[derive(Clone, Copy)]
pub(super) enum Change {
    Updated,
    Replaced,
}

/// The result of a refresh after the edit.
pub(super) enum Refreshed {
    /// Everything as it was left.
    Same,
    /// The provider reports a difference: these are the resources then.
    Drifted(Json),
    /// The provider cannot read, so nothing may change.
    Unreadable,
}

/// The life of one provider's resources.
pub(super) struct Life {
    /// Names and versions: these providers refuse to work without their version.
    pub(super) packages: &'static [(&'static str, &'static str)],
    /// Files of the project beside the program.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) config: &'static [(&'static str, &'static str)],
    pub(super) program: &'static str,
    /// The outputs of all resources, by name.
    pub(super) made: Json,
    /// Looks closer at the resources after the first update.
    pub(super) look: fn(&Sandbox),
    /// A file, a text in it, and the text that replaces it.
    pub(super) edit: [&'static str; 3],
    /// The effect on each resource that the edit changes.
    pub(super) changes: &'static [(&'static str, Change)],
    pub(super) edited: Json,
    pub(super) refreshed: Refreshed,
}

impl Life {
    pub(super) fn of(packages: &'static [(&'static str, &'static str)], program: &'static str) -> Self {
        Self {
            packages,
            files: &[],
            config: &[],
            program,
            made: Json::Null,
            look: |_| {},
            edit: ["Pulumi.yaml", "", ""],
            changes: &[],
            edited: Json::Null,
            refreshed: Refreshed::Unreadable,
        }
    }

    pub(super) fn live(self) {
        let sandbox = project(self.packages, self.program);
        for (name, text) in self.files {
            sandbox.write(name, text);
        }
        for (key, value) in self.config {
            sandbox.outrigger(&["config", "set", key, value]).ok();
        }
        sandbox.outrigger(&["up", "--yes"]).ok();
        let first = wanted(&sandbox);
        assert_eq!(outputs(&first), self.made);
        (self.look)(&sandbox);
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
        sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();

        let [file, from, to] = self.edit;
        let text = sandbox.read(file);
        assert!(text.contains(from), "`{from}` is not in {file}");
        sandbox.write(file, &text.replace(from, to));
        let told = sandbox.outrigger(&["preview", "--expect-no-changes"]);
        // A resource that is only read never changes.
        told.ended(if first.values().all(|resource| resource["external"] == true) { 0 } else { 7 });
        sandbox.outrigger(&["up", "--yes"]).ok();
        let second = wanted(&sandbox);
        assert_eq!(outputs(&second), self.edited);
        for (name, before) in &first {
            let Some(after) = second.get(name) else { continue };
            let change = self.changes.iter().find(|(changed, _)| changed == name).map(|(_, change)| change);
            let expected = match change {
                None => (true, true),
                Some(Change::Updated) => (true, false),
                Some(Change::Replaced) => (false, false),
            };
            let kept = |time: &str| before[time] == after[time];
            assert_eq!((kept("created"), kept("modified")), expected, "what became of `{name}`: {before} {after}");
        }
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();

        match self.refreshed {
            Refreshed::Same => {
                sandbox.outrigger(&["refresh", "--yes", "--expect-no-changes"]).ok();
                assert_eq!(outputs(&wanted(&sandbox)), self.edited);
            }
            Refreshed::Drifted(found) => {
                sandbox.outrigger(&["refresh", "--yes"]).ok().says(&["drifted", "updated"]);
                assert_eq!(outputs(&wanted(&sandbox)), found);
                sandbox.pulumi(&["refresh", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
                sandbox.outrigger(&["preview", "--expect-no-changes"]).ended(7);
            }
            Refreshed::Unreadable => {
                sandbox.outrigger(&["refresh", "--yes"]).ended(1).says(&["could not read", "does not support Read"]);
                assert_eq!(wanted(&sandbox), second);
            }
        }
        sandbox.outrigger(&["destroy", "--yes"]).ok();
        assert_eq!(resources(&sandbox), Vec::<Json>::new());
    }
}

/// A project with the stack `dev` and a lock file for each package.
pub(super) fn project(packages: &[(&str, &str)], program: &str) -> Sandbox {
    let sandbox = Sandbox::new(&format!("name: shop\nruntime: yaml\n{program}"));
    for (name, version) in packages {
        let lock = format!("packageDeclarationVersion: 1\nname: {name}\nversion: {version}\n");
        sandbox.write(&format!("sdks/{name}.yaml"), &lock);
    }
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    sandbox
}

/// Everything in the state, secrets readable.
pub(super) fn resources(sandbox: &Sandbox) -> Vec<Json> {
    let export = sandbox.outrigger(&["stack", "export", "--show-secrets"]).ok().stdout;
    let export: Json = serde_json::from_str(&export).unwrap();
    export["deployment"]["resources"].as_array().cloned().unwrap_or_default()
}

/// The resources that the program asked for, by name.
pub(crate) fn wanted(sandbox: &Sandbox) -> BTreeMap<String, Json> {
    let wanted = resources(sandbox).into_iter().filter(|resource| !text(resource, "type").starts_with("pulumi:"));
    wanted
        .map(|resource| {
            assert_ne!(resource["delete"], true, "left over: {resource}");
            (text(&resource, "urn").rsplit("::").next().unwrap().to_owned(), resource)
        })
        .collect()
}

/// The outputs of each resource; a secret is `{"secret": value}`.
pub(super) fn outputs(resources: &BTreeMap<String, Json>) -> Json {
    resources.iter().map(|(name, resource)| (name.clone(), shown(&resource["outputs"]))).collect()
}

fn text(resource: &Json, field: &str) -> String {
    resource[field].as_str().unwrap_or_else(|| panic!("no {field}: {resource}")).to_owned()
}

fn shown(value: &Json) -> Json {
    match value {
        Json::Object(object) => match object.get("plaintext").and_then(Json::as_str) {
            Some(plain) => json!({"secret": serde_json::from_str::<Json>(plain).unwrap()}),
            None => object.iter().map(|(key, value)| (key.clone(), shown(value))).collect(),
        },
        Json::Array(items) => items.iter().map(shown).collect(),
        other => other.clone(),
    }
}

/// The stack's outputs.
pub(crate) fn stack_outputs(sandbox: &Sandbox) -> Json {
    serde_json::from_str(&sandbox.outrigger(&["stack", "output", "--json", "--show-secrets"]).ok().stdout).unwrap()
}
