//! Runs `runtime.options.compiler`: a command of the user's whose output is the program.
//!
//! It stays in our process group, so that Ctrl-C ends it too, and it gets the same environment as in `pulumi`, without the keys of secrets.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use outrigger_diagnostic::{Diagnostic, Place};
use outrigger_project::Compiler;
use outrigger_provider::without_secrets;
use outrigger_syntax::MAX_BYTES;

use super::Environment;
use crate::HIDDEN;

/// How long a compiler may take. Real ones take seconds; one that hangs would hang for ever.
pub(super) const LIMIT: Duration = Duration::from_secs(300);

/// After this time a message says that the command waits for the compiler.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is asked whether it has ended.
const MOMENT: Duration = Duration::from_millis(5);

/// How much of its stderr is kept.
const WORDS: usize = 64 << 10;

/// How many lines of it an error shows.
const LINES: usize = 20;

/// Where and with which environment a compiler runs.
pub(super) struct Surroundings<'a> {
    /// The environment of this process.
    pub(super) environment: &'a Environment,
    /// Additional variables; those that are set already win, as in the peer.
    pub(super) variables: &'a [(&'static str, String)],
    /// The secrets that it gets in clear and that must not be shown.
    pub(super) secrets: &'a [&'a str],
    /// The program's directory.
    pub(super) directory: &'a Path,
    /// Where the project file asks for it.
    pub(super) place: Place,
    /// How long it may take.
    pub(super) limit: Duration,
}

/// Runs the compiler. Returns its output.
pub(super) fn run(compiler: &Compiler, around: &Surroundings<'_>) -> Result<Vec<u8>, Diagnostic> {
    let failed = |summary: String| Diagnostic::error("compiler", summary).at(around.place.clone());
    let name = &compiler.program;
    let mut child = Command::new(name)
        .args(&compiler.arguments)
        .current_dir(around.directory)
        .env_clear()
        .envs(variables(around))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            failed(format!("the compiler `{name}` could not be started"))
                .detail(error.to_string())
                .hint("Check that the command is installed and on PATH, or correct `runtime.options.compiler`.")
        })?;
    let unwatched = |error: io::Error| {
        failed(format!("the compiler `{name}` could not be watched"))
            .detail(error.to_string())
            .hint("Check the limits on processes and threads (`ulimit -u`) and on open files (`ulimit -n`).")
    };
    let printed = collect(child.stdout.take(), MAX_BYTES + 1).map_err(unwatched)?;
    let said = collect(child.stderr.take(), WORDS).map_err(unwatched)?;
    let Some(status) = wait(child, name, around).map_err(unwatched)? else {
        return Err(failed(format!("the compiler `{name}` did not end within {} seconds", around.limit.as_secs()))
            .detail(last_lines(&around.hide(&said.take())))
            .hint("Run it by hand to see where it hangs."));
    };
    let said = said.take();
    if !status.success() {
        return Err(failed(format!("the compiler `{name}` failed: {status}"))
            .detail(last_lines(&around.hide(&said)))
            .hint("Correct the mistake that it reports, or run it by hand in the program's directory."));
    }
    if !said.is_empty() {
        around.environment.frontend.notice(&format!("{name}: {}", around.hide(&said).trim_end()));
    }
    let printed = printed.take();
    if printed.len() > MAX_BYTES {
        return Err(failed(format!("the compiler `{name}` prints too much"))
            .detail(format!("At most {MAX_BYTES} bytes are read."))
            .hint("Split the project."));
    }
    Ok(printed)
}

impl Surroundings<'_> {
    /// The compiler's output without secrets: it has them in clear, and may well print them.
    pub(super) fn hide(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let secrets = self.secrets.iter().filter(|secret| !secret.is_empty());
        secrets.fold(text, |text, secret| text.replace(secret, HIDDEN))
    }
}

/// Everything that is set, but for keys, and ours where nothing is set.
fn variables(around: &Surroundings<'_>) -> Vec<(OsString, OsString)> {
    let mut all = without_secrets(around.environment.variables.iter().cloned());
    for (name, value) in around.variables {
        match around.environment.raw(name) {
            None => all.push((name.into(), value.into())),
            Some(other) if other != OsStr::new(value) => {
                let summary =
                    format!("{name} is set in the environment; the compiler gets that value and not this stack's");
                let hint = format!("Unset {name}.");
                around.environment.frontend.finding(&Diagnostic::warning("compiler-variable", summary).hint(hint));
            }
            Some(_) => {}
        }
    }
    all
}

