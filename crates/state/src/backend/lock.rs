//! The lock of a stack, in Pulumi's protocol: the stack's lock directory must contain our own file and no other.

use std::io::{self, ErrorKind};
use std::slice;
use std::time::Duration;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::backend::Backend;
use crate::backend::stack_name::StackName;
use crate::clock::Clock;
use crate::failure::io_failure;
use crate::machine::{Life, Machine, ProcessFacts};
use crate::store::objects::{Condition, Object};

/// How long to wait for a foreign lock that appeared at the same moment to disappear.
const PATIENCE: Duration = Duration::from_millis(1500);
const STEP: Duration = Duration::from_millis(25);

/// The contents of a lock file. `pulumi` reads the first four fields and prints them as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Contents {
    pid: i64,
    username: String,
    hostname: String,
    timestamp: String,
    /// Only our own locks have this.
    #[serde(skip_serializing_if = "Option::is_none")]
    outrigger: Option<ProcessFacts>,
}

/// A lock held by any program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The path of the file.
    pub path: String,
    /// User, host, process and time, in words.
    pub description: String,
    facts: Option<ProcessFacts>,
}

impl LockHolder {
    /// Whether the process that took it is alive.
    pub fn life(&self, machine: &dyn Machine) -> Life {
        self.facts.as_ref().map_or(Life::Unknown, |facts| machine.life(facts))
    }
}

/// A lock that we hold. Dropping it leaves the file: after a crash `pulumi` must stop. [`Lock::release`] removes it.
#[derive(Clone)]
pub struct Lock {
    backend: Backend,
    id: String,
    path: String,
}

impl Lock {
    /// Takes the lock of a stack. Locks of processes proven gone are removed first and returned as findings.
    pub fn acquire(
        backend: &Backend,
        stack: &StackName,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostic> {
        // Two of our processes taking the lock at once would both give up under Pulumi's protocol. Taking turns, one of them gets it.
        let _guard = guard(backend, stack, clock)?;
        let locks = stack.lock_directory();
        backend.objects.sweep(&locks).map_err(|error| backend.failure("take the lock", &locks, &error))?;
        let claim = claim(backend, stack)?;
        let mut findings = Vec::new();
        for holder in holders(backend, stack)? {
            if holder.life(machine) != Life::Gone {
                return Err(held(stack, &[holder]));
            }
            remove(backend, &holder.path)?;
            findings.push(
                Diagnostic::info(
                    "lock-broken",
                    format!("removed the lock of a run that has ended: {}", holder.description),
                )
                .detail("Its process no longer exists, so the stack is free."),
            );
        }
        let id = machine.unique();
        let lock = Self { backend: backend.clone(), path: format!("{locks}/{id}.json"), id };
        let condition = claim.as_ref().map_or(Condition::Absent, |claim| Condition::Unchanged(&claim.version));
        if let Err(refusal) = lock.write(stack, condition, machine, clock) {
            // The lock may exist although its answer was lost. The refusal is the error to report.
            let _ = lock.release();
            return Err(refusal);
        }
        Ok((lock, findings))
    }

    fn write(
        &self,
        stack: &StackName,
        unclaimed: Condition<'_>,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<(), Diagnostic> {
        let objects = &self.backend.objects;
        let fail = |path: &str, error: &io::Error| self.backend.failure("write the lock", path, error);
        let written = serde_json::to_vec(&contents(machine.this(), clock.now())).map_err(io::Error::other);
        written
            .and_then(|bytes| objects.put(&self.path, &bytes, Condition::Always))
            .map_err(|error| fail(&self.path, &error))?;
        if !objects.lists_are_current() {
            // Two of our processes whose lists do not show each other's locks both claim the stack, and one is refused.
            let claim = stack.claim_path();
            objects.put(&claim, self.path.as_bytes(), unclaimed).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => busy(stack),
                _ => fail(&claim, &error),
            })?;
        }
        self.await_others(stack, clock)
    }

    /// Its name, which the run's journal shares.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether the file still exists. `pulumi cancel` removes it without asking.
    pub fn is_held(&self) -> Result<bool, Diagnostic> {
        let held = self.backend.objects.exists(&self.path);
        held.map_err(|error| self.backend.failure("check the lock", &self.path, &error))
    }

    /// Releases the lock.
    pub fn release(&self) -> Result<(), Diagnostic> {
        remove(&self.backend, &self.path)
    }

    /// Under Pulumi's protocol, a process that sees another lock after writing its own gives up. If that was a `pulumi` that started at
    /// the same moment, its lock disappears by itself, and exactly one process holds the stack.
    fn await_others(&self, stack: &StackName, clock: &dyn Clock) -> Result<(), Diagnostic> {
        let start = clock.elapsed();
        loop {
            let others: Vec<LockHolder> =
                holders(&self.backend, stack)?.into_iter().filter(|holder| holder.path != self.path).collect();
            if others.is_empty() {
                return Ok(());
            }
            if clock.elapsed().saturating_sub(start) >= PATIENCE {
                self.release()?;
                return Err(held(stack, &others));
            }
            clock.pause(STEP);
        }
    }
}

