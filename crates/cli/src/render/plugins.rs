//! The plugins of a project as a table.

use outrigger_workspace::UsedPlugin;

use super::table::columns;

/// One line for each plugin: the package, its version, and where it comes from.
pub(crate) fn table(plugins: &[UsedPlugin]) -> String {
    let rows: Vec<[String; 3]> =
        plugins.iter().map(|plugin| [package(plugin), version(plugin), place(plugin)]).collect();
    columns(["PACKAGE", "VERSION", "PLUGIN"], &rows)
}

fn package(plugin: &UsedPlugin) -> String {
    plugin.package.clone()
}

fn version(plugin: &UsedPlugin) -> String {
    plugin.version.clone().unwrap_or_else(|| "?".to_owned())
}

/// Where the plugin was found.
pub(crate) fn place(plugin: &UsedPlugin) -> String {
    use outrigger_workspace::Origin::{Ambient, BuiltIn, Bundled, Installed, Project};
    let program = plugin.program.as_ref().map(|program| program.display().to_string()).unwrap_or_default();
    match plugin.origin {
        Some(BuiltIn) => "built in".to_owned(),
        Some(Ambient) => format!("{program} (in PATH)"),
        Some(Project) => format!("{program} (named by the project)"),
        Some(Bundled | Installed) => program,
        None => format!("{} (part of outrigger)", plugin.plugin),
    }
}
