use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use outrigger_transport::{FirstLine, LinePart, OutputLine, OutputStream, Process, StartError as LaunchError};
use tokio::io::AsyncReadExt;
use tokio::net::UnixListener;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::*;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A launcher of fake processes.
#[derive(Default)]
struct Launches {
    count: AtomicUsize,
    /// Notified when a start waits for the first line of the last process.
    awaited: Notify,
    /// The first line, once there is one.
    line: watch::Sender<Option<FirstLine>>,
    ended: watch::Sender<bool>,
    last: Mutex<Weak<Silent>>,
    output: Mutex<Option<Arc<dyn OutputLines>>>,
}

impl Launches {
    fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether the last process is gone: it has no owner left, which is how a real one is ended.
    fn is_gone(&self) -> bool {
        self.last.lock().unwrap().upgrade().is_none()
    }

    fn says(&self, line: FirstLine) {
        self.ended.send_replace(matches!(line, FirstLine::Ended(_)));
        self.line.send_replace(Some(line));
    }

    fn panics(&self, text: &str) {
        let output = self.output.lock().unwrap().take().unwrap();
        output.line(OutputLine { stream: OutputStream::Stderr, text: text.as_bytes(), part: LinePart::Whole });
        self.ended.send_replace(true);
    }
}

struct Fake(Arc<Launches>);

#[async_trait]
impl Launcher for Fake {
    async fn launch(&self, request: LaunchRequest) -> Result<Arc<dyn Process>, LaunchError> {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        *self.0.output.lock().unwrap() = request.output;
        let process = Arc::new(Silent(Arc::clone(&self.0)));
        *self.0.last.lock().unwrap() = Arc::downgrade(&process);
        Ok(process)
    }
}

struct Silent(Arc<Launches>);

#[async_trait]
impl Process for Silent {
    fn label(&self) -> &'static str {
        "wide 0.0.0"
    }

    fn id(&self) -> u32 {
        0
    }

    async fn first_line(&self) -> FirstLine {
        self.0.awaited.notify_one();
        let mut line = self.0.line.subscribe();
        line.wait_for(Option::is_some).await.unwrap().clone().unwrap()
    }

    fn last_words(&self) -> Vec<String> {
        Vec::new()
    }

    fn remember(&self, _: &[u8]) {}

    async fn exited(&self) -> String {
        self.0.ended.subscribe().wait_for(|ended| *ended).await.unwrap();
        "exited with code 3".to_owned()
    }

    fn has_ended(&self) -> bool {
        false
    }

    fn interrupt(&self) {}

    fn kill(&self) {
        self.0.ended.send_replace(true);
    }
}

/// A provider that prints nothing until the test lets it, and the directory of its file.
fn silent() -> (Supervised, Arc<Launches>, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("terraform-provider-wide");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let launches = Arc::new(Launches::default());
    let surroundings = Surroundings { launcher: Arc::new(Fake(Arc::clone(&launches))), ..surroundings(&[]) };
    let process = Supervised::new(Place::Program(program), "wide 0.0.0".to_owned(), surroundings);
    (process, launches, directory)
}

fn surroundings(variables: &[(&str, &str)]) -> Surroundings {
    Surroundings {
        launcher: Arc::new(Fake(Arc::default())),
        environment: variables.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        directory: "/".into(),
        deadlines: Deadlines::default(),
        tls: true,
        log_level: None,
        call_log: None,
    }
}

fn cx() -> CallContext {
    CallContext::background()
}

/// The error of a wait for a client, which must fail, and in time.
async fn refused(process: &Supervised, cx: &CallContext) -> CallError {
    timeout(PATIENCE, process.client(cx)).await.unwrap().err().unwrap()
}

#[tokio::test]
async fn whoever_is_cancelled_does_not_wait_for_a_start() {
    let (process, launches, _directory) = silent();
    let (hasty, patient) = (cx(), cx());
    let cancelled = async {
        launches.awaited.notified().await;
        hasty.cancel.cancel();
        // The other caller still needs it.
        launches.awaited.notified().await;
        assert_eq!(launches.count(), 2);
        patient.cancel.cancel();
    };
    let (first, second, ()) = tokio::join!(refused(&process, &hasty), refused(&process, &patient), cancelled);
    for error in [first, second] {
        assert_eq!((error.kind, error.call.as_str()), (ErrorKind::Cancelled, "Start"), "{error}");
    }
    assert!(launches.is_gone());
}

