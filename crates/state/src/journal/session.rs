//! One command's session on a stack: the lock, the base state, the journal, and the end.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use tokio::sync::{Semaphore, oneshot};

use crate::backend::Backend;
use crate::backend::history::UpdateInfo;
use crate::backend::lock::{Lock, guard, holders};
use crate::backend::stack_name::StackName;
use crate::checkpoint;
use crate::checkpoint::snapshot::{provider_text, read_provider};
use crate::checkpoint::table::{Rendered, Table};
use crate::clock::Clock;
use crate::journal::frame::Marker;
use crate::journal::recovery::{self, Leftover, Recovered};
use crate::journal::writer::{Base, Parts, Writer};
use crate::machine::{Life, Machine};
use crate::store::objects::Object;
use crate::{Journal, Record, SecretsProviderState, Snapshot};

/// How many records may be queued for the writer.
const QUEUE: usize = 1024;
/// From this many running operations on, results wait a moment for a record that begins an operation, and share its flush: each flush costs
/// a disk write and two wake-ups, and thousands of them cost more than the provisioning. A beginning never waits, because it holds a permit
/// for calls. A chain of resources, where each step waits for the last, stays below this.
const WIDE: usize = 4;
/// How long results wait.
const GATHER: Duration = Duration::from_millis(2);
/// How long the writer sleeps when nothing is due.
const IDLE: Duration = Duration::from_secs(3600);

/// Returns the crypter for a state's secrets provider, usually from a `outrigger_secrets::Keyring`.
pub type Keys<'a> = &'a dyn Fn(&SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic>;

/// Whether a session has a thread of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A thread takes all queued records and flushes them together.
    Threaded,
    /// Each call does its own work before it returns. For simulations.
    Inline,
}

/// The options of a session.
pub struct SessionOptions<'a> {
    /// The machine.
    pub machine: &'a dyn Machine,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The keys.
    pub keys: Keys<'a>,
    /// How new secrets are encrypted, from the stack's settings; `None` keeps the state's provider.
    pub secrets_provider: Option<SecretsProviderState>,
    /// Whether the session has a thread.
    pub mode: Mode,
}

/// A new session and its base state.
pub struct Opened {
    /// The session.
    pub session: Session,
    /// The state. The coming records number its entries and pending operations from 0.
    pub base: Snapshot,
    /// Findings on the way: broken locks, recovered results.
    pub findings: Vec<Diagnostic>,
}

/// A state read without a lock.
pub struct Viewed {
    /// The state, including the journals.
    pub base: Snapshot,
    /// Findings on the way.
    pub findings: Vec<Diagnostic>,
}

/// A command's session on a stack. Dropping it keeps journal and lock, as a crash would: end it with [`Session::finish`] or
/// [`Session::release`].
pub struct Session {
    driver: Driver,
}

enum Driver {
    Inline(Box<Mutex<Writer>>),
    Threaded(Thread),
}

struct Thread {
    orders: Mutex<Option<Sender<Order>>>,
    room: Semaphore,
    handle: Mutex<Option<JoinHandle<()>>>,
}

enum Order {
    Append(Record, oneshot::Sender<Result<(), Diagnostic>>),
    Finish(Box<UpdateInfo>, Sender<Result<(), Diagnostic>>),
    Release(Sender<Result<(), Diagnostic>>),
}

impl Session {
    /// Locks a stack, recovers the journals of interrupted runs, and reads the state.
    pub fn open(backend: &Backend, stack: &StackName, options: SessionOptions<'_>) -> Result<Opened, Diagnostic> {
        // A missing stack has nothing to lock.
        backend.require(stack)?;
        let (lock, mut findings) = Lock::acquire(backend, stack, options.machine, options.clock.as_ref())?;
        match Self::locked(backend, stack, lock.clone(), &options) {
            Ok(mut opened) => {
                findings.append(&mut opened.findings);
                Ok(Opened { findings, ..opened })
            }
            Err(error) => {
                // Nothing has begun, so nothing needs the lock.
                let _ = lock.release();
                Err(error)
            }
        }
    }

