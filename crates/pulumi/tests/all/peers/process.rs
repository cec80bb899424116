//! A plugin's process for tests: started, its output read, ended when it is dropped.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use outrigger_transport::{FirstLine, Process};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Command;
use tokio::sync::{mpsc, watch};

pub(crate) struct Child {
    pid: u32,
    first: watch::Receiver<Option<FirstLine>>,
    ended: watch::Receiver<Option<String>>,
    words: Arc<Mutex<VecDeque<String>>>,
    kill: mpsc::UnboundedSender<()>,
}

impl Child {
    pub(crate) fn start(program: PathBuf, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let words = Arc::new(Mutex::new(VecDeque::new()));
        let (first_line, first) = watch::channel(None);
        let (end, ended) = watch::channel(None);
        let (kill, mut killed) = mpsc::unbounded_channel();
        let pid = child.id().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (out_words, err_words) = (words.clone(), words.clone());
        tokio::spawn(async move {
            first_line.send_replace(Some(FirstLine::read(&mut stdout).await));
            drain(stdout, out_words).await;
        });
        let errors = tokio::spawn(drain(stderr, err_words));
        tokio::spawn(async move {
            let status = tokio::select! {
                status = child.wait() => status,
                _ = killed.recv() => { child.kill().await.unwrap(); child.wait().await }
            };
            errors.await.unwrap();
            end.send_replace(Some(format!("ended ({})", status.unwrap())));
        });
        Self { pid, first, ended, words, kill }
    }
}

async fn drain(reader: BufReader<impl AsyncRead + Unpin>, words: Arc<Mutex<VecDeque<String>>>) {
    let mut lines = reader.lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut words = words.lock().unwrap();
        words.push_back(line);
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
        "child"
    }

    fn id(&self) -> u32 {
        self.pid
    }

    async fn first_line(&self) -> FirstLine {
        seen(self.first.clone()).await
    }

    fn last_words(&self) -> Vec<String> {
        self.words.lock().unwrap().iter().cloned().collect()
    }

    fn remember(&self, _: &[u8]) {}

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
        let _ = self.kill.send(());
    }
}
