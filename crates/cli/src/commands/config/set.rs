//! `outrigger config set`.

use std::io::Read;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_project::config::looks_like_secret;
use outrigger_project::stack_config::NewValue;

use super::Context;
use crate::failure::Failure;

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
    /// Store the value in clear, even if its name speaks of a secret.
    #[arg(long)]
    plaintext: bool,
}

impl Set {
    pub(super) fn run(self, mut context: Context) -> Result<(), Failure> {
        let path = context.path(&self.key, self.path)?;
        let value = match self.value {
            Some(value) => value,
            None if context.terminal.is_interactive() => ask(&context, self.secret)?,
            None => read()?,
        };
        if !self.secret && !self.plaintext && looks_like_secret(&path.key, &value) {
            let shown = path.key.pretty(&context.workspace.project.name);
            return Err(Diagnostic::error(
                "config-looks-secret",
                format!("the value of `{shown}` looks like a secret"),
            )
            .detail("It would be stored in clear.")
            .hint("Give `--secret` to encrypt it, or `--plaintext` to store it in clear all the same.")
            .into());
        }
        let value =
            if self.secret { NewValue::Secure(context.crypter()?.encrypt(&value)?) } else { NewValue::Plain(value) };
        let text = context.config.set(&path, value)?;
        Ok(context.workspace.write_stack_config(&context.stack, &text)?)
    }
}

fn ask(context: &Context, secret: bool) -> Result<String, Diagnostic> {
    let answer = if secret { context.terminal.hidden("Value: ")? } else { context.terminal.line("Value: ") };
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
