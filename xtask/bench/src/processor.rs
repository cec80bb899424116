//! Processor time of a process.

use std::error::Error;
use std::time::Duration;

/// User and system time of a process. Linux counts them in hundredths of a second.
pub fn processor_time(process: u32) -> Result<Duration, Box<dyn Error + Send + Sync>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().collect();
    let ticks = |index: usize| -> Result<u64, Box<dyn Error + Send + Sync>> {
        Ok(fields.get(index).ok_or("a short stat line")?.parse()?)
    };
    Ok(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}
