//! Running a command to its end, or ending it early.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use outrigger_provider::without_secrets;
use outrigger_sdk::{Context, Error, ErrorContext, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Command;

use super::WardenCommand;
use super::output::{Captured, Show, capture};

/// How long a warden may take beyond the grace period. All it has to do is kill.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the streams may stay open once all the command's processes are gone. A process outside can still hold them.
const DRAIN: Duration = Duration::from_secs(1);

/// A command to run.
pub(super) struct Run {
    pub(super) words: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) directory: Option<PathBuf>,
    pub(super) stdin: String,
    pub(super) timeout: Option<Duration>,
    pub(super) grace: Duration,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It did not run.
    NotStarted(String),
}

impl Ending {
    /// The line with which a warden reports this.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Code(code) => format!("code {code}\n"),
            Self::Signal(signal) => format!("signal {signal}\n"),
            Self::NotStarted(why) => format!("failed {why}\n"),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (kind, rest) = line.strip_suffix('\n')?.split_once(' ')?;
        match kind {
            "code" => rest.parse().ok().map(Self::Code),
            "signal" => rest.parse().ok().map(Self::Signal),
            "failed" => Some(Self::NotStarted(rest.to_owned())),
            _ => None,
        }
    }
}

/// Why a command was ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The user, or the engine, cancelled it.
    Cancelled,
    /// Its timeout passed.
    TimedOut,
}

/// The result of a command.
pub(super) struct Ran {
    /// `None` if its warden was killed.
    pub(super) ending: Option<Ending>,
    pub(super) stopped: Option<Stopped>,
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
}

impl Run {
    /// Runs it. None of its processes is left when this returns.
    pub(super) async fn run(self, cx: &Context, show: Show<'_>) -> Result<Ran> {
        let warden = cx.config::<WardenCommand>()?;
        if let Some(directory) = self.directory.as_ref().filter(|directory| !directory.is_dir()) {
            return Err(Error::new(format!("the working directory `{}` does not exist", directory.display())));
        }
        let (mut control, theirs) = UnixStream::pair()?;
        let theirs = theirs.into_std()?;
        theirs.set_nonblocking(false)?;
        let inherited = without_secrets(std::env::vars_os());
        let mut command = Command::new(&warden.program);
        command
            .args(&warden.arguments)
            .arg(self.grace.as_millis().to_string())
            .args(&self.words)
            .env_clear()
            .envs(inherited)
            .envs(&self.environment)
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Outside the plugin's group: a host that kills the group would otherwise kill the process that cleans up after it.
            .process_group(0);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn().context("starting the process that supervises the command")?;
        // It holds a copy of the child's end of the socket, which must be closed only by the child's end.
        drop(command);
        let (mut stdout, mut stderr) = (Captured::default(), Captured::default());
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (ending, stopped) = {
            let reading = async {
                let out = async {
                    if let Some(out) = out {
                        capture(out, &mut stdout, show).await;
                    }
                };
                let err = async {
                    if let Some(err) = err {
                        capture(err, &mut stderr, show).await;
                    }
                };
                tokio::join!(out, err);
            };
            let ended = async {
                let (ending, stopped) = converse(&mut control, &self, cx).await;
                if ending.is_none() {
                    // It did not answer in time or was killed; nothing more can be done with it.
                    let _already_gone = child.start_kill();
                }
                let _reaped = child.wait().await;
                (ending, stopped)
            };
            tokio::pin!(reading);
            tokio::pin!(ended);
            tokio::select! {
                ended = &mut ended => {
                    let _held_from_outside = tokio::time::timeout(DRAIN, &mut reading).await;
                    ended
                }
                () = &mut reading => ended.await,
            }
        };
        Ok(Ran { ending, stopped, stdout, stderr })
    }
}

/// Sends the command's input and waits for the report; requests the end when it is time.
async fn converse(control: &mut UnixStream, run: &Run, cx: &Context) -> (Option<Ending>, Option<Stopped>) {
    let (mut from, mut to) = control.split();
    let length = (run.stdin.len() as u64).to_le_bytes();
    let feeding = async {
        // A warden that no longer reads has ended, and reports that on the other channel.
        let _ended = async {
            to.write_all(&length).await?;
            to.write_all(run.stdin.as_bytes()).await
        }
        .await;
        std::future::pending::<Infallible>().await
    };
    let report = async {
        // A report that was read counts even if the connection then breaks: a warden does not wait until all input was read.
        let mut line = Vec::new();
        while !line.ends_with(b"\n") && matches!(from.read_buf(&mut line).await, Ok(1..)) {}
        Ending::parse(&String::from_utf8_lossy(&line))
    };
    let time = async {
        match run.timeout {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(report);
    let stopped = {
        tokio::pin!(feeding);
        tokio::select! {
            ending = &mut report => return (ending, None),
            () = cx.cancelled() => Stopped::Cancelled,
            () = time => Stopped::TimedOut,
            never = &mut feeding => match never {},
        }
    };
    let _closed_already = to.shutdown().await;
    let ending = tokio::time::timeout(run.grace + PATIENCE, report).await.ok().flatten();
    (ending, Some(stopped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_understood() {
        for ending in [Ending::Code(3), Ending::Signal(9), Ending::NotStarted("no such file".to_owned())] {
            assert_eq!(Ending::parse(&ending.line()), Some(ending));
        }
        assert_eq!(Ending::parse(""), None);
        assert_eq!(Ending::parse("code 3"), None, "cut off");
    }
}
