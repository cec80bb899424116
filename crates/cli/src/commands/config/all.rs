//! `outrigger config set-all` and `rm-all`: several values in one change of the file.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_project::stack_config::{NewValue, StackConfig};

use super::Context;
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
    pub(super) fn run(self, mut context: Context) -> Result<(), Failure> {
        let mut values = Vec::new();
        for (pairs, secret) in [(&self.plaintext, false), (&self.secret, true)] {
            for pair in pairs {
                let (key, value) = pair.split_once('=').ok_or_else(|| not_a_pair(pair, secret))?;
                values.push((context.path(key, self.path)?, value.to_owned(), secret));
            }
        }
        let crypter = if self.secret.is_empty() { None } else { Some(context.crypter()?) };
        let mut config = context.config.clone();
        for (path, value, secret) in values {
            let value = match &crypter {
                Some(crypter) if secret => NewValue::Secure(crypter.encrypt(&value)?),
                _ => NewValue::Plain(value),
            };
            config = changed(&context, &config.set(&path, value)?)?;
        }
        Ok(context.workspace.write_stack_config(&context.stack, config.source())?)
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
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let mut config = context.config.clone();
        for key in &self.keys {
            config = changed(context, &config.remove(&context.path(key, self.path)?)?)?;
        }
        // Keys that are not there are no error, and no reason to touch the file.
        if config.source() != context.config.source() {
            context.workspace.write_stack_config(&context.stack, config.source())?;
        }
        Ok(())
    }
}

/// The configuration of the changed text.
fn changed(context: &Context, text: &str) -> Result<StackConfig, Failure> {
    let file = context.config.file();
    Ok(StackConfig::parse(file, Some(text.as_bytes()), &context.workspace.project.name)?)
}

fn not_a_pair(text: &str, secret: bool) -> Diagnostic {
    // What is in it may be the secret itself.
    let shown = if secret { "a value of `--secret`".to_owned() } else { format!("`{text}`") };
    Diagnostic::error("config-no-value", format!("{shown} has no `=` between key and value"))
        .hint("Write it as `--plaintext name=value` or `--secret name=value`.")
}
