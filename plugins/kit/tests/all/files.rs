//! `kit:fs:File`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use outrigger_provider::Verdict;
use outrigger_value::Value;
use serde_json::json;

use crate::stage::{Stage, is_secret, text};

const FILE: &str = "kit:fs:File";

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn comes_changes_and_goes() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("a/b/file");
    let inputs = |content: &str, mode: &str| json!({"path": path.to_str().unwrap(), "content": content, "mode": mode, "createParents": true});
    let made = stage.create(FILE, inputs("one", "640")).await.unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap(), mode(&path)), ("one".to_owned(), 0o640));
    assert_eq!(made.id, path.to_str().unwrap());
    assert_eq!(text(&made.outputs, "mode"), "0640");
    assert_eq!(
        text(&made.outputs, "sha256"),
        "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
        "as sha256sum says"
    );
    assert_eq!(made.outputs["size"], Value::Number(3.0));

    assert_eq!(stage.verdict(FILE, &made, inputs("one", "0o640")).await, Verdict::Same, "another way to write it");
    let planned = stage.plan(FILE, &made, inputs("two", "0600")).await;
    assert_eq!(planned.verdict, Verdict::Update);
    let foretold = planned.predicted.unwrap();
    let changed = stage.update(FILE, &made, inputs("two", "0600")).await.unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap(), mode(&path)), ("two".to_owned(), 0o600));
    assert_eq!(foretold, changed.outputs, "the preview was right");

    let inode = fs::metadata(&path).unwrap().ino();
    let same_bytes = stage.update(FILE, &changed, inputs("two", "0644")).await.unwrap();
    assert_eq!((fs::metadata(&path).unwrap().ino(), mode(&path)), (inode, 0o644), "only its permissions changed");

    stage.delete(FILE, &same_bytes).await.unwrap();
    assert!(!path.exists() && path.parent().unwrap().exists());
    stage.delete(FILE, &same_bytes).await.unwrap();
}

#[tokio::test]
async fn another_path_is_another_file_but_another_spelling_is_not() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let inputs = |name: &str| json!({"path": format!("{}/{name}", root.path().display()), "content": "x"});
    let made = stage.create(FILE, inputs("a")).await.unwrap();
    assert_eq!(stage.verdict(FILE, &made, inputs("b")).await, Verdict::Replace);
    assert_eq!(stage.verdict(FILE, &made, inputs("./a")).await, Verdict::Same);
}

#[tokio::test]
async fn what_was_there_before_stays() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("mine");
    fs::write(&path, "precious").unwrap();
    let inputs = |overwrite| json!({"path": path.to_str().unwrap(), "content": "new", "overwrite": overwrite});
    let refused = stage.create(FILE, inputs(false)).await.unwrap_err();
    assert!(!refused.in_doubt);
    for part in ["already exists", "import it", "`overwrite: true`"] {
        assert!(refused.message.contains(part), "{}", refused.message);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    stage.create(FILE, inputs(true)).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

#[tokio::test]
async fn links_are_neither_followed_nor_replaced() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let (target, link) = (root.path().join("target"), root.path().join("link"));
    fs::write(&target, "precious").unwrap();
    symlink(&target, &link).unwrap();
    let inputs = json!({"path": link.to_str().unwrap(), "content": "new", "overwrite": true});
    let refused = stage.create(FILE, inputs.clone()).await.unwrap_err().message;
    assert!(refused.contains("a symbolic link to") && refused.contains("target"), "{refused}");
    fs::remove_file(&link).unwrap();
    let made = stage.create(FILE, inputs.clone()).await.unwrap();
    fs::remove_file(&link).unwrap();
    symlink(&target, &link).unwrap();
    assert_eq!(stage.read(FILE, &made).await.unwrap(), None, "a link in its place is not the file");
    assert!(stage.update(FILE, &made, inputs).await.is_err());
    stage.delete(FILE, &made).await.unwrap();
    assert_eq!((fs::read_to_string(&target).unwrap(), link.is_symlink()), ("precious".to_owned(), true));
    // Directories on the way may be links, as they are on many machines.
    fs::create_dir(root.path().join("real")).unwrap();
    symlink("real", root.path().join("way")).unwrap();
    let through = json!({"path": root.path().join("way/file").to_str().unwrap(), "content": "x"});
    stage.create(FILE, through).await.unwrap();
    assert!(root.path().join("real/file").exists());
}

#[tokio::test]
async fn drift_is_seen_and_mended() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("file");
    let inputs = json!({"path": path.to_str().unwrap(), "content": "wanted", "mode": "0600"});
    let made = stage.create(FILE, inputs.clone()).await.unwrap();
    assert_eq!(stage.read(FILE, &made).await.unwrap().unwrap(), made, "nothing changed");

    fs::write(&path, b"drifted \xff").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let found = stage.read(FILE, &made).await.unwrap().unwrap();
    assert_eq!(text(&found.inputs, "content"), "drifted \u{fffd}");
    assert_eq!((text(&found.inputs, "mode"), text(&found.outputs, "mode")), ("0666".to_owned(), "0666".to_owned()));
    assert_ne!(found.outputs["sha256"], made.outputs["sha256"]);
    assert_eq!(stage.verdict(FILE, &found, inputs.clone()).await, Verdict::Update);
    stage.update(FILE, &found, inputs.clone()).await.unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap(), mode(&path)), ("wanted".to_owned(), 0o600));

    fs::remove_file(&path).unwrap();
    assert_eq!(stage.read(FILE, &made).await.unwrap(), None);
    stage.update(FILE, &made, inputs).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "wanted", "an update brings it back");
}

