//! Showing long text on a terminal, page by page, as other commands do: PAGER, or `less`.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use outrigger_diagnostic::Diagnostic;
use tokio::signal::unix::{SignalKind, signal};

use crate::environment::Environment;
use crate::output::data;
use crate::terminal::Terminal;

/// Quits if everything fits, keeps colours, and leaves the text on the screen at the end.
const USUAL: &str = "less -FRX";

/// The command of the pager; `None` if the text is to be printed as it is.
pub(crate) fn choose(environment: &Environment, terminal: Terminal, is_long: bool) -> Option<String> {
    let is_usable = terminal.is_interactive() && terminal.is_redrawable(environment.text("TERM").as_deref());
    if !is_usable || !is_long {
        return None;
    }
    match environment.variables.iter().find(|(name, _)| name.to_str() == Some("PAGER")) {
        Some((_, pager)) => {
            Some(pager.to_string_lossy().trim().to_owned()).filter(|pager| !pager.is_empty() && pager != "cat")
        }
        None => {
            let is_there = environment.search_path().iter().any(|directory| directory.join("less").is_file());
            is_there.then(|| USUAL.to_owned())
        }
    }
}

/// Shows a text, and waits until the pager ends. Closing the pager early is no error; if it cannot be started, the text is printed.
pub(crate) async fn show(environment: &Environment, pager: &str, text: &str) -> Result<(), Diagnostic> {
    let stdout = io::stdout();
    let text = match anstream::AutoStream::choice(&stdout) {
        anstream::ColorChoice::Never if stdout.is_terminal() => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    };
    // Ctrl-C is for the pager; if it ended this process, the shell and the pager would both read the keys.
    let _interrupts = signal(SignalKind::interrupt());
    let mut command = Command::new("/bin/sh");
    // The pagers of most systems are `less`, which shows colours only if it is asked to.
    command.args(["-c", pager]).stdin(Stdio::piped());
    if environment.text("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return data(text.trim_end()) };
    if let Some(mut input) = child.stdin.take() {
        // The reader may go away at any time.
        let _closed_early = input.write_all(text.as_bytes());
    }
    // The exit codes of a shell whose command is missing or cannot be started.
    match child.wait().ok().and_then(|status| status.code()) {
        Some(126 | 127) => data(text.trim_end()),
        _ => Ok(()),
    }
}
