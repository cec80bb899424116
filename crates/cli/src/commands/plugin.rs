//! `outrigger plugin`.

mod call;
mod new;
mod pack;
mod schema;
mod test;

use clap::{Args, Subcommand};
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Installed, UsedPlugin, installed, project, used_plugins};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::data;
use crate::render::plugins::table;
use crate::render::table::columns;

/// Show plugins, call them, or write and release one.
#[derive(Args, Debug)]
pub(crate) struct Plugin {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Debug, Subcommand)]
enum PluginCommand {
    /// Show the plugins in the cache that is shared with Pulumi, or with `--project` those of the project.
    #[command(alias = "list")]
    Ls(Ls),
    New(new::New),
    Pack(pack::Pack),
    Schema(schema::Schema),
    Call(call::Call),
    Test(test::Test),
}

#[derive(Args, Debug)]
struct Ls {
    /// Show the plugins that this project's program needs, and where each of them is.
    #[arg(short, long)]
    project: bool,
    /// As JSON.
    #[arg(short, long)]
    json: bool,
}

impl Plugin {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let ls = match self.command {
            PluginCommand::New(new) => return new.run(environment),
            PluginCommand::Pack(pack) => return pack.run(environment),
            PluginCommand::Schema(schema) => return schema.run(environment),
            PluginCommand::Call(call) => return call.run(environment),
            PluginCommand::Test(test) => return test.run(environment),
            PluginCommand::Ls(ls) => ls,
        };
        if ls.project {
            return list_used(environment, ls.json);
        }
        let plugins = installed(&environment.pulumi_home()?.join("plugins"));
        if ls.json {
            let entry = |plugin: &Installed| serde_json::json!({"name": plugin.name, "kind": "resource", "version": plugin.version.to_string()});
            let text = serde_json::Value::from(plugins.iter().map(entry).collect::<Vec<_>>());
            return Ok(data(&format!("{text:#}"))?);
        }
        let rows: Vec<[String; 3]> = plugins
            .into_iter()
            .map(|plugin| [plugin.name, "resource".to_owned(), plugin.version.to_string()])
            .collect();
        Ok(data(columns(["NAME", "KIND", "VERSION"], &rows).trim_end())?)
    }
}

fn list_used(environment: &Environment, json: bool) -> Result<(), Failure> {
    let project = project(environment)?;
    let Some((plugins, missing)) = runtime()?.block_on(used_plugins(environment, &project))? else {
        return Err(Diagnostic::error("compiler-plugins", "the plugins of this program are not known yet")
            .detail("A compiler generates the program, and runs only for a stack.")
            .hint("`outrigger preview -v` logs each plugin that it starts.")
            .into());
    };
    if json {
        let entry = |plugin: &UsedPlugin| {
            serde_json::json!({
                "name": plugin.package, "kind": "resource", "version": plugin.version,
                "plugin": plugin.plugin, "path": plugin.program,
            })
        };
        let text = serde_json::Value::from(plugins.iter().map(entry).collect::<Vec<_>>());
        data(&format!("{text:#}"))?;
    } else {
        data(table(&plugins).trim_end())?;
    }
    if missing.is_empty() { Ok(()) } else { Err(missing.into()) }
}
