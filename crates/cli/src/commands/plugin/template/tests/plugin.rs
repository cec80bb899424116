//! The plugin, called directly and over a socket as a host does.

use std::path::PathBuf;

use outrigger_sdk::testing::Harness;
use plugin::{Document, DocumentArgs, Settings, package};

/// An empty directory of a test's own.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("PLUGIN_NAME")
        .join(name);
    let _was_not_there = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn settings(directory: &std::path::Path) -> Settings {
    Settings {
        directory: directory.to_str().unwrap().to_owned(),
    }
}

fn document(path: &str, text: &str) -> DocumentArgs {
    DocumentArgs {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

#[tokio::test]
async fn a_document_lives_and_ends() {
    let directory = directory("life");
    let in_process = Harness::new(package(), settings(&directory)).await.unwrap();
    let over_socket = Harness::over_socket(package(), settings(&directory))
        .await
        .unwrap();
    for harness in [in_process, over_socket] {
        let mut made = harness
            .create::<Document>("letter", document("letter.txt", "Dear"))
            .await
            .unwrap();
        assert_eq!(made.outputs::<Document>().unwrap().size, 4);

        harness
            .update(&mut made, document("letter.txt", "Dear all"))
            .await
            .unwrap();
        assert_eq!(
            std::fs::read_to_string(directory.join("letter.txt")).unwrap(),
            "Dear all"
        );

        // Somebody else changes it, and a refresh sees it.
        std::fs::write(directory.join("letter.txt"), "Sorry").unwrap();
        assert!(harness.refresh(&mut made).await.unwrap());
        assert_eq!(made.inputs::<Document>().unwrap().text, "Sorry");

        // Another path makes it anew.
        harness
            .update(&mut made, document("note.txt", "Sorry"))
            .await
            .unwrap();
        assert!(!directory.join("letter.txt").exists());

        harness.delete(made).await.unwrap();
        assert!(!directory.join("note.txt").exists());
    }
}

#[tokio::test]
async fn what_exists_can_be_imported() {
    let directory = directory("import");
    std::fs::write(directory.join("old.txt"), "from before").unwrap();
    let harness = Harness::new(package(), settings(&directory)).await.unwrap();
    let imported = harness.import::<Document>("old", "old.txt").await.unwrap();
    assert_eq!(imported.inputs::<Document>().unwrap().text, "from before");
    assert!(
        harness
            .import::<Document>("older", "older.txt")
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_document_needs_a_place() {
    let harness = Harness::new(package(), settings(&directory("check")))
        .await
        .unwrap();
    let checked = harness
        .check::<Document>("letter", document("", "Dear"))
        .await
        .unwrap();
    assert_eq!(checked.failures[0].property, "path");
}

#[test]
fn the_package_can_be_described() {
    assert!(
        package()
            .schema()
            .unwrap()
            .contains("PLUGIN_NAME:index:Document")
    );
}
