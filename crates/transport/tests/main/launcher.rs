//! A small stand-in for the host: processes that are started, read, and killed with their handle.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use outrigger_transport::{
    FirstLine, LaunchRequest, Launcher, LinePart, Lines, OutputLine, OutputLines, OutputStream, Process, StartError,
};
use tokio::io::{AsyncRead, AsyncReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::{mpsc, watch};

pub(crate) struct Launch;

#[async_trait]
impl Launcher for Launch {
    async fn launch(&self, request: LaunchRequest) -> Result<Arc<dyn Process>, StartError> {
        let mut child = Command::new(&request.program)
            .args(&request.arguments)
            .env_clear()
            .envs(request.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&request.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| StartError::Spawn {
                program: request.program.display().to_string(),
                reason: error.to_string(),
            })?;
        let words = Words::default();
        let (first_line, first) = watch::channel(None);
        let (end, ended) = watch::channel(None);
        let (kill, mut killed) = mpsc::unbounded_channel();
        let id = child.id().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = child.stderr.take().unwrap();
        let (out_words, told) = (words.clone(), request.output.clone());
        tokio::spawn(async move {
            first_line.send_replace(Some(FirstLine::read(&mut stdout).await));
            out_words.drain(stdout, OutputStream::Stdout, told).await;
        });
        let errors = {
            let words = words.clone();
            tokio::spawn(async move { words.drain(stderr, OutputStream::Stderr, request.output).await })
        };
        tokio::spawn(async move {
            let status = tokio::select! {
                status = child.wait() => status,
                _ = killed.recv() => { child.kill().await.unwrap(); child.wait().await }
            };
            errors.await.unwrap();
            end.send_replace(Some(format!("ended ({})", status.unwrap())));
        });
        Ok(Arc::new(Child { label: request.label, id, first, ended, words, kill }))
    }
}

/// The same, with access to the last process after its caller has given it up.
#[derive(Default)]
pub(crate) struct Watched(Mutex<Option<Arc<dyn Process>>>);

impl Watched {
    pub(crate) fn process(&self) -> Arc<dyn Process> {
        self.0.lock().unwrap().clone().unwrap()
    }
}

#[async_trait]
impl Launcher for Watched {
    async fn launch(&self, request: LaunchRequest) -> Result<Arc<dyn Process>, StartError> {
        let process = Launch.launch(request).await?;
        *self.0.lock().unwrap() = Some(Arc::clone(&process));
        Ok(process)
    }
}

struct Child {
    label: String,
    id: u32,
    first: watch::Receiver<Option<FirstLine>>,
    ended: watch::Receiver<Option<String>>,
    words: Words,
    /// The process is killed when this is dropped, too.
    kill: mpsc::UnboundedSender<()>,
}

#[derive(Clone, Default)]
struct Words(Arc<Mutex<VecDeque<String>>>);

impl Words {
    async fn drain(&self, mut stream: impl AsyncRead + Unpin, name: OutputStream, told: Option<Arc<dyn OutputLines>>) {
        let (mut buffer, mut lines) = (vec![0; 64 * 1024], Lines::default());
        let mut take = |text: &[u8], part: LinePart| {
            self.push(text);
            if let Some(told) = &told {
                told.line(OutputLine { stream: name, text, part });
            }
        };
        while let Ok(length @ 1..) = stream.read(&mut buffer).await {
            lines.feed(&buffer[..length], &mut take);
        }
        lines.finish(&mut take);
    }

    fn push(&self, line: &[u8]) {
        let mut words = self.0.lock().unwrap();
        words.push_back(String::from_utf8_lossy(line).into_owned());
        if words.len() > 50 {
            words.pop_front();
        }
    }
}

async fn seen<T: Clone>(mut from: watch::Receiver<Option<T>>) -> T {
    from.wait_for(Option::is_some).await.unwrap().clone().unwrap()
}

#[async_trait]
impl Process for Child {
    fn label(&self) -> &str {
        &self.label
    }

    fn id(&self) -> u32 {
        self.id
    }

    async fn first_line(&self) -> FirstLine {
        seen(self.first.clone()).await
    }

    fn last_words(&self) -> Vec<String> {
        self.words.0.lock().unwrap().iter().cloned().collect()
    }

    fn remember(&self, line: &[u8]) {
        self.words.push(line);
    }

    async fn exited(&self) -> String {
        seen(self.ended.clone()).await
    }

    fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    fn interrupt(&self) {
        self.kill();
    }

    fn kill(&self) {
        let _ended_before = self.kill.send(());
    }
}
