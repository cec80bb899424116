//! The journal file: a header, then batches of records and markers, each in a frame of length, checksum and JSON.
//!
//! Each flush is one frame, and the next is written only when it is durable. So a crash can damage only the last frame, in whatever order
//! the disk wrote its blocks: a bad last frame is cut off without an error. A bad frame followed by a good one is damage, and the file is
//! refused.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::checkpoint::json::JsonWriter;
use crate::checkpoint::table::TextRecord;
use crate::machine::ProcessFacts;
use crate::{EntryKey, OperationId};

/// The version of the format.
const VERSION: u32 = 1;
const FORMAT: &str = "outrigger-journal";
const PREFIX: usize = 8;
/// The start of each kind of payload.
const RECORDS: &str = r#"{"records":["#;
const MARKER: &str = r#"{"checkpoint":"#;

/// The first frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    format: String,
    version: u32,
    /// `organization/PROJECT/STACK`.
    pub(crate) stack: String,
    /// Digest of the checkpoint that the records extend.
    pub(crate) base: String,
    /// How many entries that checkpoint had; they are numbered from 0.
    pub(crate) entries: u64,
    /// When the run began, RFC 3339.
    pub(crate) began: String,
    /// The process that ran it.
    pub(crate) process: ProcessFacts,
    /// `secrets_providers` of the coming checkpoints.
    pub(crate) secrets_provider: Option<String>,
}

impl Header {
    pub(crate) fn new(
        stack: String,
        base: String,
        entries: u64,
        began: String,
        process: ProcessFacts,
        secrets_provider: Option<String>,
    ) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, stack, base, entries, began, process, secrets_provider }
    }
}

/// Everything before this frame is in a checkpoint with this digest, which may or may not have been put in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Marker {
    pub(crate) digest: String,
    /// The entries in that checkpoint's order.
    pub(crate) entries: Vec<u64>,
    /// The operations in that checkpoint's order.
    pub(crate) operations: Vec<u64>,
}

/// A later frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Frame {
    Records(Vec<TextRecord>),
    Marker(Marker),
}

/// A parsed journal.
#[derive(Clone, Debug)]
pub(crate) struct JournalFile {
    /// `None` if the crash came before the header was written.
    pub(crate) header: Option<Header>,
    pub(crate) frames: Vec<Frame>,
    /// The length of the intact part.
    pub(crate) length: u64,
}

/// Adds a frame to `out`.
fn push(out: &mut Vec<u8>, payload: &str) {
    // No resource comes near four gigabytes; a larger payload reads as damage, so it must not be written.
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(payload.as_bytes()).to_le_bytes());
    out.extend_from_slice(payload.as_bytes());
}

/// Adds the header's frame.
pub(crate) fn push_header(out: &mut Vec<u8>, header: &Header) {
    // Strings and numbers only, so this cannot fail.
    push(out, &serde_json::to_string(header).unwrap_or_default());
}

/// Adds a marker's frame.
pub(crate) fn push_marker(out: &mut Vec<u8>, marker: &Marker) {
    push(out, &format!("{MARKER}{}}}", serde_json::to_string(marker).unwrap_or_default()));
}

/// Adds a batch of records as one frame.
pub(crate) fn push_records(out: &mut Vec<u8>, records: &[TextRecord]) {
    let mut json = JsonWriter::new();
    json.raw(RECORDS);
    for record in records {
        json.separate();
        write_record(&mut json, record);
    }
    json.raw("]}");
    push(out, &json.finish());
}

fn write_record(json: &mut JsonWriter, record: &TextRecord) {
    json.raw("{");
    json.key("end");
    json.raw(&numbers(record.end.iter().map(|id| id.0)));
    json.key("remove");
    json.raw(&numbers(record.remove.iter().map(|key| key.0)));
    json.key("put");
    json.raw("[");
    for (key, text) in &record.put {
        json.separate();
        json.raw(&format!("[{},", key.0));
        json.raw(text);
        json.raw("]");
    }
    json.raw("]");
    json.key("begin");
    json.raw("[");
    for (id, kind, text) in &record.begin {
        json.separate();
        json.raw(&format!("[{},", id.0));
        json.string(kind);
        json.raw(",");
        json.raw(text);
        json.raw("]");
    }
    json.raw("]}");
}

