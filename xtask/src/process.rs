//! Child processes: running them with a time limit, and finding them through `/proc`.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How often a running child is polled.
const POLL: Duration = Duration::from_millis(5);

/// The result of a command.
pub(crate) struct Finished {
    /// The exit status, or `None` when a signal or our limit ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// Both streams, for a report.
    pub(crate) fn transcript(&self) -> String {
        let code = self.code.map_or_else(|| "ended by a signal".to_owned(), |code| format!("exit {code}"));
        format!("[{code}]\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}

/// A running command whose output goes to files, so that a grandchild that keeps a pipe open can never block us.
pub(crate) struct Running {
    child: Child,
    streams: tempfile::TempDir,
    started: Instant,
}

impl Running {
    /// Starts a command in its own process group.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let streams = tempfile::tempdir().context("cannot create a scratch folder")?;
        command
            .stdin(Stdio::null())
            .stdout(File::create(streams.path().join("stdout"))?)
            .stderr(File::create(streams.path().join("stderr"))?)
            .process_group(0);
        let child =
            command.spawn().with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
        Ok(Running { child, streams, started: Instant::now() })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it is still running.
    pub(crate) fn alive(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// Waits for the end. After the limit, counted from the start, its process group is killed.
    pub(crate) fn finish(mut self, limit: Duration) -> Result<Finished> {
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if self.started.elapsed() > limit {
                self.kill_group();
                break self.child.wait()?;
            }
            std::thread::sleep(POLL);
        };
        let read = |name: &str| -> Result<String> {
            Ok(String::from_utf8_lossy(&fs::read(self.streams.path().join(name))?).into_owned())
        };
        Ok(Finished { code: status.code(), stdout: read("stdout")?, stderr: read("stderr")? })
    }

    fn kill_group(&self) {
        if let Some(pid) = pid(self.child.id()) {
            // The group may have ended in between.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command, limit: Duration) -> Result<Finished> {
    Running::start(command)?.finish(limit)
}

/// Sends SIGKILL; a process that has already ended is no error.
pub(crate) fn kill(id: u32) {
    if let Some(pid) = pid(id) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// A process as `/proc` shows it.
pub(crate) struct Process {
    pub(crate) id: u32,
    /// The file name of its program.
    pub(crate) name: String,
    /// Whether it is one of our keepers.
    pub(crate) is_keeper: bool,
}

/// Every running process with `marker` in its environment, which children inherit.
pub(crate) fn marked(marker: &str) -> Result<Vec<Process>> {
    let mut found = Vec::new();
    for id in ids()? {
        let folder = proc(id);
        // A process may end during the search; then there is nothing to read.
        let Ok(environment) = fs::read(folder.join("environ")) else { continue };
        if !contains(&environment, marker.as_bytes()) {
            continue;
        }
        let is_keeper = arguments(&folder).get(1).is_some_and(|first| first == "__keeper");
        found.push(Process { id, name: name(&folder), is_keeper });
    }
    Ok(found)
}

/// The ids of `ancestor` and its descendants.
pub(crate) fn tree(ancestor: u32) -> Result<Vec<u32>> {
    let parents: Vec<(u32, u32)> = ids()?
        .into_iter()
        .filter_map(|id| Some((id, parent(&fs::read_to_string(proc(id).join("stat")).ok()?)?)))
        .collect();
    let mut tree = vec![ancestor];
    let mut next = 0;
    while let Some(&current) = tree.get(next) {
        tree.extend(parents.iter().filter(|(_, parent)| *parent == current).map(|(id, _)| *id));
        next += 1;
    }
    Ok(tree)
}

/// The folder of a process.
pub(crate) fn proc(id: u32) -> PathBuf {
    Path::new("/proc").join(id.to_string())
}

/// The file name of the program that the process of this folder runs.
pub(crate) fn name(folder: &Path) -> String {
    let program = arguments(folder).into_iter().next().unwrap_or_default();
    Path::new(&program).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or(program)
}

/// The program, as called, and its arguments.
fn arguments(folder: &Path) -> Vec<String> {
    let command = fs::read(folder.join("cmdline")).unwrap_or_default();
    command.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// The fields of a `stat` line after the program's name, which may itself contain spaces and parentheses.
pub(crate) fn stat_fields(stat: &str) -> Vec<&str> {
    stat.rsplit_once(')').map(|(_, rest)| rest.split_ascii_whitespace().collect()).unwrap_or_default()
}

fn parent(stat: &str) -> Option<u32> {
    stat_fields(stat).get(1)?.parse().ok()
}

fn ids() -> Result<Vec<u32>> {
    let mut ids = Vec::new();
    for entry in fs::read_dir("/proc").context("cannot read /proc")? {
        if let Some(id) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn pid(id: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id).ok()?)
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        assert_eq!(parent("42 (a) b (c)) S 7 42 42 0"), Some(7));
    }

    #[test]
    fn a_marked_child_is_found_and_killed_and_gone() {
        let marker = format!("XTASK_MARKER={}", std::process::id());
        let (key, value) = marker.split_once('=').unwrap();
        let running = Running::start(Command::new("sleep").arg("60").env(key, value)).unwrap();
        let found = loop {
            // Between fork and exec the child still has our own environment.
            let found = marked(&marker).unwrap();
            if !found.is_empty() {
                break found;
            }
        };
        assert_eq!(found.iter().map(|process| process.name.as_str()).collect::<Vec<_>>(), ["sleep"]);
        kill(running.id());
        assert_eq!(running.finish(Duration::from_secs(5)).unwrap().code, None);
        assert!(marked(&marker).unwrap().is_empty());
    }

    #[test]
    fn a_command_past_its_limit_is_ended() {
        let finished = finish(Command::new("sleep").arg("60"), Duration::ZERO).unwrap();
        assert_eq!(finished.code, None);
    }
}
