//! The command line. Where a flag means the same as Pulumi's, it has the same name.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Pattern, Targets};
use outrigger_value::Urn;
use outrigger_workspace::GivenConfig;

use crate::commands;

/// The heading of the options that every command has.
const GLOBAL: &str = "Global options";

/// Deploy and manage infrastructure with Pulumi projects.
#[derive(Debug, Parser)]
#[command(name = "outrigger", version, about, disable_help_subcommand = true, propagate_version = false)]
pub(crate) struct Arguments {
    /// Work as if started in this directory.
    #[arg(short = 'C', long, global = true, help_heading = GLOBAL, value_name = "DIRECTORY")]
    pub(crate) cwd: Option<PathBuf>,
    /// Never ask for confirmation or input.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) non_interactive: bool,
    /// Whether output has colours; `auto` follows NO_COLOR and the terminal.
    #[arg(long, global = true, help_heading = GLOBAL, value_enum, default_value_t, hide_default_value = true, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Log operations to stderr; `-vv` also logs every call to a plugin. OUTRIGGER_LOG and OUTRIGGER_LOG_FILE choose more.
    #[arg(short, long, global = true, help_heading = GLOBAL, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// How much is logged. The same flag of `whoami` means something else, as in Pulumi.
    pub(crate) fn log_level(&self) -> u8 {
        if matches!(self.command, Command::Whoami(_)) { 0 } else { self.verbose }
    }

    /// Whether the command does its work without a current directory.
    pub(crate) fn works_anywhere(&self) -> bool {
        matches!(
            self.command,
            Command::Version(_)
                | Command::Explain(_)
                | Command::Completion(_)
                | Command::Reference(_)
                | Command::Parity(_)
        )
    }
}

/// When output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Uses this setting for all output from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a project from a template.
    New(commands::new::New),
    /// Create, update and delete resources to match the program.
    #[command(visible_alias = "update")]
    Up(commands::up::Up),
    /// Show the changes that `up` would make.
    #[command(alias = "pre")]
    Preview(commands::preview::Preview),
    /// Find mistakes in the project, without calling a provider.
    #[command(alias = "validate")]
    Check(commands::check::Check),
    /// Update the state to match the resources as they are.
    Refresh(commands::refresh::Refresh),
    /// Delete everything in the stack.
    #[command(visible_alias = "down", alias = "dn")]
    Destroy(commands::destroy::Destroy),
    /// Release the lock of an interrupted update.
    Cancel(commands::cancel::Cancel),
    /// Show and manage stacks.
    Stack(commands::stack::Stack),
    /// Show the stack's outputs, as `stack output` does.
    Output(commands::stack::Outputs),
    /// Show and change a stack's configuration.
    Config(commands::config::Config),
    /// Show and edit a stack's state without touching the resources themselves.
    State(commands::state::State),
    /// Add packages to a project, and show their documentation.
    Package(commands::package::Package),
    /// Write the lock files of the project's packages, and check that its plugins are installed.
    Install(commands::install::Install),
    /// Show, call, test and write plugins.
    Plugin(commands::plugin::Plugin),
    /// Choose where state is stored.
    Login(commands::login::Login),
    /// Log out of a backend.
    Logout(commands::logout::Logout),
    /// Show the backend's current user.
    Whoami(commands::whoami::Whoami),
    /// Show the version and the environment, for bug reports.
    About(commands::about::About),
    /// Explain an error code.
    Explain(commands::explain::Explain),
    /// Generate a shell completion script.
    #[command(alias = "gen-completion")]
    Completion(commands::completion::Completion),
    /// Show the version.
    Version(commands::version::Version),
    /// Prints `docs/commands.md`.
    #[command(name = "__commands", hide = true)]
    Reference(commands::reference::Reference),
    /// Prints `docs/parity-PEER.md`.
    #[command(name = "__parity", hide = true)]
    Parity(commands::parity::Parity),
}

/// The choice of a stack.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct StackChoice {
    /// The stack to work on; otherwise PULUMI_STACK or the selected one.
    #[arg(short, long, value_name = "STACK")]
    pub(crate) stack: Option<String>,
}

/// How a run is shown.
#[derive(Args, Clone, Debug)]
pub(crate) struct Showing {
    /// Show every property that changes.
    #[arg(long)]
    pub(crate) diff: bool,
    /// Show resources that stay the same, too.
    #[arg(long)]
    pub(crate) show_sames: bool,
    /// Show resources that are only read, too.
    #[arg(long)]
    pub(crate) show_reads: bool,
    /// Print JSON in Pulumi's form: a preview as one document, everything else as events, one object a line. Secrets stay masked.
    #[arg(short, long)]
    pub(crate) json: bool,
    /// Print events in Outrigger's own form, one JSON object a line (see docs/json-events.md).
    #[arg(long, conflicts_with = "json")]
    pub(crate) json_events: bool,
    /// Write engine events to a file in Pulumi's event-log format, one JSON object a line, without the preview.
    #[arg(long, value_name = "FILE")]
    pub(crate) event_log: Option<PathBuf>,
    /// Show secrets in clear.
    #[arg(long)]
    pub(crate) show_secrets: bool,
}

