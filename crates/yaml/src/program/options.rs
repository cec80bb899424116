//! The options of a resource.

use outrigger_diagnostic::Severity;
use outrigger_syntax::Node;

use super::reader::Reader;
use crate::expression::{Expression, Literal};

/// The options of a resource.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Outputs that are secret.
    pub additional_secret_outputs: Vec<Literal>,
    /// Former names.
    pub aliases: Option<Expression>,
    /// The user's timeouts.
    pub custom_timeouts: Timeouts,
    /// Overrides the provider's choice.
    pub delete_before_replace: Option<bool>,
    /// Resources that must exist first.
    pub depends_on: Option<Expression>,
    /// Property paths whose changes are ignored.
    pub ignore_changes: Vec<Literal>,
    /// The id of an existing resource to import.
    pub import: Option<Literal>,
    /// Its parent.
    pub parent: Option<Expression>,
    /// It may not be deleted.
    pub protect: Option<Expression>,
    /// The provider that manages it.
    pub provider: Option<Expression>,
    /// Providers for a component's children.
    pub providers: Option<Expression>,
    /// The plugin's version.
    pub version: Option<Literal>,
    /// The download URL of the plugin.
    pub plugin_download_url: Option<Literal>,
    /// Property paths whose changes force a replacement.
    pub replace_on_changes: Vec<Literal>,
    /// Deleting it leaves it in the cloud.
    pub retain_on_delete: Option<bool>,
    /// Resources with which it is replaced.
    pub replace_with: Option<Expression>,
    /// The resource whose deletion deletes this one.
    pub deleted_with: Option<Expression>,
    /// Property paths whose changes are not shown.
    pub hide_diffs: Vec<Literal>,
    /// A change of this value forces a replacement.
    pub replacement_trigger: Option<Expression>,
    /// Environment variables of a provider, renamed.
    pub env_var_mappings: Option<Expression>,
}

/// The user's timeouts, each an expression whose value is text such as `5m`.
#[derive(Clone, Debug, Default)]
pub struct Timeouts {
    /// For a creation.
    pub create: Option<Expression>,
    /// For an update.
    pub update: Option<Expression>,
    /// For a deletion.
    pub delete: Option<Expression>,
    /// For a read.
    pub read: Option<Expression>,
}

pub(crate) const KEYS: [&str; 20] = [
    "additionalSecretOutputs",
    "aliases",
    "customTimeouts",
    "deleteBeforeReplace",
    "dependsOn",
    "ignoreChanges",
    "import",
    "parent",
    "protect",
    "provider",
    "providers",
    "version",
    "pluginDownloadURL",
    "replaceOnChanges",
    "retainOnDelete",
    "replaceWith",
    "deletedWith",
    "hideDiffs",
    "replacementTrigger",
    "envVarMappings",
];

const TIMEOUTS: [&str; 4] = ["create", "update", "delete", "read"];

impl Options {
    /// The options that are expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let timeouts = &self.custom_timeouts;
        [
            &self.depends_on,
            &self.parent,
            &self.provider,
            &self.providers,
            &self.aliases,
            &self.protect,
            &self.replace_with,
            &self.deleted_with,
            &self.replacement_trigger,
            &self.env_var_mappings,
            &timeouts.create,
            &timeouts.update,
            &timeouts.delete,
            &timeouts.read,
        ]
        .into_iter()
        .flatten()
    }
}

pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Options {
    let mut options = Options::default();
    let Some(object) = reader.object("options", node) else { return options };
    for entry in object {
        let value = &entry.value;
        let Some(name) = reader.known(&entry.key, &KEYS) else {
            reader.unknown_key(&entry.key, "resource options", &KEYS);
            continue;
        };
        match name {
            "additionalSecretOutputs" => options.additional_secret_outputs = reader.literals(name, value),
            "aliases" => options.aliases = Some(reader.expression(value)),
            "customTimeouts" => options.custom_timeouts = timeouts(reader, value),
            "deleteBeforeReplace" => options.delete_before_replace = reader.boolean(name, value),
            "dependsOn" => options.depends_on = Some(reader.expression(value)),
            "ignoreChanges" => options.ignore_changes = reader.literals(name, value),
            "import" => options.import = reader.literal(name, value),
            "parent" => options.parent = Some(reader.expression(value)),
            "protect" => options.protect = Some(reader.expression(value)),
            "provider" => options.provider = Some(reader.expression(value)),
            "providers" => options.providers = Some(reader.expression(value)),
            "version" => options.version = reader.literal(name, value),
            "pluginDownloadURL" => options.plugin_download_url = reader.literal(name, value),
            "replaceOnChanges" => options.replace_on_changes = reader.literals(name, value),
            "retainOnDelete" => options.retain_on_delete = reader.boolean(name, value),
            "replaceWith" => options.replace_with = Some(reader.expression(value)),
            "deletedWith" => options.deleted_with = Some(reader.expression(value)),
            "hideDiffs" => options.hide_diffs = reader.literals(name, value),
            "replacementTrigger" => options.replacement_trigger = Some(reader.expression(value)),
            _ => options.env_var_mappings = Some(reader.expression(value)),
        }
    }
    options
}

fn timeouts(reader: &mut Reader<'_>, node: &Node) -> Timeouts {
    let mut timeouts = Timeouts::default();
    let Some(object) = reader.object("customTimeouts", node) else { return timeouts };
    for entry in object {
        let Some(name) = reader.known(&entry.key, &TIMEOUTS) else {
            reader.stray_key(&entry.key, "customTimeouts", &TIMEOUTS, Severity::Warning);
            continue;
        };
        let value = Some(reader.expression(&entry.value));
        match name {
            "create" => timeouts.create = value,
            "update" => timeouts.update = value,
            "delete" => timeouts.delete = value,
            _ => timeouts.read = value,
        }
    }
    timeouts
}
