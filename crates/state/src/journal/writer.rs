//! The one writer of a run: makes records durable, keeps the current state, and writes a checkpoint from time to time.
//!
//! Nothing here waits or starts threads, so a simulator can drive it step by step.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;

use crate::backend::Backend;
use crate::backend::history::{UpdateInfo, write_backup, write_history};
use crate::backend::lock::Lock;
use crate::backend::stack_name::StackName;
use crate::checkpoint::digest;
use crate::checkpoint::entry::{operation_name, write_entry};
use crate::checkpoint::property::Secrets;
use crate::checkpoint::table::{Rendered, Table, TextRecord};
use crate::clock::Clock;
use crate::failure::io_failure;
use crate::journal::frame::{self, Header, Marker};
use crate::machine::ProcessFacts;
use crate::store::disk::{DiskFile, directory};
use crate::store::files::replace;
use crate::{EntryKey, OperationId, Record, Resource};

/// The shortest interval between checkpoints during a run.
const INTERVAL: Duration = Duration::from_secs(10);
/// The longest interval, unless nothing has changed. In between, a checkpoint waits until the journal has grown by the state's size, so
/// that all checkpoints together write no more than the journal does.
const LONGEST: Duration = Duration::from_secs(30);
/// At most one part in this many of the run's time is spent on checkpoints.
const SHARE: u32 = 20;

/// Nothing begins unless the journal has this much room reserved for results, however full the disk becomes.
const ROOM: u64 = 1024 * 1024;

/// The checkpoint in place, which the journal extends.
pub(crate) struct Base {
    pub(crate) digest: String,
    pub(crate) entries: Vec<EntryKey>,
    pub(crate) operations: Vec<OperationId>,
}

/// The parts of a writer.
pub(crate) struct Parts {
    pub(crate) backend: Backend,
    pub(crate) stack: StackName,
    pub(crate) lock: Lock,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) process: ProcessFacts,
    pub(crate) crypter: Arc<dyn Crypter>,
    pub(crate) table: Table,
    pub(crate) base: Base,
}

/// The writer.
pub(crate) struct Writer {
    parts: Parts,
    began: String,
    path: String,
    /// The open journal and the length of its intact part. There is none before the first record and after a failed write.
    journal: Option<Box<dyn DiskFile>>,
    /// Whether a journal was ever written, and so must be removed or kept.
    journaled: bool,
    /// Whether there are results that are in no file.
    unwritten: bool,
    /// Entries that differ from the base.
    changed: BTreeSet<EntryKey>,
    lost: bool,
    dirty: bool,
    /// The checkpoint whose put failed. It may be in place anyway, if only the answer was lost.
    doubtful: Option<Base>,
    /// Whether the state before this run has been kept beside the checkpoint.
    backed_up: bool,
    /// When the next checkpoint may be written.
    due: Duration,
    /// When the last one was.
    last: Duration,
    /// How many bytes the journal has grown by since.
    grown: usize,
}

impl Writer {
    pub(crate) fn new(parts: Parts) -> Self {
        let path = format!("{}/{}.journal", parts.stack.journal_directory(), parts.lock.id());
        let last = parts.clock.elapsed();
        let began = parts.clock.now().to_string();
        Self {
            parts,
            began,
            path,
            journal: None,
            journaled: false,
            unwritten: false,
            changed: BTreeSet::new(),
            lost: false,
            dirty: false,
            doubtful: None,
            backed_up: false,
            due: last + INTERVAL,
            last,
            grown: 0,
        }
    }

    /// Makes a batch of records durable in one flush. Returns one result for each.
    pub(crate) fn commit(&mut self, records: Vec<Record>) -> Vec<Result<(), Diagnostic>> {
        let lock = self.check_lock();
        let mut answers = Vec::with_capacity(records.len());
        let mut texts = Vec::with_capacity(records.len());
        for record in records {
            let (mut text, answer) = self.encode(&record);
            let mut answer = answer;
            if let Err(refusal) = &lock
                && !text.begin.is_empty()
            {
                // Nothing new may start, but the record's results are kept.
                text.begin.clear();
                answer = Err(refusal.clone());
            }
            answers.push(answer);
            texts.push(text);
        }
        if let Err(error) = self.open_journal().and_then(|()| self.make_room(&texts)) {
            // Nothing may start whose result might find no room. Results continue into the reserved room.
            let refusal = self.journal_failure("write the journal", &error).note("Nothing new is started.");
            for (text, answer) in texts.iter_mut().zip(&mut answers).filter(|(text, _)| !text.begin.is_empty()) {
                text.begin.clear();
                *answer = Err(refusal.clone());
            }
        }
        let written = self.append(&texts);
        self.unwritten |= written.is_err();
        for text in &mut texts {
            if written.is_err() {
                text.begin.clear();
            }
        }
        self.apply(texts);
        match written {
            Ok(()) => answers,
            Err(error) => {
                let failure = self.journal_failure("write the journal", &error).note(
                    "The results stay in memory and are written with the next record or at the end, if there is room then.",
                );
                answers.into_iter().map(|answer| answer.and_then(|()| Err(failure.clone()))).collect()
            }
        }
    }