/// Serializes taking the lock among the processes of this machine.
pub(crate) fn guard(backend: &Backend, stack: &StackName, clock: &dyn Clock) -> Result<Box<dyn Send>, Diagnostic> {
    let path = stack.guard_path();
    let disk = &backend.disk;
    let start = clock.elapsed();
    loop {
        match disk.guard(&path).map_err(|error| io_failure(&disk.show(&path), "take the lock", &error))? {
            Some(guard) => return Ok(guard),
            // Its owner is taking the lock, which takes milliseconds unless it must wait for others.
            None if clock.elapsed().saturating_sub(start) < PATIENCE * 3 => clock.pause(STEP),
            None => return Err(busy(stack)),
        }
    }
}

/// The claim on a stack in a store whose lists lag: it names the last of our locks.
fn claim(backend: &Backend, stack: &StackName) -> Result<Option<Object>, Diagnostic> {
    if backend.objects.lists_are_current() { Ok(None) } else { backend.get("take the lock", &stack.claim_path()) }
}

/// The holders of the stack's lock.
pub fn holders(backend: &Backend, stack: &StackName) -> Result<Vec<LockHolder>, Diagnostic> {
    let mut paths = backend.paths_in("list the locks", &stack.lock_directory())?;
    let claimed = claim(backend, stack)?.and_then(|claim| String::from_utf8(claim.bytes).ok());
    paths.extend(claimed.filter(|path| !paths.contains(path)));
    let mut found = Vec::new();
    for path in paths {
        // Without a file, its owner has finished.
        if let Some(object) = backend.get("read a lock", &path)? {
            found.push(describe(path, &object.bytes));
        }
    }
    Ok(found)
}

/// Removes every lock of a stack, as `pulumi cancel` does, and returns them.
pub fn cancel(backend: &Backend, stack: &StackName) -> Result<Vec<LockHolder>, Diagnostic> {
    let found = holders(backend, stack)?;
    for holder in &found {
        remove(backend, &holder.path)?;
    }
    Ok(found)
}

fn contents(facts: ProcessFacts, now: Timestamp) -> Contents {
    Contents {
        pid: i64::from(facts.pid),
        // `pulumi` prints this to a user who meets the lock after a crash and may not know Outrigger.
        username: format!(
            "{} (by outrigger: if that run was killed, run `outrigger cancel` or any other outrigger command on this stack \
             before `pulumi`, to keep what it created)",
            facts.username
        ),
        hostname: facts.hostname.clone(),
        timestamp: now.to_string(),
        outrigger: Some(facts),
    }
}

fn describe(path: String, bytes: &[u8]) -> LockHolder {
    // An unreadable lock still counts as a lock.
    let Ok(contents) = serde_json::from_slice::<Contents>(bytes) else {
        return LockHolder { description: format!("an unreadable lock file {path}"), path, facts: None };
    };
    let (who, tool) = match &contents.outrigger {
        Some(facts) => (facts.username.as_str(), "outrigger"),
        None => (contents.username.as_str(), "pulumi"),
    };
    let description =
        format!("{who}@{} ({tool}, process {}) since {}", contents.hostname, contents.pid, contents.timestamp);
    LockHolder { path, description, facts: contents.outrigger }
}

fn busy(stack: &StackName) -> Diagnostic {
    Diagnostic::error("lock-busy", format!("another process is taking the lock of stack `{stack}`"))
        .hint("Wait for it to end, then try again.")
}

fn held(stack: &StackName, holders: &[LockHolder]) -> Diagnostic {
    let who: Vec<&str> = holders.iter().map(|holder| holder.description.as_str()).collect();
    Diagnostic::error("stack-locked", format!("stack `{stack}` is locked by {}", who.join(" and by ")))
        .detail("Another command is running on it, or was killed before it could release the lock.")
        .hint("Wait for it to end.")
        .hint("If you are sure that it has ended, run `outrigger cancel` and try again.")
}

