//! `outrigger about`.

use clap::Args;
use outrigger_workspace::{Store, Workspace, installed, used_plugins};
use serde_json::json;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::data;
use crate::render::plugins::table;
use crate::render::table::columns;

/// Show the version and the environment, for bug reports.
#[derive(Args, Debug)]
pub(crate) struct About {
    /// As JSON.
    #[arg(short, long)]
    json: bool,
}

impl About {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let workspace = Workspace::open(environment).ok();
        let project = workspace.as_ref().map(|workspace| workspace.project.name.clone());
        let used =
            workspace.as_ref().map(|workspace| runtime()?.block_on(used_plugins(environment, &workspace.project)));
        // A project that cannot be read does not keep the rest from being shown.
        let used = used.and_then(Result::ok).flatten().map(|(plugins, _)| plugins).unwrap_or_default();
        let stack = workspace.as_ref().and_then(|workspace| workspace.stack(None).ok());
        let url = match workspace {
            Some(workspace) => Some(workspace.store.url),
            None => Store::open(environment, None).ok().map(|store| store.url),
        };
        let plugins = installed(&environment.pulumi_home()?.join("plugins"));
        let version = env!("CARGO_PKG_VERSION");
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        let user = environment.user.clone();
        let stack = stack.map(|stack| stack.qualified());
        if self.json {
            let plugins =
                plugins.iter().map(|plugin| json!({"name": plugin.name, "version": plugin.version.to_string()}));
            let object = json!({
                "version": version,
                "host": {"os": system, "arch": processor},
                "backend": {"url": url, "user": user},
                "project": project,
                "currentStack": stack,
                "projectPlugins": used.iter().map(|plugin| json!({"name": plugin.package, "version": plugin.version})).collect::<Vec<_>>(),
                "plugins": plugins.collect::<Vec<_>>(),
            });
            return Ok(data(&format!("{object:#}"))?);
        }
        let none = || "none".to_owned();
        let rows = [
            ["Version".to_owned(), version.to_owned()],
            ["System".to_owned(), format!("{system} {processor}")],
            ["Backend".to_owned(), url.unwrap_or_else(none)],
            ["User".to_owned(), user],
            ["Project".to_owned(), project.unwrap_or_else(none)],
            ["Stack".to_owned(), stack.unwrap_or_else(none)],
        ];
        let plugins: Vec<[String; 2]> =
            plugins.into_iter().map(|plugin| [plugin.name, plugin.version.to_string()]).collect();
        let mut text = columns(["ABOUT", "OUTRIGGER"], &rows);
        text.push('\n');
        if !used.is_empty() {
            text.push_str(&table(&used));
            text.push('\n');
        }
        text.push_str(&columns(["INSTALLED PLUGIN", "VERSION"], &plugins));
        Ok(data(text.trim_end())?)
    }
}