#[tokio::test]
async fn what_grew_beyond_measure_is_drift_like_any_other() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("file");
    let inputs = json!({"path": path.to_str().unwrap(), "content": "wanted"});
    let made = stage.create(FILE, inputs.clone()).await.unwrap();
    // The file takes no room on the disk, and must take none in memory.
    fs::File::create(&path).unwrap().set_len(300 * 1024 * 1024).unwrap();
    let found = stage.read(FILE, &made).await.unwrap().unwrap();
    assert!(text(&found.inputs, "content").starts_with("(314572800 bytes with"));
    assert!(stage.import(FILE, path.to_str().unwrap()).await.unwrap_err().contains("too much to import"));
    stage.update(FILE, &found, inputs).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "wanted");
}

#[tokio::test]
async fn bytes_and_assets() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let at = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let made = stage.create(FILE, json!({"path": at("bytes"), "contentBase64": "AP/+\n gA=="})).await.unwrap();
    assert_eq!(fs::read(at("bytes")).unwrap(), [0, 0xff, 0xfe, 0x80]);
    assert_eq!(stage.read(FILE, &made).await.unwrap().unwrap(), made, "the text of base64 is left as it was written");
    fs::write(at("bytes"), [1]).unwrap();
    assert_eq!(text(&stage.read(FILE, &made).await.unwrap().unwrap().inputs, "contentBase64"), "AQ==");

    fs::write(at("origin"), [7, 0, 7]).unwrap();
    let asset = json!({"path": at("copy"), "source": {"$file": at("origin")}});
    let made = stage.create(FILE, asset.clone()).await.unwrap();
    assert_eq!(fs::read(at("copy")).unwrap(), [7, 0, 7]);
    fs::write(at("copy"), "drift").unwrap();
    let found = stage.read(FILE, &made).await.unwrap().unwrap();
    assert_eq!(stage.verdict(FILE, &found, asset).await, Verdict::Update);
    stage.create(FILE, json!({"path": at("text"), "source": {"$text": "t"}})).await.unwrap();
    assert_eq!(fs::read_to_string(at("text")).unwrap(), "t");
}

#[tokio::test]
async fn secrets_stay_secret() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let path = root.path().join("key");
    let inputs = json!({"path": path.to_str().unwrap(), "content": {"$secret": "canary"}});
    let made = stage.create(FILE, inputs.clone()).await.unwrap();
    assert_eq!(mode(&path), 0o600, "nobody else reads it, though nobody said so");
    assert!(is_secret(&made.outputs, "sha256") && is_secret(&made.outputs, "size"));
    assert!(!is_secret(&made.outputs, "path"));
    fs::write(&path, "canary changed").unwrap();
    let found = stage.read(FILE, &made).await.unwrap().unwrap();
    assert!(is_secret(&found.inputs, "content") && is_secret(&found.outputs, "sha256"));
    let foretold = stage.plan(FILE, &found, inputs).await.predicted.unwrap();
    assert!(is_secret(&foretold, "sha256"));
    let refusals =
        stage.refusals(FILE, json!({"path": "x", "contentBase64": {"$secret": "canary!"}, "mode": "canary"})).await;
    assert_eq!(refusals.len(), 2);
    assert!(!refusals[0].1.contains("canary"), "{refusals:?}");
}

#[tokio::test]
async fn imports_by_path() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let at = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("text"), "hello").unwrap();
    fs::write(at("bytes"), [0xff]).unwrap();
    let imported = stage.import(FILE, &at("text")).await.unwrap().unwrap();
    let program = json!({"path": at("text"), "content": "hello"});
    assert_eq!(stage.verdict(FILE, &imported, program).await, Verdict::Same);
    let imported = stage.import(FILE, &at("bytes")).await.unwrap().unwrap();
    assert_eq!(text(&imported.inputs, "contentBase64"), "/w==");
    assert_eq!(stage.import(FILE, &at("nothing")).await.unwrap(), None);
    let refused = stage.import(FILE, root.path().to_str().unwrap()).await.unwrap_err();
    assert!(refused.contains("is a directory, not a file"), "{refused}");
}

#[tokio::test]
async fn mistakes_are_found_before_anything_happens() {
    let stage = Stage::new().await;
    for (inputs, property) in [
        (json!({"content": "x"}), "path"),
        (json!({"path": "", "content": "x"}), "path"),
        (json!({"path": "..", "content": "x"}), "path"),
        (json!({"path": "a\u{0}b", "content": "x"}), "path"),
        (json!({"path": "a"}), "content"),
        (json!({"path": "a", "content": "x", "contentBase64": ""}), "contentBase64"),
        (json!({"path": "a", "contentBase64": "*"}), "contentBase64"),
        (json!({"path": "a", "content": "x", "mode": "rwx"}), "mode"),
        (json!({"path": "a", "content": "x", "mode": 420}), "mode"),
        (json!({"path": "a", "contents": "x"}), "contents"),
    ] {
        let refusals = stage.refusals(FILE, inputs.clone()).await;
        assert!(refusals.iter().any(|(refused, _)| refused == property), "{inputs}: {refusals:?}");
    }
}