/// How a run goes about its work.
#[derive(Args, Clone, Debug)]
pub(crate) struct Working {
    /// Maximum number of concurrent provider operations; otherwise PULUMI_PARALLEL or four times the number of processors.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2_147_483_647))]
    pub(crate) parallel: Option<u32>,
    /// Only this resource: its URN, its name, or a pattern, in which `*` stands for any text without a colon and `**` for any text. May be
    /// given several times.
    #[arg(short, long, value_name = "RESOURCE")]
    target: Vec<String>,
}

impl Working {
    /// The targets: patterns, and whole names.
    pub(crate) fn targets(&self) -> Result<Targets, Diagnostic> {
        let mut targets = Targets::default();
        for text in &self.target {
            if text.contains('*') {
                targets.add_pattern(Pattern::new(text));
                continue;
            }
            if !text.starts_with("urn:") {
                // With a short name, the program may create the resource, so its type is not known yet.
                targets.add_pattern(Pattern::new(&format!("**::{text}")));
                continue;
            }
            targets.add_name(text.parse::<Urn>().map_err(|error| {
                Diagnostic::error("target-invalid", error.to_string()).hint("`outrigger state list` lists all URNs.")
            })?);
        }
        Ok(targets)
    }
}

/// Where the configuration is.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConfigFile {
    /// Use this file for the configuration instead of `Pulumi.STACK.yaml`.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config_file: Option<PathBuf>,
}

/// The configuration of a run.
#[derive(Args, Clone, Debug)]
pub(crate) struct Configuring {
    /// Set a configuration value first and save it in the stack's file; may be given several times.
    #[arg(short, long, value_name = "KEY=VALUE")]
    config: Vec<String>,
    /// The keys of `--config` are paths into structured values, which lose their other parts.
    #[arg(long)]
    config_path: bool,
    #[command(flatten)]
    pub(crate) file: ConfigFile,
}

impl Configuring {
    /// The values; one without `=` is empty, as in Pulumi.
    pub(crate) fn given(&self) -> GivenConfig {
        let pair = |text: &String| {
            let (key, value) = text.split_once('=').unwrap_or((text, ""));
            (key.to_owned(), value.to_owned())
        };
        GivenConfig { pairs: self.config.iter().map(pair).collect(), paths: self.config_path }
    }
}

/// How a run goes on after a failure.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Enduring {
    /// Continue with resources that do not depend on a failed one; the command still exits with an error.
    #[arg(long, env = "PULUMI_CONTINUE_ON_ERROR", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) continue_on_error: bool,
}

/// How a change is confirmed.
#[derive(Args, Clone, Debug)]
pub(crate) struct Confirming {
    /// Apply without asking for confirmation.
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Skip the preview.
    #[arg(short = 'f', long)]
    pub(crate) skip_preview: bool,
    /// A message for the stack's history.
    #[arg(short, long, default_value = "", hide_default_value = true)]
    pub(crate) message: String,
}

/// Whether every resource is read first.
#[derive(Args, Clone, Debug)]
pub(crate) struct Reading {
    /// Read every resource first; the project's `options.refresh` is the default.
    #[arg(short, long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) refresh: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulumis_flags_are_understood() {
        let line =
            "outrigger up -y -f -p 4 -s dev -t urn:pulumi:dev::p::a:b:C::x -r -m hello --diff --expect-no-changes -C /";
        let arguments = Arguments::try_parse_from(line.split(' ')).unwrap();
        let Command::Up(up) = arguments.command else { panic!("not up") };
        assert_eq!(up.working.targets().unwrap().names().count(), 1);
        assert_eq!(up.reading.refresh, Some(true));
        for line in ["outrigger up -p 0", "outrigger up --refresh=maybe", "outrigger nonsense"] {
            assert!(Arguments::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }

    #[test]
    fn a_target_is_a_urn_a_name_or_a_pattern() {
        let targets = |urn: &str| {
            let working = Working { parallel: None, target: vec![urn.to_owned()] };
            working.targets().map_err(|diagnostic| diagnostic.code)
        };
        assert!(targets("urn:pulumi:dev::p::a:b:C::x").is_ok());
        assert_eq!(targets("**::pet").unwrap().patterns().len(), 1);
        assert_eq!(targets("pet").unwrap().patterns()[0].as_str(), "**::pet");
        assert_eq!(targets("urn:pulumi:dev").unwrap_err(), "target-invalid");
    }
}
