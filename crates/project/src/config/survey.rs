//! What can be said about a configuration without opening its secrets, for checking a program that nobody runs.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::Value;

use super::merge::{declared_path, mismatch, missing_values};
use super::{Config, ConfigKey, apply, infer};
use crate::project::Project;
use crate::stack_config::StackConfig;

/// The configuration as far as it is known.
#[derive(Debug, Default)]
pub struct Survey {
    /// Values by `namespace:name`, as a program reads them; [`Value::Unknown`] stands for what is not known.
    pub values: BTreeMap<String, Value>,
    /// The values that are known, decrypted because nothing in them is encrypted.
    pub plain: Config,
    /// How many values were not looked at because they are encrypted.
    pub sealed: usize,
    /// What is wrong.
    pub findings: Vec<Diagnostic>,
}

impl Survey {
    /// The configuration of a stack.
    pub fn of_stack(project: &Project, stack: &StackConfig, name: &str) -> Self {
        let mut survey = Self::default();
        survey.findings.extend(stack.warnings().iter().cloned());
        survey.findings.extend(stack.check_environment().err());
        let (merged, missing) = match apply(project, stack) {
            Ok(applied) => applied,
            Err(finding) => {
                survey.findings.push(finding);
                return survey;
            }
        };
        if !missing.is_empty() {
            survey.findings.push(missing_values(project, stack, name, &missing));
            survey.declare(missing.iter().map(String::as_str), project);
        }
        for (written, declaration) in &project.config {
            if missing.contains(written) {
                continue;
            }
            match mismatch(project, &merged, name, written, declaration, None) {
                Ok(None) => {}
                Ok(Some(finding)) | Err(finding) => {
                    survey.findings.push(finding);
                    // What is wrong with it has been said.
                    survey.declare([written.as_str()].into_iter(), project);
                }
            }
        }
        let (sealed, open): (BTreeMap<_, _>, BTreeMap<_, _>) =
            merged.items.into_iter().partition(|(_, item)| item.is_secret());
        survey.sealed = sealed.len();
        survey.plain = Config::open(&open);
        let sealed = sealed.keys().map(|key| (key.to_string(), Value::secret(Value::Unknown)));
        let known = survey.plain.entries().iter().map(|(key, entry)| (key.to_string(), infer(&entry.text)));
        for (key, value) in sealed.chain(known) {
            survey.values.entry(key).or_insert(value);
        }
        survey
    }

    /// No stack in particular: what the project declares and what any of its stacks has exists, and nothing is known of it.
    pub fn of_none<'s>(project: &Project, stacks: impl IntoIterator<Item = &'s StackConfig>) -> Self {
        let mut survey = Self::default();
        survey.declare(project.config.keys().map(String::as_str), project);
        let keys = stacks.into_iter().flat_map(|stack| stack.entries().keys());
        survey.values.extend(keys.map(|key| (key.to_string(), Value::Unknown)));
        survey
    }

    /// Keys that a program declares exist as well, with an unknown value where no stack gives one.
    pub fn declare<'k>(&mut self, keys: impl Iterator<Item = &'k str>, project: &Project) {
        let key = |written: &str| match declared_path(project, written) {
            Ok(path) => path.key,
            Err(_) => ConfigKey { namespace: project.name.clone(), name: written.to_owned() },
        };
        for written in keys {
            self.values.entry(key(written).to_string()).or_insert(Value::Unknown);
        }
    }
}