/// Waits for the end; a compiler that takes too long is killed, and the result is `None`.
fn wait(mut child: Child, name: &str, around: &Surroundings<'_>) -> io::Result<Option<ExitStatus>> {
    let (started, limit) = (Instant::now(), around.limit);
    let mut announced = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= limit {
            child.kill()?;
            return child.wait().map(|_| None);
        }
        if started.elapsed() >= PATIENCE && !announced {
            announced = true;
            let waiting = format!("Waiting for the compiler `{name}`, for at most {} seconds ...", limit.as_secs());
            around.environment.frontend.notice(&waiting);
        }
        thread::sleep(MOMENT);
    }
}

/// A pipe that is being read.
struct Pipe {
    bytes: std::sync::mpsc::Receiver<Vec<u8>>,
}

/// How long a process's output may take to arrive after its end. Its children may hold the pipe open for ever.
const ARRIVAL: Duration = Duration::from_secs(2);

impl Pipe {
    fn take(&self) -> Vec<u8> {
        let mut all = Vec::new();
        while let Ok(piece) = self.bytes.recv_timeout(ARRIVAL) {
            all.extend(piece);
        }
        all
    }
}

/// Reads a pipe to its end, and keeps the first `keep` bytes.
fn collect(pipe: Option<impl Read + Send + 'static>, keep: usize) -> io::Result<Pipe> {
    let (sender, bytes) = channel();
    thread::Builder::new().spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let (mut kept, mut buffer) = (0, vec![0; 64 << 10]);
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let piece = buffer.get(..count.min(keep - kept)).unwrap_or_default();
            kept += piece.len();
            if !piece.is_empty() && sender.send(piece.to_vec()).is_err() {
                return;
            }
        }
    })?;
    Ok(Pipe { bytes })
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    if lines.is_empty() {
        return "It wrote nothing to stderr.".to_owned();
    }
    let shown = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default();
    format!("The end of its stderr:\n{}", shown.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(script: &str, limit: Duration) -> Result<Vec<u8>, Diagnostic> {
        let compiler = Compiler {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            span: Default::default(),
        };
        let around = Surroundings {
            environment: &Environment::new(std::env::vars_os(), "/"),
            variables: &[("PULUMI_ROOT_DIRECTORY", "here".to_owned())],
            secrets: &["canary"],
            directory: Path::new("/"),
            place: Place::point("Pulumi.yaml", 2, 1),
            limit,
        };
        run(&compiler, &around)
    }

    #[test]
    fn what_it_prints_is_the_program() {
        assert_eq!(compiled("pwd; echo $PULUMI_ROOT_DIRECTORY", LIMIT).unwrap(), b"/\nhere\n");
    }

    #[test]
    fn a_failure_shows_what_it_said_and_no_secret() {
        let failed = compiled("echo out; echo 'bad canary' >&2; exit 3", LIMIT).unwrap_err();
        assert_eq!(failed.place.as_ref().unwrap().to_string(), "Pulumi.yaml:2:1");
        assert!(failed.summary.contains("exit status: 3"), "{failed}");
        assert_eq!(failed.detail.as_deref(), Some("The end of its stderr:\nbad [secret]"));
        let killed = compiled("kill -9 $$", LIMIT).unwrap_err();
        assert!(killed.summary.contains("signal: 9"), "{killed}");
        let flood = compiled("head -c 70000000 /dev/zero", LIMIT).unwrap_err();
        assert!(flood.summary.contains("too much"), "{flood}");
    }

    #[test]
    fn one_that_hangs_is_ended() {
        let hung = compiled("exec sleep 1000", Duration::from_millis(50)).unwrap_err();
        assert!(hung.summary.contains("did not end"), "{hung}");
        let missing = Compiler { program: "/no/such".into(), arguments: Vec::new(), span: Default::default() };
        let environment = Environment::new(std::env::vars_os(), "/");
        let around = Surroundings {
            environment: &environment,
            variables: &[],
            secrets: &[],
            directory: Path::new("/"),
            place: Place::point("Pulumi.yaml", 2, 1),
            limit: LIMIT,
        };
        assert!(run(&missing, &around).unwrap_err().summary.contains("could not be started"));
    }
}
