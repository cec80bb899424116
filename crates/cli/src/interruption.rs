//! Ctrl-C, SIGTERM, and SIGHUP of a closed terminal: the first stops in order, the second ends now, the third ends the process at once.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::{fs, io};

use outrigger_workspace::Operation;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

use crate::failure::Exit;
use crate::output::talk;
use crate::render::progress::Progress;

/// Watches for signals as long as it lives.
pub(crate) struct Interruption {
    current: Arc<Mutex<Option<Arc<Progress>>>>,
    watcher: Option<JoinHandle<()>>,
}

impl Interruption {
    /// Starts watching before it returns; must be called inside the runtime. Where handlers cannot be set, a signal simply ends the process; the
    /// keeper and the journal cover that case.
    pub(crate) fn watch(operation: Arc<Operation>) -> Self {
        let current: Arc<Mutex<Option<Arc<Progress>>>> = Arc::default();
        let watcher = signals().ok().map(|signals| tokio::spawn(watch(operation, signals, Arc::clone(&current))));
        Self { current, watcher }
    }

    /// Sets the progress whose running steps are named when the user interrupts.
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
async fn watch(operation: Arc<Operation>, mut signals: Vec<Signal>, current: Arc<Mutex<Option<Arc<Progress>>>>) {
    next(&mut signals).await;
    operation.runner.stop.cancel();
    let progress = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if !progress.as_ref().is_some_and(|progress| progress.stop()) {
        talk(&stopping(&progress.map(|progress| progress.running()).unwrap_or_default()));
    }
    tokio::select! {
        // As in Pulumi: plugins may be able to cut their work short.
        () = operation.cancel_plugins() => next(&mut signals).await,
        () = next(&mut signals) => {}
    }
    talk("\nEnding now. Operations under way are saved as pending.");
    operation.runner.abort.cancel();
    // Plugins still have their grace period, and the state is written. If that takes too long, the keeper does it without us.
    next(&mut signals).await;
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
        text.push_str("\nInterrupt again to end now; operations without a result are then saved as pending.");
    }
    text
}

/// The signals that interrupt a command, received from here on.
pub(crate) fn signals() -> io::Result<Vec<Signal>> {
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !hangup_is_ignored() {
        kinds.push(SignalKind::hangup());
    }
    kinds.into_iter().map(signal).collect()
}

/// Waits for one of the signals.
pub(crate) async fn next(signals: &mut [Signal]) {
    poll_fn(|cx| {
        let came = signals.iter_mut().any(|signal| signal.poll_recv(cx).is_ready());
        if came { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Whether this process should outlive its terminal, as under `nohup`.
fn hangup_is_ignored() -> bool {
    const HANGUP: u64 = 1;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    ignored.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & HANGUP != 0)
}
