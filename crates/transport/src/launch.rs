//! Asking for a process.

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
    /// Who is told what the process prints, besides [`Process::last_words`].
    pub output: Option<Arc<dyn OutputLines>>,
}

/// Who is told each line that a process prints, as it comes.
pub trait OutputLines: fmt::Debug + Send + Sync {
    /// Takes a line. Called where the output is read: whoever waits here lets the process block on a full pipe.
    fn line(&self, line: OutputLine<'_>);

    /// Whether a line may be among a process's last words. Some programs log every step, and what matters would be lost among that.
    fn is_worth_keeping(&self, _line: OutputLine<'_>) -> bool {
        true
    }
}

/// A line of a process's output, after the first line of its stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputLine<'a> {
    /// Where it was printed.
    pub stream: OutputStream,
    /// What was printed, without the line break.
    pub text: &'a [u8],
    /// Whether this is all of the line.
    pub part: LinePart,
}

/// Where a process prints.
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
    /// Starts a process in a group of its own. From here on somebody else drains its output and ends it with the host.
    async fn launch(&self, request: LaunchRequest) -> Result<Arc<dyn Process>, StartError>;
}

/// A process that was started. Its output is drained all the time by whoever made this handle, so that a plugin that
/// writes a lot can never block on a full pipe.
#[async_trait]
pub trait Process: Send + Sync {
    /// The plugin's name and version, for messages.
    fn label(&self) -> &str;

    /// The process id.
    fn id(&self) -> u32;

    /// What stood in the first line of stdout; waits for it. The answer is remembered: every call gives the same.
    /// Implementations read it with [`FirstLine::read`], and treat what follows as ordinary output.
    async fn first_line(&self) -> FirstLine;

    /// The last lines of stderr and stdout (after the first line of stdout), oldest first.
    fn last_words(&self) -> Vec<String>;

    /// Adds a line that arrived in a call to what is kept of the process's stderr: go-plugin takes a plugin's standard output
    /// and error away from it and sends them over the connection.
    fn remember(&self, line: &[u8]);

    /// Waits until the process has ended and its output is read to the end, and says how it ended in words, such as
    /// `exited with code 3` or `was ended by signal 9`. May be awaited by several at once, and again after the end.
    async fn exited(&self) -> String;

    /// Whether the process has ended, as far as is known now. Its output may still be on its way: somebody else may hold it open for ever.
    fn has_ended(&self) -> bool;

    /// Asks the process group to end (SIGINT). Nothing happens if it has ended.
    fn interrupt(&self);

    /// Ends the process group (SIGKILL). Nothing happens if it has ended.
    fn kill(&self);
}
