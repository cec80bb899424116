//! `kit:fs:Directory`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use outrigger_provider::Verdict;
use serde_json::json;

use crate::stage::{Stage, text};

const DIRECTORY: &str = "kit:fs:Directory";

#[tokio::test]
async fn comes_changes_and_goes() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("a/b");
    let inputs =
        |mode: &str, parents: bool| json!({"path": path.to_str().unwrap(), "mode": mode, "createParents": parents});
    let refused = stage.create(DIRECTORY, inputs("0755", false)).await.unwrap_err().message;
    assert!(refused.contains("does not exist") && refused.contains("`createParents: true`"), "{refused}");
    let made = stage.create(DIRECTORY, inputs("0755", true)).await.unwrap();
    assert!(path.is_dir());
    assert_eq!(stage.read(DIRECTORY, &made).await.unwrap().unwrap(), made);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    let found = stage.read(DIRECTORY, &made).await.unwrap().unwrap();
    assert_eq!(text(&found.inputs, "mode"), "0700");
    assert_eq!(stage.verdict(DIRECTORY, &found, inputs("0755", true)).await, Verdict::Update);
    let mended = stage.update(DIRECTORY, &found, inputs("0755", true)).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o755);
    stage.delete(DIRECTORY, &mended).await.unwrap();
    assert!(!path.exists() && path.parent().unwrap().exists());
    assert_eq!(stage.read(DIRECTORY, &mended).await.unwrap(), None);
    stage.delete(DIRECTORY, &mended).await.unwrap();
}

#[tokio::test]
async fn nobodys_files_are_lost_silently() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("full");
    let inputs = |delete: bool| json!({"path": path.to_str().unwrap(), "deleteContents": delete});
    let made = stage.create(DIRECTORY, inputs(false)).await.unwrap();
    for name in [&b"one"[..], b"two", b"three", b"not text \xff"] {
        fs::write(path.join(OsStr::from_bytes(name)), "precious").unwrap();
    }
    let refused = stage.delete(DIRECTORY, &made).await.unwrap_err().message;
    for part in ["is not empty", "`not text \u{fffd}`, `one`, `three` and 1 more", "`deleteContents: true`"] {
        assert!(refused.contains(part), "{refused}");
    }
    assert_eq!(fs::read_dir(&path).unwrap().count(), 4);
    // A link leads outside, and its target is not in the directory.
    let outside = root.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("precious"), "").unwrap();
    std::os::unix::fs::symlink(&outside, path.join("link")).unwrap();
    let agreed = stage.update(DIRECTORY, &made, inputs(true)).await.unwrap();
    stage.delete(DIRECTORY, &agreed).await.unwrap();
    assert!(!path.exists() && outside.join("precious").exists());
}

#[tokio::test]
async fn the_programs_directory_is_never_deleted_whole() {
    let stage = Stage::new().await;
    let here = std::env::current_dir().unwrap();
    for path in [here.as_path(), here.parent().unwrap()] {
        let inputs = json!({"path": path.to_str().unwrap(), "adopt": true, "deleteContents": true});
        let made = stage.create(DIRECTORY, inputs).await.unwrap();
        let refused = stage.delete(DIRECTORY, &made).await.unwrap_err().message;
        assert!(refused.contains("the program's directory"), "{refused}");
    }
}

#[tokio::test]
async fn what_was_there_before_is_taken_over_only_when_asked() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let at = root.path().to_str().unwrap().to_owned();
    let refused = stage.create(DIRECTORY, json!({"path": at})).await.unwrap_err().message;
    assert!(refused.contains("import it or set `adopt: true`"), "{refused}");
    stage.create(DIRECTORY, json!({"path": at, "adopt": true})).await.unwrap();
    let imported = stage.import(DIRECTORY, &at).await.unwrap().unwrap();
    assert_eq!(stage.verdict(DIRECTORY, &imported, json!({"path": at})).await, Verdict::Same);
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let inputs = json!({"path": file.to_str().unwrap(), "adopt": true});
    let refused = stage.create(DIRECTORY, inputs).await.unwrap_err().message;
    assert!(refused.contains("exists and is a file"), "{refused}");
    assert!(stage.import(DIRECTORY, file.to_str().unwrap()).await.unwrap_err().contains("not a directory"));
}
