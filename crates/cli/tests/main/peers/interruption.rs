//! Ctrl-C once and twice.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};

use crate::sandbox::Sandbox;

const PROJECT: &str = "name: slow\nruntime: yaml\nresources:\n  a: {type: 'oracle:Thing', properties: {value: a, delayMs: 2000}}\n  b: {type: 'oracle:Thing', properties: {value: '${a.value}b'}}\n";

/// The event that comes when the provider is called: an interrupt before that would rightly stop the creation.
pub(crate) const CALLED: &str = "\"call-started\"";

pub(crate) fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// Reads lines until one has the text.
pub(crate) fn await_line(reader: &mut impl BufRead, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "it ended before `{text}` came");
    }
}

fn names(sandbox: &Sandbox, of: &str) -> Vec<String> {
    let export = sandbox.export();
    let entries = export["deployment"][of].as_array().cloned().unwrap_or_default();
    let urn = |entry: &serde_json::Value| entry.get("resource").unwrap_or(entry)["urn"].as_str().unwrap().to_owned();
    let found = entries.iter().map(urn).filter(|urn| urn.contains("oracle:index:Thing"));
    found.map(|urn| urn.rsplit("::").next().unwrap().to_owned()).collect()
}

#[test]
fn once_lets_running_work_finish() {
    let sandbox = Sandbox::with_stack(PROJECT);
    let mut child = sandbox.start(&["up", "--yes", "--skip-preview", "--json-events"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    await_line(&mut stdout, CALLED);
    interrupt(&child);
    await_line(&mut stderr, "Still under way");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(rest.contains("\"ending\":\"cancelled\"") && rest.contains("\"result\":\"done\""), "{rest}");
    assert_eq!((names(&sandbox, "resources"), names(&sandbox, "pending_operations")), (vec!["a".to_owned()], vec![]));
    sandbox.outrigger(&["up", "--yes"]).ok().says(&["b oracle:index:Thing created"]);
}

#[test]
fn twice_writes_down_what_is_not_known() {
    let sandbox = Sandbox::with_stack(PROJECT);
    let mut child = sandbox.start(&["up", "--yes", "--skip-preview", "--json-events"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    await_line(&mut stdout, CALLED);
    interrupt(&child);
    await_line(&mut stderr, "Still under way");
    interrupt(&child);
    await_line(&mut stderr, "Ending now");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(8), "{rest}");
    assert_eq!((names(&sandbox, "resources"), names(&sandbox, "pending_operations")), (vec![], vec!["a".to_owned()]));
    sandbox.outrigger(&["up", "--yes"]).says(&["an earlier run may have created `a`", "--clear-pending-creates"]);
    sandbox.outrigger(&["refresh", "--yes", "--clear-pending-creates"]).ok();
    assert_eq!(names(&sandbox, "pending_operations"), Vec::<String>::new());
    sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
}
