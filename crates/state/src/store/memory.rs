//! A simulated disk that loses unsynced data, and fails or stops on demand.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::disk::{Disk, DiskFile, directory};
use crate::store::objects::{Condition, Listed, Object, Objects, Version, conflict};

/// The fate of unsynced bytes and names in a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsynced {
    /// All of them are lost.
    Lost,
    /// All of them survive.
    Kept,
    /// Names survive; of the unsynced bytes of each file only the first half does.
    Torn,
}

/// The effect of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operation fails with this kind of error and changes nothing; later ones work.
    Fail(ErrorKind),
    /// The operation and all later ones fail with this kind of error and change nothing, until [`MemoryDisk::heal`].
    FailFrom(ErrorKind),
    /// From that operation on the disk is full, until [`MemoryDisk::heal`]: new files, reservations, and bytes beyond the reserved ones
    /// fail;
    /// everything else works.
    Full,
    /// The power fails just before the operation: nothing works until [`MemoryDisk::restart`].
    Crash,
    /// The first put of an object from that operation on fails and is not done; later ones work.
    LostPut,
    /// The first put of an object from that operation on is done but fails: its answer was lost.
    LostAnswer,
}

/// A disk in memory. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Contents by number, so that a renamed or replaced file keeps the bytes written through an open handle.
    files: BTreeMap<u64, Contents>,
    names: BTreeMap<String, u64>,
    durable_names: BTreeMap<String, u64>,
    next: u64,
    operations: u64,
    fault: Option<(u64, Fault)>,
    down: bool,
    held: BTreeSet<String>,
    /// The previous object at each changed path, since the last restart.
    replaced: Vec<(String, Option<u64>)>,
}

#[derive(Clone, Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    durable: usize,
    /// The length up to which room is reserved.
    reserved: usize,
}

