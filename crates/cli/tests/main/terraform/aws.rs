//! AWS's provider, of the old SDK and with hundreds of resources, against a cloud on this machine.

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::life::{Change, changes};
use super::world::{Tool, World, provider_path};
use crate::providers::life::{stack_outputs, wanted};
use crate::sandbox::peers;

/// Seventeen kinds of resources, and a data source.
const PROGRAM: &str = include_str!("aws.yaml");

const EDITS: [(&str, &str); 10] = [
    ("stage: one", "stage: two"),
    ("content: hello", "content: bye"),
    ("delaySeconds: 5", "delaySeconds: 6"),
    ("displayName: one", "displayName: two"),
    ("description: one", "description: two"),
    ("retentionInDays: 7", "retentionInDays: 14"),
    ("parameter-word", "other-word"),
    ("secret-word", "more-words"),
    ("s3:ListBucket", "s3:ListAllMyBuckets"),
    ("s3:GetObject", "s3:PutObject"),
];

const EDITED: [(&str, Change); 13] = [
    ("bucket", Change::Updated),
    ("key", Change::Updated),
    ("logs", Change::Updated),
    ("object", Change::Updated),
    ("parameter", Change::Updated),
    ("policy", Change::Updated),
    ("queue", Change::Updated),
    ("role", Change::Updated),
    ("rolePolicy", Change::Updated),
    ("secretVersion", Change::Replaced),
    ("table", Change::Updated),
    ("topic", Change::Updated),
    ("user", Change::Updated),
];

/// What the settings of version 3 are called in version 5.
const RENAMED: [(&str, &str); 2] =
    [("skipGetEc2Platforms", "skipRegionValidation"), ("s3ForcePathStyle", "s3UsePathStyle")];

/// The executable of a newer provider, version 5, on machines that have one.
const NEWER: &str = "OUTRIGGER_AWS_PROVIDER";

/// The cloud, which ends with the test.
struct Moto {
    process: Child,
    port: u16,
}

impl Moto {
    fn start() -> Self {
        let program = peers().join("moto/bin/moto_server");
        assert!(program.exists(), "`{}` is not there: run `cargo xtask peers`", program.display());
        // It has to be told a port; this one was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]).stdin(Stdio::null());
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let moto = Self { process, port };
        let end = Instant::now() + Duration::from_secs(120);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "moto does not listen");
            thread::park_timeout(Duration::from_millis(20));
        }
        moto
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // There is nothing to be done if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn edited(program: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(program.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[test]
fn seventeen_kinds_under_both_tools() {
    lives(&provider_path("aws"), PROGRAM);
    if let Some(newer) = std::env::var_os(NEWER) {
        // A provider in a file is called like the file.
        let folder = tempfile::tempdir().unwrap();
        let provider = folder.path().join("terraform-provider-aws");
        symlink(newer, &provider).unwrap();
        lives(&provider, &edited(PROGRAM, &RENAMED));
    }
}

fn lives(provider: &Path, program: &str) {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let moto = Moto::start();
        let program = program.replace("MOTO", &format!("http://127.0.0.1:{}", moto.port));
        let mut world = World::with(tool, &[("aws", provider.to_owned())], &program);
        world.sandbox.set("AWS_EC2_METADATA_DISABLED", Some("true"));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let made = wanted(&world.sandbox);
        assert_eq!(made.len(), 17);
        assert_eq!(stack_outputs(&world.sandbox)["account"], "123456789012");
        let elsewhere = |word: &str| world.sandbox.files_with(word).len();
        // In the project file, and nowhere else.
        assert_eq!((elsewhere("parameter-word"), elsewhere("secret-word")), (1, 1));
        world.run(&["preview", "--expect-no-changes"]).ok();

        world.program(&edited(&program, &EDITS));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let expected = EDITED.map(|(name, change)| (name.to_owned(), change)).into();
        assert_eq!(changes(&made, &wanted(&world.sandbox)), expected, "{tool:?}");
        world.run(&["preview", "--expect-no-changes"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(wanted(&world.sandbox).len(), 0);
    }
}
