//! `outrigger config set`.

use std::io::Read;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Configuration, Secrecy};

use crate::failure::Failure;
use crate::terminal::Terminal;

/// Set a value.
#[derive(Args, Debug)]
pub(super) struct Set {
    /// The key: `name` or `namespace:name`.
    key: String,
    /// The value; otherwise it is read from standard input or asked for.
    #[arg(allow_hyphen_values = true)]
    value: Option<String>,
    /// The key is a path into a structured value.
    #[arg(long)]
    path: bool,
    /// Encrypt the value.
    #[arg(long, conflicts_with = "plaintext")]
    secret: bool,
    /// Store the value unencrypted, even if it looks like a secret.
    #[arg(long)]
    plaintext: bool,
}

impl Set {
    pub(super) fn run(self, config: &mut Configuration, terminal: Terminal) -> Result<(), Failure> {
        let path = config.path(&self.key, self.path)?;
        let value = match self.value {
            Some(value) => value,
            None if terminal.is_interactive() => ask(terminal, self.secret)?,
            None => read()?,
        };
        let secrecy = match (self.secret, self.plaintext) {
            (true, _) => Secrecy::Secret,
            (false, true) => Secrecy::Plain,
            (false, false) => Secrecy::PlainUnlessSuspicious,
        };
        Ok(config.set(vec![(path, value, secrecy)])?)
    }
}

fn ask(terminal: Terminal, secret: bool) -> Result<String, Diagnostic> {
    let answer = if secret { terminal.hidden("Value: ")? } else { terminal.line("Value: ") };
    answer.ok_or_else(|| Diagnostic::error("config-no-value", "no value was given").hint("Give it after the key."))
}

/// Standard input to its end; one line end at the end is the shell's, not the value's.
fn read() -> Result<String, Diagnostic> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Diagnostic::error("config-no-value", "the value could not be read from standard input")
            .detail(error.to_string())
            .hint("Give it after the key, or as UTF-8 text on standard input.")
    })?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}
