//! The one thread that starts every process.
//!
//! Linux ties a parent-death signal to the *thread* that forked, not to the process: a plugin started on a worker of an
//! asynchronous runtime is killed when that worker retires, while the host lives on. So one thread starts them all, and it
//! lives until the last of them has ended.
//!
//! The same thread owns the connection to the keeper. Because starts, ends and the death of a keeper pass through it
//! one after another, a new keeper always knows every living group, and goodbye is sent only when none is left.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use outrigger_transport::LaunchRequest;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::KeeperCommand;
use crate::group::{Group, GroupHandle};
use crate::keeper::{self, KeeperLink, Record};
use crate::mark::{self, Mark};
use crate::os::{self, Identity};

/// A process that was just started, with our ends of its pipes.
pub(crate) struct Started {
    pub(crate) group: GroupHandle,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// A handle to the thread.
#[derive(Clone)]
pub(crate) struct Spawner {
    orders: Sender<Order>,
}

enum Order {
    Start(Box<LaunchRequest>, oneshot::Sender<io::Result<Started>>),
    Ended(Identity),
    KeeperLost { generation: u64 },
    Drain(oneshot::Sender<()>),
    Close,
}

/// How often a dying keeper is replaced at once. After that the next start tries again: a keeper that keeps dying must
/// not keep a core busy.
const REPLACEMENTS: u32 = 8;

/// How long to wait for the last process of all. The kernel needs only moments, unless one hangs in a system call; then the keeper,
/// which has no record of its end, takes care of it when we are gone.
const HELD: Duration = Duration::from_secs(5);

impl Spawner {
    /// Starts the thread. `keeper` is how to start one; without it only the parent-death signal covers our own death.
    pub(crate) fn new(keeper: Option<KeeperCommand>) -> io::Result<Self> {
        let (orders, received) = channel();
        let thread = Thread {
            command: keeper,
            keeper: None,
            generation: 0,
            replacements: 0,
            living: HashMap::new(),
            closing: false,
            leaving: false,
            waiting: Vec::new(),
            orders: orders.clone(),
        };
        std::thread::Builder::new().name("outrigger-spawner".to_owned()).spawn(move || thread.run(&received))?;
        Ok(Self { orders })
    }

    /// Starts a process, which takes as long as fork and exec.
    pub(crate) async fn start(&self, request: LaunchRequest) -> io::Result<Started> {
        tracing::info!(plugin = %request.label, program = %request.program.display(), "start");
        let (answer, answered) = oneshot::channel();
        let closed = || io::Error::other("the host is shutting down");
        self.orders.send(Order::Start(Box::new(request), answer)).map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }

    /// Refuses new starts, kills the remaining processes, and waits until the last has ended, unless the kernel holds it. The keeper stays:
    /// the caller may have work of its own to finish that the keeper guards.
    pub(crate) async fn drain(&self) {
        let (drained, all_ended) = oneshot::channel();
        if self.orders.send(Order::Drain(drained)).is_ok() {
            let _held_or_thread_is_gone = timeout(HELD, all_ended).await;
        }
    }

    /// Kills the remaining processes, says goodbye to the keeper when all have ended, and lets the thread end. Returns at once.
    pub(crate) fn close(&self) {
        let _closed_before = self.orders.send(Order::Close);
    }
}

struct Thread {
    command: Option<KeeperCommand>,
    keeper: Option<KeeperLink>,
    /// The keeper that a death notice refers to.
    generation: u64,
    replacements: u32,
    living: HashMap<Identity, Arc<Group>>,
    /// No process may start.
    closing: bool,
    /// The thread ends with the last group.
    leaving: bool,
    /// Callers waiting for the last group.
    waiting: Vec<oneshot::Sender<()>>,
    orders: Sender<Order>,
}

impl Thread {
    fn run(mut self, received: &Receiver<Order>) {
        while let Ok(order) = received.recv() {
            match order {
                Order::Start(request, answer) if !self.closing => {
                    // If the caller is gone, the handle in the answer is dropped, which kills the group.
                    let _nobody_waits = answer.send(self.start(&request));
                }
                // It came too late, which the caller learns from the dropped channel.
                Order::Start(..) => {}
                Order::Ended(identity) => self.ended(identity),
                Order::KeeperLost { generation } => self.keeper_lost(generation),
                Order::Drain(drained) => {
                    self.kill_all();
                    self.waiting.push(drained);
                }
                Order::Close => {
                    self.kill_all();
                    self.leaving = true;
                }
            }
            if self.closing && self.living.is_empty() {
                for drained in self.waiting.drain(..) {
                    let _nobody_waits = drained.send(());
                }
                if self.leaving {
                    break;
                }
            }
        }
        if let Some(keeper) = self.keeper.take() {
            let _keeper_is_gone = keeper.tell(Record::Goodbye);
        }
    }

