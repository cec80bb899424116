//! Asking for a process.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::{FirstLine, StartError};

/// A process to start.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// Waits until the process has ended and its output is read to the end, and says how it ended in words, such as
    /// `exited with code 3` or `was ended by signal 9`. May be awaited by several at once, and again after the end.
    async fn exited(&self) -> String;

    /// Asks the process group to end (SIGINT). Nothing happens if it has ended.
    fn interrupt(&self);

    /// Ends the process group (SIGKILL). Nothing happens if it has ended.
    fn kill(&self);
}
