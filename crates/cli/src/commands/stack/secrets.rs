//! `outrigger stack change-secrets-provider`.

use std::io;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Frontend as _, PASSPHRASE_KIND, Passphrase, Phrase, unsupported};

use super::Context;
use crate::failure::Failure;
use crate::output::talk;
use crate::render::diagnostic::report;
use crate::terminal::Terminal;

/// Encrypt the stack's secrets with another passphrase, which is asked for or read from standard input.
#[derive(Args, Debug)]
pub(super) struct ChangeSecretsProvider {
    /// How secrets will be encrypted; this build supports `passphrase`.
    #[arg(value_name = "PROVIDER")]
    provider: String,
}

impl ChangeSecretsProvider {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        if self.provider != PASSPHRASE_KIND {
            let mut refusal = unsupported(&self.provider);
            refusal.detail = Some("This build supports only `passphrase`.".to_owned());
            refusal.hints = vec!["Change it with `pulumi`, and keep using `pulumi` for this stack.".to_owned()];
            return Err(refusal.into());
        }
        let stack = context.stack(None)?;
        for finding in context.workspace.change_passphrase(&stack, || chosen(context.terminal))? {
            report(&finding);
        }
        talk(&format!(
            "Changed the passphrase of stack `{stack}`: its state, its configuration and the configuration in its history. \
             Earlier copies of the state, such as those in `.pulumi/backups`, keep the old one."
        ));
        Ok(())
    }
}

/// The new passphrase. Without a terminal it is the first line of the input, as with `pulumi`.
fn chosen(terminal: Terminal) -> Result<Phrase, Diagnostic> {
    if let Some(phrase) = terminal.passphrase(Passphrase::New)? {
        return Ok(phrase);
    }
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(length) if length > 0 => Ok(Phrase::new(line.trim())),
        result => {
            let reason = result.err().map_or_else(|| "Standard input is empty.".to_owned(), |error| error.to_string());
            Err(Diagnostic::error("passphrase-missing", "no new passphrase was given")
                .detail(reason)
                .hint("Write it as a line to standard input. PULUMI_CONFIG_PASSPHRASE is the old passphrase."))
        }
    }
}
