//! A run that is asked to stop: by a terminal that is closed, by Ctrl-C.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::process::Command;

use crate::sandbox::{Sandbox, answer};

#[test]
fn a_closed_terminal_stops_a_run_in_order() {
    let sandbox = Sandbox::with_stack(
        "name: hung
runtime: yaml
resources:
  slow: {type: 'kit:process:Command', properties: {create: cat gate}}
  next: {type: 'kit:process:Command', properties: {create: 'true'}, options: {dependsOn: ['${slow}']}}
",
    );
    let gate = sandbox.path("project/gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let mut child = sandbox.start_with_default_hangup(&["up", "--yes", "--skip-preview"]);
    // This waits until the command reads.
    let gate = OpenOptions::new().write(true).open(&gate).unwrap();
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("creating slow kit:process:Command") {
        assert_ne!(errors.read_line(&mut said).unwrap(), 0, "{said}");
    }
    drop(gate);
    let ended = answer(child);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        said.contains("Stopping") && ended.stdout.contains("Everything that completed is saved."),
        "{said}{}",
        ended.stdout
    );
    let state = sandbox.export();
    assert!(state["deployment"]["pending_operations"].as_array().is_none_or(Vec::is_empty), "{state}");
}

#[test]
fn operations_that_are_stopped_together_are_named_together() {
    let jobs: String = (1..=3)
        .map(|number| {
            format!("  job{number}: {{type: 'kit:process:Command', properties: {{create: cat gate{number}}}}}\n")
        })
        .collect();
    let sandbox = Sandbox::with_stack(&format!("name: hung\nruntime: yaml\nresources:\n{jobs}"));
    let gate = |number: u32| sandbox.path(&format!("project/gate{number}"));
    assert!(Command::new("mkfifo").args((1..=3).map(gate)).status().unwrap().success());
    let child = sandbox.start(&["up", "--yes", "--skip-preview"]);
    let _gates: Vec<_> = (1..=3).map(|number| OpenOptions::new().write(true).open(gate(number)).unwrap()).collect();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = answer(child).ended(1).says(&["2 more operations were stopped: job", "3 failed"]);
    assert_eq!(ended.stdout.matches("error[").count(), 1, "{}", ended.stdout);
    assert_eq!(ended.stdout.matches("could not create").count(), 2, "{}", ended.stdout);
}
