//! Recovery: merges an interrupted run's journal into the state. Works on texts, so it needs no key.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;

use crate::backend::stack_name::StackName;
use crate::checkpoint::table::{Table, TextRecord};
use crate::failure::io_failure;
use crate::journal::frame::{self, Frame, JournalFile, Marker};
use crate::journal::merge::{self, Creation};
use crate::machine::{Life, Machine};
use crate::store::disk::Disk;
use crate::store::files::sweep;
use crate::{EntryKey, OperationId};

/// The suffix of journals.
const JOURNAL: &str = ".journal";

/// A journal of an interrupted run, or of one that is still running.
pub(crate) struct Leftover {
    /// The same as the id of the run's lock.
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) journal: JournalFile,
}

/// The state merged with the journals.
pub(crate) struct Recovered {
    pub(crate) table: Table,
    pub(crate) findings: Vec<Diagnostic>,
}

/// The paths of a stack's journals.
pub(crate) fn paths(disk: &dyn Disk, stack: &StackName) -> Result<Vec<String>, Diagnostic> {
    let directory = stack.journal_directory();
    let listed =
        disk.list(&directory).map_err(|error| io_failure(&disk.show(&directory), "list the journals", &error))?;
    let journals = listed.iter().filter(|entry| entry.name.ends_with(JOURNAL) && !entry.directory);
    Ok(journals.map(|entry| format!("{directory}/{}", entry.name)).collect())
}

/// Reads the journals of a stack, the oldest run first.
pub(crate) fn leftovers(disk: &dyn Disk, stack: &StackName) -> Result<Vec<Leftover>, Diagnostic> {
    let mut found = Vec::new();
    for path in paths(disk, stack)? {
        let file = disk.show(&path);
        if let Some(bytes) = disk.read(&path).map_err(|error| io_failure(&file, "read a journal", &error))? {
            let journal = frame::read(&bytes, &file)?;
            let name = path.strip_suffix(JOURNAL).unwrap_or(&path);
            found.push(Leftover { id: name.rsplit('/').next().unwrap_or(name).to_owned(), path, journal });
        }
    }
    found.sort_by(|one, two| began(one).cmp(began(two)).then_with(|| one.id.cmp(&two.id)));
    Ok(found)
}

fn began(leftover: &Leftover) -> &str {
    leftover.journal.header.as_ref().map_or("", |header| &header.began)
}

/// Refuses to continue while a run that lost its lock is still finishing its operations.
pub(crate) fn refuse_running(leftovers: &[Leftover], machine: &dyn Machine) -> Result<(), Diagnostic> {
    let headers = leftovers.iter().filter_map(|leftover| leftover.journal.header.as_ref());
    for header in headers {
        let process = &header.process;
        if machine.life(process) == Life::Running {
            return Err(Diagnostic::error("run-still-active", "an earlier run is still finishing its operations")
                .detail(format!(
                    "Process {} of {}@{} lost its lock, so it starts nothing new, but it still records results.",
                    process.pid, process.username, process.hostname
                ))
                .hint("Wait for it to end, then run the command again."));
        }
    }
    Ok(())
}

/// Merges the journals into the state of a checkpoint with this digest.
pub(crate) fn recover(table: Table, digest: &str, leftovers: &[Leftover]) -> Recovered {
    let mut recovered = Recovered { table, findings: Vec::new() };
    let mut digest = Some(digest);
    for leftover in leftovers {
        let Some(header) = &leftover.journal.header else { continue };
        let frames = &leftover.journal.frames;
        if !frames.iter().any(|frame| matches!(frame, Frame::Records(_))) {
            continue;
        }
        match digest.and_then(|digest| place(leftover, digest)) {
            Some((start, marker)) => {
                let table = marker.map_or_else(|| recovered.table.clone(), |marker| numbered(&recovered.table, marker));
                recovered.table = replay(table, frames.get(start..).unwrap_or_default());
                if header.secrets_provider.is_some() {
                    recovered.table.secrets_provider.clone_from(&header.secrets_provider);
                }
                recovered.findings.push(replayed(leftover, frames.get(start..).unwrap_or_default()));
            }
            None => {
                let (created, pending) = creations(leftover);
                recovered.findings.extend(merge::merge(&mut recovered.table, created, pending));
            }
        }
        // The next journal was not written on top of this one.
        digest = None;
    }
    recovered
}

/// The position in the journal of the checkpoint with this digest: the first frame after it, and its marker.
fn place<'a>(leftover: &'a Leftover, digest: &str) -> Option<(usize, Option<&'a Marker>)> {
    let frames = &leftover.journal.frames;
    let marked = frames.iter().enumerate().rev().find_map(|(index, frame)| match frame {
        Frame::Marker(marker) if marker.digest == digest => Some((index + 1, Some(marker))),
        _ => None,
    });
    marked.or_else(|| (leftover.journal.header.as_ref()?.base == digest).then_some((0, None)))
}

/// The checkpoint's entries under the run's keys.
fn numbered(table: &Table, marker: &Marker) -> Table {
    Table {
        entries: marker.entries.iter().copied().map(EntryKey).zip(table.entries.values().cloned()).collect(),
        operations: marker
            .operations
            .iter()
            .copied()
            .map(OperationId)
            .zip(table.operations.values().cloned())
            .collect(),
        secrets_provider: table.secrets_provider.clone(),
        manifest: table.manifest.clone(),
        rest: table.rest.clone(),
        names: table.names.clone(),
    }
}