    /// Reserves room for the results of the operations that these records begin, if any.
    fn make_room(&mut self, records: &[TextRecord]) -> io::Result<()> {
        let begins = records.iter().any(|record| !record.begin.is_empty());
        self.journal.as_mut().filter(|_| begins).map_or(Ok(()), |file| file.reserve(ROOM))
    }

    /// The time until the checkpoint should be rewritten; `None` if it is current or must not be written.
    pub(crate) fn until_due(&self) -> Option<Duration> {
        (self.dirty && !self.lost).then(|| self.due.saturating_sub(self.parts.clock.elapsed()))
    }

    /// How many operations are running.
    pub(crate) fn running(&self) -> usize {
        self.parts.table.operations.len()
    }

    /// Rewrites the checkpoint if it is due. A failure need not stop the run: the journal has everything, and the end of the
    /// run tries again and reports it.
    pub(crate) fn tick(&mut self) {
        if !self.until_due().is_some_and(|wait| wait.is_zero()) {
            return;
        }
        let now = self.parts.clock.elapsed();
        let size: usize = self.parts.table.entries.values().map(|entry| entry.text.len()).sum();
        if self.grown < size && now.saturating_sub(self.last) < LONGEST {
            self.due = now + INTERVAL;
        } else {
            let _ = self.checkpoint();
        }
    }

    /// Ends the run: writes the final checkpoint, the history and the backup, then removes the journal and the lock.
    pub(crate) fn finish(&mut self, info: &UpdateInfo) -> Result<(), Diagnostic> {
        let bytes = self.checkpoint()?;
        let now = self.parts.clock.now();
        let Parts { backend, stack, .. } = &self.parts;
        let mut copied = write_history(backend.objects.as_ref(), stack, now, info, &bytes);
        if copied.is_ok() && !backend.options.disable_backups {
            copied = write_backup(backend.objects.as_ref(), stack, now, &bytes);
        }
        self.close()?;
        copied.map_err(|error| {
            let Parts { backend, stack, .. } = &self.parts;
            (backend.failure("write the history", &stack.history_directory(), &error))
                .note("The state itself was written; only its copy in the history or the backups is missing.")
        })
    }

    /// Releases the stack without a new checkpoint, but only for a run that recorded nothing. Otherwise journal and lock stay.
    pub(crate) fn release(&mut self) -> Result<(), Diagnostic> {
        if self.journaled || self.dirty { Ok(()) } else { self.parts.lock.release() }
    }

    fn journal_failure(&self, what: &str, error: &io::Error) -> Diagnostic {
        io_failure(&self.parts.backend.disk.show(&self.path), what, error)
    }

    fn check_lock(&mut self) -> Result<(), Diagnostic> {
        if !self.lost {
            self.lost = !self.parts.lock.is_held()?;
        }
        if self.lost { Err(self.lock_lost()) } else { Ok(()) }
    }

    fn lock_lost(&self) -> Diagnostic {
        Diagnostic::error("lock-lost", format!("the lock of stack `{}` was removed during the run", self.parts.stack))
            .detail("Another command ran `cancel`, or the lock file was removed. This run starts nothing new and no longer writes the state, because another command may be writing it.")
            .hint("The results of this run are in its journal. The next outrigger command on this stack adds them to the state.")
    }

