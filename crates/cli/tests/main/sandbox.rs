//! A separate directory for each test: project, state, home, and nothing of the machine's.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::place::{self, peer};

/// The passphrase of every test that needs a right one.
pub(crate) const PASSPHRASE: &str = "correct horse";

/// The output of a command and how it ended.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// Both streams.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.ended(0)
    }

    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// It failed, with whatever code the tool has for that.
    #[track_caller]
    pub(crate) fn failed(self) -> Self {
        assert_ne!(self.code, 0, "\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(
                self.text().contains(part),
                "`{part}` is missing\nstdout:\n{}\nstderr:\n{}",
                self.stdout,
                self.stderr
            );
        }
        self
    }
}

/// A project with a separate backend.
pub(crate) struct Sandbox {
    directory: TempDir,
    variables: Vec<(String, String)>,
}

impl Sandbox {
    /// A project without stacks.
    pub(crate) fn new(project: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["project", "state", "home"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        let peers = place::directory().unwrap_or_default();
        let path = format!("{0}/bin:{0}/conformance:/usr/bin:/bin", peers.display());
        let at = |name: &str| directory.path().join(name).display().to_string();
        let variables = [
            ("PATH", path),
            ("HOME", at("home")),
            ("PULUMI_HOME", at("home/.pulumi")),
            ("PULUMI_BACKEND_URL", format!("file://{}", at("state"))),
            ("PULUMI_CONFIG_PASSPHRASE", PASSPHRASE.to_owned()),
            // The cloud of the provider `oracle`.
            ("ORACLE_LOG", at("oracle.log")),
            ("PULUMI_SKIP_UPDATE_CHECK", "true".to_owned()),
            ("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true".to_owned()),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
        let sandbox = Self { directory, variables };
        sandbox.write("Pulumi.yaml", project);
        sandbox
    }

    /// A project with the stack `dev`, selected.
    pub(crate) fn with_stack(project: &str) -> Self {
        let sandbox = Self::new(project);
        sandbox.outrigger(&["stack", "init", "dev"]).ok();
        sandbox
    }

    /// Sets a variable for later commands, or removes it.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) {
        self.variables.retain(|(known, _)| known != name);
        if let Some(value) = value {
            self.variables.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Puts one of our plugins, which is built as an example, first on the path. It gets a unique name, so that its processes can be distinguished
    /// from those of other tests.
    pub(crate) fn install(&mut self, plugin: &str) -> PathBuf {
        let built = std::env::current_exe().unwrap().parent().unwrap().with_file_name("examples").join(plugin);
        assert!(built.exists(), "`{}` is not there: run `cargo build -p outrigger-cli --examples`", built.display());
        let bin = self.path("bin");
        fs::create_dir_all(&bin).unwrap();
        let installed = bin.join(format!("pulumi-resource-{plugin}"));
        install(&built, &installed);
        self.prefer(&bin);
        installed
    }

    /// Puts `outrigger` on the path.
    pub(crate) fn with_outrigger_on_path(&mut self) {
        let bin = self.path("bin");
        fs::create_dir_all(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_outrigger"), bin.join("outrigger")).unwrap();
        self.prefer(&bin);
    }

    /// Puts a directory first on the path.
    pub(crate) fn prefer(&mut self, directory: &Path) {
        self.set("PATH", Some(&format!("{}:{}", directory.display(), self.search_path())));
    }

    /// Puts directories last on the path.
    pub(crate) fn append(&mut self, directories: &str) {
        self.set("PATH", Some(&format!("{}:{directories}", self.search_path())));
    }

    fn search_path(&self) -> String {
        self.variables.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone()).unwrap()
    }

    /// A path inside.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.directory.path().join(inside)
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path("project").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file of the project.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path("project").join(name)).unwrap()
    }

    /// The stack's checkpoint.
    pub(crate) fn checkpoint(&self, project: &str, stack: &str) -> PathBuf {
        self.path(&format!("state/.pulumi/stacks/{project}/{stack}.json"))
    }

    /// Runs outrigger.
    pub(crate) fn outrigger(&self, arguments: &[&str]) -> Answer {
        self.run(env!("CARGO_BIN_EXE_outrigger").as_ref(), arguments)
    }

    /// Runs outrigger with something on its standard input.
    pub(crate) fn answered(&self, input: &str, arguments: &[&str]) -> Answer {
        let mut command = self.command(env!("CARGO_BIN_EXE_outrigger").as_ref(), arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        answer(child)
    }

    /// Runs outrigger where no file may grow beyond some thousands of blocks, which is how a disk without room looks to it.
    pub(crate) fn outrigger_with_little_room(&self, blocks: u32, arguments: &str) -> Answer {
        let outrigger = env!("CARGO_BIN_EXE_outrigger");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{outrigger}' {arguments}");
        self.run("/bin/sh".as_ref(), &["-c", &script])
    }

    /// Runs the real pulumi.
    pub(crate) fn pulumi(&self, arguments: &[&str]) -> Answer {
        self.run(&peer("bin/pulumi"), arguments)
    }

    /// Starts outrigger and does not wait.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(env!("CARGO_BIN_EXE_outrigger").as_ref(), arguments).spawn().unwrap()
    }

    /// Starts outrigger as a shell in a terminal does, even if the tests themselves ignore SIGHUP, as under `nohup`.
    pub(crate) fn start_with_default_hangup(&self, arguments: &[&str]) -> Child {
        let whole = [&["--default-signal=HUP", env!("CARGO_BIN_EXE_outrigger")], arguments].concat();
        self.command("env".as_ref(), &whole).spawn().unwrap()
    }

    /// Starts the real pulumi and does not wait.
    pub(crate) fn start_pulumi(&self, arguments: &[&str]) -> Child {
        self.command(&peer("bin/pulumi"), arguments).spawn().unwrap()
    }

    /// Starts outrigger on a terminal and does not wait.
    pub(crate) fn start_on(&self, terminal: File, arguments: &[&str]) -> Child {
        self.start_program_on(terminal, env!("CARGO_BIN_EXE_outrigger").as_ref(), arguments)
    }

    /// Starts any program on a terminal and does not wait.
    pub(crate) fn start_program_on(&self, terminal: File, program: &Path, arguments: &[&str]) -> Child {
        let mut command = self.command(program, arguments);
        if self.variables.iter().all(|(name, _)| name != "TERM") {
            command.env("TERM", "xterm-256color");
        }
        command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap()).stderr(terminal);
        command.spawn().unwrap()
    }

    /// The state as outrigger exports it.
    pub(crate) fn export(&self) -> serde_json::Value {
        serde_json::from_str(&self.outrigger(&["stack", "export"]).ok().stdout).unwrap()
    }

    /// Every file below the sandbox that holds a text.
    pub(crate) fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(self.directory.path(), &mut |path| {
            let bytes = fs::read(path).unwrap_or_default();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                found.push(path.to_owned());
            }
        });
        found
    }

    /// Runs any program in the project.
    pub(crate) fn run(&self, program: &Path, arguments: &[&str]) -> Answer {
        answer(self.command(program, arguments).spawn().unwrap())
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.path("project"))
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Waits for a command.
pub(crate) fn answer(child: Child) -> Answer {
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Puts a program somewhere else, under another name.
pub(crate) fn install(program: &Path, at: &Path) {
    fs::hard_link(program, at).or_else(|_| fs::copy(program, at).map(|_| ())).unwrap();
}

pub(crate) fn walk(directory: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, visit);
        } else {
            visit(&path);
        }
    }
}
