//! A terminal of a given size to run a program in: a session of `tmux`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// No scene takes this long unless something is wrong.
const LIMIT: Duration = Duration::from_secs(60);

/// A running session; dropping it ends it.
pub(super) struct Terminal {
    socket: String,
}

impl Terminal {
    /// Runs a line of shell in a terminal of a size, in a directory.
    pub(super) fn run(columns: u16, rows: u16, directory: &Path, line: &str) -> Result<Self> {
        let terminal = Self { socket: format!("outrigger-pictures-{}", std::process::id()) };
        // The last screen stays visible after the program has ended.
        let line = format!("{line}\nexec sleep 600");
        let mut command = terminal.tmux();
        command.args(["-f", "/dev/null", "new-session", "-d", "-x", &columns.to_string(), "-y", &rows.to_string()]);
        command.arg("-c").arg(directory).args(["sh", "-c", &line]);
        workspace::output(&mut command).context("`tmux` is needed to take pictures")?;
        workspace::output(terminal.tmux().args(["set-option", "-g", "status", "off"]))?;
        workspace::output(terminal.tmux().args([
            "resize-window",
            "-x",
            &columns.to_string(),
            "-y",
            &rows.to_string(),
        ]))?;
        Ok(terminal)
    }

    /// Waits until the screen shows a text.
    pub(super) fn await_text(&self, text: &str) -> Result<()> {
        let begun = Instant::now();
        loop {
            let shown = self.shown(&[])?;
            if shown.contains(text) {
                return Ok(());
            }
            if begun.elapsed() > LIMIT {
                bail!("`{text}` did not come:\n{shown}");
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// The content of the screen, with escape codes.
    pub(super) fn picture(&self) -> Result<String> {
        self.shown(&["-e"])
    }

    /// Presses keys.
    pub(super) fn press(&self, keys: &[&str]) -> Result<()> {
        workspace::output(self.tmux().arg("send-keys").args(keys)).map(drop)
    }

    fn shown(&self, flags: &[&str]) -> Result<String> {
        workspace::output(self.tmux().args(["capture-pane", "-p"]).args(flags))
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.socket]);
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The session may have ended already.
        let _ = self.tmux().arg("kill-server").output();
    }
}
