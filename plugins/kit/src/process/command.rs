//! `kit:process:Command`.

use std::collections::BTreeMap;
use std::time::Duration;

use outrigger_sdk::{
    Changes, Check, Context, Created, Enumeration, Error, Inputs, Outputs, Resource, Result, State, Value,
};

use super::line::Line;
use super::output::{KEPT, Show};
use super::run::{Ending, Ran, Run, Stopped};
use crate::marked::Marked;

/// A longer grace period is taken for a mistake.
const LONGEST_GRACE: Duration = Duration::from_secs(3600);

/// An environment variable can have at most 128 KiB.
const LARGEST_VARIABLE: usize = 100 * 1024;

/// The inputs of a command.
#[derive(Clone, Inputs)]
pub(crate) struct CommandArgs {
    /// The command that creates the resource: a string for the shell, or a list of a program and its arguments, which bypasses the shell.
    create: Marked<Line>,
    /// The command that runs when something changes. Without it, `create` runs again.
    update: Option<Marked<Line>>,
    /// The command that runs when the resource is deleted. Without it, none runs.
    delete: Option<Marked<Line>>,
    /// The standard input of the commands. Without it, the input is empty.
    stdin: Option<Marked<String>>,
    /// Variables to add to the environment of the host, from which the engine's own secrets are removed.
    environment: Option<BTreeMap<String, Marked<String>>>,
    /// The directory to run in; by default the program's.
    working_directory: Option<String>,
    /// The program, with its first arguments, that runs a command given as text. By default `/bin/sh -c`.
    #[outrigger(default = vec!["/bin/sh".to_owned(), "-c".to_owned()])]
    interpreter: Vec<String>,
    /// Any values. When one of them changes, the resource is replaced: `create` runs, and then `delete` for the old one.
    #[outrigger(replace)]
    triggers: Option<Vec<Value>>,
    /// How many seconds a command may take. Without it, there is no limit.
    timeout: Option<f64>,
    /// How many seconds a command gets to end after SIGTERM, before SIGKILL, up to 3600.
    #[outrigger(default = 5.0)]
    grace_period: f64,
    /// How much of the output to show while a command runs. Secret output is never shown.
    #[outrigger(default = Log::Progress)]
    log: Log,
    /// Whether the commands' output is secret. It always is if a command, its input or its environment is secret.
    #[outrigger(default = false)]
    secret_output: bool,
}

/// How much of a command's output to show while it runs.
#[derive(Clone, Copy, Enumeration, PartialEq)]
#[outrigger(token = "kit:process:Log")]
pub(crate) enum Log {
    /// The latest line, beside the resource.
    Progress,
    /// Every line, up to 1000 of each stream, as messages that stay.
    Lines,
    /// Nothing.
    None,
}

/// Runs commands on the machine that the plugin runs on, for tasks that no other resource covers.
///
/// The command's output is shown while it runs, and kept. An exit code other than 0 is a failure. In `update` and `delete`, the
/// variables `KIT_STDOUT` and `KIT_STDERR` contain the output of the last command, up to 100 KiB each.
///
/// Every process that a command starts ends with it, including background processes: use the machine's service manager for processes
/// that should stay. When a run is cancelled, the timeout passes, or the plugin ends, the command and all its processes
/// get SIGTERM, and SIGKILL after the grace period.
#[derive(Outputs)]
pub(crate) struct Command {
    /// The standard output of the last command, up to 1 MiB, without trailing line breaks. Bytes that are not text (UTF-8) are
    /// replaced with U+FFFD.
    stdout: Marked<String>,
    /// The standard error of the last command, in the same form.
    stderr: Marked<String>,
    /// Whether the last command wrote more than is kept.
    truncated: bool,
}

impl CommandArgs {
    fn is_secret(&self) -> bool {
        let line = |line: &Option<Marked<Line>>| line.as_ref().is_some_and(|line| line.secret);
        self.secret_output
            || self.create.secret
            || line(&self.update)
            || line(&self.delete)
            || self.stdin.as_ref().is_some_and(|stdin| stdin.secret)
            || self.environment.iter().flat_map(BTreeMap::values).any(|value| value.secret)
    }

    /// Whether both do the same when they run again.
    fn runs_like(&self, other: &Self) -> bool {
        let line = |args: &Self| args.update.clone().map_or_else(|| args.create.value.clone(), |line| line.value);
        line(self) == line(other)
            && self.stdin.as_ref().map(|stdin| &stdin.value) == other.stdin.as_ref().map(|stdin| &stdin.value)
            && self.environment == other.environment
            && self.working_directory == other.working_directory
            && self.interpreter == other.interpreter
    }

    async fn run(&self, cx: &Context, name: &str, line: &Line, before: Option<&Command>) -> Result<Command> {
        let mut environment = BTreeMap::new();
        if let Some(before) = before {
            environment.extend(handed_on("KIT_STDOUT", &before.stdout.value));
            environment.extend(handed_on("KIT_STDERR", &before.stderr.value));
        }
        let given = self.environment.iter().flatten();
        environment.extend(given.map(|(name, value)| (name.clone(), value.value.clone())));
        let secret = self.is_secret();
        let run = Run {
            words: line.words(&self.interpreter),
            environment,
            directory: self.working_directory.as_ref().map(std::path::absolute).transpose()?,
            stdin: self.stdin.as_ref().map(|stdin| stdin.value.clone()).unwrap_or_default(),
            timeout: self.timeout.and_then(|limit| Duration::try_from_secs_f64(limit).ok()),
            grace: Duration::try_from_secs_f64(self.grace_period).unwrap_or_default().min(LONGEST_GRACE),
        };
        let show = match self.log {
            _ if secret => Show::Nothing,
            Log::None => Show::Nothing,
            Log::Progress => Show::Newest(cx),
            Log::Lines => Show::Lines(cx),
        };
        let ran = run.run(cx, show).await.map_err(|error| error.context(format_args!("the command `{name}`")))?;
        if let Some(failure) = failure(name, &ran, self, secret) {
            return Err(failure);
        }
        let truncated = ran.stdout.is_cut() || ran.stderr.is_cut();
        if truncated {
            cx.warn(format_args!("the command `{name}` wrote more than {KEPT} bytes; only the beginning is stored"));
        }
        Ok(Command {
            stdout: Marked::new(ran.stdout.text(), secret),
            stderr: Marked::new(ran.stderr.text(), secret),
            truncated,
        })
    }
}