    /// The record with its resources as text. If a secret cannot be encrypted, the entry is kept without its secret values:
    /// an existing resource must not be forgotten.
    fn encode(&self, record: &Record) -> (TextRecord, Result<(), Diagnostic>) {
        let mut answer = Ok(());
        let mut write = |resource: &Resource| -> Option<Arc<str>> {
            match write_entry(resource, Secrets::Sealed(self.parts.crypter.as_ref())) {
                Ok(text) => Some(text.into()),
                Err(error) => {
                    answer = Err(error
                        .note(format!("Resource {} was kept in the state without its secret values.", resource.urn)));
                    write_entry(resource, Secrets::Withheld).ok().map(Into::into)
                }
            }
        };
        let put: Vec<_> = record.put.iter().filter_map(|(key, resource)| Some((*key, write(resource)?))).collect();
        let mut begin: Vec<_> = record
            .begin
            .iter()
            .filter_map(|(id, operation)| {
                Some((*id, operation_name(operation.kind).to_owned(), write(&operation.resource)?))
            })
            .collect();
        if answer.is_err() {
            // A refused operation does not start, so it must not be recorded as begun.
            begin.clear();
        }
        (TextRecord { end: record.end.clone(), remove: record.remove.clone(), put, begin }, answer)
    }

    /// Opens the journal if it is not open.
    fn open_journal(&mut self) -> io::Result<()> {
        if self.journal.is_some() && self.parts.backend.disk.version(&self.path)?.is_none() {
            // Another run recovered our journal and removed the file, so anything written to it now would be lost.
            self.journal = None;
        }
        if self.journal.is_none() { self.start_journal() } else { Ok(()) }
    }

    fn append(&mut self, records: &[TextRecord]) -> io::Result<()> {
        if self.journal.is_none() {
            self.start_journal()?;
        }
        let mut bytes = Vec::new();
        frame::push_records(&mut bytes, records);
        self.append_bytes(&bytes)
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.journal else { return Err(io::ErrorKind::NotFound.into()) };
        let _span = tracing::debug_span!("journal", bytes = bytes.len()).entered();
        let written = file.append(bytes).and_then(|()| file.sync());
        self.grown += bytes.len();
        if written.is_err() {
            // Part of it may be there, and after a failed sync there is no telling which part: the next write starts a new file.
            self.journal = None;
        }
        written
    }

    /// Starts a journal with everything since the base, replacing any existing one.
    fn start_journal(&mut self) -> io::Result<()> {
        let parts = &self.parts;
        let numbered = (0..).map(EntryKey).zip(&parts.base.entries).all(|(key, entry)| key == *entry);
        let plain = numbered && (0..).map(OperationId).zip(&parts.base.operations).all(|(id, each)| id == *each);
        let header = Header::new(
            parts.stack.qualified(),
            parts.base.digest.clone(),
            u64::try_from(parts.base.entries.len()).unwrap_or_default(),
            self.began.clone(),
            parts.process.clone(),
            parts.table.secrets_provider.clone(),
        );
        let mut bytes = Vec::new();
        frame::push_header(&mut bytes, &header);
        // A checkpoint that may or may not be in place goes before the base: whichever of the two is in place, its marker is found, and all
        // of this follows it.
        for base in self.doubtful.iter().chain((self.doubtful.is_some() || !plain).then_some(&parts.base)) {
            frame::push_marker(&mut bytes, &marker(&base.digest, &base.entries, &base.operations));
        }
        let since = self.since_base();
        if since != TextRecord::default() {
            frame::push_records(&mut bytes, &[since]);
        }
        self.journal = replace(self.parts.backend.disk.as_ref(), &[(&self.path, &bytes)])?;
        self.journaled = true;
        self.unwritten = false;
        Ok(())
    }

    /// Everything since the base, as one record.
    fn since_base(&self) -> TextRecord {
        let Parts { table, base, .. } = &self.parts;
        let entry = |key: &EntryKey| Some((*key, Arc::clone(&table.entries.get(key)?.text)));
        let begun = table.operations.iter().filter(|(id, _)| !base.operations.contains(id));
        TextRecord {
            end: base.operations.iter().filter(|id| !table.operations.contains_key(id)).copied().collect(),
            remove: base.entries.iter().filter(|key| !table.entries.contains_key(key)).copied().collect(),
            put: self.changed.iter().filter_map(entry).collect(),
            begin: begun.map(|(id, each)| (*id, each.kind.clone(), Arc::clone(&each.text))).collect(),
        }
    }

    fn apply(&mut self, records: Vec<TextRecord>) {
        for record in records {
            for key in &record.remove {
                self.changed.remove(key);
            }
            self.changed.extend(record.put.iter().map(|(key, _)| *key));
            self.dirty |= record != TextRecord::default();
            self.parts.table.apply(record);
        }
    }

