//! The project with the oracle's things.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::oracle::{THINGS, living};
use super::world::{Kind, World};
use crate::peers::Peers;
use crate::sandbox::Tool;

/// The duration of a change in the oracle.
const DELAY_MS: u32 = 60;

const KIND: Kind = Kind {
    resources: 50,
    counts: THINGS,
    living: |log| if log.exists() { living(&fs::read_to_string(log)?) } else { Ok(Vec::new()) },
    reader: Tool::Pulumi,
    excused: None,
};

/// A fresh stack, with nothing in the cloud.
pub(super) fn create(peers: &Peers, outrigger: &Path) -> Result<World> {
    let mut world = World::create(&KIND, peers, outrigger, &program())?;
    let log = world.cloud_folder().display().to_string();
    world.sandbox.set("ORACLE_LOG", log);
    world.succeed(Tool::Outrigger, &["stack", "init", "dev"])?;
    Ok(world)
}

/// Chains of five, so that at any time some resources wait, some run and some are done.
fn program() -> String {
    let mut text = String::from("name: kill\nruntime: yaml\nresources:\n");
    for index in 0..KIND.resources {
        let _ = write!(
            text,
            "  thing{index}:\n    type: oracle:Thing\n    properties:\n      value: value {index}\n      delayMs: {DELAY_MS}\n"
        );
        if index % 5 != 0 {
            let _ = write!(text, "    options:\n      dependsOn:\n        - ${{thing{}}}\n", index - 1);
        }
    }
    text
}
