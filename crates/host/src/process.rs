//! A plugin's process, in the form that the protocols use.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use outrigger_transport::{
    FirstLine, LaunchRequest, Launcher, OutputLine, OutputLines, OutputStream, Process, StartError,
};
use tokio::io::BufReader;
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::group::GroupHandle;
use crate::output::LastWords;
use crate::spawner::{Spawner, Started};

/// How long the rest of the output may take to arrive after the group has ended. Its pipes are closed by then, unless a
/// process that left the group holds them.
const REST_OF_OUTPUT: Duration = Duration::from_millis(250);

/// How long to wait between attempts to start a program that is open for writing.
const WHILE_WRITTEN: [Duration; 3] =
    [Duration::from_millis(50), Duration::from_millis(100), Duration::from_millis(200)];

/// How long to wait for killed processes to disappear. The kernel needs only moments, unless one hangs in a system call.
const HELD: Duration = Duration::from_secs(5);

/// The processes of one plugin. Its connections own them, so an unneeded process is dropped; this only watches and ends them.
pub(crate) struct Processes {
    spawner: Spawner,
    /// Gets every line that they print, besides those that a request names.
    output: Option<Arc<dyn OutputLines>>,
    started: Mutex<Vec<Weak<PluginProcess>>>,
}

impl Processes {
    pub(crate) fn new(spawner: Spawner, output: Option<Arc<dyn OutputLines>>) -> Self {
        Self { spawner, output, started: Mutex::default() }
    }

    /// Whether one of those still needed has ended.
    pub(crate) fn have_ended(&self) -> bool {
        self.held().iter().any(|process| process.has_ended())
    }

    /// Ends them: SIGINT, and SIGKILL after a grace period. Returns a sentence for each that did not exit by itself.
    pub(crate) async fn end(&self, grace: Duration) -> Vec<String> {
        let left = self.held();
        left.iter().for_each(|process| process.interrupt());
        if timeout(grace, join_all(left.iter().map(|process| process.exited()))).await.is_ok() {
            let leavers = left.iter().filter(|process| process.group.has_left_others());
            return leavers.map(|process| format!("`{}` exited and left processes running.", process.label)).collect();
        }
        let deaf = left.iter().filter(|process| !process.has_ended());
        let seconds = grace.as_secs_f64();
        let said =
            |process: &Arc<PluginProcess>| format!("`{}` did not exit within {seconds} s of SIGINT.", process.label);
        let deaf = deaf.map(said).collect();
        drop(self.kill().await);
        deaf
    }

    /// Kills them, waits until they are gone, and returns the end of their stderr.
    pub(crate) async fn kill(&self) -> Vec<String> {
        let left = self.held();
        left.iter().for_each(|process| process.kill());
        let _held_by_the_kernel = timeout(HELD, join_all(left.iter().map(|process| process.exited()))).await;
        left.iter().flat_map(|process| process.last_words()).collect()
    }

    fn held(&self) -> Vec<Arc<PluginProcess>> {
        self.started().iter().filter_map(Weak::upgrade).collect()
    }

    fn started(&self) -> MutexGuard<'_, Vec<Weak<PluginProcess>>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Launcher for Processes {
    async fn launch(&self, mut request: LaunchRequest) -> Result<Arc<dyn Process>, StartError> {
        request.output = match (request.output, self.output.clone()) {
            (Some(own), Some(also)) => Some(Arc::new(Both { own, also })),
            (own, also) => own.or(also),
        };
        let process = self.spawner.launch(request).await?;
        let mut started = self.started();
        started.retain(|process| process.strong_count() > 0);
        started.push(Arc::downgrade(&process));
        Ok(process)
    }
}

/// Two receivers of the same lines; the first decides which lines are kept.
#[derive(Debug)]
struct Both {
    own: Arc<dyn OutputLines>,
    also: Arc<dyn OutputLines>,
}

impl OutputLines for Both {
    fn line(&self, line: OutputLine<'_>) {
        self.own.line(line);
        self.also.line(line);
    }

    fn is_worth_keeping(&self, line: OutputLine<'_>) -> bool {
        self.own.is_worth_keeping(line)
    }
}

impl Spawner {
    /// Starts a process and drains its output from the beginning.
    async fn launch(&self, request: LaunchRequest) -> Result<Arc<PluginProcess>, StartError> {
        let (label, output) = (request.label.clone(), request.output.clone());
        let program = request.program.display().to_string();
        let failed = |error: io::Error| StartError::Spawn { program, reason: error.to_string() };
        let attempt = async {
            let started = self.start_when_written(request).await?;
            PluginProcess::new(label, started, output)
        };
        attempt.await.map(Arc::new).map_err(failed)
    }

    /// Starts a process. The kernel refuses a program that is open for writing, as a freshly installed plugin may be in a child
    /// that another thread is about to start.
    async fn start_when_written(&self, request: LaunchRequest) -> io::Result<Started> {
        for pause in WHILE_WRITTEN {
            match self.start(request.clone()).await {
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => tokio::time::sleep(pause).await,
                outcome => return outcome,
            }
        }
        self.start(request).await
    }
}

/// A running plugin. Dropping the last handle kills its group.
#[derive(Debug)]
pub(crate) struct PluginProcess {
    label: String,
    group: GroupHandle,
    first_line: watch::Receiver<Option<FirstLine>>,
    /// How many of the two streams have ended.
    ended_streams: watch::Receiver<usize>,
    last_words: LastWords,
    /// Never written to. A plugin that watches its standard input sees its end when we die.
    _stdin: OwnedFd,
    /// The readers end with the process's pipes, or with this handle.
    _readers: JoinSet<()>,
}

