//! Any output of a plugin: a parsed handshake prints as the same handshake, and a log gives the same entries however it is cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outrigger_transport::goplugin::{Address, Handshake, LogEntry, LogReader, reattach_providers};
use outrigger_transport::{LinePart, Lines, OutputLine, OutputStream};
use serde_json::{Map, Value};

/// A shorter certificate counts as the placeholder that old plugins send.
const SHORTEST_CERTIFICATE: usize = 38;

fuzz_target!(|bytes: &[u8]| {
    handshake(bytes);
    reattach(bytes);
    log(bytes);
});

fn handshake(line: &[u8]) {
    match Handshake::parse(line, &[5, 6]) {
        Ok(heard) if heard.certificate.as_ref().is_none_or(|bytes| bytes.len() >= SHORTEST_CERTIFICATE) => {
            for asked in [false, true] {
                let line = heard.line(asked);
                assert_eq!(Handshake::parse(line.as_bytes(), &[heard.version]).as_ref(), Ok(&heard), "{line:?}");
            }
        }
        Ok(_) => {}
        Err(error) => {
            let reason = error.to_string();
            assert!(reason.len() < 2000 && !reason.contains(char::is_control), "cannot be shown: {reason:?}");
        }
    }
}

fn reattach(bytes: &[u8]) {
    let Ok(providers) = std::str::from_utf8(bytes).map_err(|_| String::new()).and_then(reattach_providers) else {
        return;
    };
    for (name, found) in providers {
        let address = Address::parse(found.address.network(), &found.address.to_string());
        assert_eq!(address, Ok(found.address), "{name}");
    }
}

fn log(bytes: &[u8]) {
    let lines = cut(&[bytes]);
    for at in [bytes.len() / 3, bytes.len() / 2] {
        let (before, after) = bytes.split_at(at);
        assert_eq!(cut(&[before, after]), lines, "cut at {at}");
    }
    let mut reader = LogReader::default();
    for (text, part) in &lines {
        let entry = reader.read(OutputLine { stream: OutputStream::Stderr, text, part: *part });
        let text = json(&entry);
        let line = OutputLine { stream: OutputStream::Stderr, text: text.as_bytes(), part: LinePart::Whole };
        assert_eq!(LogReader::default().read(line), entry, "{text}");
    }
}

fn cut(chunks: &[&[u8]]) -> Vec<(Vec<u8>, LinePart)> {
    let (mut lines, mut found) = (Lines::default(), Vec::new());
    for chunk in chunks {
        lines.feed(chunk, |text, part| found.push((text.to_vec(), part)));
    }
    lines.finish(|text, part| found.push((text.to_vec(), part)));
    found
}

/// An entry as HashiCorp's logger would write it.
fn json(entry: &LogEntry) -> String {
    let mut object: Map<String, Value> = entry.fields.iter().cloned().collect();
    let level = format!("{:?}", entry.level).to_lowercase();
    object.insert("@level".to_owned(), level.into());
    object.insert("@message".to_owned(), entry.message.clone().into());
    for (key, text) in [("@module", &entry.module), ("@timestamp", &entry.timestamp)] {
        object.extend(text.clone().map(|text| (key.to_owned(), text.into())));
    }
    Value::Object(object).to_string()
}