fn replay(mut table: Table, frames: &[Frame]) -> Table {
    for frame in frames {
        if let Frame::Records(records) = frame {
            records.iter().cloned().for_each(|record| table.apply(record));
        }
    }
    table
}

fn replayed(leftover: &Leftover, frames: &[Frame]) -> Diagnostic {
    let count: usize =
        frames.iter().map(|frame| if let Frame::Records(records) = frame { records.len() } else { 0 }).sum();
    let results = if count == 1 { "1 result was".to_owned() } else { format!("{count} results were") };
    let found = Diagnostic::info(
        "journal-recovered",
        format!("recovered an interrupted update: {results} added from its journal"),
    );
    match &leftover.journal.header {
        // The command may be read-only, while that update is running.
        Some(header) => found.detail(format!(
            "The update by {}@{} (process {}), started at {}, ended before it wrote the state.",
            header.process.username, header.process.hostname, header.process.pid, header.began
        )),
        None => found,
    }
}

/// The finished and unfinished creations of a run since the last checkpoint known to be in place. Only these are
/// merged if another program has written the state since.
fn creations(leftover: &Leftover) -> (Vec<Creation>, Vec<(String, Arc<str>)>) {
    let frames = &leftover.journal.frames;
    // A marker is known to have become the checkpoint if the run continued after it. Markers at the end belong to attempts, of the run
    // or of a recovery like this one, that may have been interrupted before the checkpoint was in place: any number of them.
    let last = frames.iter().rposition(|frame| matches!(frame, Frame::Records(_))).unwrap_or_default();
    let start = frames.iter().take(last).rposition(|frame| matches!(frame, Frame::Marker(_)));
    let known: BTreeSet<EntryKey> = match start.and_then(|index| frames.get(index)) {
        Some(Frame::Marker(marker)) => marker.entries.iter().copied().map(EntryKey).collect(),
        _ => {
            let count = leftover.journal.header.as_ref().map_or(0, |header| header.entries);
            (0..count).map(EntryKey).collect()
        }
    };
    let mut put: BTreeMap<EntryKey, Arc<str>> = BTreeMap::new();
    let mut begun: BTreeMap<OperationId, (String, Arc<str>)> = BTreeMap::new();
    let records = frames.iter().skip(start.map_or(0, |index| index + 1)).filter_map(|frame| match frame {
        Frame::Records(records) => Some(records),
        Frame::Marker(_) => None,
    });
    for TextRecord { end, remove, put: new, begin } in records.flatten() {
        end.iter().for_each(|id| drop(begun.remove(id)));
        remove.iter().for_each(|key| drop(put.remove(key)));
        put.extend(new.iter().filter(|(key, _)| !known.contains(key)).cloned());
        begun.extend(begin.iter().map(|(id, kind, text)| (*id, (kind.clone(), Arc::clone(text)))));
    }
    let created = put.into_values().filter_map(|text| Creation::parse(&text)).collect();
    (created, begun.into_values().filter(|(kind, _)| kind == "creating").collect())
}

/// Adds a marker to each journal, before the state with this digest, which contains all of them, is put in place. After a crash in
/// between, the journals then count as merged.
pub(crate) fn mark(disk: &dyn Disk, leftovers: &[Leftover], marker: &Marker) -> Result<(), Diagnostic> {
    let mut bytes = Vec::new();
    frame::push_marker(&mut bytes, marker);
    for leftover in leftovers.iter().filter(|leftover| leftover.journal.header.is_some()) {
        let marked = disk.reopen(&leftover.path, leftover.journal.length).and_then(|mut file| {
            file.append(&bytes)?;
            file.sync()
        });
        marked.map_err(|error| io_failure(&disk.show(&leftover.path), "write the journal", &error))?;
    }
    Ok(())
}

/// Removes journals whose results are in the checkpoint.
pub(crate) fn discard(disk: &dyn Disk, stack: &StackName, journals: &[String]) -> Result<(), Diagnostic> {
    let directory = stack.journal_directory();
    let removed = journals.iter().try_for_each(|path| disk.remove(path).map(drop));
    let swept = removed.and_then(|()| sweep(disk, &directory));
    let synced = swept.and_then(|()| if journals.is_empty() { Ok(()) } else { disk.sync_directory(&directory) });
    synced.map_err(|error| io_failure(&disk.show(&directory), "remove a journal", &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::frame::Header;

    #[test]
    fn attempts_that_were_cut_short_hide_nothing() {
        let entry: Arc<str> =
            r#"{"urn":"urn:pulumi:dev::shop::a:b:C::made","type":"a:b:C","custom":true,"id":"1"}"#.into();
        let put = TextRecord { put: vec![(EntryKey(0), entry)], ..TextRecord::default() };
        let marker = |digest: &str| {
            Frame::Marker(Marker { digest: digest.to_owned(), entries: vec![0], operations: Vec::new() })
        };
        let journal = |frames| JournalFile { header: Some(Header::default()), frames, length: 0 };
        let leftover = |frames| Leftover { id: String::new(), path: String::new(), journal: journal(frames) };
        let found = |frames| recover(Table::default(), "foreign", &[leftover(frames)]).table.entries.len();
        let made = Frame::Records(vec![put]);
        assert_eq!(found(vec![made.clone(), marker("first"), marker("second")]), 1);
        let went_on = Frame::Records(vec![TextRecord { end: vec![OperationId(0)], ..TextRecord::default() }]);
        assert_eq!(found(vec![made, marker("first"), went_on]), 0);
    }
}