impl MemoryDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many changing operations have been made.
    pub fn operations(&self) -> u64 {
        self.state().operations
    }

    /// Plans a fault for the changing operation with this number, counted from 0 over the disk's life.
    pub fn fail_at(&self, operation: u64, fault: Fault) {
        self.state().fault = Some((operation, fault));
    }

    /// Ends a planned or lasting fault.
    pub fn heal(&self) {
        self.state().fault = None;
    }

    /// Whether the power has failed.
    pub fn is_down(&self) -> bool {
        self.state().down
    }

    /// Restarts the machine: unsynced data is lost or kept as `unsynced` says.
    pub fn restart(&self, unsynced: Unsynced) {
        let mut state = self.state();
        state.down = false;
        state.fault = None;
        state.held.clear();
        // The lists of objects have become current in the meantime.
        state.replaced.clear();
        if unsynced == Unsynced::Lost {
            state.names = state.durable_names.clone();
        }
        let used: BTreeSet<u64> = state.names.values().copied().collect();
        state.files.retain(|number, _| used.contains(number));
        for contents in state.files.values_mut() {
            let length = match unsynced {
                Unsynced::Lost => contents.durable,
                Unsynced::Kept => contents.bytes.len(),
                Unsynced::Torn => contents.durable + contents.bytes.len().saturating_sub(contents.durable) / 2,
            };
            contents.bytes.truncate(length);
            contents.durable = contents.bytes.len();
        }
        state.durable_names = state.names.clone();
    }

    /// A separate disk with the same files.
    pub fn copy(&self) -> Self {
        let state = self.state();
        let copy = State {
            files: state.files.clone(),
            names: state.names.clone(),
            durable_names: state.durable_names.clone(),
            next: state.next,
            ..State::default()
        };
        Self { state: Arc::new(Mutex::new(copy)) }
    }

    /// Puts a file in place, durable at once, for tests.
    pub fn put(&self, path: &str, bytes: &[u8]) {
        self.state().put(path, bytes);
    }

    /// The paths of all files, sorted.
    pub fn paths(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn put(&mut self, path: &str, bytes: &[u8]) {
        let number = self.new_file();
        self.files.insert(number, Contents { bytes: bytes.to_vec(), durable: bytes.len(), ..Contents::default() });
        self.names.insert(path.to_owned(), number);
        self.durable_names.insert(path.to_owned(), number);
    }

    fn new_file(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn up(&self) -> io::Result<()> {
        if self.down { Err(io::Error::other("the simulated machine is off")) } else { Ok(()) }
    }

    /// Counts a changing operation and triggers a planned fault.
    fn change(&mut self) -> io::Result<()> {
        self.up()?;
        let number = self.operations;
        self.operations += 1;
        match self.fault {
            Some((at, Fault::Fail(kind))) if at == number => {
                self.fault = None;
                Err(kind.into())
            }
            Some((at, Fault::FailFrom(kind))) if at <= number => Err(kind.into()),
            Some((at, Fault::Crash)) if at == number => {
                self.down = true;
                self.up()
            }
            _ => Ok(()),
        }
    }

    /// Whether the operation just counted gets the new room that it needs.
    fn room(&self) -> io::Result<()> {
        match self.fault {
            Some((at, Fault::Full)) if at < self.operations => Err(ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }

    fn contents(&mut self, number: u64) -> io::Result<&mut Contents> {
        self.files.get_mut(&number).ok_or_else(|| ErrorKind::NotFound.into())
    }
}

struct MemoryFile {
    disk: MemoryDisk,
    number: u64,
}

impl DiskFile for MemoryFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        state.change()?;
        let room = state.room();
        let contents = state.contents(self.number)?;
        if contents.bytes.len() + bytes.len() > contents.reserved {
            room?;
        }
        contents.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        let room = state.room();
        let contents = state.contents(self.number)?;
        let wanted = contents.bytes.len() + usize::try_from(bytes).unwrap_or(usize::MAX);
        if wanted > contents.reserved {
            room?;
            contents.reserved = wanted;
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.change()?;
        let contents = state.contents(self.number)?;
        contents.durable = contents.bytes.len();
        Ok(())
    }
}

struct Held {
    disk: MemoryDisk,
    path: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.disk.state().held.remove(&self.path);
    }
}

impl Disk for MemoryDisk {
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let state = self.state();
        state.up()?;
        Ok(state.names.get(path).and_then(|number| state.files.get(number)).map(|contents| contents.bytes.clone()))
    }

    fn version(&self, path: &str) -> io::Result<Option<String>> {
        let state = self.state();
        state.up()?;
        Ok(state.names.get(path).map(u64::to_string))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        let state = self.state();
        state.up()?;
        Ok(listed(&state.names, directory))
    }

    fn create(&self, path: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.change()?;
        state.room()?;
        let number = state.new_file();
        state.files.insert(number, Contents::default());
        state.names.insert(path.to_owned(), number);
        Ok(Box::new(MemoryFile { disk: self.clone(), number }))
    }

    fn reopen(&self, path: &str, length: u64) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.change()?;
        let number = *state.names.get(path).ok_or(ErrorKind::NotFound)?;
        let contents = state.contents(number)?;
        contents.bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        contents.durable = contents.durable.min(contents.bytes.len());
        Ok(Box::new(MemoryFile { disk: self.clone(), number }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        state.change()?;
        let number = state.names.remove(from).ok_or(ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), number);
        Ok(())
    }

    fn remove(&self, path: &str) -> io::Result<bool> {
        let mut state = self.state();
        state.change()?;
        Ok(state.names.remove(path).is_some())
    }

    fn sync_directory(&self, path: &str) -> io::Result<()> {
        let mut state = self.state();
        state.change()?;
        let inside = |name: &str| directory(name) == path;
        state.durable_names.retain(|name, _| !inside(name));
        let now: Vec<(String, u64)> =
            state.names.iter().filter(|(name, _)| inside(name)).map(|(name, number)| (name.clone(), *number)).collect();
        state.durable_names.extend(now);
        Ok(())
    }

    fn guard(&self, path: &str) -> io::Result<Option<Box<dyn Send>>> {
        let mut state = self.state();
        state.up()?;
        if !state.held.insert(path.to_owned()) {
            return Ok(None);
        }
        Ok(Some(Box::new(Held { disk: self.clone(), path: path.to_owned() })))
    }

    fn show(&self, path: &str) -> String {
        format!("memory:{path}")
    }
}

