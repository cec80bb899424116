//! Memory of a process.

use std::error::Error;

/// The peak resident size of a process so far.
pub fn peak(process: u32) -> Result<u64, Box<dyn Error + Send + Sync>> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak in the status")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024)
}
