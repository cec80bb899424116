//! Errors of a start.

use std::time::Duration;

use thiserror::Error;

use crate::Address;

/// Why a process did not become a channel. The text is for people; [`StartError::last_words`] has the end of the plugin's output.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StartError {
    /// The operating system did not start the program.
    #[error("{program} could not be started: {reason}")]
    Spawn {
        /// The executable.
        program: String,
        /// The operating system's reason.
        reason: String,
    },
    /// The process ended before it printed a port.
    #[error("it {status} before it printed the port that it listens on{}", printed(.output))]
    Ended {
        /// How it ended.
        status: String,
        /// Its output on stdout.
        output: String,
        /// The last lines of its output.
        last_words: Vec<String>,
    },
    /// The first line of stdout is not a port.
    #[error("the first line that it printed is not a port number{}", printed(.line))]
    NotAPort {
        /// The line, cut to a readable length.
        line: String,
        /// The last lines of its output.
        last_words: Vec<String>,
    },
    /// Nothing was printed in time.
    #[error("it did not print the port that it listens on within {} s", .after.as_secs_f64())]
    Silent {
        /// How long the host waited.
        after: Duration,
        /// The last lines of its output.
        last_words: Vec<String>,
    },
    /// The process ended after it printed a port and before it answered there.
    #[error("it {status} after it printed the port that it listens on")]
    Gone {
        /// How it ended.
        status: String,
        /// The last lines of its output.
        last_words: Vec<String>,
    },
    /// Something listens but does not answer the first call.
    #[error("{address} takes connections, but did not answer within {} s", .after.as_secs_f64())]
    Unanswered {
        /// The address.
        address: Address,
        /// How long the host waited.
        after: Duration,
    },
    /// Something listens that is not a plugin.
    #[error("the server on {address} does not speak gRPC: {reason}")]
    Foreign {
        /// The address.
        address: Address,
        /// The reason why the attempt failed.
        reason: String,
    },
    /// Nothing answered.
    #[error("nothing answered on {address}: {reason}")]
    Unreachable {
        /// The address.
        address: Address,
        /// The reason why the attempt failed.
        reason: String,
    },
}

impl StartError {
    /// The last lines of the plugin's output, if it got so far.
    pub fn last_words(&self) -> &[String] {
        match self {
            Self::Ended { last_words, .. }
            | Self::NotAPort { last_words, .. }
            | Self::Silent { last_words, .. }
            | Self::Gone { last_words, .. } => last_words,
            Self::Spawn { .. } | Self::Unanswered { .. } | Self::Foreign { .. } | Self::Unreachable { .. } => &[],
        }
    }
}

fn printed(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" (it printed `{text}`)") }
}
