//! Permissions, written as four octal digits.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Permission bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode(pub(super) u32);

impl Mode {
    /// The permissions of an existing file or directory.
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self(metadata.mode() & 0o7777)
    }

    /// Parses octal digits: `644`, `0644` or `0o644`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix("0o").unwrap_or(text);
        let octal = !digits.is_empty() && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
        let bits = u32::from_str_radix(digits, 8).ok().filter(|bits| octal && *bits <= 0o7777);
        bits.map(Self).ok_or_else(|| {
            format!("`{text}` is not a set of permissions; write octal digits in quotes, such as \"0644\" or \"0755\"")
        })
    }

    /// The form in which they are shown and compared.
    pub(super) fn text(self) -> String {
        format!("{:04o}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octal_digits_only() {
        for text in ["644", "0644", "0o644", "00644"] {
            assert_eq!(Mode::parse(text).unwrap().text(), "0644", "{text}");
        }
        assert_eq!(Mode::parse("4755").unwrap().text(), "4755");
        for text in ["", "8", "rw-r--r--", "+644", "-1", "17777", "0x1ff"] {
            assert!(Mode::parse(text).unwrap_err().contains("octal"), "{text}");
        }
    }
}
