//! The project with Terraform providers.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::kill::oracle::Line;
use crate::kill::world::{Kind, World};
use crate::peers::Peers;
use crate::sandbox::Tool;
use crate::workspace;

/// How many resources the project has.
pub(super) const RESOURCES: usize = 24;

/// The providers: one for each SDK still in use.
const PROVIDERS: [&str; 2] = ["wide", "classic"];

const KIND: Kind = Kind {
    resources: RESOURCES,
    counts: ":index/named:Named::",
    living,
    reader: Tool::Outrigger,
    // `pulumi` itself leaves its language host behind when it is killed.
    excused: Some("pulumi-language-yaml"),
};

/// A fresh stack with an empty cloud, in which `pulumi` finds our bridge.
pub(super) fn create(peers: &Peers, outrigger: &Path) -> Result<World> {
    let world = World::create(&KIND, peers, outrigger, &program(&peers.terraform()))?;
    let plugin = world.sandbox.home().join("plugins/resource-terraform-provider-v1.0.0");
    fs::create_dir_all(&plugin)?;
    workspace::install(outrigger, &plugin.join("pulumi-resource-terraform-provider"))?;
    world.succeed(Tool::Outrigger, &["install"])?;
    world.succeed(Tool::Outrigger, &["stack", "init", "dev"])?;
    for provider in PROVIDERS {
        let directory = world.cloud_folder().join(provider).display().to_string();
        world.succeed(Tool::Outrigger, &["config", "set", &format!("{provider}:directory"), &directory])?;
    }
    Ok(world)
}

/// The files that the providers have written, one for each resource.
fn living(cloud: &Path) -> Result<Vec<Line>> {
    let mut found = Vec::new();
    for provider in PROVIDERS {
        for entry in fs::read_dir(cloud.join(provider).join("named")).into_iter().flatten() {
            let path = entry?.path();
            let text = fs::read_to_string(&path)?;
            // A provider killed while writing has created nothing yet.
            let Ok(thing) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
            let id = path.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
            let name = thing.get("name").and_then(|name| name.as_str()).context("a thing has a name")?;
            let urn = format!("urn:pulumi:dev::kill::{provider}:index/named:Named::{name}");
            found.push(Line::made(id, urn));
        }
    }
    Ok(found)
}

/// Chains of four, each through both providers.
fn program(providers: &Path) -> String {
    let mut text = String::from("name: kill\nruntime: yaml\npackages:\n");
    for provider in PROVIDERS {
        let program = providers.join(format!("terraform-provider-{provider}"));
        let _ = writeln!(
            text,
            "  {provider}: {{source: terraform-provider, version: 1.0.0, parameters: ['{}']}}",
            program.display()
        );
    }
    text.push_str("resources:\n");
    for index in 0..RESOURCES {
        let provider = if index % 2 == 0 { PROVIDERS[0] } else { PROVIDERS[1] };
        let _ = write!(text, "  t{index}:\n    type: {provider}:Named\n    properties: {{name: t{index}}}\n");
        if index % 4 != 0 {
            let _ = writeln!(text, "    options: {{dependsOn: ['${{t{}}}']}}", index - 1);
        }
    }
    text
}