#[tokio::test]
async fn whoever_waits_for_a_start_is_refused_when_it_is_told_to_stop() {
    let (process, launches, _directory) = silent();
    let told = async {
        launches.awaited.notified().await;
        process.stop(&cx()).await.unwrap();
    };
    let (early, one, other) = (cx(), cx(), cx());
    let early = timeout(PATIENCE, process.start_early(&early));
    let (early, one, other, ()) = tokio::join!(early, refused(&process, &one), refused(&process, &other), told);
    early.unwrap();
    assert_eq!([one.kind, other.kind], [ErrorKind::Cancelled; 2]);
    assert!(launches.is_gone());
    // Later calls fail too: the stop stays in force.
    let error = refused(&process, &cx()).await;
    assert_eq!(error.message, "the Terraform provider was not started: the command was cancelled");
    assert_eq!(launches.count(), 1);
}

#[tokio::test]
async fn an_end_gives_up_a_start() {
    let (process, launches, _directory) = silent();
    let ended = async {
        launches.awaited.notified().await;
        process.end().await;
    };
    let early = cx();
    let (early, ()) = tokio::join!(timeout(PATIENCE, process.start_early(&early)), ended);
    early.unwrap();
    assert!(launches.is_gone());
}

#[tokio::test]
async fn whoever_waited_for_a_start_that_failed_is_told_why() {
    let (process, launches, _directory) = silent();
    let failed = async {
        launches.awaited.notified().await;
        launches.says(FirstLine::Ended(Vec::new()));
    };
    let (early, one, other) = (cx(), cx(), cx());
    let early = process.start_early(&early);
    let ((), one, other, ()) = tokio::join!(early, refused(&process, &one), refused(&process, &other), failed);
    for error in [one, other] {
        assert!(error.message.contains("exited with code 3"), "{error}");
    }
    assert_eq!(launches.count(), 1);
    // A later caller tries again.
    refused(&process, &cx()).await;
    assert_eq!(launches.count(), 2);
}

#[tokio::test]
async fn an_early_start_that_failed_is_told_once() {
    let (process, launches, _directory) = silent();
    launches.says(FirstLine::Ended(Vec::new()));
    process.start_early(&cx()).await;
    let error = refused(&process, &cx()).await;
    assert!(error.message.contains("exited with code 3"), "{error}");
    assert_eq!(launches.count(), 1);
    refused(&process, &cx()).await;
    assert_eq!(launches.count(), 2);
}

#[tokio::test]
async fn a_provider_without_a_certificate_comes_with_the_switch_for_that() {
    let (process, launches, _directory) = silent();
    launches.says(FirstLine::Line(b"1|6|unix|/nowhere|grpc|".to_vec()));
    let error = refused(&process, &cx()).await;
    assert!(error.message.ends_with("without TLS it may work: set TF_DISABLE_PLUGIN_TLS=1"), "{error}");
}

/// SDK-based providers are asked for their schema before anything else.
#[tokio::test(start_paused = true)]
async fn a_panic_while_it_is_asked_for_its_schema_is_told() {
    let (mut process, launches, directory) = silent();
    process.surroundings.tls = false;
    process.ask_for_schema_first();
    let socket = directory.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    launches.says(FirstLine::Line(format!("1|6|unix|{}|grpc|", socket.display()).into_bytes()));
    let panics = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        // The client sends its first byte.
        stream.read_u8().await.unwrap();
        launches.panics("panic: the schema is wrong");
        stream
    };
    let cx = cx();
    let (error, _stream) = tokio::join!(refused(&process, &cx), panics);
    assert_eq!(error.kind, ErrorKind::Crashed, "{error}");
    assert!(error.message.ends_with(": panic: the schema is wrong"), "{error}");
    assert_eq!(error.last_words, ["panic: the schema is wrong"]);
}

#[test]
fn a_provider_writes_warnings_unless_somebody_wants_more() {
    let levels = |variables: &[(&str, &str)], log_level| {
        let environment = Surroundings { log_level, ..surroundings(variables) }.of_provider();
        LOG_LEVELS.map(|name| {
            let all: Vec<_> = environment.iter().filter(|(known, _)| known == name).collect();
            assert!(all.len() < 2, "{all:?}");
            all.first().map(|(_, level)| level.to_str().unwrap().to_owned())
        })
    };
    let said = |levels: [&str; 2]| levels.map(|level| Some(level.to_owned()));
    assert_eq!(levels(&[], None), said(["warn", "warn"]));
    assert_eq!(levels(&[("TF_LOG_SDK", "off"), ("TF_LOG_PROVIDER", "")], None), said(["off", "warn"]));
    assert_eq!(levels(&[], Some(goplugin::LogLevel::Trace)), [None, None]);
}