impl PluginProcess {
    fn new(label: String, started: Started, output: Option<Arc<dyn OutputLines>>) -> io::Result<Self> {
        let Started { group, stdin, stdout, stderr } = started;
        let stdout = pipe::Receiver::from_owned_fd(stdout)?;
        let stderr = pipe::Receiver::from_owned_fd(stderr)?;
        let (announce, first_line) = watch::channel(None);
        let (count, ended_streams) = watch::channel(0);
        let last_words = LastWords::default();
        let (told, also_told) = (output.clone(), output);
        let mut readers = JoinSet::new();
        let (words, counted) = (last_words.clone(), count.clone());
        readers.spawn(async move {
            let mut stdout = BufReader::new(stdout);
            announce.send_replace(Some(FirstLine::read(&mut stdout).await));
            words.drain(stdout, OutputStream::Stdout, told.as_deref()).await;
            counted.send_modify(|ended| *ended += 1);
        });
        let words = last_words.clone();
        readers.spawn(async move {
            words.drain(stderr, OutputStream::Stderr, also_told.as_deref()).await;
            count.send_modify(|ended| *ended += 1);
        });
        Ok(Self { label, group, first_line, ended_streams, last_words, _stdin: stdin, _readers: readers })
    }
}

#[async_trait]
impl Process for PluginProcess {
    fn label(&self) -> &str {
        &self.label
    }

    fn id(&self) -> u32 {
        self.group.id()
    }

    async fn first_line(&self) -> FirstLine {
        let mut line = self.first_line.clone();
        match line.wait_for(Option::is_some).await {
            Ok(line) => line.clone().unwrap_or(FirstLine::Ended(Vec::new())),
            Err(_) => FirstLine::Ended(Vec::new()),
        }
    }

    fn last_words(&self) -> Vec<String> {
        self.last_words.lines()
    }

    fn remember(&self, line: &[u8]) {
        self.last_words.push(line);
    }

    async fn exited(&self) -> String {
        let mut exit = self.group.exit();
        let how = match exit.wait_for(Option::is_some).await {
            Ok(how) => how.clone().unwrap_or_default(),
            Err(_) => "ended".to_owned(),
        };
        let mut streams = self.ended_streams.clone();
        let _in_time = timeout(REST_OF_OUTPUT, streams.wait_for(|ended| *ended == 2)).await;
        how
    }

    fn has_ended(&self) -> bool {
        self.group.has_ended()
    }

    fn interrupt(&self) {
        self.group.interrupt();
    }

    fn kill(&self) {
        self.group.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_transport::OutputLine;
    use std::path::Path;

    #[derive(Debug, Default)]
    struct Told(Mutex<Vec<(OutputStream, String)>>);

    impl OutputLines for Told {
        fn line(&self, line: OutputLine<'_>) {
            self.0.lock().unwrap().push((line.stream, String::from_utf8_lossy(line.text).into_owned()));
        }
    }

    fn request(program: &Path, script: &str) -> LaunchRequest {
        LaunchRequest {
            label: "test".to_owned(),
            program: program.to_owned(),
            arguments: vec!["-c".into(), script.into()],
            environment: Vec::new(),
            directory: "/".into(),
            output: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_program_that_is_still_written_to_is_waited_for() {
        let spawner = Spawner::new(None).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("plugin");
        std::fs::copy("/bin/true", &program).unwrap();
        let writer = std::fs::OpenOptions::new().append(true).open(&program).unwrap();
        let began = tokio::time::Instant::now();
        let error = spawner.launch(request(&program, "")).await.err().unwrap();
        assert!(error.to_string().contains("busy"), "{error}");
        assert_eq!(began.elapsed(), Duration::from_millis(350));
        drop(writer);
        assert_eq!(spawner.launch(request(&program, "")).await.unwrap().exited().await, "exited with code 0");
        spawner.close();
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_process_has_ended_although_somebody_else_holds_its_output() {
        let spawner = Spawner::new(None).unwrap();
        let process = spawner.launch(request(Path::new("/bin/sh"), "exec sleep 600")).await.unwrap();
        let held = std::fs::OpenOptions::new().append(true).open(format!("/proc/{}/fd/2", process.id())).unwrap();
        assert!(!process.has_ended());
        process.kill();
        process.group.exit().wait_for(Option::is_some).await.unwrap();
        assert!(process.has_ended());
        assert_eq!(*process.ended_streams.clone().wait_for(|ended| *ended > 0).await.unwrap(), 1, "one is held");
        drop(held);
        spawner.close();
    }

    #[tokio::test]
    async fn who_is_told_hears_both_streams_after_the_first_line() {
        let (spawner, told) = (Spawner::new(None).unwrap(), Arc::new(Told::default()));
        let request = LaunchRequest {
            output: Some(Arc::clone(&told) as Arc<dyn OutputLines>),
            ..request(Path::new("/bin/sh"), "echo first; echo second; echo third >&2")
        };
        let process = spawner.launch(request).await.unwrap();
        assert_eq!(process.first_line().await, FirstLine::Line(b"first".to_vec()));
        process.exited().await;
        process.remember(b"fourth");
        let mut lines = told.0.lock().unwrap().clone();
        lines.sort_by(|one, other| one.1.cmp(&other.1));
        assert_eq!(lines, [(OutputStream::Stdout, "second".to_owned()), (OutputStream::Stderr, "third".to_owned())]);
        assert_eq!(process.last_words().last().map(String::as_str), Some("fourth"));
        spawner.close();
    }
}
