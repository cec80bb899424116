//! `outrigger plugin`.

mod call;
mod new;
mod schema;

use clap::{Args, Subcommand};
use outrigger_workspace::{Installed, installed};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::data;
use crate::render::table::columns;

/// Show plugins, ask them something, or write one.
#[derive(Args, Debug)]
pub(crate) struct Plugin {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Debug, Subcommand)]
enum PluginCommand {
    /// Show the plugins in the cache that is shared with Pulumi.
    #[command(alias = "list")]
    Ls(Ls),
    New(new::New),
    Schema(schema::Schema),
    Call(call::Call),
}

#[derive(Args, Debug)]
struct Ls {
    /// As JSON.
    #[arg(short, long)]
    json: bool,
}

impl Plugin {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let ls = match self.command {
            PluginCommand::New(new) => return new.run(environment),
            PluginCommand::Schema(schema) => return schema.run(environment),
            PluginCommand::Call(call) => return call.run(environment),
            PluginCommand::Ls(ls) => ls,
        };
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
