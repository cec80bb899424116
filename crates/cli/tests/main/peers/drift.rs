//! Changes made outside of a run, with the provider whose cloud is a file.

use std::fs;

use crate::sandbox::Sandbox;

const PROJECT: &str = "name: shop\nruntime: yaml\nresources:\n  a: {type: 'oracle:Thing', properties: {value: one}}\n  b: {type: 'oracle:Thing', properties: {value: two}}\noutputs: {a: '${a.value}'}\n";

/// The id and URN of a resource.
fn identity(sandbox: &Sandbox, name: &str) -> (String, String) {
    let export = sandbox.export();
    let resources = export["deployment"]["resources"].as_array().unwrap();
    let found = resources.iter().find(|resource| resource["urn"].as_str().unwrap().ends_with(&format!("::{name}")));
    let text = |field: &str| found.unwrap()[field].as_str().unwrap().to_owned();
    (text("id"), text("urn"))
}

/// Someone else changes the cloud.
fn happen(sandbox: &Sandbox, line: &str) {
    let path = sandbox.path("oracle.log");
    let log = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{log}{line}\n")).unwrap();
}

#[test]
fn a_refresh_takes_over_what_exists() {
    let sandbox = Sandbox::with_stack(PROJECT);
    sandbox.outrigger(&["up", "--yes"]).ok();
    let (a, a_urn) = identity(&sandbox, "a");
    let (b, b_urn) = identity(&sandbox, "b");
    happen(&sandbox, &format!(r#"{{"op":"update","id":"{a}","urn":"{a_urn}","value":"other","atMs":0}}"#));
    happen(&sandbox, &format!(r#"{{"op":"delete","id":"{b}","urn":"{b_urn}","atMs":0}}"#));
    sandbox.outrigger(&["refresh", "--preview-only", "--diff"]).ok().says(&[
        "a oracle:index:Thing drifted",
        "value: \"one\" -> \"other\"",
        "b oracle:index:Thing missing",
    ]);
    sandbox
        .outrigger(&["refresh", "--yes", "--expect-no-changes"])
        .ended(7)
        .says(&["~ 1 updated in the state", "- 1 removed from the state"]);
    assert_eq!(identity(&sandbox, "a").0, a);
    let export = sandbox.export().to_string();
    assert!(!export.contains(&b) && export.contains("other"), "{export}");
    sandbox.pulumi(&["refresh", "--yes", "--expect-no-changes"]).ok();
    sandbox.outrigger(&["up", "--yes"]).ok().says(&["~ 1 updated", "+ 1 created"]);
    sandbox.outrigger(&["up", "--yes", "--refresh", "--expect-no-changes"]).ok();
    sandbox.outrigger(&["destroy", "--yes"]).ok();
}

#[test]
fn an_update_in_place_keeps_the_id() {
    let sandbox = Sandbox::with_stack(PROJECT);
    sandbox.outrigger(&["up", "--yes"]).ok();
    let before = identity(&sandbox, "a");
    sandbox.write("Pulumi.yaml", &PROJECT.replace("one", "three"));
    sandbox.outrigger(&["up", "--yes"]).ok().says(&[
        "a oracle:index:Thing updated",
        "~ 1 updated",
        "~ a: \"one\" -> \"three\"",
    ]);
    assert_eq!(identity(&sandbox, "a"), before);
}
