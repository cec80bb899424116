//! One plugin at the other end of `pulumi-drive`.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::sandbox::peer;

/// A running plugin, which ends, with all that it started, when this is dropped.
pub(crate) struct Drive {
    driver: Child,
    calls: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Drive {
    /// Starts a plugin whose home is a directory of the test's; what it writes to standard error is appended to a file.
    pub(crate) fn start(plugin: &Path, home: &Path, errors: &Path) -> Self {
        let errors = File::options().create(true).append(true).open(errors).unwrap();
        let mut driver = Command::new(peer("pulumi-drive"))
            .arg("start")
            .arg(plugin)
            .current_dir(home)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home)
            .env("PULUMI_HOME", home.join(".pulumi"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let calls = driver.stdin.take();
        let answers = BufReader::new(driver.stdout.take().unwrap());
        Self { driver, calls, answers }
    }

    /// Makes a call and waits for its answer, which is an object with `reply` or `error`.
    pub(crate) fn call(&mut self, call: &Value) -> Value {
        let mut line = call.to_string();
        line.push('\n');
        // A driver that is gone says why on standard error; the answer that fails the comparison is made here.
        let sent = self.calls.as_mut().unwrap().write_all(line.as_bytes());
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer);
        match serde_json::from_str(&answer) {
            Ok(answer) => answer,
            Err(error) => json!({"driver": format!("{error}; sent: {sent:?}, read: {read:?}")}),
        }
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        // The driver ends the plugin when there are no more calls.
        self.calls = None;
        let _ = self.driver.wait();
    }
}
