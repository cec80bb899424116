//! Errors that a failed test can print.

use outrigger_testing::{Stack, StepOp};

use crate::boxes::{Crate, Shed};

#[tokio::test]
async fn a_mistake_in_the_program_has_a_place() {
    let mut stack = Stack::new(Shed::default().package()).unwrap();
    let program = "resources:\n  mine:\n    type: shed:Crate\n    properties:\n      labell: apples\n";
    let failed = stack.up(program).await.unwrap_err();
    assert!(failed.says("program:5:7: ") && failed.says("labell"), "{failed}");
    let failed = stack.preview("resources: [").await.unwrap_err();
    assert!(failed.says("program:1:"), "{failed}");
}

#[tokio::test]
async fn what_the_plugin_answers_is_said_with_the_resource() {
    let shed = Shed::default();
    let mut stack = Stack::new(shed.package()).unwrap();
    let program = "resources:
  good: {type: 'shed:Crate', properties: {label: apples}}
  bad: {type: 'shed:Crate', properties: {label: dynamite}, options: {dependsOn: ['${good}']}}";
    let failed = stack.up(program).await.unwrap_err();
    assert!(failed.says("bad (shed:index:Crate): ") && failed.says("the shed takes no dynamite"), "{failed}");
    assert_eq!(format!("{failed:?}"), failed.to_string());
    // The resource created before it stays, and is in the state.
    assert_eq!(failed.run.did("good"), [StepOp::Create]);
    assert!(failed.run.did("bad").is_empty());
    assert_eq!(stack.names().unwrap(), ["good"]);
}

#[tokio::test]
async fn packages_and_resources_that_are_not_there_are_named() {
    let mut stack = Stack::new(Shed::default().package()).unwrap();
    let failed = stack.up("resources: {mine: {type: 'barn:Crate'}}").await.unwrap_err();
    assert!(failed.says("no package `barn`") && failed.says("`shed`"), "{failed}");
    let program = "resources: {mine: {type: 'shed:Crate', properties: {label: a}, options: {version: 9.9.9}}}";
    let failed = stack.up(program).await.unwrap_err();
    assert!(failed.says("It has version 1.2.3, but 9.9.9 is wanted"), "{failed}");
    let failed = stack.outputs::<Crate>("mine").err().unwrap();
    assert!(failed.says("no resource `mine`") && failed.says("It has none"), "{failed}");
}

#[test]
fn a_package_that_cannot_be_described_is_refused() {
    let shed = Shed::default();
    let failed = Stack::new(shed.package().resource::<Crate>()).unwrap_err();
    assert!(failed.says("shed:index:Crate"), "{failed}");
    let failed = Stack::new(shed.package()).unwrap().config("a:b:c:d", "x").unwrap_err();
    assert!(failed.says("a:b:c:d"), "{failed}");
}