    fn locked(
        backend: &Backend,
        stack: &StackName,
        lock: Lock,
        options: &SessionOptions<'_>,
    ) -> Result<Opened, Diagnostic> {
        let leftovers = recovery::leftovers(backend.disk.as_ref(), stack)?;
        recovery::refuse_running(&leftovers, options.machine)?;
        let (mut table, mut digest, findings) = take_over(backend, stack, options.clock.as_ref(), leftovers)?;
        let file = backend.show(stack);
        let old = table.secrets_provider.as_deref().map(|text| read_provider(text, &file)).transpose()?;
        let old = old.filter(|provider| !provider.kind.is_empty());
        let new = options.secrets_provider.clone().or_else(|| old.clone());
        let read = crypter(old.as_ref().or(new.as_ref()), options.keys)?;
        let mut base = Snapshot::decode(&table.deployment(), read.as_ref(), &file)?;
        let write = if new == old { read } else { crypter(new.as_ref(), options.keys)? };
        if new != old {
            table.secrets_provider = new.as_ref().map(provider_text);
            if old.is_some() {
                // Ciphertexts of the old key under the new key's name could never be decrypted again.
                table.reencode(&base, write.as_ref())?;
                rewrite(backend, stack, &mut table, options.clock.as_ref())?;
                let (rewritten, object) = backend.load(stack)?;
                (table, digest) = (rewritten, checkpoint::digest(&object.bytes));
                base = Snapshot::decode(&table.deployment(), write.as_ref(), &file)?;
            }
        }
        let parts = Parts {
            base: Base {
                digest,
                entries: table.entries.keys().copied().collect(),
                operations: table.operations.keys().copied().collect(),
            },
            backend: backend.clone(),
            stack: stack.clone(),
            lock,
            clock: Arc::clone(&options.clock),
            process: options.machine.this(),
            crypter: write,
            table,
        };
        let secrets_provider = new;
        let session = Self { driver: Driver::start(Writer::new(parts), options.mode)? };
        Ok(Opened { session, base: Snapshot { secrets_provider, ..base }, findings })
    }

    /// Reads a stack's state without a lock and without writing anything; results of an interrupted run are included.
    pub fn view(backend: &Backend, stack: &StackName, keys: Keys<'_>) -> Result<Viewed, Diagnostic> {
        let (table, findings) = current(backend, stack)?;
        let file = backend.show(stack);
        let provider = table.secrets_provider.as_deref().map(|text| read_provider(text, &file)).transpose()?;
        let crypter = crypter(provider.as_ref().filter(|provider| !provider.kind.is_empty()), keys)?;
        Ok(Viewed { base: Snapshot::decode(&table.deployment(), crypter.as_ref(), &file)?, findings })
    }

    /// Writes the final checkpoint, the history and the backup, and releases the stack. If the state cannot be written, the
    /// journal and the lock stay, and the error explains how the results are recovered.
    pub fn finish(&self, info: UpdateInfo) -> Result<(), Diagnostic> {
        match &self.driver {
            Driver::Inline(writer) => locked(writer).finish(&info),
            Driver::Threaded(thread) => thread.end(|answer| Order::Finish(Box::new(info), answer)),
        }
    }

    /// Releases the stack without writing a checkpoint, when the command ended before it changed anything. If records were
    /// written, journal and lock stay as after a crash.
    pub fn release(&self) -> Result<(), Diagnostic> {
        match &self.driver {
            Driver::Inline(writer) => locked(writer).release(),
            Driver::Threaded(thread) => thread.end(Order::Release),
        }
    }

    /// Makes a record durable before it returns; only for [`Mode::Inline`]. Rewrites the checkpoint if it is due.
    fn append_inline(writer: &Mutex<Writer>, record: Record) -> Result<(), Diagnostic> {
        let mut writer = locked(writer);
        let answer = writer.commit(vec![record]).pop().unwrap_or(Ok(()));
        writer.tick();
        answer
    }
}

#[async_trait]
impl Journal for Session {
    async fn append(&self, record: Record) -> Result<(), Diagnostic> {
        match &self.driver {
            Driver::Inline(writer) => Self::append_inline(writer, record),
            Driver::Threaded(thread) => {
                let _room = thread.room.acquire().await.map_err(|_| closed())?;
                let (answer, result) = oneshot::channel();
                thread.send(Order::Append(record, answer))?;
                result.await.map_err(|_| closed())?
            }
        }
    }
}

impl Driver {
    fn start(writer: Writer, mode: Mode) -> Result<Self, Diagnostic> {
        if mode == Mode::Inline {
            return Ok(Self::Inline(Box::new(Mutex::new(writer))));
        }
        let (sender, receiver) = channel();
        let span = tracing::Span::current();
        let run = move || span.in_scope(|| run(writer, &receiver));
        let handle = thread::Builder::new().name("journal".to_owned()).spawn(run).map_err(|error| {
            Diagnostic::error("thread-failed", "the journal's thread could not be started").detail(error.to_string())
        })?;
        Ok(Self::Threaded(Thread {
            orders: Mutex::new(Some(sender)),
            room: Semaphore::new(QUEUE),
            handle: Mutex::new(Some(handle)),
        }))
    }
}