fn remove(backend: &Backend, path: &String) -> Result<(), Diagnostic> {
    let removed = backend.objects.delete(slice::from_ref(path));
    removed.map_err(|error| backend.failure("remove the lock", path, &error))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::BackendOptions;
    use crate::store::disk::Disk as _;
    use crate::store::memory::{MemoryDisk, MemoryObjects};
    use crate::testing::{FakeClock, FakeMachine};

    fn stack() -> StackName {
        StackName::new("shop", "dev").unwrap()
    }

    /// A file backend, and an object store whose lists lag.
    fn backends() -> [Backend; 2] {
        let disk = Arc::new(MemoryDisk::new());
        let objects = Arc::new(MemoryObjects::new(&disk, 3));
        let options = BackendOptions::default();
        [on(&MemoryDisk::new()), Backend::with(objects, disk, options).unwrap().0]
    }

    fn on(disk: &MemoryDisk) -> Backend {
        Backend::on_disk(Arc::new(disk.clone()), BackendOptions::default()).unwrap().0
    }

    fn acquire(backend: &Backend, machine: &FakeMachine) -> Result<(Lock, Vec<Diagnostic>), Diagnostic> {
        Lock::acquire(backend, &stack(), machine, &FakeClock::default())
    }

    #[test]
    fn a_second_one_reads_who_holds_it_and_a_released_one_is_free() {
        for backend in backends() {
            let machine = FakeMachine::default();
            let (lock, _) = acquire(&backend, &machine).unwrap();
            let refusal = acquire(&backend, &machine).err().unwrap();
            assert_eq!(refusal.code, "stack-locked");
            let text = format!("{refusal:?}");
            assert!(
                text.contains("alice@box") && text.contains("process 7") && text.contains("outrigger cancel"),
                "{text}"
            );
            lock.release().unwrap();
            acquire(&backend, &machine).unwrap();
        }
    }

    #[test]
    fn pulumi_can_read_it_and_is_told_what_to_run() {
        let disk = MemoryDisk::new();
        let backend = on(&disk);
        acquire(&backend, &FakeMachine::default()).unwrap();
        let path = &holders(&backend, &stack()).unwrap()[0].path;
        let json: serde_json::Value = serde_json::from_slice(&disk.read(path).unwrap().unwrap()).unwrap();
        assert_eq!(json["pid"], 7);
        assert!(json["username"].as_str().unwrap().contains("outrigger cancel"));
        json["timestamp"].as_str().unwrap().parse::<Timestamp>().unwrap();
    }

    #[test]
    fn only_proof_of_death_breaks_a_lock() {
        for backend in backends() {
            let machine = FakeMachine::default();
            acquire(&backend, &machine).unwrap();
            let elsewhere = FakeMachine::default().on_host("other");
            assert_eq!(acquire(&backend, &elsewhere).err().unwrap().code, "stack-locked");
            machine.end(7);
            let (_, findings) = acquire(&backend, &machine).unwrap();
            assert_eq!(findings[0].code, "lock-broken");
            assert_eq!(holders(&backend, &stack()).unwrap().len(), 1);
        }
    }

    #[test]
    fn pulumis_lock_and_an_unreadable_one_hold() {
        for bytes in [&br#"{"pid":7,"username":"bob","hostname":"box","timestamp":"2026-01-01T00:00:00Z"}"#[..], b"{"] {
            let memory = MemoryDisk::new();
            memory.put(".pulumi/locks/organization/shop/dev/x.json", bytes);
            memory.put(".pulumi/locks/organization/shop/dev/x.json.attrs", b"{}");
            let backend = on(&memory);
            assert_eq!(acquire(&backend, &FakeMachine::default()).err().unwrap().code, "stack-locked");
            assert_eq!(cancel(&backend, &stack()).unwrap().len(), 1);
            assert_eq!(memory.paths(), Vec::<String>::new());
        }
    }

    #[test]
    fn one_that_appears_at_the_same_moment_and_goes_away_is_waited_for() {
        let memory = MemoryDisk::new();
        let foreign = ".pulumi/locks/organization/shop/dev/foreign.json";
        // It is written after our first listing: simulated by a clock that acts when time passes.
        let clock = FakeClock::default();
        memory.put(foreign, b"{}");
        let path = format!("{}/us.json", stack().lock_directory());
        let lock = Lock { backend: on(&memory), id: "us".into(), path };
        memory.put(&lock.path, b"{}");
        clock.on_pause({
            let memory = memory.clone();
            move || drop(memory.remove(foreign))
        });
        lock.await_others(&stack(), &clock).unwrap();
        // A foreign lock that stays wins.
        memory.put(foreign, b"{}");
        let clock = FakeClock::default();
        assert_eq!(lock.await_others(&stack(), &clock).unwrap_err().code, "stack-locked");
        assert!(!lock.is_held().unwrap());
    }
}
