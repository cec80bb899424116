//! The packages that a program uses.

use std::collections::BTreeMap;

use outrigger_project::packages::Packages;
use outrigger_provider::{PluginDescriptor, tolerant};

use super::Program;
use crate::expression::Literal;

impl Program {
    /// The packages that the program uses, sorted: as in the lock file, otherwise with the version of the first
    /// use, if it has one.
    pub fn packages(&self, locked: &Packages) -> Vec<PluginDescriptor> {
        let mut found: BTreeMap<String, PluginDescriptor> = BTreeMap::new();
        let mut mention = |token: &str, (version, url): (Option<&Literal>, Option<&Literal>)| {
            let name = package_name(token);
            if name.is_empty() || name == "pulumi" || found.contains_key(name) {
                return;
            }
            let descriptor = locked.get(name).cloned().unwrap_or_else(|| PluginDescriptor {
                name: name.to_owned(),
                version: version.and_then(|version| tolerant(&version.text)).map(|version| version.to_string()),
                download_url: url.map(|url| url.text.to_string()).filter(|url| !url.is_empty()),
                ..PluginDescriptor::default()
            });
            found.insert(name.to_owned(), descriptor);
        };
        for resource in &self.resources {
            for expression in resource.expressions() {
                expression.invokes(&mut |invoke, _| mention(&invoke.function.text, invoke.plugin()));
            }
            let options = &resource.options;
            mention(&resource.ty.text, (options.version.as_ref(), options.plugin_download_url.as_ref()));
        }
        for named in self.variables.iter().chain(&self.outputs) {
            named.value.invokes(&mut |invoke, _| mention(&invoke.function.text, invoke.plugin()));
        }
        let mut descriptors: Vec<_> = found.into_values().collect();
        descriptors.sort();
        descriptors
    }
}

/// The package of a token: its first part, or the last part of a provider's type.
pub(crate) fn package_name(token: &str) -> &str {
    token.strip_prefix("pulumi:providers:").unwrap_or_else(|| token.split(':').next().unwrap_or_default())
}
