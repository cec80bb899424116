//! Errors of a start, on either side.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::handshake::HandshakeError;
use crate::Address;

/// A plugin could not be started or attached to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{failure}")]
pub struct StartError {
    /// Why.
    pub failure: StartFailure,
    /// The last lines of the plugin's output, if it got so far.
    pub last_words: Vec<String>,
    /// The text of its panic.
    pub crash: Option<String>,
}

impl From<StartFailure> for StartError {
    fn from(failure: StartFailure) -> Self {
        Self { failure, last_words: Vec::new(), crash: None }
    }
}

/// Why a plugin could not be started or attached to. The text completes "the plugin could not be started: ...".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StartFailure {
    /// The operating system did not start the program.
    #[error("{error}{}", the_file(.diagnosis))]
    NotStarted {
        /// The launcher's error.
        error: crate::StartError,
        /// The fault that its file shows.
        diagnosis: Option<String>,
    },
    /// The file is neither a program of this system nor a script.
    #[error("the file {0}")]
    NotAProgram(String),
    /// The directory for its sockets could not be made.
    #[error("no directory for its sockets could be created: {0}")]
    SocketDirectory(String),
    /// Our own certificate could not be made, or theirs cannot be used.
    #[error("TLS could not be set up: {0}")]
    Tls(String),
    /// It does not accept our cookie.
    #[error("it is a plugin for another program: it does not take the cookie `{0}`")]
    WrongCookie(&'static str),
    /// It ended before it printed a line.
    #[error("it {status} before it printed its address{}{}", printed(.output), the_file(.diagnosis))]
    Ended {
        /// How it ended.
        status: String,
        /// Its output on stdout.
        output: String,
        /// The fault that its file shows.
        diagnosis: Option<String>,
    },
    /// Nothing was printed in time.
    #[error("it did not print its address within {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// Its first line cannot be used.
    #[error("it {error}{}", printed(.line))]
    Handshake {
        /// The reason.
        error: HandshakeError,
        /// The line, cut to a readable length.
        line: String,
    },
    /// It was asked for TLS and did not answer with a certificate.
    #[error("it did not answer AutoMTLS: it was asked for TLS and sent no certificate; without TLS it may work")]
    NoCertificate,
    /// It was not asked for TLS and wants it.
    #[error("it requires TLS, which was not requested")]
    UnexpectedCertificate,
    /// It announced its address, and ended.
    #[error("it {0} after it had printed its address")]
    Gone(String),
    /// The connection to its address failed.
    #[error("the connection to {address} failed: {reason}")]
    Unreachable {
        /// The address.
        address: Address,
        /// The reason why the attempt failed.
        reason: String,
    },
    /// It listens, but does not answer.
    #[error("it printed its address, but did not answer there within {} s", .0.as_secs_f64())]
    Unanswered(Duration),
}

/// Why a plugin of ours cannot serve. The text is for stderr.
#[derive(Debug, Error)]
pub enum PluginError {
    /// The user started it by hand.
    #[error(
        "This program is a plugin, and is not meant to be started by hand: the program that uses it starts it, and sets the variable `{key}`."
    )]
    NoHost {
        /// The name of the variable.
        key: &'static str,
    },
    /// A variable that the host set cannot be used.
    #[error("the host's `{variable}` cannot be used: {reason}")]
    Variable {
        /// Its name.
        variable: &'static str,
        /// Why.
        reason: String,
    },
    /// Our own certificate could not be made.
    #[error("a certificate for the connection could not be created: {0}")]
    Certificate(String),
    /// No socket could be made.
    #[error("no socket could be created: {0}")]
    Listen(io::Error),
    /// The line could not be printed: the host is gone.
    #[error("the plugin's address could not be written to the host: {0}")]
    Announce(io::Error),
}

impl PluginError {
    /// The program's exit code, as of one on go-plugin.
    pub fn exit_code(&self) -> u8 {
        1
    }
}

fn printed(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" (it printed `{text}`)") }
}

fn the_file(diagnosis: &Option<String>) -> String {
    diagnosis.as_ref().map(|diagnosis| format!("; the file {diagnosis}")).unwrap_or_default()
}
