//! Full disks, unreadable files, killed writers.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::stage::{Stage, text};

const FILE: &str = "kit:fs:File";

#[tokio::test]
async fn a_path_that_is_a_directory() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let inputs = json!({"path": root.path().to_str().unwrap(), "content": "x", "overwrite": true});
    let failed = stage.create(FILE, inputs).await.unwrap_err();
    assert!(failed.message.contains("exists and is a directory, which is neither followed nor replaced"), "{failed:?}");
}

#[tokio::test]
async fn a_path_below_a_file() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let file = root.path().join("file");
    fs::write(&file, "precious").unwrap();
    for parents in [false, true] {
        let inputs = json!({"path": file.join("x").to_str().unwrap(), "content": "x", "createParents": parents});
        let failed = stage.create(FILE, inputs).await.unwrap_err().message;
        assert!(failed.contains("file`"), "{failed}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

/// No user can create a file in `/proc`, not even root.
#[tokio::test]
async fn a_directory_that_cannot_be_written() {
    let stage = Stage::new().await;
    let failed = stage.create(FILE, json!({"path": "/proc/kit-test", "content": "x"})).await.unwrap_err();
    assert!(failed.message.contains("writing `/proc/kit-test`"), "{}", failed.message);
    assert!(!failed.in_doubt);
}

#[tokio::test]
async fn a_file_that_cannot_be_read() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("file");
    let made = stage.create(FILE, json!({"path": path.to_str().unwrap(), "content": "x"})).await.unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    match stage.read(FILE, &made).await {
        Err(refused) => assert!(refused.contains("reading `") && refused.contains("Permission denied"), "{refused}"),
        // Root can read everything.
        Ok(found) => assert_eq!(text(&found.unwrap().outputs, "mode"), "0000"),
    }
}

#[tokio::test]
async fn a_hundred_megabytes() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("large");
    let content = "0123456789abcdef".repeat(100 * 1024 * 1024 / 16);
    let made = stage.create(FILE, json!({"path": path.to_str().unwrap(), "content": content})).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), 100 * 1024 * 1024);
    let copy = root.path().join("copy");
    let inputs = json!({"path": copy.to_str().unwrap(), "source": {"$file": path.to_str().unwrap()}});
    let copied = stage.create(FILE, inputs).await.unwrap();
    assert_eq!(copied.outputs["sha256"], made.outputs["sha256"]);
}

#[tokio::test]
async fn a_full_disk_leaves_the_old_file_and_no_remains() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    fs::write(&path, "old").unwrap();
    // A separate process, in which no file may grow beyond one block.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let output = Command::new("/bin/sh")
        .args(["-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "faults::writes_too_much", "--nocapture"])
        .env("KIT_TEST_FILE", &path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("refused: ") && said.contains("File too large"), "{said}");
    let names: Vec<_> = fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!((names.len(), fs::read_to_string(&path).unwrap()), (1, "old".to_owned()));
}

#[tokio::test]
async fn a_killed_writer_leaves_the_old_file_whole() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let (path, pipe) = (root.path().join("file"), root.path().join("pipe"));
    fs::write(&path, "old").unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::writes_too_much"])
        .env("KIT_TEST_FILE", &path)
        .env("KIT_TEST_SOURCE", &pipe)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // More than the pipe takes at once: when it is written, some of it is in the new file, and the writer waits for the rest.
    let mut source = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    source.write_all(&vec![b'n'; 1 << 20]).unwrap();
    let remains = || {
        let names = fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".kit-part")).count()
    };
    assert_eq!(remains(), 1);
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    let inputs = json!({"path": path.to_str().unwrap(), "content": "new", "overwrite": true});
    stage.create(FILE, inputs).await.unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap(), remains()), ("new".to_owned(), 0));
}

/// The other half of two tests: a separate process, which writes more than there is room for, or is killed while it writes.
#[tokio::test]
async fn writes_too_much() {
    let Some(path) = std::env::var_os("KIT_TEST_FILE") else { return };
    let stage = Stage::new().await;
    let inputs = match std::env::var("KIT_TEST_SOURCE") {
        Ok(source) => json!({"path": path.to_str().unwrap(), "source": {"$file": source}, "overwrite": true}),
        Err(_) => json!({"path": path.to_str().unwrap(), "content": "x".repeat(1 << 20), "overwrite": true}),
    };
    let failed = stage.create(FILE, inputs).await.unwrap_err();
    assert!(!failed.in_doubt);
    #[allow(clippy::print_stdout, reason = "the other half reads it")]
    {
        println!("refused: {}", failed.message);
    }
}
