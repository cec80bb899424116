//! A directory, a host and the plugin, for one row.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Deadlines, HostOptions};
use outrigger_provider::{CallError, Plugin, PluginDescriptor, Plugins, Provider};
use outrigger_value::{PropertyMap, Urn};

use crate::support::{InRun, PATIENCE, Scratch, cx, processes_in};

/// The executable under test.
pub(crate) const CHAOS: &str = env!("CARGO_BIN_EXE_pulumi-resource-chaos");

/// A deadline that is meant to pass.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// The time limit of a row without a deadline to pass: far more than it needs on a busy machine.
pub(crate) const PROMPT: Duration = Duration::from_secs(20);

/// One row of a table.
pub(crate) struct Row<Expected> {
    /// The plan for the plugin.
    pub(crate) chaos: &'static str,
    /// The plugin's behaviour.
    pub(crate) does: &'static str,
    /// The host's reaction, for the page.
    pub(crate) happens: &'static str,
    /// The expectation of the test.
    pub(crate) expected: Expected,
}

/// A host with the plugin.
pub(crate) struct Stage {
    pub(crate) scratch: Scratch,
    pub(crate) host: InRun,
    chaos: String,
}

impl Stage {
    /// Deadlines are long, except those that `shorten` changes.
    pub(crate) fn new(chaos: &str, shorten: impl FnOnce(&mut Deadlines)) -> Self {
        let scratch = Scratch::new();
        let host = InRun::new(&scratch.path(), options(&scratch, chaos, shorten));
        Self { scratch, host, chaos: chaos.to_owned() }
    }

    pub(crate) async fn load(&self) -> Result<Arc<dyn Plugin>, Diagnostic> {
        let descriptor = PluginDescriptor::named("chaos", None);
        tokio::time::timeout(PROMPT, self.host.load(&cx(), &descriptor))
            .await
            .unwrap_or_else(|_| panic!("`{}`: no answer within {PROMPT:?}", self.chaos))
    }

    pub(crate) async fn plugin(&self) -> Arc<dyn Plugin> {
        self.load().await.unwrap_or_else(|error| panic!("`{}`: {error:?}", self.chaos))
    }

    pub(crate) async fn provider(&self) -> Arc<dyn Provider> {
        configure(self.plugin().await.as_ref()).await.unwrap_or_else(|error| panic!("`{}`: {error:?}", self.chaos))
    }

    /// The processes that run in the directory.
    pub(crate) fn processes(&self) -> Vec<u32> {
        processes_in(&self.scratch.path())
    }

    /// Ends the host, which stays within its deadlines and leaves no process.
    pub(crate) async fn end(self) {
        let ended = tokio::time::timeout(PROMPT, self.host.shutdown()).await;
        assert!(ended.is_ok(), "`{}`: the host did not end within {PROMPT:?}", self.chaos);
        assert_eq!(self.processes(), [0_u32; 0], "`{}`: a process is left", self.chaos);
    }
}

/// Options for a host whose plugin follows a plan.
pub(crate) fn options(scratch: &Scratch, chaos: &str, shorten: impl FnOnce(&mut Deadlines)) -> HostOptions {
    let bin = scratch.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    symlink(CHAOS, bin.join("pulumi-resource-chaos")).unwrap();
    let mut options = scratch.options();
    options.environment.push(("CHAOS".into(), chaos.into()));
    options.deadlines = Deadlines {
        start: PATIENCE,
        connect: PATIENCE,
        handshake: PATIENCE,
        schema: PATIENCE,
        check: PATIENCE,
        plan: PATIENCE,
        configure: PATIENCE,
        cancel: SHORT,
        grace: SHORT,
        cancel_all: SHORT,
    };
    shorten(&mut options.deadlines);
    options
}

/// Configures the plugin without inputs.
pub(crate) async fn configure(plugin: &dyn Plugin) -> Result<Arc<dyn Provider>, CallError> {
    let urn = Urn::new("dev", "shop", None, "pulumi:providers:chaos", "default");
    let request = outrigger_provider::Configure { urn, id: "8a1c".to_owned(), inputs: PropertyMap::new() };
    plugin.configure(&cx(), request).await
}

/// Checks that a failed call names the plugin, the call, the answer, and the end of the plugin's stderr.
#[track_caller]
pub(crate) fn assert_clear(chaos: &str, call: &str, error: &CallError, says: &[&str]) {
    assert!(error.plugin.starts_with("chaos"), "`{chaos}`: {error:?}");
    assert_eq!(error.call, call, "`{chaos}`: {error:?}");
    for part in says {
        assert!(error.message.contains(part), "`{chaos}`: `{part}` is missing: {error:?}");
    }
    assert!(error.message.len() < 1000, "`{chaos}`: {error:?}");
    assert!(error.last_words.iter().any(|word| word.contains("chaos")), "`{chaos}`: {error:?}");
}

/// The same for a plugin that did not start, with a hint at the next step.
#[track_caller]
pub(crate) fn assert_refused(chaos: &str, error: &Diagnostic, code: &str, says: &[&str]) {
    assert_eq!(error.code, code, "`{chaos}`: {error:?}");
    assert!(error.summary.contains("plugin `chaos`"), "`{chaos}`: {error:?}");
    let detail = error.detail.as_deref().unwrap_or_default();
    for part in says {
        assert!(detail.contains(part), "`{chaos}`: `{part}` is missing: {error:?}");
    }
    assert!(detail.len() < 1000, "`{chaos}`: {error:?}");
    assert!(error.hints.iter().any(|hint| hint.contains("pulumi-resource-chaos")), "`{chaos}`: {error:?}");
    assert!(error.notes.iter().any(|note| note.contains("chaos: ")), "`{chaos}`: {error:?}");
}