fn listed(names: &BTreeMap<String, u64>, directory: &str) -> Vec<Listed> {
    let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let entries: BTreeSet<Listed> = names
        .range(prefix.clone()..)
        .map_while(|(path, _)| path.strip_prefix(&prefix))
        .map(|rest| match rest.split_once('/') {
            Some((name, _)) => Listed { name: name.to_owned(), directory: true },
            None => Listed { name: rest.to_owned(), directory: false },
        })
        .collect();
    entries.into_iter().collect()
}

/// An object store as seen from a simulated machine: puts are durable at once, lists lag, and
/// answers get lost. Its objects are stored beside the files of the disk, whose faults and power failures cut it off too.
#[derive(Clone, Debug)]
pub struct MemoryObjects {
    machine: MemoryDisk,
    /// How many of the last changes a list does not show.
    lag: usize,
}

impl MemoryObjects {
    /// The store as seen from a machine. Lists do not show the last `lag` changes since its restart.
    pub fn new(machine: &MemoryDisk, lag: usize) -> Self {
        Self { machine: machine.clone(), lag }
    }
}

impl Objects for MemoryObjects {
    fn get(&self, path: &str) -> io::Result<Option<Object>> {
        let version = self.machine.version(path)?;
        let bytes = self.machine.read(path)?;
        Ok(version.zip(bytes).map(|(version, bytes)| Object { bytes, version: Version(version) }))
    }

    fn exists(&self, path: &str) -> io::Result<bool> {
        Ok(self.machine.version(path)?.is_some())
    }

    fn put(&self, path: &str, bytes: &[u8], condition: Condition<'_>) -> io::Result<()> {
        let mut state = self.machine.state();
        state.change()?;
        let before = state.names.get(path).copied();
        let holds = match condition {
            Condition::Always => true,
            Condition::Absent => before.is_none(),
            Condition::Unchanged(version) => before.map(|number| number.to_string()).as_ref() == Some(&version.0),
        };
        if !holds {
            return Err(conflict());
        }
        let operations = state.operations;
        let lost =
            |(at, fault): &mut (u64, Fault)| *at < operations && matches!(fault, Fault::LostPut | Fault::LostAnswer);
        let lost = state.fault.take_if(lost).map(|(_, fault)| fault);
        if lost != Some(Fault::LostPut) {
            state.put(path, bytes);
            state.replaced.push((path.to_owned(), before));
        }
        if lost.is_some() { Err(ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        let state = self.machine.state();
        state.up()?;
        let mut names = state.names.clone();
        for (path, before) in state.replaced.iter().rev().take(self.lag) {
            match before {
                Some(number) => drop(names.insert(path.clone(), *number)),
                None => drop(names.remove(path)),
            }
        }
        Ok(listed(&names, directory))
    }

    fn lists_are_current(&self) -> bool {
        self.lag == 0
    }

    fn delete(&self, paths: &[String]) -> io::Result<()> {
        let mut state = self.machine.state();
        for path in paths {
            state.change()?;
            let before = state.names.remove(path);
            state.durable_names.remove(path);
            state.replaced.push((path.clone(), before));
        }
        Ok(())
    }

    fn sweep(&self, _directory: &str) -> io::Result<()> {
        Ok(())
    }

    fn describe(&self, path: &str) -> String {
        self.machine.show(path)
    }
}
