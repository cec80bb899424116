//! The plugin under the engine, in this process, and once over a socket, as a host calls it.

use std::path::{Path, PathBuf};

use outrigger_sdk::testing::Harness;
use outrigger_testing::{Stack, StepOp};
use plugin::{RESOURCE_NAME, RESOURCE_NAMEArgs, Settings, package};

/// An empty directory of a test's own.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("PLUGIN_NAME")
        .join(name);
    let _was_not_there = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// A stack without resources, which keeps its files in the directory.
fn stack(directory: &Path) -> Stack {
    Stack::new(package())
        .unwrap()
        .config("PLUGIN_NAME:directory", directory.to_str().unwrap())
        .unwrap()
}

/// A program with one file.
fn program(path: &str, text: &str) -> String {
    format!(
        "
resources:
  letter:
    type: PLUGIN_NAME:RESOURCE_NAME
    properties:
      path: '{path}'
      text: '{text}'
outputs:
  size: ${{letter.size}}
"
    )
}

#[tokio::test]
async fn it_is_created_once_and_updated_in_place() {
    let directory = directory("change");
    let mut stack = stack(&directory);

    let planned = stack.preview(&program("letter.txt", "Dear")).await.unwrap();
    assert_eq!(planned.did("letter"), [StepOp::Create]);
    assert!(!directory.join("letter.txt").exists());

    let made = stack.up(&program("letter.txt", "Dear")).await.unwrap();
    assert_eq!(made.did("letter"), [StepOp::Create]);
    assert_eq!(made.outputs()["size"], 4.0.into());

    let again = stack.up(&program("letter.txt", "Dear")).await.unwrap();
    assert_eq!(again.did("letter"), [StepOp::Same]);

    let changed = stack.up(&program("letter.txt", "Dear all")).await.unwrap();
    assert_eq!(changed.did("letter"), [StepOp::Update]);
    assert_eq!(stack.outputs::<RESOURCE_NAME>("letter").unwrap().size, 8);
    assert_eq!(
        std::fs::read_to_string(directory.join("letter.txt")).unwrap(),
        "Dear all"
    );
}

#[tokio::test]
async fn another_path_replaces_it() {
    let directory = directory("replace");
    let mut stack = stack(&directory);
    stack.up(&program("letter.txt", "Dear")).await.unwrap();

    let replaced = stack.up(&program("note.txt", "Dear")).await.unwrap();
    assert_eq!(
        replaced.did("letter"),
        [
            StepOp::Replace,
            StepOp::CreateReplacement,
            StepOp::DeleteReplaced
        ]
    );
    assert!(directory.join("note.txt").exists());
    assert!(!directory.join("letter.txt").exists());
}

#[tokio::test]
async fn drift_is_found_and_corrected() {
    let directory = directory("drift");
    let letter = directory.join("letter.txt");
    let mut stack = stack(&directory);
    stack.up(&program("letter.txt", "Dear")).await.unwrap();

    std::fs::write(&letter, "Sorry").unwrap();
    let seen = stack.refresh().await.unwrap();
    assert_eq!(seen.did("letter"), [StepOp::Update]);
    assert_eq!(stack.inputs::<RESOURCE_NAME>("letter").unwrap().text, "Sorry");
    stack.up(&program("letter.txt", "Dear")).await.unwrap();
    assert_eq!(std::fs::read_to_string(&letter).unwrap(), "Dear");

    std::fs::remove_file(&letter).unwrap();
    let seen = stack.refresh().await.unwrap();
    assert_eq!(seen.did("letter"), [StepOp::Delete]);
    assert!(stack.names().unwrap().is_empty());
}

#[tokio::test]
async fn nothing_is_left_after_a_destroy() {
    let directory = directory("destroy");
    let mut stack = stack(&directory);
    stack.up(&program("letter.txt", "Dear")).await.unwrap();

    let ended = stack.destroy().await.unwrap();
    assert_eq!(ended.did("letter"), [StepOp::Delete]);
    assert!(!directory.join("letter.txt").exists());
    assert!(stack.names().unwrap().is_empty());
}

#[tokio::test]
async fn a_file_can_be_imported() {
    let directory = directory("import");
    std::fs::write(directory.join("old.txt"), "from before").unwrap();
    let program = program("old.txt", "from before");
    let program = program.replace("properties:", "options: {import: old.txt}\n    properties:");
    let mut stack = stack(&directory);
    let imported = stack.up(&program).await.unwrap();
    assert_eq!(imported.did("letter"), [StepOp::Import, StepOp::Same]);
}

#[tokio::test]
async fn an_empty_path_is_refused() {
    let mut stack = stack(&directory("check"));
    let failed = stack.up(&program("", "Dear")).await.unwrap_err();
    assert!(failed.says("the path is empty"), "{failed}");
}

#[tokio::test]
async fn a_host_can_call_it() {
    let directory = directory("socket");
    let settings = Settings {
        directory: directory.to_str().unwrap().to_owned(),
    };
    let letter = RESOURCE_NAMEArgs {
        path: "letter.txt".to_owned(),
        text: "Dear".to_owned(),
    };
    let harness = Harness::over_socket(package(), settings).await.unwrap();
    let made = harness.create::<RESOURCE_NAME>("letter", letter).await.unwrap();
    assert_eq!(made.outputs::<RESOURCE_NAME>().unwrap().size, 4);
    harness.delete(made).await.unwrap();
    assert!(!directory.join("letter.txt").exists());
}

#[test]
fn the_package_can_be_described() {
    let schema = package().schema().unwrap();
    assert!(schema.contains("PLUGIN_NAME:index:RESOURCE_NAME"));
}
