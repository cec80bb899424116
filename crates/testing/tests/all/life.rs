//! The life of a resource.

use std::sync::Arc;

use outrigger_sdk::Value;
use outrigger_state::{Backend, BackendOptions, LocalDisk, StackName};
use outrigger_testing::{InProcess, Stack, StepOp, Store};

use crate::boxes::{Crate, Shed};

fn program(label: &str, material: &str) -> String {
    format!(
        "resources:\n  mine:\n    type: shed:Crate\n    properties:\n      label: {label}\n      material: {material}\n\
         outputs:\n  shown: ${{mine.shown}}\n"
    )
}

#[tokio::test]
async fn every_step_is_the_engines() {
    let shed = Shed::default();
    let mut stack = Stack::new(shed.package()).unwrap().config("shed:prefix", "the ").unwrap();

    let planned = stack.preview(&program("apples", "wood")).await.unwrap();
    assert_eq!(planned.did("mine"), [StepOp::Create]);
    assert!(shed.boxes().is_empty() && stack.names().unwrap().is_empty());

    let made = stack.up(&program("apples", "wood")).await.unwrap();
    assert_eq!(made.did("mine"), [StepOp::Create]);
    assert_eq!(made.outputs()["shown"], Value::from("the apples"));
    assert_eq!(made.messages()[0].text, "nailing it together");
    assert_eq!(made.messages()[0].name, "mine");
    assert_eq!(stack.resource("mine").unwrap().id.as_deref(), Some("wood-0"));

    assert_eq!(stack.up(&program("apples", "wood")).await.unwrap().did("mine"), [StepOp::Same]);

    let updated = stack.up(&program("pears", "wood")).await.unwrap();
    assert_eq!(updated.did("mine"), [StepOp::Update]);
    assert_eq!(stack.outputs::<Crate>("mine").unwrap().shown, "the pears");

    let planned = stack.preview(&program("pears", "iron")).await.unwrap();
    let replacement = [StepOp::Replace, StepOp::CreateReplacement, StepOp::DeleteReplaced];
    assert_eq!(planned.did("mine"), replacement);
    let replaced = stack.up(&program("pears", "iron")).await.unwrap();
    assert_eq!(replaced.did("mine"), replacement);
    assert_eq!(shed.boxes().keys().collect::<Vec<_>>(), ["iron-1"]);

    shed.boxes().insert("iron-1".to_owned(), "plums".to_owned());
    assert_eq!(stack.refresh().await.unwrap().did("mine"), [StepOp::Update]);
    assert_eq!(stack.inputs::<Crate>("mine").unwrap().label, "plums");
    assert_eq!(stack.up(&program("pears", "iron")).await.unwrap().did("mine"), [StepOp::Update]);
    assert_eq!(shed.boxes()["iron-1"], "pears");

    shed.boxes().clear();
    assert_eq!(stack.refresh().await.unwrap().did("mine"), [StepOp::Delete]);
    stack.up(&program("pears", "iron")).await.unwrap();

    let ended = stack.destroy().await.unwrap();
    assert_eq!(ended.did("mine"), [StepOp::Delete]);
    assert_eq!(ended.counts().into_iter().collect::<Vec<_>>(), [(StepOp::Delete, 1)]);
    assert!(shed.boxes().is_empty() && stack.names().unwrap().is_empty());
}

#[tokio::test]
async fn what_the_program_lacks_is_deleted() {
    let shed = Shed::default();
    let mut stack = Stack::new(shed.package()).unwrap();
    stack.up(&program("apples", "wood")).await.unwrap();
    assert_eq!(stack.up("resources: {}").await.unwrap().did("mine"), [StepOp::Delete]);
    assert!(shed.boxes().is_empty());
}

#[tokio::test]
async fn secrets_are_not_in_the_state_in_clear() {
    let shed = Shed::default();
    let mut stack = Stack::new(shed.package()).unwrap().secret_config("combination", "canary").unwrap();
    let program = "
config: {combination: {type: string, secret: true}}
resources: {mine: {type: 'shed:Crate', properties: {label: gold, combination: '${combination}'}}}";
    stack.up(program).await.unwrap();
    assert!(!stack.export().unwrap().contains("canary"));
    assert_eq!(stack.outputs::<Crate>("mine").unwrap().combination.unwrap().reveal(), "canary");
    assert_eq!(stack.up(program).await.unwrap().did("mine"), [StepOp::Same]);
}

#[tokio::test]
async fn a_state_can_be_kept_in_a_directory() {
    let (shed, directory) = (Shed::default(), tempfile::tempdir().unwrap());
    let plugins = Arc::new(InProcess::new([shed.package()]).unwrap());
    let mut stack = Stack::with(plugins, Store::Directory(directory.path().to_owned())).unwrap();
    stack.up(&program("apples", "wood")).await.unwrap();
    let disk = Arc::new(LocalDisk::new(directory.path().to_owned()));
    let (backend, _) = Backend::on_disk(disk, BackendOptions::default()).unwrap();
    let summary = backend.summary(&StackName::new("test", "test").unwrap()).unwrap();
    // The stack itself, the provider, and the crate.
    assert_eq!(summary.resources, Some(3));
    assert_eq!(stack.up(&program("apples", "wood")).await.unwrap().did("mine"), [StepOp::Same]);
}
