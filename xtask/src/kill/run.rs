//! One kill, and the checks after it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::choice::{Choice, Operation, Victim};
use super::world::World;
use crate::process::{self, Running};
use crate::sandbox::Tool;

/// No operation on a few small resources takes this long unless it hangs.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// How much a user who does not know Outrigger may lose: the checkpoint is written every ten seconds, and takes a moment.
const MAY_LOSE: Duration = Duration::from_secs(15);

/// The provider's program.
const PLUGIN: &str = "pulumi-resource-oracle";

/// Kills, recovers as a user would, and checks. Returns a short report.
pub(super) fn one(world: &World, choice: &Choice) -> Result<String> {
    if choice.operation != Operation::Up {
        world.succeed(Tool::Outrigger, Operation::Up.arguments()).context("the first up failed")?;
    }
    let mut running = world.start(Tool::Outrigger, choice.operation.arguments())?;
    let hit = kill_at(world, &mut running, choice)?;
    let killed_at_ms = now_ms();
    let finished = running.finish(LIMIT)?;
    world.nobody_left().with_context(|| format!("the killed command said\n{}", finished.transcript()))?;
    let mut found = format!("{} things exist", world.cloud()?.len());
    if choice.victim != Victim::Everyone {
        // The host or its keeper was alive: the state is complete before any recovery.
        let pending = world.nothing_lost("right after the kill")?.pending();
        found.push_str(&format!(", {pending} operations pending"));
    }
    if choice.stranger {
        recover_as_stranger(world, killed_at_ms)?;
    }
    let recovered = if recover(world)? {
        "the next up was right"
    } else {
        "the next up asked for a refresh, and was right after it"
    };
    Ok(format!("{hit}, {found}, {recovered}"))
}

/// Waits for the moment and kills. The operation may have ended before, which is fine.
fn kill_at(world: &World, running: &mut Running, choice: &Choice) -> Result<&'static str> {
    let started = Instant::now();
    while started.elapsed() < choice.moment {
        if !running.alive()? {
            return Ok("it was over before");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    match choice.victim {
        Victim::Host => process::kill(running.id()),
        Victim::Plugin => {
            let plugins: Vec<_> = world.processes()?.into_iter().filter(|process| process.name == PLUGIN).collect();
            if plugins.is_empty() {
                return Ok("there was no plugin yet, or no more");
            }
            plugins.iter().for_each(|plugin| process::kill(plugin.id));
        }
        Victim::Everyone => {
            // The keeper first, or it would start its work when the host dies; then the remaining processes, including any
            // started in between.
            let (host, others): (Vec<_>, Vec<_>) =
                world.processes()?.into_iter().partition(|process| process.id == running.id());
            others.iter().chain(&host).for_each(|process| process::kill(process.id));
            process::kill(running.id());
            world.processes()?.iter().for_each(|process| process::kill(process.id));
        }
    }
    Ok("killed")
}

/// Recovers as a user would: runs the same command again, then the commands that it suggests. Returns whether the first was enough.
pub(super) fn recover(world: &World) -> Result<bool> {
    let first = world.run(Tool::Outrigger, Operation::Up.arguments())?;
    world.nothing_lost("after the next up")?;
    let at_once = first.code == Some(0);
    if !at_once {
        let said = first.transcript();
        if !said.contains("refresh") {
            bail!("the next up failed and does not say what to run\n{said}");
        }
        let refresh = ["refresh", "--yes", "--skip-preview", "--stack", "dev", "--clear-pending-creates"];
        world.succeed(Tool::Outrigger, &refresh).with_context(|| format!("the next up asked for a refresh\n{said}"))?;
        world.succeed(Tool::Outrigger, Operation::Up.arguments()).context("after the refresh that up asked for")?;
    }
    world.whole_again()?;
    Ok(at_once)
}

/// Recovers with `pulumi cancel` and `pulumi up`, as a user who does not know Outrigger.
fn recover_as_stranger(world: &World, killed_at_ms: u64) -> Result<()> {
    world.succeed(Tool::Pulumi, &["cancel", "--yes", "--stack", "dev"])?;
    world.succeed(Tool::Pulumi, &["up", "--yes", "--skip-preview", "--stack", "dev"])?;
    let known = world.known()?;
    let horizon = killed_at_ms.saturating_sub(u64::try_from(MAY_LOSE.as_millis()).unwrap_or(u64::MAX));
    let cloud = world.cloud()?;
    if let Some(old) = known.lost(&cloud).iter().find(|line| line.at_ms < horizon) {
        bail!("`pulumi up` after `pulumi cancel` lost {}, which was made long before the kill", old.urn);
    }
    Ok(())
}

fn now_ms() -> u64 {
    std::time::UNIX_EPOCH.elapsed().ok().and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or(u64::MAX)
}