    /// Writes the state. At every instant, checkpoint and journal together are the whole state:
    /// the journal first names the checkpoint that will contain its records so far, then that checkpoint is put in place.
    pub(crate) fn checkpoint(&mut self) -> Result<Vec<u8>, Diagnostic> {
        let start = self.parts.clock.elapsed();
        let result = tracing::debug_span!("checkpoint").in_scope(|| self.write_checkpoint());
        let now = self.parts.clock.elapsed();
        let spent = now.saturating_sub(start);
        self.due = now + INTERVAL.max(spent.saturating_mul(SHARE - 1));
        (self.last, self.grown) = (now, 0);
        result
    }

    fn write_checkpoint(&mut self) -> Result<Vec<u8>, Diagnostic> {
        self.check_lock()?;
        let backend = self.parts.backend.clone();
        let path = self.parts.stack.checkpoint_path();
        let unwritten = self.unwritten;
        let failure =
            |error: &io::Error| backend.failure("write the state", &path, error).note(what_is_kept(unwritten));
        let mut old = backend.objects.get(&path).map_err(|error| failure(&error))?;
        let found = digest(old.as_ref().map(|old| old.bytes.as_slice()).unwrap_or_default());
        if let Some(came_about) = self.doubtful.take_if(|doubtful| doubtful.digest == found) {
            self.parts.base = came_about;
        }
        if found != self.parts.base.digest {
            self.lost = true;
            return Err(self.lock_lost().note("Another program has written the state's file since this run began."));
        }
        // If it need not be kept beside the new one, only its version is needed.
        if let Some(old) = old.as_mut().filter(|_| self.backed_up) {
            old.bytes = Vec::new();
        }
        let now = self.parts.clock.now();
        let Rendered { text, entries, operations } = (self.parts.table.render(&self.parts.stack.qualified(), now))
            .map_err(|violation| violation.on_write(&backend.show(&self.parts.stack)))?;
        let new = Base { digest: digest(text.as_bytes()), entries, operations };
        if self.journaled {
            let mut bytes = Vec::new();
            frame::push_marker(&mut bytes, &marker(&new.digest, &new.entries, &new.operations));
            let marked = if self.journal.is_none() { self.start_journal() } else { Ok(()) };
            marked.and_then(|()| self.append_bytes(&bytes)).map_err(|error| failure(&error))?;
        }
        // The copy beside it is the stack before this run, which is worth keeping, unlike the half-done states in between.
        let kept = match old.as_ref().filter(|_| !self.backed_up) {
            Some(old) => backend.keep_beside(&self.parts.stack, old),
            None => Ok(()),
        };
        let put = kept.and_then(|()| backend.put_checkpoint(&self.parts.stack, old.as_ref(), text.as_bytes(), now));
        if let Err(error) = put {
            // The journal names a checkpoint that may not be in place. The next record starts a new journal with a marker for
            // either checkpoint, so that no earlier record counts as written.
            self.journal = None;
            self.doubtful = Some(new);
            return Err(failure(&error));
        }
        self.backed_up = true;
        self.doubtful = None;
        self.parts.base = new;
        self.changed.clear();
        self.dirty = false;
        Ok(text.into_bytes())
    }

    /// Removes the journal, whose results are in the checkpoint now, and releases the lock.
    fn close(&mut self) -> Result<(), Diagnostic> {
        if self.journaled {
            self.journal = None;
            let disk = &self.parts.backend.disk;
            let removed = disk.remove(&self.path).and_then(|_| disk.sync_directory(directory(&self.path)));
            removed.map_err(|error| self.journal_failure("remove the journal", &error))?;
            self.journaled = false;
        }
        self.parts.lock.release()
    }
}

fn what_is_kept(unwritten: bool) -> &'static str {
    if unwritten {
        "The state file is unchanged. The journal has every operation that this run began, and every result but the last ones: the next outrigger command adds them to the state and names the operations whose results could not be written. The lock stays, so that `pulumi` does not continue from the old state."
    } else {
        "Nothing is lost: the state file is unchanged, and the journal has every result. The lock stays, so that `pulumi` does not continue from the old state; the next outrigger command adds the results to the state."
    }
}

fn marker(digest: &str, entries: &[EntryKey], operations: &[OperationId]) -> Marker {
    Marker {
        digest: digest.to_owned(),
        entries: entries.iter().map(|key| key.0).collect(),
        operations: operations.iter().map(|id| id.0).collect(),
    }
}
