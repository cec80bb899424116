//! Ctrl-C and SIGTERM: once to stop in order, twice to end now, three times to end without any order.

use std::sync::{Arc, Mutex, PoisonError};

use outrigger_host::Run;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::failure::Exit;
use crate::output::talk;
use crate::render::progress::Progress;

/// Watches for signals as long as it lives.
pub(crate) struct Interruption {
    /// Nothing new starts.
    pub(crate) stop: CancellationToken,
    /// Calls under way are given up.
    pub(crate) abort: CancellationToken,
    current: Arc<Mutex<Option<Arc<Progress>>>>,
    watcher: Option<JoinHandle<()>>,
}

impl Interruption {
    /// Begins to watch, before it returns; must be called inside the runtime. Where handlers cannot be set a signal simply ends
    /// the process; the keeper and the journal are there for that.
    pub(crate) fn watch(run: Arc<Run>) -> Self {
        let (stop, abort) = (CancellationToken::new(), CancellationToken::new());
        let current: Arc<Mutex<Option<Arc<Progress>>>> = Arc::default();
        let signals = signal(SignalKind::interrupt()).and_then(|first| Ok((first, signal(SignalKind::terminate())?)));
        let watcher = signals
            .ok()
            .map(|signals| tokio::spawn(watch(run, signals, stop.clone(), abort.clone(), Arc::clone(&current))));
        Self { stop, abort, current, watcher }
    }

    /// Whose running steps are named when the user interrupts.
    pub(crate) fn follow(&self, progress: &Arc<Progress>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(progress));
    }
}

impl Drop for Interruption {
    fn drop(&mut self) {
        if let Some(watcher) = &self.watcher {
            watcher.abort();
        }
    }
}

#[expect(clippy::exit, reason = "who asks for the third time does not want to wait for anybody")]
async fn watch(
    run: Arc<Run>,
    (mut interrupts, mut terminations): (Signal, Signal),
    stop: CancellationToken,
    abort: CancellationToken,
    current: Arc<Mutex<Option<Arc<Progress>>>>,
) {
    either(&mut interrupts, &mut terminations).await;
    stop.cancel();
    let progress = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if !progress.as_ref().is_some_and(|progress| progress.stop()) {
        talk(&stopping(&progress.map(|progress| progress.running()).unwrap_or_default()));
    }
    tokio::select! {
        // As Pulumi does: plugins may be able to shorten what they are doing.
        () = run.cancel() => either(&mut interrupts, &mut terminations).await,
        () = either(&mut interrupts, &mut terminations) => {}
    }
    talk("\nEnding now. Operations under way are written down as pending.");
    abort.cancel();
    // Plugins still have their grace, and the state is written. If that takes too long, the keeper does it without us.
    either(&mut interrupts, &mut terminations).await;
    std::process::exit(i32::from(Exit::Cancelled.code()));
}

fn stopping(running: &[String]) -> String {
    let mut text = "\nStopping: nothing new is started. ".to_owned();
    if running.is_empty() {
        text.push_str("Nothing is being changed. Interrupt again if it does not end.");
    } else {
        const SHOWN: usize = 10;
        text.push_str("Still under way:");
        running.iter().take(SHOWN).for_each(|step| text.push_str(&format!("\n    {step}")));
        if running.len() > SHOWN {
            text.push_str(&format!("\n    and {} more", running.len() - SHOWN));
        }
        text.push_str("\nInterrupt again to end now; what is not known then is written down as pending.");
    }
    text
}

async fn either(interrupts: &mut Signal, terminations: &mut Signal) {
    tokio::select! {
        _ = interrupts.recv() => {}
        _ = terminations.recv() => {}
    }
}
