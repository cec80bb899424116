//! Pulumi's start-up, both ends: the first line of stdout is the port of a plaintext gRPC server on 127.0.0.1.

use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::line::shown;
use crate::{Address, FirstLine, Process, StartError};

/// Progress escapes for the ConEmu terminal, which .NET 9 prints to stdout before a program's own first line.
const PROGRESS: [&str; 2] = ["\u{1b}]9;4;3;\u{1b}\\", "\u{1b}]9;4;0;\u{1b}\\"];

/// Waits for the port line of a process on this machine.
pub async fn announced(process: &dyn Process, deadline: Duration) -> Result<Address, StartError> {
    let Ok(line) = tokio::time::timeout(deadline, process.first_line()).await else {
        return Err(StartError::Silent { after: deadline, last_words: process.last_words() });
    };
    match line {
        FirstLine::Line(line) => {
            let port = parse(&line);
            let none = || StartError::NotAPort { line: shown(&line), last_words: process.last_words() };
            port.map(Address::of_port).ok_or_else(none)
        }
        FirstLine::TooLong(start) => {
            Err(StartError::NotAPort { line: shown(&start), last_words: process.last_words() })
        }
        FirstLine::Ended(output) => {
            // A plugin may close stdout and live on; then there is no exit status to wait for.
            let status = tokio::time::timeout(Duration::from_secs(1), process.exited())
                .await
                .unwrap_or_else(|_| "closed its standard output".to_owned());
            Err(StartError::Ended { status, output: shown(&output), last_words: process.last_words() })
        }
    }
}

/// Reads a port line: escapes and surrounding white space removed, a decimal number from 1 to 65535.
pub fn parse(line: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(line).ok()?;
    let text = PROGRESS.iter().fold(text.to_owned(), |text, escape| text.replace(escape, ""));
    // Go's integer parser accepts a sign; Rust's does too for `+`.
    text.trim().parse().ok().filter(|port| *port != 0)
}

/// Listens on a free port of this machine, and announces it: the plugin's end. It listens first, or a host could be faster than the plugin.
pub async fn listen(announcement: &mut impl Write) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    writeln!(announcement, "{}", listener.local_addr()?.port())?;
    announcement.flush()?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;

    #[test]
    fn port_lines() {
        for (line, port) in [
            (&b"1234"[..], Some(1234)),
            (b" 65535\r", Some(65535)),
            (b"\x1b]9;4;3;\x1b\\\x1b]9;4;0;\x1b\\4711\r", Some(4711)),
            (b"0", None),
            (b"65536", None),
            (b"-1", None),
            (b"", None),
            (b"listening on 1234", None),
            (b"12\xff", None),
        ] {
            assert_eq!(parse(line), port, "{line:?}");
        }
    }

    #[tokio::test]
    async fn what_is_announced_can_be_read() {
        let mut line = Vec::new();
        let listener = listen(&mut line).await.unwrap();
        let port = parse(&line).unwrap();
        assert_eq!(listener.local_addr().unwrap().port(), port);
    }

    struct Fake(Option<FirstLine>);

    #[async_trait]
    impl Process for Fake {
        fn label(&self) -> &str {
            "fake"
        }
        fn id(&self) -> u32 {
            1
        }
        async fn first_line(&self) -> FirstLine {
            match &self.0 {
                Some(line) => line.clone(),
                None => std::future::pending().await,
            }
        }
        fn last_words(&self) -> Vec<String> {
            vec!["panic: out of luck".to_owned()]
        }
        fn remember(&self, _: &[u8]) {}
        async fn exited(&self) -> String {
            "exited with code 3".to_owned()
        }
        fn has_ended(&self) -> bool {
            true
        }
        fn interrupt(&self) {}
        fn kill(&self) {}
    }

    async fn start(line: Option<FirstLine>) -> Result<Address, StartError> {
        announced(&Fake(line), Duration::from_millis(20)).await
    }

    #[tokio::test(start_paused = true)]
    async fn every_failure_says_what_was_seen() {
        assert_eq!(start(Some(FirstLine::Line(b"77".to_vec()))).await, Ok(Address::of_port(77)));
        let ended = start(Some(FirstLine::Ended(b"hel".to_vec()))).await.unwrap_err();
        assert_eq!(
            ended.to_string(),
            "it exited with code 3 before it printed the port that it listens on (it printed `hel`)"
        );
        assert_eq!(ended.last_words(), ["panic: out of luck"]);
        let garbage = start(Some(FirstLine::Line(b"\x1b[31musage".to_vec()))).await.unwrap_err();
        assert_eq!(
            garbage.to_string(),
            "the first line that it printed is not a port number (it printed `\u{fffd}[31musage`)"
        );
        let flood = start(Some(FirstLine::TooLong(vec![b'x'; 9999]))).await.unwrap_err();
        assert!(flood.to_string().len() < 300, "{flood}");
        let silent = start(None).await.unwrap_err();
        assert_eq!(silent.to_string(), "it did not print the port that it listens on within 0.02 s");
    }
}
