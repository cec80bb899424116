//! How a start fails.

use std::time::Duration;

use thiserror::Error;

/// Why a process did not become a channel. The text is for people; [`StartError::last_words`] has the plugin's own.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StartError {
    /// The operating system did not start the program.
    #[error("{program} could not be started: {reason}")]
    Spawn {
        /// The executable.
        program: String,
        /// What the operating system said.
        reason: String,
    },
    /// The process ended before it printed a port.
    #[error("it {status} before it printed the port that it listens on{}", printed(.output))]
    Ended {
        /// How it ended.
        status: String,
        /// What it printed on stdout.
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
        /// How long was waited.
        after: Duration,
        /// The last lines of its output.
        last_words: Vec<String>,
    },
    /// The port did not answer.
    #[error("nothing answered on 127.0.0.1:{port}: {reason}")]
    Unreachable {
        /// The port.
        port: u16,
        /// What the attempt said.
        reason: String,
    },
}

impl StartError {
    /// The plugin's last lines of output, where it got so far.
    pub fn last_words(&self) -> &[String] {
        match self {
            Self::Ended { last_words, .. } | Self::NotAPort { last_words, .. } | Self::Silent { last_words, .. } => {
                last_words
            }
            Self::Spawn { .. } | Self::Unreachable { .. } => &[],
        }
    }
}

fn printed(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" (it printed `{text}`)") }
}
