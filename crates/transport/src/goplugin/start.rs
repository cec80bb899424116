//! Starts a program and connects to it.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::rustls::pki_types::CertificateDer;

use super::certificate::Identity;
use super::connection::Connection;
use super::crash::CrashWatch;
use super::error::{StartError, StartFailure};
use super::handshake::{Handshake, HandshakeError, list};
use super::plugin_side::NO_HOST;
use super::socket::{Sockets, or_last_resort};
use super::tls::{self, Tls};
use super::{Settings, diagnosis, variables};
use crate::channel::Channel;
use crate::line::shown;
use crate::{FirstLine, LaunchRequest, Launcher, OutputLines, Process};

/// How long a failing plugin may take to end and to write to stderr.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long to wait, after a connection has failed, for the plugin's end to show.
const GONE: Duration = Duration::from_millis(250);

/// The start of the text that a program on go-plugin prints when it is started by hand.
const NO_HOST_IN_GO: &str = "This binary is a plugin";

/// The default ports of go-plugin for plugins that listen on TCP.
const PORTS: (&str, &str) = ("10000", "25000");

/// Starts a plugin's process and connects to it. If that fails, nothing is left of it. Variables are added to the request's environment.
pub async fn start(
    launcher: &dyn Launcher,
    mut request: LaunchRequest,
    settings: &Settings,
) -> Result<Connection, StartError> {
    if let Some(reason) = diagnosis::of_no_program(&request.program) {
        return Err(StartFailure::NotAProgram(reason).into());
    }
    let identity = settings.tls.then(Identity::new).transpose();
    let identity = identity.map_err(|error| StartFailure::Tls(error.to_string()))?;
    let sockets = Sockets::private(&parents(&request, settings));
    let sockets = Arc::new(sockets.map_err(|error| StartFailure::SocketDirectory(error.to_string()))?);
    add_variables(&mut request.environment, settings, &sockets, identity.as_ref());
    let crash = Arc::new(CrashWatch::new(request.output.take()));
    request.output = Some(Arc::clone(&crash) as Arc<dyn OutputLines>);
    let program = request.program.clone();
    let launched = launcher.launch(request).await;
    let process = launched.map_err(|error| StartFailure::NotStarted { error, diagnosis: diagnosis::of(&program) })?;
    match connect(process.as_ref(), settings, identity.as_ref(), &sockets).await {
        Ok((version, channel, tls)) => Ok(Connection::new(channel, version, Some(process), crash, sockets, tls)),
        Err(failure) => {
            process.kill();
            // The output that explains the failure may arrive later than it.
            let _held_by_the_kernel = timeout(LAST_WORDS, process.exited()).await;
            let last_words = process.last_words();
            let failure = explained(failure, settings, &last_words, || diagnosis::of(&program));
            Err(StartError { failure, last_words, crash: crash.text() })
        }
    }
}

/// The directories in which one for sockets may be made, best first.
fn parents(request: &LaunchRequest, settings: &Settings) -> Vec<PathBuf> {
    if let Some(given) = &settings.socket_directory {
        return vec![given.clone()];
    }
    let named = |name: &str| {
        let found = request.environment.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value))
    };
    // Temporary files are removed after some days without use; a connected socket looks unused.
    or_last_resort([variables::SOCKET_DIRECTORY, "XDG_RUNTIME_DIR", "TMPDIR"].map(named))
}

fn add_variables(
    environment: &mut Vec<(OsString, OsString)>,
    settings: &Settings,
    sockets: &Sockets,
    identity: Option<&Identity>,
) {
    environment.retain(|(name, _)| name != settings.cookie.key && !variables::ALL.iter().any(|known| name == known));
    let mut add = |name: &str, value: &OsStr| environment.push((name.into(), value.to_owned()));
    add(settings.cookie.key, settings.cookie.value.as_ref());
    add(variables::VERSIONS, list(&settings.versions).replace(' ', "").as_ref());
    add(variables::MIN_PORT, PORTS.0.as_ref());
    add(variables::MAX_PORT, PORTS.1.as_ref());
    if let Some(directory) = sockets.directory() {
        add(variables::SOCKET_DIRECTORY, directory.as_os_str());
    }
    if let Some(identity) = identity {
        add(variables::CLIENT_CERTIFICATE, identity.pem().as_ref());
    }
}

async fn connect(
    process: &dyn Process,
    settings: &Settings,
    identity: Option<&Identity>,
    sockets: &Sockets,
) -> Result<(u32, Channel, Option<Tls>), StartFailure> {
    let end = Instant::now() + settings.start_deadline;
    let line = timeout_at(end, process.first_line()).await;
    let line = match line.map_err(|_| StartFailure::Silent(settings.start_deadline))? {
        FirstLine::Line(line) => line,
        FirstLine::TooLong(start) => {
            return Err(StartFailure::Handshake { error: HandshakeError::TooLong, line: shown(&start) });
        }
        FirstLine::Ended(output) => {
            // A plugin may close its output and live on; then there is no exit status to wait for.
            let status = timeout(LAST_WORDS, process.exited()).await;
            let status = status.unwrap_or_else(|_| "closed its standard output".to_owned());
            return Err(StartFailure::Ended { status, output: shown(&output), diagnosis: None });
        }
    };
    let handshake = Handshake::parse(&line, &settings.versions)
        .map_err(|error| StartFailure::Handshake { error, line: shown(&line) })?;
    sockets.has_socket(&handshake.address);
    let tls = match (identity, handshake.certificate) {
        (Some(ours), Some(theirs)) => {
            let tls = Tls::new(ours, CertificateDer::from(theirs));
            Some(tls.map_err(|error| StartFailure::Tls(error.to_string()))?)
        }
        (Some(_), None) => return Err(StartFailure::NoCertificate),
        (None, Some(_)) => return Err(StartFailure::UnexpectedCertificate),
        (None, None) => None,
    };
    let address = handshake.address;
    let dialled = tokio::select! {
        biased;
        dialled = timeout_at(end, tls::dial(&address, tls.as_ref())) => dialled,
        status = process.exited() => return Err(StartFailure::Gone(status)),
    };
    match dialled.map_err(|_| StartFailure::Unanswered(settings.start_deadline))? {
        Ok(channel) => Ok((handshake.version, channel, tls)),
        Err(error) => match timeout(GONE, process.exited()).await {
            Ok(status) => Err(StartFailure::Gone(status)),
            Err(_) => Err(StartFailure::Unreachable { address, reason: error.to_string() }),
        },
    }
}

/// The failure, with what the plugin's complete output adds to it.
fn explained(
    failure: StartFailure,
    settings: &Settings,
    last_words: &[String],
    diagnosis: impl FnOnce() -> Option<String>,
) -> StartFailure {
    match failure {
        StartFailure::Ended { .. }
            if last_words.iter().any(|line| line.contains(NO_HOST_IN_GO) || line.contains(NO_HOST)) =>
        {
            StartFailure::WrongCookie(settings.cookie.key)
        }
        StartFailure::Ended { status, output, .. } => StartFailure::Ended { status, output, diagnosis: diagnosis() },
        other => other,
    }
}
