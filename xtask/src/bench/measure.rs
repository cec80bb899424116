//! Measures one command: wall time, and processor time, memory and bytes written of each of its processes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::process::{name, proc, stat_fields, tree};

/// How often the processes are sampled, and how often new ones are searched for: the watcher must not affect the measurement.
const LOOK: Duration = Duration::from_millis(10);
const SEARCH: Duration = Duration::from_millis(50);

/// The unit in which Linux reports processor time, whatever the kernel's own is.
const TICK: Duration = Duration::from_millis(10);

/// The name of the plugin that makes Pulumi packages from Terraform providers, ours and Pulumi's.
pub(super) const BRIDGE: &str = "pulumi-resource-terraform-provider";

/// The role of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Role {
    /// `pulumi` with its language host, or `outrigger` with its keeper; `tofu`, `terraform`.
    Engine,
    /// The process between `pulumi` and a Terraform provider.
    Bridge,
    Provider,
    /// The service that a provider calls. It is not one of the command's processes.
    Cloud,
}

/// The resources used by all processes of a role.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) cpu: Duration,
    /// The sum of the peak resident sizes.
    pub(super) peak_bytes: u64,
    pub(super) written_bytes: u64,
}

/// One finished command.
#[derive(Clone, Default)]
pub(super) struct Measured {
    pub(super) wall: Duration,
    usage: BTreeMap<Role, Usage>,
}

impl Measured {
    pub(super) fn of(&self, role: Role) -> Usage {
        self.usage.get(&role).copied().unwrap_or_default()
    }

    /// Adds the usage of a process outside the command.
    pub(super) fn add(&mut self, role: Role, cpu: Duration) {
        self.usage.entry(role).or_default().cpu += cpu;
    }

    /// Wall time, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.wall.as_secs_f64()
    }

    /// Processor time, in seconds.
    pub(super) fn cpu(&self, role: Role) -> f64 {
        self.of(role).cpu.as_secs_f64()
    }
}

/// A number of bytes in megabytes, for display.
pub(super) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}

/// Runs a command that must succeed.
pub(super) fn measure(command: &mut Command) -> Result<Measured> {
    let streams = tempfile::tempdir()?;
    let output = streams.path().join("output");
    let file = File::create(&output)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let started = Instant::now();
    let mut child = command.spawn().context("cannot start the measured command")?;
    let (wall, seen) = watch(child.id(), started)?;
    let status = child.wait()?;
    if !status.success() {
        bail!("the measured command ended with {status}\n{}", fs::read_to_string(&output).unwrap_or_default());
    }
    let mut usage: BTreeMap<Role, Usage> = BTreeMap::new();
    for process in seen.into_values() {
        let sum = usage.entry(process.role).or_default();
        sum.cpu += process.usage.cpu;
        sum.peak_bytes += process.usage.peak_bytes;
        sum.written_bytes += process.usage.written_bytes;
    }
    Ok(Measured { wall, usage })
}

/// The processor time of a process so far, if it is still running.
pub(super) fn processor_time_of(id: u32) -> Option<Duration> {
    processor_time(&fs::read_to_string(proc(id).join("stat")).ok()?)
}

struct Seen {
    role: Role,
    usage: Usage,
}

/// Watches a process and its descendants until it ends. It is left unreaped, so that its last figures can be read.
fn watch(id: u32, started: Instant) -> Result<(Duration, BTreeMap<u32, Seen>)> {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw).context("an odd process id")?;
    let mut seen: BTreeMap<u32, Seen> = BTreeMap::new();
    let mut searched = started;
    loop {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let ended = waitid(WaitId::Pid(pid), options)?.is_some();
        let wall = started.elapsed();
        if seen.is_empty() || searched.elapsed() > SEARCH {
            searched = Instant::now();
            for id in tree(id)? {
                seen.entry(id).or_insert_with(|| Seen { role: role(id), usage: Usage::default() });
            }
        }
        for (id, process) in &mut seen {
            look(*id, process);
        }
        if ended {
            return Ok((wall, seen));
        }
        std::thread::sleep(LOOK);
    }
}

fn role(id: u32) -> Role {
    match name(&proc(id)).as_str() {
        BRIDGE => Role::Bridge,
        name if name.starts_with("pulumi-resource-") || name.starts_with("terraform-provider-") => Role::Provider,
        _ => Role::Engine,
    }
}

/// Samples a process. Each figure only grows; for a process that has ended, the last ones stay.
fn look(id: u32, process: &mut Seen) {
    let folder = proc(id);
    // Between fork and exec a process still has its parent's name, and one that has ended has none.
    let role = role(id);
    if role != Role::Engine {
        process.role = role;
    }
    if let Some(cpu) = processor_time_of(id) {
        process.usage.cpu = process.usage.cpu.max(cpu);
    }
    if let Ok(status) = fs::read_to_string(folder.join("status")) {
        let peak = number_after(&status, "VmHWM:").unwrap_or_default() * 1024;
        process.usage.peak_bytes = process.usage.peak_bytes.max(peak);
    }
    if let Ok(io) = fs::read_to_string(folder.join("io")) {
        let written = number_after(&io, "\nwrite_bytes:").unwrap_or_default();
        process.usage.written_bytes = process.usage.written_bytes.max(written);
    }
}

fn processor_time(stat: &str) -> Option<Duration> {
    let fields = stat_fields(stat);
    let ticks: u32 = fields.get(11)?.parse::<u32>().ok()? + fields.get(12)?.parse::<u32>().ok()?;
    Some(TICK * ticks)
}

fn number_after(text: &str, key: &str) -> Option<u64> {
    let (_, rest) = text.split_once(key)?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_measured() {
        let measured = measure(Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]));
        let usage = measured.unwrap().of(Role::Engine);
        assert!(usage.cpu > Duration::ZERO);
        assert!(usage.peak_bytes > 100_000);
    }

    #[test]
    fn a_command_that_fails_is_an_error_with_its_words() {
        let error = measure(Command::new("sh").args(["-c", "echo no such luck; exit 3"])).err().unwrap();
        assert!(error.to_string().contains("no such luck"));
    }

    #[test]
    fn figures_are_read() {
        assert_eq!(processor_time("1 (a b) S 0 0 0 0 0 0 0 0 0 0 7 3 0"), Some(TICK * 10));
        assert_eq!(number_after("VmHWM:\t  12 kB\n", "VmHWM:"), Some(12));
        assert_eq!(number_after("wchar: 1\nwrite_bytes: 2\ncancelled_write_bytes: 3\n", "\nwrite_bytes:"), Some(2));
    }
}
