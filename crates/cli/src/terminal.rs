//! Asking the user: only on a terminal, never in a pipe.

use std::io::{self, BufRead, IsTerminal, Write};

use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Frontend, Passphrase, Phrase};
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

use crate::output::talk;
use crate::render::diagnostic::report;

/// Whether and how questions can be asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    interactive: bool,
}

impl Terminal {
    /// A question can be asked if both ends are a terminal and `--non-interactive` is not set.
    pub(crate) fn new(non_interactive: bool) -> Self {
        Self { interactive: !non_interactive && io::stdin().is_terminal() && io::stdout().is_terminal() }
    }

    /// Whether lines on standard output can be redrawn: a terminal with `TERM=dumb` cannot, nor can a pipe.
    pub(crate) fn is_redrawable(self, kind: Option<&str>) -> bool {
        io::stdout().is_terminal() && kind.is_some_and(|kind| kind != "dumb")
    }

    /// Whether questions can be asked.
    pub(crate) fn is_interactive(self) -> bool {
        self.interactive
    }

    /// Asks a yes-or-no question; anything but yes is no. Waits for the user.
    pub(crate) fn confirm(self, question: &str) -> bool {
        self.line(&format!("{question} [y/N] "))
            .is_some_and(|answer| matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks the user to type a name, so that nothing dangerous is done by habit.
    pub(crate) fn confirm_by_name(self, warning: &str, name: &str) -> bool {
        let prompt = format!("{warning}\nType `{name}` to confirm: ");
        self.line(&prompt).is_some_and(|answer| answer.trim() == name)
    }

    /// Asks for a line of text. Waits for the user. `None` at the end of the input.
    pub(crate) fn line(self, prompt: &str) -> Option<String> {
        let mut out = io::stderr();
        let mut answer = String::new();
        let _ = out.write_all(prompt.as_bytes()).and_then(|()| out.flush());
        match io::stdin().lock().read_line(&mut answer) {
            Ok(read) if read > 0 => Some(answer.trim_end_matches(['\n', '\r']).to_owned()),
            _ => None,
        }
    }

    /// Asks for a text that is not shown; `None` if the user gave up. Waits for the user.
    pub(crate) fn hidden(self, prompt: &str) -> Result<Option<String>, Diagnostic> {
        let stdin = io::stdin();
        let failed = |error: io::Error| {
            Diagnostic::error("terminal", "the terminal could not be used to ask for a secret")
                .detail(error.to_string())
        };
        let before = tcgetattr(&stdin).map_err(|error| failed(error.into()))?;
        let mut raw = before.clone();
        // Without signals a Ctrl-C arrives as a byte, and the terminal is never left without echo.
        raw.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        // This discards earlier keystrokes, so the prompt comes afterwards: a quick answer must not be among them.
        tcsetattr(&stdin, OptionalActions::Flush, &raw).map_err(|error| failed(error.into()))?;
        let restore = Restore(before);
        let mut out = io::stderr();
        let _ = out.write_all(prompt.as_bytes()).and_then(|()| out.flush());
        let typed = typed(stdin.lock());
        drop(restore);
        let _ = out.write_all(b"\n");
        typed.map_err(failed)
    }
}

impl Frontend for Terminal {
    /// Asks for the passphrase, which is not shown. Waits for the user.
    fn passphrase(&self, which: Passphrase) -> Result<Option<Phrase>, Diagnostic> {
        if !self.interactive {
            return Ok(None);
        }
        let ask = |prompt: &str| {
            self.hidden(prompt)?.ok_or_else(|| {
                Diagnostic::error("terminal-cancelled", "no passphrase was given")
                    .hint("Run the command again, or set PULUMI_CONFIG_PASSPHRASE.")
            })
        };
        if which == Passphrase::Existing {
            return Ok(Some(Phrase::new(ask("Passphrase of the stack (PULUMI_CONFIG_PASSPHRASE is not set): ")?)));
        }
        talk("Choose a passphrase to encrypt the stack's secrets. Without it they cannot be read again.");
        loop {
            let chosen = ask("New passphrase: ")?;
            if ask("Repeat the passphrase: ")? == chosen {
                return Ok(Some(Phrase::new(chosen)));
            }
            talk("The passphrases do not match.");
        }
    }

    fn finding(&self, finding: &Diagnostic) {
        report(finding);
    }

    fn notice(&self, line: &str) {
        talk(line);
    }
}

/// While it exists, keys that are pressed are not shown: they would be drawn into the picture. They are dropped at its end, so that none of them
/// answers the next question.
pub(crate) struct Silence {
    _restore: Restore,
}

impl Silence {
    /// `None` without a terminal, or in a background process: that one may not touch the terminal.
    pub(crate) fn begin() -> Option<Self> {
        let stdin = io::stdin();
        if !stdin.is_terminal() || tcgetpgrp(&stdin).ok()? != getpgrp() {
            return None;
        }
        let before = tcgetattr(&stdin).ok()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &silent).ok()?;
        Some(Self { _restore: Restore(before) })
    }
}

/// Restores the terminal, and drops the keys typed meanwhile.
struct Restore(Termios);

impl Drop for Restore {
    fn drop(&mut self) {
        // A failure here cannot be reported anywhere.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}

/// The text typed up to the end of the line; `None` for Ctrl-C.
fn typed(input: impl BufRead) -> io::Result<Option<String>> {
    const CANCEL: u8 = 3;
    const END: u8 = 4;
    let mut text: Vec<u8> = Vec::new();
    for byte in input.bytes() {
        match byte? {
            CANCEL => return Ok(None),
            END | b'\n' | b'\r' => break,
            8 | 127 => {
                // Removes one character, which may be several bytes.
                while text.pop().is_some_and(|byte| byte & 0xC0 == 0x80) {}
            }
            other => text.push(other),
        }
    }
    String::from_utf8(text).map(Some).map_err(|_| io::Error::other("the text is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_while_typing() {
        assert_eq!(typed("pass\n".as_bytes()).unwrap().as_deref(), Some("pass"));
        assert_eq!(typed("pä\u{7f}ass".as_bytes()).unwrap().as_deref(), Some("pass"));
        assert_eq!(typed("\u{7f}a\r".as_bytes()).unwrap().as_deref(), Some("a"));
        assert_eq!(typed("pa\u{3}".as_bytes()).unwrap(), None);
    }
}