/// An environment variable, if the value fits into one.
fn handed_on(name: &str, value: &str) -> Option<(String, String)> {
    (value.len() <= LARGEST_VARIABLE && !value.contains('\0')).then(|| (name.to_owned(), value.to_owned()))
}

/// The error of a failed command, with its last lines of output. The command itself is not repeated: it is in the program, and may
/// contain a secret.
fn failure(name: &str, ran: &Ran, args: &CommandArgs, secret: bool) -> Option<Error> {
    let (what, in_doubt) = match (&ran.stopped, &ran.ending) {
        (None, Some(Ending::Code(0))) => return None,
        (Some(Stopped::TimedOut), _) => {
            let seconds = args.timeout.unwrap_or_default();
            (format!("took longer than `timeout`, {seconds} seconds, and was ended"), true)
        }
        (Some(Stopped::Cancelled), _) => ("was ended, because the run was cancelled or timed out".to_owned(), true),
        (None, Some(Ending::Code(code))) => (format!("failed with exit code {code}"), false),
        (None, Some(Ending::Signal(signal))) => (format!("was ended by signal {signal}"), false),
        (None, Some(Ending::NotStarted(why))) => (format!("could not be started: {why}"), false),
        (None, None) => ("has no known result: the process that supervised it was killed".to_owned(), true),
    };
    let mut lines = ran.stderr.last_lines();
    if lines.is_empty() {
        lines = ran.stdout.last_lines();
    }
    let words = match (secret, lines.is_empty()) {
        (_, true) => String::new(),
        (true, false) => "; its output is secret and not shown".to_owned(),
        (false, false) => format!("; the end of its stderr:\n  {}", lines.join("\n  ")),
    };
    let error = Error::new(format!("the command `{name}` {what}{words}"));
    Some(if in_doubt { error.in_doubt() } else { error })
}

impl Resource for Command {
    type Inputs = CommandArgs;
    const TOKEN: &'static str = "kit:process:Command";

    async fn check(_cx: &Context, check: &mut Check<CommandArgs>) -> Result<()> {
        let inputs = check.inputs.clone();
        let lines =
            [("create", Some(&inputs.create)), ("update", inputs.update.as_ref()), ("delete", inputs.delete.as_ref())];
        for (name, line) in lines {
            if let Some(mistake) = line.and_then(|line| line.value.mistake()) {
                check.refuse(name, mistake);
            }
        }
        if inputs.interpreter.first().is_none_or(String::is_empty) {
            check.refuse("interpreter", "its first element is a program");
        }
        for (name, value) in inputs.environment.iter().flatten() {
            if name.is_empty() || name.contains(['=', '\0']) {
                check.refuse("environment", format!("`{}` is not the name of a variable", name.escape_debug()));
            }
            if value.value.contains('\0') {
                check.refuse("environment", format!("the value of `{}` has a zero byte", name.escape_debug()));
            }
        }
        for (name, seconds) in [("timeout", inputs.timeout), ("gracePeriod", Some(inputs.grace_period))] {
            if seconds.is_some_and(|seconds| Duration::try_from_secs_f64(seconds).is_err()) {
                check.refuse(name, "it is not a number of seconds");
            }
        }
        if inputs.grace_period > LONGEST_GRACE.as_secs_f64() {
            check.refuse("gracePeriod", "it is at most an hour: 3600");
        }
        if inputs.timeout == Some(0.0) {
            check.refuse("timeout", "it must be greater than 0");
        }
        Ok(())
    }

    async fn diff(_cx: &Context, _state: &State<Self>, inputs: &CommandArgs, changes: &mut Changes) -> Result<()> {
        // These affect only how the next command runs.
        for property in ["log", "timeout", "gracePeriod"] {
            changes.ignore(property);
        }
        // With a command for updates, the command that created the resource no longer matters.
        if inputs.update.is_some() && !changes.touches("update") {
            changes.ignore("create");
        }
        Ok(())
    }

    async fn create(cx: &Context, inputs: CommandArgs) -> Result<Created<Self>> {
        let made = inputs.run(cx, "create", &inputs.create.value, None).await?;
        Ok(Created::new(uuid::Uuid::new_v4().to_string(), made))
    }

    async fn update(cx: &Context, state: State<Self>, inputs: CommandArgs) -> Result<Self> {
        if inputs.runs_like(&state.inputs) {
            return Ok(state.outputs);
        }
        let (name, line) = match &inputs.update {
            Some(line) => ("update", &line.value),
            None => ("create", &inputs.create.value),
        };
        inputs.run(cx, name, line, Some(&state.outputs)).await
    }

    async fn delete(cx: &Context, state: State<Self>) -> Result<()> {
        let Some(line) = &state.inputs.delete else { return Ok(()) };
        state.inputs.run(cx, "delete", &line.value, Some(&state.outputs)).await.map(drop)
    }
}