    fn kill_all(&mut self) {
        self.closing = true;
        for group in self.living.values() {
            group.kill();
        }
    }

    fn start(&mut self, request: &LaunchRequest) -> io::Result<Started> {
        let outcome = self.attempt(request);
        match outcome {
            // The keeper has died, though the notice is not here yet: the child could not announce itself and exited.
            Err(error) if self.keeper.is_some() && error.kind() == io::ErrorKind::BrokenPipe => {
                self.keeper = None;
                self.attempt(request)
            }
            outcome => outcome,
        }
    }

    fn attempt(&mut self, request: &LaunchRequest) -> io::Result<Started> {
        self.ensure_keeper()?;
        let mark = Mark::of_next_plugin();
        let mut command = Command::new(&request.program);
        command
            .args(&request.arguments)
            .env_clear()
            .envs(request.environment.iter().map(|(name, value)| (name, value)))
            .env(mark::VARIABLE, mark.value())
            .current_dir(&request.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        os::plugin_child(&mut command, self.keeper.as_ref().map(KeeperLink::socket));
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let identity = Identity::of(child.id());
        let orders = self.orders.clone();
        let group = Group::watch(identity, mark, child, move || {
            let _thread_is_gone = orders.send(Order::Ended(identity));
        })?;
        self.living.insert(identity, Arc::clone(&group));
        let group = GroupHandle::new(group);
        match pipes {
            (Some(stdin), Some(stdout), Some(stderr)) => {
                Ok(Started { group, stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() })
            }
            _ => Err(io::Error::other("the pipes of the process are missing")),
        }
    }

    fn ended(&mut self, identity: Identity) {
        if self.living.remove(&identity).is_some()
            && let Some(keeper) = &self.keeper
        {
            // If the keeper is gone, its successor never learns of this group.
            let _keeper_is_gone = keeper.tell(Record::Ended(identity));
        }
    }

    fn keeper_lost(&mut self, generation: u64) {
        if generation != self.generation {
            return;
        }
        self.keeper = None;
        if !self.living.is_empty() && self.replacements < REPLACEMENTS {
            self.replacements += 1;
            // If this fails, the next start tries again and reports it; meanwhile the parent-death signal must do.
            let _tried_again_later = self.ensure_keeper();
        }
    }

    /// Starts a keeper if there is none, and sends it every living group.
    fn ensure_keeper(&mut self) -> io::Result<()> {
        let (Some(command), None) = (&self.command, &self.keeper) else { return Ok(()) };
        self.generation += 1;
        let (generation, orders) = (self.generation, self.orders.clone());
        let keeper = keeper::start(command, self.living.keys(), move || {
            let _thread_is_gone = orders.send(Order::KeeperLost { generation });
        })
        .map_err(|error| io::Error::other(format!("the keeper process could not be started: {error}")))?;
        self.keeper = Some(keeper);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn what_the_kernel_holds_is_not_waited_for_without_end() {
        // Nothing receives, so the loop runs as long as a process is left.
        let (orders, _received) = channel();
        let began = Instant::now();
        timeout(HELD * 2, Spawner { orders }.drain()).await.unwrap();
        assert_eq!(began.elapsed(), HELD);
    }
}