fn numbers(values: impl Iterator<Item = u64>) -> String {
    let texts: Vec<String> = values.map(|value| value.to_string()).collect();
    format!("[{}]", texts.join(","))
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    records: Option<Vec<RecordPayload<'a>>>,
    #[serde(default)]
    checkpoint: Option<Marker>,
}

#[derive(Deserialize)]
struct RecordPayload<'a> {
    end: Vec<u64>,
    remove: Vec<u64>,
    #[serde(borrow)]
    put: Vec<(u64, &'a RawValue)>,
    #[serde(borrow)]
    begin: Vec<(u64, String, &'a RawValue)>,
}

/// Reads a journal. A torn end is cut off; damage before the end and an unknown version are errors.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<JournalFile, Diagnostic> {
    let mut journal = JournalFile { header: None, frames: Vec::new(), length: 0 };
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some((payload, after)) = next(rest) else {
            return if holds_a_frame(rest) { Err(damaged(file, journal.length)) } else { Ok(journal) };
        };
        let understood = if journal.header.is_none() {
            journal.header = Some(read_header(payload, file)?);
            true
        } else {
            read_frame(payload).map(|frame| journal.frames.push(frame)).is_some()
        };
        if !understood {
            // The checksum is right, so this is not a torn end.
            return Err(damaged(file, journal.length));
        }
        journal.length += u64::try_from(rest.len() - after.len()).unwrap_or_default();
        rest = after;
    }
    Ok(journal)
}

/// The first frame's payload and the remaining bytes, if the frame is complete and its checksum is right.
fn next(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (prefix, rest) = bytes.split_first_chunk::<PREFIX>()?;
    let [l0, l1, l2, l3, c0, c1, c2, c3] = *prefix;
    let length = usize::try_from(u32::from_le_bytes([l0, l1, l2, l3])).ok()?;
    let (payload, after) = rest.split_at_checked(length)?;
    // An empty frame would have the checksum 0, and so does a run of zeros: a file that was extended but not filled.
    if length == 0 || crc32fast::hash(payload) != u32::from_le_bytes([c0, c1, c2, c3]) {
        return None;
    }
    Some((std::str::from_utf8(payload).ok()?, after))
}

/// Whether an intact frame begins anywhere after the first byte: the part before it is then damaged, not a torn end.
fn holds_a_frame(bytes: &[u8]) -> bool {
    let starts = |at: usize| {
        let payload = bytes.get(at + PREFIX..).unwrap_or_default();
        payload.starts_with(RECORDS.as_bytes()) || payload.starts_with(MARKER.as_bytes())
    };
    (1..bytes.len()).any(|at| starts(at) && bytes.get(at..).and_then(next).is_some())
}

fn read_header(payload: &str, file: &str) -> Result<Header, Diagnostic> {
    #[derive(Deserialize)]
    struct Kind {
        format: String,
        version: u32,
    }
    match serde_json::from_str::<Kind>(payload) {
        Ok(kind) if kind.format == FORMAT && kind.version != VERSION => Err(Diagnostic::error(
            "journal-version",
            format!("the journal has version {}, which this build does not know", kind.version),
        )
        .detail(format!("{file} holds results of an interrupted run of another version of Outrigger."))
        .hint("Run any command on this stack once with the version that wrote it; the command adds the results to the state.")),
        _ => serde_json::from_str(payload).map_err(|_| damaged(file, 0)),
    }
}

fn read_frame(payload: &str) -> Option<Frame> {
    let payload: Payload<'_> = serde_json::from_str(payload).ok()?;
    match (payload.records, payload.checkpoint) {
        (Some(records), None) => Some(Frame::Records(records.into_iter().map(read_record).collect())),
        (None, Some(marker)) => Some(Frame::Marker(marker)),
        _ => None,
    }
}

