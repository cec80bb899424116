//! The known part of a configuration whose secrets stay closed, for checking a program without running it.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::Value;

use super::merge::{declared_path, mismatch, missing_values};
use super::{Config, ConfigKey, apply, infer};
use crate::project::Project;
use crate::stack_config::StackConfig;

/// The known part of a configuration.
#[derive(Debug, Default)]
pub struct Survey {
    /// Values by `namespace:name`, as a program reads them, with [`Value::Unknown`] for unknown ones.
    pub values: BTreeMap<String, Value>,
    /// The values without encryption.
    pub plain: Config,
    /// How many encrypted values were skipped.
    pub sealed: usize,
    /// Errors and warnings.
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
                    // The error in it has been reported.
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

    /// The configuration of no stack in particular: keys of the project's declarations and of any of its stacks exist, with unknown values.
    pub fn of_none<'s>(project: &Project, stacks: impl IntoIterator<Item = &'s StackConfig>) -> Self {
        let mut survey = Self::default();
        survey.declare(project.config.keys().map(String::as_str), project);
        let keys = stacks.into_iter().flat_map(|stack| stack.entries().keys());
        survey.values.extend(keys.map(|key| (key.to_string(), Value::Unknown)));
        survey
    }

    /// Adds the keys that a program declares, with an unknown value unless a stack gives one.
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
