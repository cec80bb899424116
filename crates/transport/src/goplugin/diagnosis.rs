//! Why a file does not run here: it is for another machine, its loader is missing, or it is no program at all.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How much of a file is read: its header and program table are at the start.
const LOOKED_AT: u64 = 4096;

/// The first bytes of this system's programs.
const NATIVE: &[u8] = if cfg!(target_os = "macos") { b"\xcf\xfa\xed\xfe" } else { b"\x7fELF" };

/// This machine's number in ELF files, and its name.
#[cfg(target_arch = "x86_64")]
const HERE: (u16, &str) = (62, "x86-64");
#[cfg(target_arch = "aarch64")]
const HERE: (u16, &str) = (183, "ARM64");
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const HERE: (u16, &str) = (0, "another");

/// The fault of a program, if its file shows it. Completes "the file ...".
pub(super) fn of(program: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(program).ok()?.take(LOOKED_AT).read_to_end(&mut start).ok()?;
    of_bytes(&start, |loader| Path::new(loader).exists())
}

/// The same for a file that must not even be tried: the C library passes a file that the kernel does not recognize to a shell, which would run
/// it as commands.
pub(super) fn of_no_program(program: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(program).ok()?.take(4).read_to_end(&mut start).ok()?;
    let is_known = matches!(start.as_slice(), [b'#', b'!', ..]) || start == NATIVE;
    if is_known { None } else { of(program) }
}

fn of_bytes(start: &[u8], exists: impl Fn(&str) -> bool) -> Option<String> {
    match start {
        [] => Some("is empty".to_owned()),
        [0x7f, b'E', b'L', b'F', ..] => of_elf(start, exists),
        [b'M', b'Z', ..] => Some("is a program for Windows".to_owned()),
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => {
            Some("is a program for macOS".to_owned()).filter(|_| !cfg!(target_os = "macos"))
        }
        [b'#', b'!', ..] => {
            let line = start.get(2..)?.split(|byte| *byte == b'\n').next()?;
            let line = String::from_utf8_lossy(line);
            let interpreter = line.split_whitespace().next().unwrap_or_default().to_owned();
            (!exists(&interpreter)).then(|| format!("is a script for `{interpreter}`, which does not exist"))
        }
        [b'P', b'K', 3, 4, ..] => Some("is a zip archive: unpack the program in it first".to_owned()),
        [0x1f, 0x8b, ..] => Some("is a gzip archive: unpack the program in it first".to_owned()),
        _ => Some("is not a program".to_owned()),
    }
}

fn of_elf(start: &[u8], exists: impl Fn(&str) -> bool) -> Option<String> {
    if cfg!(not(target_os = "linux")) {
        return Some("is a program for Linux".to_owned());
    }
    let machine = number(start, 18, 2)?;
    if machine != u64::from(HERE.0) {
        return Some(format!("is a program for {}, and this machine is {}", machine_name(machine), HERE.1));
    }
    let loader = loader(start)?;
    (!exists(&loader)).then(|| format!("needs the loader `{loader}`, which does not exist"))
}

/// The program that the kernel starts in place of a 64-bit file (PT_INTERP).
fn loader(start: &[u8]) -> Option<String> {
    let (table, size, count) = (number(start, 32, 8)?, number(start, 54, 2)?, number(start, 56, 2)?);
    let entries = (0..count).map(|index| usize::try_from(table.saturating_add(index * size)).unwrap_or(usize::MAX));
    let entry = entries.into_iter().find(|entry| number(start, *entry, 4) == Some(3))?;
    let offset = usize::try_from(number(start, entry.checked_add(8)?, 8)?).ok()?;
    let length = usize::try_from(number(start, entry.checked_add(32)?, 8)?).ok()?;
    let path = start.get(offset..offset.checked_add(length)?)?;
    Some(String::from_utf8_lossy(path).trim_end_matches('\0').to_owned())
}

/// A number in little-endian order, as on all supported machines.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn machine_name(machine: u64) -> String {
    match machine {
        3 => "32-bit x86".to_owned(),
        40 => "32-bit ARM".to_owned(),
        62 => "x86-64".to_owned(),
        183 => "ARM64".to_owned(),
        243 => "RISC-V".to_owned(),
        other => format!("machine {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn elf(machine: u16, loader: &str) -> Vec<u8> {
        let mut file = vec![0_u8; 64 + 56];
        file[..4].copy_from_slice(b"\x7fELF");
        file[18..20].copy_from_slice(&machine.to_le_bytes());
        file[32..40].copy_from_slice(&64_u64.to_le_bytes());
        file[54..56].copy_from_slice(&56_u16.to_le_bytes());
        file[56..58].copy_from_slice(&1_u16.to_le_bytes());
        file[64..68].copy_from_slice(&3_u32.to_le_bytes());
        file[72..80].copy_from_slice(&120_u64.to_le_bytes());
        file[96..104].copy_from_slice(&(loader.len() as u64).to_le_bytes());
        file.extend_from_slice(loader.as_bytes());
        file
    }

    #[test]
    fn files_that_do_not_run_here() {
        let says = |file: &[u8]| of_bytes(file, |path| path == "/lib/here.so" || path == "/bin/sh").unwrap_or_default();
        let strange = if HERE.0 == 40 { 62 } else { 40 };
        assert!(says(&elf(strange, "")).starts_with("is a program for "), "{}", says(&elf(strange, "")));
        assert_eq!(says(&elf(HERE.0, "/lib/gone.so\0")), "needs the loader `/lib/gone.so`, which does not exist");
        assert_eq!(says(&elf(HERE.0, "/lib/here.so\0")), "");
        assert_eq!(says(b"MZ\x90"), "is a program for Windows");
        assert_eq!(says(b"PK\x03\x04"), "is a zip archive: unpack the program in it first");
        assert_eq!(says(b"#! /bin/sh -e\n"), "");
        assert_eq!(says(b"#!/bin/none\n"), "is a script for `/bin/none`, which does not exist");
        assert_eq!(says(b"hello"), "is not a program");
        assert_eq!(says(b""), "is empty");
        let own = std::env::current_exe().unwrap();
        assert_eq!(of(&own), None);
        assert_eq!(of_no_program(&own), None);
    }

    proptest! {
        #[test]
        fn any_header_is_survived(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            bytes.splice(0..0, elf(HERE.0, "").into_iter().take(32));
            let _either = of_bytes(&bytes, |_| false);
        }
    }
}
