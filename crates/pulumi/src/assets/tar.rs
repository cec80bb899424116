//! A tar stream, byte for byte as Go's `archive/tar` writes it for entries that have only a name, a mode and a size.
//! Archives are hashed through such a stream, so every byte counts.

use std::io::{self, Read, Write};

const BLOCK: usize = 512;
const NAME: usize = 100;
const PREFIX: usize = 155;
/// The first size that eleven octal digits cannot hold.
const OCTAL_LIMIT: u64 = 1 << 33;

/// Writes entries.
pub(crate) struct TarStream<W> {
    out: W,
}

impl<W: Write> TarStream<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out }
    }

    /// Writes one file. Fails if the contents do not have the announced size.
    pub(crate) fn file(&mut self, name: &[u8], size: u64, contents: &mut dyn Read) -> io::Result<()> {
        let split = split(name);
        if name.contains(&0) || name.last() == Some(&b'/') {
            return Err(io::Error::other("an entry has a name that an archive cannot hold"));
        }
        if (is_ascii(name) && (name.len() <= NAME || split.is_some())) && size < OCTAL_LIMIT {
            let (prefix, suffix) = split.unwrap_or((&[], name));
            self.header(suffix, prefix, 0o600, size, b'0', Devices::Zero)?;
        } else {
            self.extended(name, size)?;
            self.header(&ascii(name), &[], 0o600, if size < OCTAL_LIMIT { size } else { 0 }, b'0', Devices::Zero)?;
        }
        let written = io::copy(&mut contents.take(size), &mut self.out)?;
        if written != size || contents.read(&mut [0])? != 0 {
            return Err(io::Error::other("a file changed its size while it was read"));
        }
        self.pad(size)
    }

    /// Ends the stream.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        Ok(self.out)
    }

    /// A record before an entry, for values that do not fit into its own header.
    fn extended(&mut self, name: &[u8], size: u64) -> io::Result<()> {
        let mut records = Vec::new();
        if !is_ascii(name) || name.len() > NAME {
            records.extend(record("path", name));
        }
        if size >= OCTAL_LIMIT {
            records.extend(record("size", size.to_string().as_bytes()));
        }
        let (directory, file) = match name.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => name.split_at(slash + 1),
            None => (&[][..], name),
        };
        let joined = super::members::clean(&[directory, b"PaxHeaders.0/", file].concat());
        let mut header_name = ascii(&joined);
        header_name.truncate(NAME);
        while header_name.last() == Some(&b'/') {
            header_name.pop();
        }
        let length = records.len() as u64;
        self.header(&header_name, &[], 0, length, b'x', Devices::Absent)?;
        self.out.write_all(&records)?;
        self.pad(length)
    }

    fn header(
        &mut self,
        name: &[u8],
        prefix: &[u8],
        mode: u64,
        size: u64,
        kind: u8,
        devices: Devices,
    ) -> io::Result<()> {
        let mut block = Block([0; BLOCK]);
        block.text(0, NAME, name);
        block.octal(100, 8, mode);
        block.octal(108, 8, 0);
        block.octal(116, 8, 0);
        block.octal(124, 12, size);
        block.octal(136, 12, 0);
        block.text(148, 8, b"        ");
        block.text(156, 1, &[kind]);
        block.text(257, 8, b"ustar\x0000");
        if devices == Devices::Zero {
            block.octal(329, 8, 0);
            block.octal(337, 8, 0);
        }
        block.text(345, PREFIX, prefix);
        let sum: u64 = block.0.iter().map(|byte| u64::from(*byte)).sum();
        block.octal(148, 7, sum);
        self.out.write_all(&block.0)
    }

    fn pad(&mut self, size: u64) -> io::Result<()> {
        let rest = (size % BLOCK as u64) as usize;
        if rest > 0 {
            self.out.write_all(&[0; BLOCK][rest..])?;
        }
        Ok(())
    }
}

/// Go writes device numbers for files, and none for extended headers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Devices {
    Zero,
    Absent,
}

struct Block([u8; BLOCK]);

impl Block {
    fn text(&mut self, at: usize, width: usize, text: &[u8]) {
        let cut = text.len() > width;
        let text = &text[..text.len().min(width)];
        self.0[at..at + text.len()].copy_from_slice(text);
        // A name that is cut at a slash would look like a directory.
        if cut && text.last() == Some(&b'/') {
            let end = text.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
            self.0[at + end] = 0;
        }
    }

    /// Digits with leading zeros, ended by a NUL.
    fn octal(&mut self, at: usize, width: usize, number: u64) {
        let digits = format!("{number:0digits$o}\0", digits = width - 1);
        self.text(at, width, digits.as_bytes());
    }
}

fn is_ascii(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii() && *byte != 0)
}

fn ascii(name: &[u8]) -> Vec<u8> {
    name.iter().copied().filter(|byte| byte.is_ascii() && *byte != 0).collect()
}

/// A long name in two parts, at the last slash that fits.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= NAME || !is_ascii(name) {
        return None;
    }
    let slash = name.get(..name.len().min(PREFIX + 1))?.iter().rposition(|byte| *byte == b'/')?;
    let suffix = name.get(slash + 1..)?;
    let fits = slash > 0 && !suffix.is_empty() && suffix.len() <= NAME;
    fits.then_some((name.get(..slash)?, suffix))
}

/// `LENGTH key=value`, where the length counts its own digits.
fn record(key: &str, value: &[u8]) -> Vec<u8> {
    let base = key.len() + value.len() + 3;
    let mut length = base + base.to_string().len();
    if base + length.to_string().len() != length {
        length = base + length.to_string().len();
    }
    [format!("{length} {key}=").as_bytes(), value, b"\n"].concat()
}