impl Thread {
    fn send(&self, order: Order) -> Result<(), Diagnostic> {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.as_ref().ok_or_else(closed)?.send(order).map_err(|_| closed())
    }

    fn end(&self, order: impl FnOnce(Sender<Result<(), Diagnostic>>) -> Order) -> Result<(), Diagnostic> {
        let (answer, result) = channel();
        self.send(order(answer))?;
        let result = result.recv().map_err(|_| closed())?;
        drop(self.orders.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(handle) = self.handle.lock().unwrap_or_else(PoisonError::into_inner).take() {
            handle.join().map_err(|_| closed())?;
        }
        result
    }
}

/// The writer's thread: everything in the queue goes into one flush.
fn run(mut writer: Writer, orders: &Receiver<Order>) {
    loop {
        let first = match orders.recv_timeout(writer.until_due().unwrap_or(IDLE)) {
            Ok(order) => Some(order),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let (mut records, mut waiters, mut last) = (Vec::new(), Vec::new(), None);
        let mut patience = first.as_ref().filter(|_| writer.running() >= WIDE).map(|_| Instant::now() + GATHER);
        let mut next = first;
        while let Some(order) = next.take() {
            match order {
                Order::Append(record, waiter) => {
                    if !record.begin.is_empty() {
                        patience = None;
                    }
                    records.push(record);
                    waiters.push(waiter);
                }
                end => {
                    last = Some(end);
                    break;
                }
            }
            next = match patience {
                Some(until) => orders.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
                None => orders.try_recv().ok(),
            };
        }
        if !records.is_empty() {
            for (waiter, answer) in waiters.into_iter().zip(writer.commit(records)) {
                // The caller may have gone away; the record is durable anyway.
                let _ = waiter.send(answer);
            }
        }
        match last {
            Some(Order::Finish(info, answer)) => {
                let _ = answer.send(writer.finish(&info));
                return;
            }
            Some(Order::Release(answer)) => {
                let _ = answer.send(writer.release());
                return;
            }
            _ => writer.tick(),
        }
    }
}

fn locked(writer: &Mutex<Writer>) -> MutexGuard<'_, Writer> {
    writer.lock().unwrap_or_else(PoisonError::into_inner)
}

fn closed() -> Diagnostic {
    Diagnostic::error("journal-closed", "the journal is closed")
        .detail("The session has ended, or its writer stopped.")
        .hint("Everything written before is saved; the next outrigger command on this stack adds it to the state.")
}

/// Merges the journals of interrupted runs into the checkpoint, without a key, and leaves the lock as it is. The
/// keeper calls this when its host is gone. Journals whose lock was taken away are left to the next command.
pub fn fold(backend: &Backend, stack: &StackName, clock: &dyn Clock) -> Result<Vec<Diagnostic>, Diagnostic> {
    let mut leftovers = recovery::leftovers(backend.disk.as_ref(), stack)?;
    let locks = holders(backend, stack)?;
    let is_of = |leftover: &Leftover, path: &str| path.ends_with(&format!("/{}.json", leftover.id));
    leftovers.retain(|leftover| locks.iter().any(|lock| is_of(leftover, &lock.path)));
    let foreign = locks.iter().any(|lock| !leftovers.iter().any(|leftover| is_of(leftover, &lock.path)));
    if foreign || leftovers.is_empty() {
        return Ok(Vec::new());
    }
    Ok(take_over(backend, stack, clock, leftovers)?.2)
}

/// [`fold`] for a caller that does not know which runs the journals belong to: does nothing unless all these runs are proven gone. A
/// keeper also outlives hosts that were refused the lock, and must not take over from the one that holds it.
///
/// No other process can take the lock meanwhile, so the next command finds the journals either folded or untouched.
pub fn fold_gone(
    backend: &Backend,
    stack: &StackName,
    clock: &dyn Clock,
    machine: &dyn Machine,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let disk = backend.disk.as_ref();
    if recovery::leftovers(disk, stack)?.is_empty() {
        return Ok(Vec::new());
    }
    let _guard = guard(backend, stack, clock)?;
    let leftovers = recovery::leftovers(disk, stack)?;
    let mut headers = leftovers.iter().filter_map(|leftover| leftover.journal.header.as_ref());
    if headers.any(|header| machine.life(&header.process) != Life::Gone) {
        return Ok(Vec::new());
    }
    fold(backend, stack, clock)
}

/// The state including the journals, without writing anything.
pub(crate) fn current(backend: &Backend, stack: &StackName) -> Result<(Table, Vec<Diagnostic>), Diagnostic> {
    let leftovers = recovery::leftovers(backend.disk.as_ref(), stack)?;
    let (table, object) = backend.load(stack)?;
    if leftovers.is_empty() {
        return Ok((table, Vec::new()));
    }
    let Recovered { mut table, findings } = recovery::recover(table, &checkpoint::digest(&object.bytes), &leftovers);
    let order = table
        .render(&stack.qualified(), Timestamp::UNIX_EPOCH)
        .map_err(|violation| violation.on_read(&backend.show(stack)))?;
    Ok((table.renumbered(&order.entries, &order.operations), findings))
}

/// Merges journals into the checkpoint and removes them. Returns the state, numbered from 0 in the file's order, and the
/// file's digest. The caller holds the lock.
pub(crate) fn take_over(
    backend: &Backend,
    stack: &StackName,
    clock: &dyn Clock,
    leftovers: Vec<Leftover>,
) -> Result<(Table, String, Vec<Diagnostic>), Diagnostic> {
    let (table, old) = backend.load(stack)?;
    let mut digest = checkpoint::digest(&old.bytes);
    let Recovered { mut table, findings } = recovery::recover(table, &digest, &leftovers);
    let disk = backend.disk.as_ref();
    if !findings.is_empty() {
        let now = clock.now();
        let Rendered { text, entries, operations } =
            table.render(&stack.qualified(), now).map_err(|violation| violation.on_write(&backend.show(stack)))?;
        table = table.renumbered(&entries, &operations);
        digest = checkpoint::digest(text.as_bytes());
        let numbers = |count: usize| (0..u64::try_from(count).unwrap_or_default()).collect();
        let marker = Marker {
            digest: digest.clone(),
            entries: numbers(table.entries.len()),
            operations: numbers(table.operations.len()),
        };
        recovery::mark(disk, &leftovers, &marker)?;
        replace(backend, stack, &old, &text, now)?;
    }
    let journals: Vec<String> = leftovers.into_iter().map(|leftover| leftover.path).collect();
    recovery::discard(disk, stack, &journals)?;
    Ok((table, digest, findings))
}

/// Replaces a checkpoint, keeping the old one beside it.
fn replace(backend: &Backend, stack: &StackName, old: &Object, text: &str, now: Timestamp) -> Result<(), Diagnostic> {
    let kept = backend.keep_beside(stack, old);
    kept.and_then(|()| backend.put_checkpoint(stack, Some(old), text.as_bytes(), now))
        .map_err(|error| backend.failure("write the state", &stack.checkpoint_path(), &error))
}

/// Writes a whole state. The caller holds the lock.
pub(crate) fn rewrite(
    backend: &Backend,
    stack: &StackName,
    table: &mut Table,
    clock: &dyn Clock,
) -> Result<(), Diagnostic> {
    let now = clock.now();
    let previous = backend.require(stack)?;
    let text =
        table.render(&stack.qualified(), now).map_err(|violation| violation.on_write(&backend.show(stack)))?.text;
    replace(backend, stack, &previous, &text, now)
}

pub(crate) fn crypter(provider: Option<&SecretsProviderState>, keys: Keys<'_>) -> Result<Arc<dyn Crypter>, Diagnostic> {
    provider.map_or_else(|| Ok(Arc::new(NoProvider) as Arc<dyn Crypter>), keys)
}

/// For a state without a secrets provider, which cannot contain secrets.
struct NoProvider;

impl NoProvider {
    fn missing() -> Diagnostic {
        Diagnostic::error("secrets-provider-missing", "the stack has no secrets provider, so it can hold no secret")
            .hint("Set PULUMI_CONFIG_PASSPHRASE and run `outrigger config set --secret` once; it sets up the passphrase provider.")
    }
}

impl Crypter for NoProvider {
    fn encrypt(&self, _plaintext: &str) -> Result<String, Diagnostic> {
        Err(Self::missing())
    }

    fn decrypt(&self, _ciphertext: &str) -> Result<String, Diagnostic> {
        Err(Self::missing())
    }
}
