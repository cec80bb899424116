//! A line on the terminal while a command waits for a plugin.

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;

use tokio::time::{Duration, Instant, sleep};

use super::duration::running;

/// Shorter waits need no line.
const PATIENCE: Duration = Duration::from_secs(1);

/// Does some work. If it takes long and stderr is a terminal, a line there shows `text` and the time until the work is done.
pub(crate) async fn waiting<T>(text: &str, work: impl Future<Output = T>) -> T {
    let stderr = io::stderr();
    if stderr.is_terminal() { shown(stderr, text, work).await } else { work.await }
}

async fn shown<T>(mut out: impl Write, text: &str, work: impl Future<Output = T>) -> T {
    // If the terminal cannot be written to, the line is not shown.
    let mut draw = |line: &str| drop(write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush()));
    let mut work = pin!(work);
    let begun = Instant::now();
    let mut drawn = false;
    loop {
        tokio::select! {
            result = &mut work => {
                if drawn {
                    draw("");
                }
                return result;
            }
            () = sleep(PATIENCE) => {
                draw(&format!("{text} {}", running(begun.elapsed())));
                drawn = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(seconds: u64) -> String {
        let mut out = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let work = async { sleep(Duration::from_millis(seconds * 1000 + 500)).await };
        runtime.block_on(shown(&mut out, "Asking", work));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn long_work_has_a_line_that_goes_away() {
        assert_eq!(drawn(0), "");
        assert_eq!(drawn(2), "\r\x1b[2KAsking 1s\r\x1b[2KAsking 2s\r\x1b[2K");
    }
}
