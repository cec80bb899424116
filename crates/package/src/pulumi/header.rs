//! The platform of an executable, read from its own header.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// More than any header: that of Windows comes after a program for DOS.
const HEADER: u64 = 4096;

/// The platform that an executable is for in the words of Pulumi and Go, such as `linux-amd64`; `None` if it is no executable of a platform
/// that is known.
pub fn platform_of(path: &Path) -> io::Result<Option<String>> {
    let mut header = Vec::new();
    File::open(path)?.take(HEADER).read_to_end(&mut header)?;
    let platform = elf(&header).or_else(|| mach(&header)).or_else(|| portable(&header));
    Ok(platform.map(|(system, processor)| format!("{system}-{processor}")))
}

type Platform = (&'static str, &'static str);

/// Executables of Linux and the BSDs. Linux need not be named in them, and usually is not.
fn elf(header: &[u8]) -> Option<Platform> {
    header.strip_prefix(b"\x7fELF")?;
    let little = *header.get(5)? == 1;
    let system = match header.get(7)? {
        0 | 3 => "linux",
        9 => "freebsd",
        12 => "openbsd",
        _ => return None,
    };
    // Not object files and core dumps.
    if ![2, 3].contains(&number(header, 16, 2, little)?) {
        return None;
    }
    let processor = match (number(header, 18, 2, little)?, little) {
        (3, true) => "386",
        (21, true) => "ppc64le",
        (22, false) => "s390x",
        (40, true) => "arm",
        (62, true) => "amd64",
        (183, true) => "arm64",
        (243, true) => "riscv64",
        _ => return None,
    };
    Some((system, processor))
}

/// Executables of macOS for one processor.
fn mach(header: &[u8]) -> Option<Platform> {
    header.strip_prefix(b"\xcf\xfa\xed\xfe")?;
    let executable = number(header, 12, 4, true)? == 2;
    let processor = match number(header, 4, 4, true)? {
        0x0100_0007 => "amd64",
        0x0100_000c => "arm64",
        _ => return None,
    };
    executable.then_some(("darwin", processor))
}

/// Executables of Windows.
fn portable(header: &[u8]) -> Option<Platform> {
    header.strip_prefix(b"MZ")?;
    let start = usize::try_from(number(header, 0x3c, 4, true)?).ok()?;
    header.get(start..)?.strip_prefix(b"PE\0\0")?;
    let processor = match number(header, start.checked_add(4)?, 2, true)? {
        0x014c => "386",
        0x8664 => "amd64",
        0xaa64 => "arm64",
        _ => return None,
    };
    Some(("windows", processor))
}

/// An unsigned number of some bytes.
fn number(header: &[u8], at: usize, bytes: usize, little: bool) -> Option<u32> {
    let digits = header.get(at..at.checked_add(bytes)?)?;
    let add = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
    Some(if little { digits.iter().rev().fold(0, add) } else { digits.iter().fold(0, add) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        platform_of(file.path()).unwrap()
    }

    fn elf_header(little: bool, system: u8, kind: u16, machine: u16) -> Vec<u8> {
        let bytes = |number: u16| if little { number.to_le_bytes() } else { number.to_be_bytes() };
        let mut header = b"\x7fELF".to_vec();
        header.extend([2, if little { 1 } else { 2 }, 1, system]);
        header.extend([0; 8]);
        header.extend(bytes(kind));
        header.extend(bytes(machine));
        header
    }

    #[test]
    fn the_platform_is_in_the_header() {
        assert_eq!(read(&elf_header(true, 0, 3, 62)).as_deref(), Some("linux-amd64"));
        assert_eq!(read(&elf_header(true, 3, 2, 183)).as_deref(), Some("linux-arm64"));
        assert_eq!(read(&elf_header(false, 0, 2, 22)).as_deref(), Some("linux-s390x"));
        assert_eq!(read(&elf_header(true, 9, 2, 62)).as_deref(), Some("freebsd-amd64"));
        let mach = |processor: u32, kind: u32| {
            [0xfeed_facf, processor, 0, kind].iter().flat_map(|word: &u32| word.to_le_bytes()).collect::<Vec<_>>()
        };
        assert_eq!(read(&mach(0x0100_000c, 2)).as_deref(), Some("darwin-arm64"));
        assert_eq!(read(&mach(0x0100_0007, 6)), None, "a library");
        let mut windows = b"MZ".to_vec();
        windows.resize(0x3c, 0);
        windows.extend(0x80_u32.to_le_bytes());
        windows.resize(0x80, 0);
        windows.extend(b"PE\0\0\x64\x86");
        assert_eq!(read(&windows).as_deref(), Some("windows-amd64"));
        let current = crate::terraform::Platform::current().to_string().replace('_', "-");
        assert_eq!(platform_of(&std::env::current_exe().unwrap()).unwrap(), Some(current));
    }

    #[test]
    fn other_files_have_none() {
        for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", &[0xff; 5000]] {
            assert_eq!(read(bytes), None, "{bytes:?}");
        }
        assert_eq!(read(&elf_header(true, 0, 1, 62)), None, "an object file");
        let mut far = b"MZ".to_vec();
        far.resize(0x3c, 0);
        far.extend(u32::MAX.to_le_bytes());
        assert_eq!(read(&far), None);
    }
}
