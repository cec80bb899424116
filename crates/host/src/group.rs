//! One process, the group that it leads and everything else it starts, from the first start to the last end.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::mark::Mark;
use crate::os::{self, Identity};

/// How long other members of a group may take to end after its leader has, if they were asked to. A plugin's own plugins
/// were asked at the same moment and need only a little longer.
const STRAGGLERS: Duration = Duration::from_millis(500);

/// How long to wait for killed processes to disappear. The kernel needs only moments, unless one hangs in a system call.
const BURIAL: Duration = Duration::from_secs(2);

/// A process group. Signals reach it only until its leader is reaped: after that its id may belong to another process.
#[derive(Debug)]
pub(crate) struct Group {
    identity: Identity,
    mark: Mark,
    /// Whether the leader is reaped. Held while a signal is sent.
    collected: Mutex<bool>,
    interrupted: AtomicBool,
    /// Others had to be killed after the leader had ended.
    left_others: AtomicBool,
    exit: watch::Sender<Option<String>>,
}

impl Group {
    /// Watches a child that leads a group, on a separate thread. When the leader has ended, everything that it left behind is ended too;
    /// then `ended` is called.
    pub(crate) fn watch(
        identity: Identity,
        mark: Mark,
        child: Child,
        ended: impl FnOnce() + Send + 'static,
    ) -> io::Result<Arc<Self>> {
        let group = Arc::new(Self {
            identity,
            mark,
            collected: Mutex::new(false),
            interrupted: AtomicBool::new(false),
            left_others: AtomicBool::new(false),
            exit: watch::Sender::new(None),
        });
        let watched = Arc::clone(&group);
        let started = std::thread::Builder::new()
            .name(format!("outrigger-watch-{}", identity.pid))
            .stack_size(128 * 1024)
            .spawn(move || {
                watched.bury(child);
                ended();
            });
        match started {
            Ok(_) => Ok(group),
            Err(error) => {
                // Without a thread the child would never be reaped: better no plugin than one that cannot be ended.
                os::kill(identity.pid);
                Err(error)
            }
        }
    }

    /// The leader's process id, which is also the group's.
    pub(crate) fn id(&self) -> u32 {
        self.identity.pid
    }

    /// Sends SIGINT to the group.
    pub(crate) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.signal(os::interrupt);
    }

    /// Sends SIGKILL to the group.
    pub(crate) fn kill(&self) {
        self.signal(os::kill);
    }

    /// How the leader ended, sent once nothing is left of its group.
    pub(crate) fn exit(&self) -> watch::Receiver<Option<String>> {
        self.exit.subscribe()
    }

    /// Whether the leader has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.exit.borrow().is_some()
    }

    /// Whether it left others behind, which were killed. Known once it has ended.
    pub(crate) fn has_left_others(&self) -> bool {
        self.left_others.load(Ordering::Relaxed)
    }

    fn signal(&self, send: fn(u32)) {
        let collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        if !*collected {
            send(self.identity.pid);
        }
    }

    fn bury(&self, mut child: Child) {
        let _no_such_child = os::wait_until_exited(self.identity.pid);
        let patience = if self.interrupted.load(Ordering::Relaxed) { STRAGGLERS } else { Duration::ZERO };
        let others = self.has_others_after(patience, End::Await);
        self.left_others.store(others == Some(true), Ordering::Relaxed);
        if others != Some(false) {
            // A signal is sent, but the process may still be dying; a caller that learns of the group's end may rely on it.
            self.has_others_after(BURIAL, End::Force);
        }
        let status = {
            let mut collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
            *collected = true;
            child.wait()
        };
        self.exit.send_replace(Some(status.map_or_else(|error| format!("ended ({error})"), in_words)));
    }

    /// Waits until only the dead leader is left, in its group or with its mark, or the time is up, and returns whether other processes
    /// are left; `None` if this is unknown.
    fn has_others_after(&self, limit: Duration, end: End) -> Option<bool> {
        let begin = Instant::now();
        loop {
            if end == End::Force {
                os::kill(self.identity.pid);
            }
            let look = os::look(Some(self.identity.pid), &self.mark);
            let elapsed = begin.elapsed();
            let others = look.members.map(|members| members || look.has_strays(elapsed));
            if others != Some(true) || elapsed >= limit {
                return others;
            }
            if end == End::Force {
                os::kill_each(&look.marked);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The treatment of remaining processes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Wait: they were asked to end.
    Await,
    /// Kill them on every look, since more may have started after the last one.
    Force,
}

/// The owner's handle: dropping it kills the group.
#[derive(Debug)]
pub(crate) struct GroupHandle(Arc<Group>);

impl GroupHandle {
    pub(crate) fn new(group: Arc<Group>) -> Self {
        Self(group)
    }
}

impl std::ops::Deref for GroupHandle {
    type Target = Group;

    fn deref(&self) -> &Group {
        &self.0
    }
}

impl Drop for GroupHandle {
    fn drop(&mut self) {
        self.0.kill();
    }
}

fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => match os::signal_name(signal) {
            Some(name) => format!("was ended by signal {signal} ({name})"),
            None => format!("was ended by signal {signal}"),
        },
        (None, None) => "ended".to_owned(),
    }
}
