//! Splits a process's output into lines, in bounded memory.

/// The longest line that comes in one piece, as in go-plugin.
pub const LINE_LIMIT: usize = 64 * 1024;

/// Which part of a line a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePart {
    /// All of it.
    Whole,
    /// The beginning of a line that is longer than [`LINE_LIMIT`].
    Start,
    /// A further piece of such a line.
    Rest,
}

/// Splits chunks into lines, without their line breaks.
#[derive(Debug, Default)]
pub struct Lines {
    /// The start of the line that is not complete yet.
    begun: Vec<u8>,
    /// A piece of that line was passed on already.
    cut: bool,
}

impl Lines {
    /// Takes a chunk and passes on each complete line.
    pub fn feed(&mut self, mut chunk: &[u8], mut take: impl FnMut(&[u8], LinePart)) {
        while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = chunk.split_at(end);
            if self.begun.is_empty() && !self.cut && line.len() <= LINE_LIMIT {
                take(line, LinePart::Whole);
            } else {
                self.extend(line, &mut take);
                self.end(&mut take);
            }
            chunk = rest.get(1..).unwrap_or_default();
        }
        self.extend(chunk, &mut take);
    }

    /// Passes on the last line if it has no line break.
    pub fn finish(&mut self, mut take: impl FnMut(&[u8], LinePart)) {
        if !self.begun.is_empty() {
            self.end(&mut take);
        }
    }

    fn extend(&mut self, mut bytes: &[u8], take: &mut impl FnMut(&[u8], LinePart)) {
        while let Some((fitting, rest)) =
            bytes.split_at_checked(LINE_LIMIT - self.begun.len()).filter(|(_, rest)| !rest.is_empty())
        {
            self.begun.extend_from_slice(fitting);
            take(&self.begun, if self.cut { LinePart::Rest } else { LinePart::Start });
            self.begun.clear();
            self.cut = true;
            bytes = rest;
        }
        self.begun.extend_from_slice(bytes);
    }

    fn end(&mut self, take: &mut impl FnMut(&[u8], LinePart)) {
        take(&self.begun, if self.cut { LinePart::Rest } else { LinePart::Whole });
        self.begun.clear();
        self.cut = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(chunks: &[&[u8]]) -> Vec<(Vec<u8>, LinePart)> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        for chunk in chunks {
            lines.feed(chunk, |text, part| found.push((text.to_vec(), part)));
        }
        lines.finish(|text, part| found.push((text.to_vec(), part)));
        found
    }

    #[test]
    fn a_long_line_comes_in_pieces() {
        let text = [vec![b'x'; LINE_LIMIT], vec![b'\n'], vec![b'y'; 2 * LINE_LIMIT + 1], b"\nend".to_vec()].concat();
        let found: Vec<(usize, LinePart)> = cut(&[&text]).iter().map(|(text, part)| (text.len(), *part)).collect();
        assert_eq!(
            found,
            [
                (LINE_LIMIT, LinePart::Whole),
                (LINE_LIMIT, LinePart::Start),
                (LINE_LIMIT, LinePart::Rest),
                (1, LinePart::Rest),
                (3, LinePart::Whole)
            ]
        );
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[a\n]{0,60}", at in 0_usize..60) {
            let (before, after) = text.as_bytes().split_at(at.min(text.len()));
            let lines: Vec<_> = cut(&[before, after]).into_iter().map(|(line, _)| line).collect();
            let mut expected: Vec<_> = text.as_bytes().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            // After the last line break there may be a last line; an empty one does not count.
            expected.pop_if(|last| last.is_empty());
            prop_assert_eq!(lines, expected);
        }
    }
}
