//! `cargo xtask pictures`: screens of `outrigger`, in `docs/images`. Needs `tmux`.

mod scenes;
mod svg;
mod terminal;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile, build_outrigger};
use scenes::{SCENES, Scene, Shot};
use terminal::Terminal;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only the scenes whose name has this text
    name: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = build_outrigger(Profile::Debug)?;
    let images = workspace::root().join("docs/images");
    fs::create_dir_all(&images).with_context(|| format!("cannot create {}", images.display()))?;
    let wanted = |scene: &&Scene| arguments.name.as_deref().is_none_or(|name| scene.name.contains(name));
    for scene in SCENES.iter().filter(wanted) {
        let folder = tempfile::tempdir().context("cannot create a scratch folder")?;
        let mut sandbox = Sandbox::create(folder.path(), &peers, &outrigger)?;
        sandbox.set("ORACLE_LOG", folder.path().join("oracle.log").display().to_string());
        take(scene, &sandbox, folder.path(), &images)?;
    }
    Ok(())
}

fn take(scene: &Scene, sandbox: &Sandbox, folder: &Path, images: &Path) -> Result<()> {
    let project = folder.join("project");
    fs::create_dir(&project)?;
    fs::write(project.join("Pulumi.yaml"), (scene.before)())?;
    sandbox.succeed(Tool::Outrigger, &project, &["stack", "init", "dev"])?;
    if let Some(after) = scene.after {
        sandbox.succeed(Tool::Outrigger, &project, &["up", "--yes", "--skip-preview"])?;
        fs::write(project.join("Pulumi.yaml"), after())?;
    }
    let command = sandbox.command(Tool::Outrigger, &project, &[]);
    let exports: String = command
        .get_envs()
        .filter(|(name, _)| *name != "NO_COLOR" || !scene.colored)
        .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
        .map(|(name, value)| format!("export {name}='{value}'\n"))
        .collect();
    let program = command.get_program().to_string_lossy().into_owned();
    let line = format!("{exports}clear\necho '$ outrigger {0}'\n'{program}' {0}", scene.arguments);
    let terminal = Terminal::run(scene.columns, scene.rows, &project, &line)?;
    for Shot { when, name, then } in scene.shots {
        terminal.await_text(when)?;
        let picture = svg::render(&terminal.picture()?, scene.columns.into());
        let file = images.join(format!("{}-{name}.svg", scene.name));
        fs::write(&file, picture).with_context(|| format!("cannot write {}", file.display()))?;
        println!("{}", file.display());
        if !then.is_empty() {
            terminal.press(then)?;
        }
    }
    Ok(())
}
