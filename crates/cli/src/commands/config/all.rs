//! `outrigger config set-all` and `rm-all`: several values in one change of the file.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Configuration, Secrecy};

use crate::failure::Failure;

/// Set several values at once.
#[derive(Args, Debug)]
pub(super) struct SetAll {
    /// A value to store in clear; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", required_unless_present = "secret")]
    plaintext: Vec<String>,
    /// A value to encrypt; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    secret: Vec<String>,
    /// The keys are paths into structured values.
    #[arg(long)]
    path: bool,
}

impl SetAll {
    pub(super) fn run(self, config: &mut Configuration) -> Result<(), Failure> {
        let mut values = Vec::new();
        for (pairs, secrecy) in [(&self.plaintext, Secrecy::Plain), (&self.secret, Secrecy::Secret)] {
            for pair in pairs {
                let (key, value) = pair.split_once('=').ok_or_else(|| not_a_pair(pair, secrecy))?;
                values.push((config.path(key, self.path)?, value.to_owned(), secrecy));
            }
        }
        Ok(config.set(values)?)
    }
}

/// Remove several values at once.
#[derive(Args, Debug)]
pub(super) struct RemoveAll {
    /// The keys: `name` or `namespace:name`.
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
    /// The keys are paths into structured values.
    #[arg(long)]
    path: bool,
}

impl RemoveAll {
    pub(super) fn run(self, config: &mut Configuration) -> Result<(), Failure> {
        let paths = self.keys.iter().map(|key| config.path(key, self.path)).collect::<Result<Vec<_>, _>>()?;
        Ok(config.remove(&paths)?)
    }
}

fn not_a_pair(text: &str, secrecy: Secrecy) -> Diagnostic {
    // The text may be the secret itself.
    let shown = if secrecy == Secrecy::Secret { "a value of `--secret`".to_owned() } else { format!("`{text}`") };
    Diagnostic::error("config-no-value", format!("{shown} has no `=` between key and value"))
        .hint("Write it as `--plaintext name=value` or `--secret name=value`.")
}
