//! A plugin that runs: its process, its connection, and how it was configured.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CallError, Configure, ErrorKind, Plugin, Provider};
use outrigger_transport::{Process, StartError};

use crate::Deadlines;
use crate::process::PluginProcess;
use crate::schema::Stamp;

/// The executable that a process was started from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Executable {
    pub(crate) path: PathBuf,
    /// `None`: the file could not be looked at, so it equals no other.
    pub(crate) stamp: Option<Stamp>,
}

impl Executable {
    pub(crate) fn new(path: PathBuf) -> Self {
        let stamp = Stamp::of(&path).ok();
        Self { path, stamp }
    }

    /// Whether both are certainly the same file with the same contents.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.stamp.is_some() && self == other
    }
}

/// A running plugin.
pub(crate) struct Running {
    pub(crate) plugin: Arc<dyn Plugin>,
    /// `None` when somebody else started it and we only attached.
    pub(crate) process: Option<Arc<PluginProcess>>,
    pub(crate) executable: Option<Executable>,
    configured: Mutex<Option<(Configure, Arc<dyn Provider>)>>,
}

impl Running {
    pub(crate) fn new(
        plugin: Arc<dyn Plugin>,
        process: Option<Arc<PluginProcess>>,
        executable: Option<Executable>,
    ) -> Self {
        Self { plugin, process, executable, configured: Mutex::new(None) }
    }

    /// Whether it can be used: its process lives.
    pub(crate) fn is_alive(&self) -> bool {
        self.process.as_ref().is_none_or(|process| !process.has_ended()) && !self.plugin.has_ended()
    }

    /// Whether it was configured with anything.
    pub(crate) fn is_configured(&self) -> bool {
        self.configured.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The provider, if the whole request is the one that it was configured with.
    pub(crate) fn configured_with(&self, request: &Configure) -> Option<Arc<dyn Provider>> {
        let configured = self.configured.lock().unwrap_or_else(PoisonError::into_inner);
        configured.as_ref().filter(|(before, _)| before == request).map(|(_, provider)| Arc::clone(provider))
    }

    /// Remembers how it was configured.
    pub(crate) fn set_configured(&self, request: Configure, provider: Arc<dyn Provider>) {
        *self.configured.lock().unwrap_or_else(PoisonError::into_inner) = Some((request, provider));
    }

    /// Ends it: Cancel, SIGINT, SIGKILL. Takes at most the deadlines for cancelling and for the grace, and a moment.
    pub(crate) async fn end(&self, deadlines: &Deadlines) {
        let Some(process) = &self.process else { return self.plugin.close().await };
        if process.has_ended() {
            return;
        }
        let cx = CallContext::background().within(deadlines.cancel);
        // Advisory: many plugins do not have it, and a plugin that does not answer is ended all the same.
        let _advisory = tokio::time::timeout(deadlines.cancel, self.plugin.cancel(&cx)).await;
        process.interrupt();
        if tokio::time::timeout(deadlines.grace, process.exited()).await.is_err() {
            end_now(process).await;
        }
    }
}

/// Kills a process group and waits until it is gone, a moment at most unless the kernel holds it.
pub(crate) async fn end_now(process: &PluginProcess) {
    process.kill();
    let _held_by_the_kernel = tokio::time::timeout(std::time::Duration::from_secs(5), process.exited()).await;
}

/// The process could not be started.
pub(crate) fn not_started(name: &str, error: &StartError) -> Diagnostic {
    Diagnostic::error("plugin-start", format!("plugin `{name}` could not be started"))
        .detail(error.to_string())
        .hint("Check that the file is a program for this machine and may be executed.")
}

/// The process started and did not become a plugin. What is bridged to a Terraform provider has a process behind it.
pub(crate) fn not_connected(
    name: &str,
    executable: Option<&Executable>,
    is_bridged: bool,
    error: &CallError,
) -> Diagnostic {
    let (code, summary) = match error.kind {
        ErrorKind::Crashed => ("plugin-crash", format!("plugin `{name}` ended while it was starting")),
        ErrorKind::TimedOut => ("plugin-silent", format!("plugin `{name}` does not answer")),
        _ => ("plugin-handshake", format!("plugin `{name}` could not be used")),
    };
    let diagnostic = Diagnostic::error(code, summary).detail(format!("{}: {}", error.call, error.message));
    let diagnostic = match executable {
        Some(executable) => diagnostic.hint(format!(
            "Run `{}` in a terminal: a plugin prints a port number and waits. If it does not, install it again.",
            executable.path.display()
        )),
        None if is_bridged => diagnostic.hint(of_provider(error)),
        None => diagnostic.hint("Check the port in PULUMI_DEBUG_PROVIDERS, and that the plugin is running."),
    };
    with_last_words(diagnostic, &error.last_words)
}

/// What to do about a Terraform provider. Parameterize is the bridge's own answer; everything else comes from the provider, or from the
/// attempt to start it.
fn of_provider(error: &CallError) -> &'static str {
    match (error.call.as_str(), error.kind) {
        // It is another package than the one that was meant.
        ("Parameterize", ErrorKind::Garbage) => "Run `outrigger install`.",
        ("Parameterize", _) => {
            "Make the provider available where `packages:` of the project file says, or name another one with `outrigger package add`."
        }
        _ => "With TF_LOG=TRACE, `outrigger preview --json` shows every line that the provider writes.",
    }
}

/// Adds a plugin's last words.
pub(crate) fn with_last_words(diagnostic: Diagnostic, words: &[String]) -> Diagnostic {
    if words.is_empty() {
        diagnostic
    } else {
        diagnostic.note(format!("The plugin's last words:\n{}", words.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_that_is_there_is_not_to_be_made_available() {
        let hints = |call: &str, kind| {
            let error = CallError::new("wide 0.0.0", call, kind, "no luck");
            not_connected("terraform-provider", None, true, &error).hints.concat()
        };
        assert!(hints("Parameterize", ErrorKind::NotDone).contains("Make the provider available"));
        assert!(hints("Parameterize", ErrorKind::Garbage).contains("outrigger install"));
        for (call, kind) in [("Start", ErrorKind::NotDone), ("GetProviderSchema", ErrorKind::Crashed)] {
            let hint = "With TF_LOG=TRACE, `outrigger preview --json` shows every line that the provider writes.";
            assert_eq!(hints(call, kind), hint);
        }
    }
}
