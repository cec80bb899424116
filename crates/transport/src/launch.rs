//! Requests for a process.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::{FirstLine, LinePart, StartError};

/// A process to start.
#[derive(Clone, Debug)]
pub struct LaunchRequest {
    /// The plugin's name and version, for messages.
    pub label: String,
    /// The executable.
    pub program: PathBuf,
    /// Its arguments, without the program's name.
    pub arguments: Vec<OsString>,
    /// The complete environment: nothing else is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory.
    pub directory: PathBuf,
    /// Receives the process's output, in addition to [`Process::last_words`].
    pub output: Option<Arc<dyn OutputLines>>,
}

/// Receives each line of a process's output as it comes.
pub trait OutputLines: fmt::Debug + Send + Sync {
    /// Takes a line. The reader task calls it: if it waits here, the process blocks on a full pipe.
    fn line(&self, line: OutputLine<'_>);

    /// Whether a line may be kept for [`Process::last_words`]. Some programs log every step, and important lines would be lost among that.
    fn is_worth_keeping(&self, _line: OutputLine<'_>) -> bool {
        true
    }
}

/// A line of a process's output, after the first line of its stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputLine<'a> {
    /// The stream that it was printed on.
    pub stream: OutputStream,
    /// The text, without the line break.
    pub text: &'a [u8],
    /// Whether this is all of the line.
    pub part: LinePart,
}

/// An output stream of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Its standard output.
    Stdout,
    /// Its standard error.
    Stderr,
}

/// Starts processes.
#[async_trait]
pub trait Launcher: Send + Sync {
    /// Starts a process in a group of its own. From then on the implementation drains its output and ends it with the host.
    async fn launch(&self, request: LaunchRequest) -> Result<Arc<dyn Process>, StartError>;
}

/// A process that was started. The implementation drains its output all the time, so that a plugin that writes a lot can never block on a full
/// pipe.
#[async_trait]
pub trait Process: Send + Sync {
    /// The plugin's name and version, for messages.
    fn label(&self) -> &str;

    /// The process id.
    fn id(&self) -> u32;

    /// Waits for the first line of stdout. The answer is kept: every call returns the same. Implementations read it with [`FirstLine::read`],
    /// and treat later lines as ordinary output.
    async fn first_line(&self) -> FirstLine;

    /// The last lines of stderr and stdout (after the first line of stdout), oldest first.
    fn last_words(&self) -> Vec<String>;

    /// Adds a line that arrived over the connection to the stored stderr of the process: go-plugin redirects a plugin's stdout and stderr and
    /// sends them over the connection.
    fn remember(&self, line: &[u8]);

    /// Waits until the process has ended and its output is read to the end, and returns how it ended, such as `exited with code 3` or `was ended
    /// by signal 9`. Several callers may wait at once, and again after the end.
    async fn exited(&self) -> String;

    /// Whether the process is known to have ended. Its output may not be complete: another process may hold the pipe open forever.
    fn has_ended(&self) -> bool;

    /// Asks the process group to end (SIGINT). Nothing happens if it has ended.
    fn interrupt(&self);

    /// Ends the process group (SIGKILL). Nothing happens if it has ended.
    fn kill(&self);
}
