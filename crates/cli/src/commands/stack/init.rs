//! `outrigger stack init`.

use clap::Args;
use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_state::StackName;
use outrigger_workspace::{PASSPHRASE_KIND, Workspace, unsupported};

use super::Context;
use crate::failure::Failure;
use crate::output::talk;
use crate::render::diagnostic::report;

/// Create a stack and select it.
#[derive(Args, Debug)]
pub(super) struct Init {
    /// The stack's name.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// How secrets are encrypted; this build supports `passphrase`.
    #[arg(long, value_name = "PROVIDER", default_value = PASSPHRASE_KIND)]
    secrets_provider: String,
    /// Copy the configuration of this stack; secrets are encrypted for the new one.
    #[arg(long, value_name = "STACK")]
    copy_config_from: Option<String>,
    /// Do not select the new stack.
    #[arg(long)]
    no_select: bool,
}

impl Init {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        if !matches!(self.secrets_provider.as_str(), PASSPHRASE_KIND | "default") {
            let mut refusal = unsupported(&self.secrets_provider);
            refusal.detail = Some("This build supports only `passphrase`.".to_owned());
            refusal.hints =
                vec!["Leave `--secrets-provider` out, or create the stack with `pulumi stack init`.".to_owned()];
            return Err(refusal.into());
        }
        let name = match self.name.or_else(|| context.named.clone()) {
            Some(name) => name,
            None if context.terminal.is_interactive() => {
                context.terminal.line("Name of the stack: ").unwrap_or_default()
            }
            None => {
                return Err(Diagnostic::error("stack-no-name", "the new stack has no name")
                    .hint("Run `outrigger stack init NAME`.")
                    .into());
            }
        };
        let stack = StackName::parse(&name, Some(&context.workspace.project.name))?;
        let configuration = |name: &str| Workspace::open(context.environment)?.configuration(Some(name));
        // A mistake in its name is found before anything is created.
        let source = self.copy_config_from.as_deref().map(configuration).transpose()?;
        context.workspace.create_stack(&stack)?;
        if let Some(source) = source {
            source.copy_to(&mut configuration(&name)?, None)?;
        }
        talk(&format!("Created stack `{stack}`."));
        if !self.no_select
            && let Err(mut diagnostic) = context.workspace.select(Some(&stack))
        {
            // The stack exists; a second attempt would fail for that reason.
            diagnostic.severity = Severity::Warning;
            diagnostic.summary = format!("stack `{stack}` could not be selected");
            diagnostic.hints = vec![format!("Pass `--stack {stack}` to each command, or set PULUMI_STACK.")];
            report(&diagnostic);
        }
        Ok(())
    }
}
