//! JSON, written while it is produced: the document of a large provider has tens of megabytes.

use std::io::{self, Write};

/// The size of the buffer at which it is written out.
const CHUNK: usize = 64 * 1024;

/// A writer of JSON.
pub(super) struct Output<'w> {
    to: &'w mut dyn Write,
    buffer: Vec<u8>,
}

/// The members of an object that is being written.
pub(super) struct Members<'o, 'w> {
    output: &'o mut Output<'w>,
    empty: bool,
}

impl<'w> Output<'w> {
    pub(super) fn new(to: &'w mut dyn Write) -> Self {
        Self { to, buffer: Vec::with_capacity(CHUNK + CHUNK / 4) }
    }

    /// Writes an object.
    pub(super) fn object<E: From<io::Error>>(
        &mut self,
        write: impl FnOnce(&mut Members<'_, 'w>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.buffer.push(b'{');
        write(&mut Members { output: self, empty: true })?;
        self.buffer.push(b'}');
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes out the buffer.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.to.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        Ok(serde_json::to_writer(&mut self.buffer, text)?)
    }
}

impl<'w> Members<'_, 'w> {
    pub(super) fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        self.key(key)?;
        self.output.text(text)
    }

    /// A string, unless it is empty.
    pub(super) fn text_if_any(&mut self, key: &str, text: &str) -> io::Result<()> {
        if text.is_empty() { Ok(()) } else { self.text(key, text) }
    }

    /// `true`, or nothing.
    pub(super) fn flag(&mut self, key: &str, set: bool) -> io::Result<()> {
        if set {
            self.key(key)?;
            self.output.buffer.extend_from_slice(b"true");
        }
        Ok(())
    }

    pub(super) fn texts<'t>(&mut self, key: &str, texts: impl Iterator<Item = &'t str>) -> io::Result<()> {
        self.key(key)?;
        self.output.buffer.push(b'[');
        for (at, text) in texts.enumerate() {
            if at > 0 {
                self.output.buffer.push(b',');
            }
            self.output.text(text)?;
        }
        self.output.buffer.push(b']');
        Ok(())
    }

    /// A list of strings, unless it is empty.
    pub(super) fn texts_if_any<'t>(&mut self, key: &str, texts: impl Iterator<Item = &'t str>) -> io::Result<()> {
        let mut texts = texts.peekable();
        if texts.peek().is_none() { Ok(()) } else { self.texts(key, texts) }
    }

    pub(super) fn object<E: From<io::Error>>(
        &mut self,
        key: &str,
        write: impl FnOnce(&mut Members<'_, 'w>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.key(key)?;
        self.output.object(write)
    }

    /// An object, unless it turns out to have no members.
    pub(super) fn object_if_any<E: From<io::Error>>(
        &mut self,
        key: &str,
        write: impl FnOnce(&mut Members<'_, 'w>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mark, was_empty) = (self.output.buffer.len(), self.empty);
        self.key(key)?;
        self.output.buffer.push(b'{');
        let mut members = Members { output: self.output, empty: true };
        write(&mut members)?;
        if members.empty {
            // The buffer was not written out meanwhile: that happens only at the end of a member.
            self.output.buffer.truncate(mark);
            self.empty = was_empty;
        } else {
            self.output.buffer.push(b'}');
        }
        Ok(())
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        if !self.empty {
            self.output.buffer.push(b',');
        }
        self.empty = false;
        self.output.text(key)?;
        self.output.buffer.push(b':');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        let long = "x".repeat(CHUNK);
        let written = output.object(|members| {
            members.text("a", "\"\n")?;
            members.text_if_any("b", "")?;
            members.flag("c", true)?;
            members.flag("d", false)?;
            members.texts("e", ["1", "2"].into_iter())?;
            members.texts_if_any("f", [].into_iter())?;
            members.object("g", |members| members.text("h", &long))?;
            members.object("i", |_| Ok::<(), io::Error>(()))?;
            members.object_if_any("j", |_| Ok::<(), io::Error>(()))?;
            members.object_if_any("k", |members| members.text("l", ""))
        });
        written.unwrap();
        output.flush().unwrap();
        let read: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let expected =
            serde_json::json!({"a": "\"\n", "c": true, "e": ["1", "2"], "g": {"h": long}, "i": {}, "k": {"l": ""}});
        assert_eq!(read, expected);
    }
}
