//! `outrigger completion`.

use clap::{Args, ValueEnum};
use clap_complete::env::Shells;
use outrigger_diagnostic::Diagnostic;

use crate::command_line::COMPLETE;
use crate::failure::Failure;
use crate::output::data;

/// Generate a shell completion script.
#[derive(Args, Debug)]
pub(crate) struct Completion {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
}

impl Completion {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let name = match self.shell {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
            Shell::Powershell => "powershell",
            Shell::Elvish => "elvish",
        };
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let written = shells.completer(name).map(|shell| {
            // The program by its name: the script stays valid when the program is installed elsewhere.
            shell.write_registration(COMPLETE, "outrigger", "outrigger", "outrigger", &mut script)
        });
        match written {
            Some(Ok(())) => Ok(data(String::from_utf8_lossy(&script).trim_end())?),
            _ => Err(Diagnostic::error("completion", format!("there is no completion for `{name}`")).into()),
        }
    }
}
