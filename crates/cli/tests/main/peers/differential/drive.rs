//! One plugin at the other end of `pulumi-drive`.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

use crate::place::peer;

/// The engine's monitor, for `Construct` and `Call`: our server connects to it first, whether the method needs it or not. No call here needs it, so
/// it accepts connections and answers nothing.
pub(crate) fn monitor() -> String {
    static MONITOR: LazyLock<TcpListener> = LazyLock::new(|| TcpListener::bind("127.0.0.1:0").unwrap());
    MONITOR.local_addr().unwrap().to_string()
}

/// A running plugin, which ends, with all that it started, when this is dropped.
pub(crate) struct Drive {
    driver: Child,
    calls: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Drive {
    /// Starts a plugin whose home is a directory of the test's; its stderr is appended to a file.
    pub(crate) fn start(plugin: &Path, home: &Path, errors: &Path) -> Self {
        let errors = File::options().create(true).append(true).open(errors).unwrap();
        let mut driver = Command::new(peer("bin/pulumi-drive"))
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

    /// Makes a call and waits for its answer, which is an object with `reply` or `error`. If the driver is gone, or prints anything else, there is no
    /// answer of a plugin to compare: the reason is on stderr, and the test ends.
    pub(crate) fn call(&mut self, call: &Value) -> Value {
        let mut line = call.to_string();
        line.push('\n');
        let sent = self.calls.as_mut().unwrap().write_all(line.as_bytes());
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer);
        match serde_json::from_str::<Value>(&answer) {
            Ok(answer) if answer.get("reply").is_some() != answer.get("error").is_some() => answer,
            other => panic!("the driver is lost at {line}: {other:?}; sent: {sent:?}, read: {read:?}"),
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