fn read_record(record: RecordPayload<'_>) -> TextRecord {
    let operation = |(id, kind, text): (u64, String, &RawValue)| (OperationId(id), kind, Arc::from(text.get()));
    TextRecord {
        end: record.end.into_iter().map(OperationId).collect(),
        remove: record.remove.into_iter().map(EntryKey).collect(),
        put: record.put.into_iter().map(|(key, text)| (EntryKey(key), Arc::from(text.get()))).collect(),
        begin: record.begin.into_iter().map(operation).collect(),
    }
}

fn damaged(file: &str, at: u64) -> Diagnostic {
    Diagnostic::error("journal-damaged", "the journal of an interrupted run is damaged")
        .detail(format!("{file} cannot be read from byte {at} on, although more records follow. It holds results that the state does not have."))
        .hint("Keep a copy of the file. Restore it from a backup of the disk if there is one.")
        .hint("To continue without it, move it away and run `outrigger refresh`; resources that only the journal recorded must then be found by hand.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        let header =
            Header::new("organization/shop/dev".into(), "d1".into(), 2, String::new(), ProcessFacts::default(), None);
        push_header(&mut bytes, &header);
        ends.push(bytes.len());
        for number in 0..3 {
            let record = TextRecord {
                end: vec![OperationId(number)],
                remove: vec![EntryKey(number)],
                put: vec![(EntryKey(7), r#"{"urn":"x"}"#.into())],
                begin: vec![(OperationId(9), "creating".into(), r#"{"urn":"y"}"#.into())],
            };
            push_records(&mut bytes, &[record.clone(), record]);
            ends.push(bytes.len());
        }
        push_marker(&mut bytes, &Marker { digest: "d2".into(), entries: vec![7], operations: vec![9] });
        ends.push(bytes.len());
        (bytes, ends)
    }

    #[test]
    fn a_cut_at_any_byte_loses_only_what_was_not_whole() {
        let (bytes, ends) = journal();
        for cut in 0..=bytes.len() {
            let read = read(&bytes[..cut], "j").unwrap();
            let whole = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(read.header.is_some(), whole > 0);
            assert_eq!(read.frames.len(), whole.saturating_sub(1));
            assert_eq!(read.length, ends.iter().copied().rfind(|end| *end <= cut).unwrap_or(0) as u64);
        }
        let whole = read(&bytes, "j").unwrap();
        assert!(matches!(&whole.frames[3], Frame::Marker(marker) if marker.digest == "d2" && marker.entries == [7]));
        assert!(
            matches!(&whole.frames[0], Frame::Records(records) if records.len() == 2 && &*records[1].begin[0].2 == r#"{"urn":"y"}"#)
        );
    }

    #[test]
    fn zeros_at_the_end_are_a_torn_end() {
        let (mut bytes, _) = journal();
        let good = bytes.len() as u64;
        bytes.extend([0; 100]);
        assert_eq!(read(&bytes, "j").unwrap().length, good);
    }

    #[test]
    fn damage_in_the_middle_is_an_error_at_its_place() {
        let (bytes, ends) = journal();
        let mut bad = bytes.clone();
        bad[ends[1] + 20] ^= 1;
        let error = read(&bad, "j").unwrap_err();
        assert_eq!(error.code, "journal-damaged");
        assert!(error.detail.unwrap().contains(&format!("byte {}", ends[1])));
        // A wrong length hides where the next frame begins, but not that one exists.
        let mut bad = bytes.clone();
        bad[ends[1] + 1] ^= 1;
        assert_eq!(read(&bad, "j").unwrap_err().code, "journal-damaged");
        // The same in the last frame is a torn end.
        let mut torn = bytes;
        torn[ends[3] + 20] ^= 1;
        assert_eq!(read(&torn, "j").unwrap().length, ends[3] as u64);
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = Vec::new();
        push(&mut bytes, r#"{"format":"outrigger-journal","version":9}"#);
        assert!(read(&bytes, "j").unwrap_err().summary.contains("version 9"));
    }
}
