//! The environment of a plugin.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use outrigger_provider::without_secrets;

use crate::pool::Wanted;

/// The plugin that still reads the project's name under an older variable.
const NODEJS: &str = "pulumi-nodejs";

/// The complete environment of a plugin: ours without the engine's secrets, then Pulumi's additions, then renamed variables.
pub(crate) fn of_plugin(ours: &[(OsString, OsString)], wanted: &Wanted) -> Vec<(OsString, OsString)> {
    let Wanted { project, descriptor } = wanted;
    let ours = without_secrets(ours.iter().cloned());
    let mut variables: BTreeMap<OsString, OsString> = ours.into_iter().collect();
    for (option, value) in &project.runtime_options {
        variables.insert(format!("PULUMI_RUNTIME_{}", option.to_uppercase()).into(), value.into());
    }
    if !project.name.is_empty() {
        variables.insert("PULUMI_PROJECT".into(), (&project.name).into());
        if descriptor.name == NODEJS {
            variables.insert("PULUMI_NODEJS_PROJECT".into(), (&project.name).into());
        }
    }
    if let Some(config) = project.config.get(&descriptor.name) {
        variables.insert("PULUMI_CONFIG".into(), config.into());
    }
    // From a copy: the renaming of one variable must not affect the next. An engine secret cannot be renamed either, because it has
    // already been removed.
    let renamed: Vec<_> = descriptor
        .env_var_mappings
        .iter()
        .filter_map(|(new, old)| Some((OsString::from(old), variables.get(OsStr::new(new))?.clone())))
        .collect();
    variables.extend(renamed);
    variables.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use outrigger_provider::PluginDescriptor;

    use super::*;
    use crate::ProjectOptions;

    #[test]
    fn adds_and_withholds() {
        let mut ours = Vec::new();
        for (name, value) in [
            ("HOME", "/home/me"),
            ("PULUMI_CONFIG_PASSPHRASE", "canary"),
            ("PULUMI_CONFIG_PASSPHRASE_FILE", "canary"),
            ("PULUMI_ACCESS_TOKEN", "canary"),
            ("EAST_KEY", "k"),
            ("PULUMI_PROJECT", "other"),
        ] {
            ours.push((name.into(), value.into()));
        }
        let mut project = ProjectOptions { name: "shop".into(), ..ProjectOptions::default() };
        project.runtime_options.insert("typescript".into(), "true".into());
        project.config.insert("aws".into(), r#"{"region":"eu"}"#.into());
        let mut descriptor = PluginDescriptor::named("aws", None);
        descriptor.env_var_mappings.insert("EAST_KEY".into(), "AWS_KEY".into());
        descriptor.env_var_mappings.insert("NOT_SET".into(), "HOME".into());
        descriptor.env_var_mappings.insert("PULUMI_ACCESS_TOKEN".into(), "STOLEN".into());
        let wanted = Wanted { project: project.into(), descriptor };
        let text: Vec<String> = of_plugin(&ours, &wanted)
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        assert_eq!(
            text,
            [
                "AWS_KEY=k",
                "EAST_KEY=k",
                "HOME=/home/me",
                "PULUMI_CONFIG={\"region\":\"eu\"}",
                "PULUMI_PROJECT=shop",
                "PULUMI_RUNTIME_TYPESCRIPT=true",
            ]
        );
    }
}
