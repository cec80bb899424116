//! Components, which plugins make of resources that they register themselves.

use serde_json::json;

use super::life::{outputs, project, stack_outputs, wanted};

const PACKAGE: [(&str, &str); 1] = [("component", "13.3.7")];

#[test]
fn a_component_lives_under_both_engines() {
    const PROGRAM: &str = "
resources:
  one: {type: 'component:ComponentCustomRefOutput', properties: {value: first}}
  two: {type: 'component:ComponentCustomRefInputOutput', properties: {inputRef: '${one.ref}'}}
outputs:
  value: ${one.ref.value}
  far: ${two.outputRef.value}
  of: ${one.urn}
";
    let sandbox = project(&PACKAGE, PROGRAM);
    sandbox.outrigger(&["up", "--yes"]).ok();
    let made = wanted(&sandbox);
    assert_eq!(made["one"]["custom"], json!(false), "{made:?}");
    let child = made.values().find(|resource| resource["parent"] == made["one"]["urn"]).expect("a child");
    assert_eq!(child["outputs"], json!({"value": "first"}));
    assert_eq!(stack_outputs(&sandbox)["value"], "first");
    assert_eq!(stack_outputs(&sandbox)["of"], made["one"]["urn"]);
    sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
    sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();

    let theirs = project(&PACKAGE, PROGRAM);
    theirs.pulumi(&["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(outputs(&wanted(&theirs)), outputs(&made));
    theirs.outrigger(&["preview", "--expect-no-changes"]).ok();
}

#[test]
fn a_plugin_that_dies_while_it_makes_a_component_is_told_once_with_its_place() {
    let sandbox = project(
        &PACKAGE,
        "
resources:
  good: {type: 'component:Custom', properties: {value: text}}
  bad:
    type: component:ComponentCustomRefOutput
    properties: {value: 7}
    options: {dependsOn: ['${good}']}
",
    );
    // It takes the value for a string without checking. Other calls of the same process would fail with it, so `good` is done before.
    let parts =
        ["could not create component `bad`", "Pulumi.yaml:6:3", "ended during Construct", "interface conversion"];
    let told = sandbox.outrigger(&["up", "--yes"]).ended(1).says(&parts);
    assert_eq!(told.text().matches("error[").count(), 1, "{}", told.text());
}

#[test]
fn dependencies_of_what_a_component_is_given() {
    let program = "
resources:
  a: {type: 'component-property-deps:Custom', properties: {value: a}}
  b: {type: 'component-property-deps:Custom', properties: {value: '${a.value}'}}
  both:
    type: component-property-deps:Component
    properties: {resource: '${a}', resourceList: ['${a}', '${b}'], resourceMap: {one: '${b}'}}
outputs: {deps: '${both.propertyDeps}'}
";
    let ours = project(&[("component-property-deps", "1.33.7")], program);
    ours.outrigger(&["up", "--yes"]).ok();
    let theirs = project(&[("component-property-deps", "1.33.7")], program);
    theirs.pulumi(&["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(stack_outputs(&ours), stack_outputs(&theirs));
    ours.pulumi(&["preview", "--expect-no-changes"]).ok();
    theirs.outrigger(&["preview", "--expect-no-changes"]).ok();
}

#[test]
fn plain_inputs_of_a_component() {
    let program = "
resources:
  it:
    type: plaincomponent:Component
    properties: {name: shop, settings: {enabled: true, tags: {a: b}}}
outputs: {label: '${it.label}'}
";
    let ours = project(&[("plaincomponent", "36.0.0")], program);
    ours.outrigger(&["up", "--yes"]).ok();
    let theirs = project(&[("plaincomponent", "36.0.0")], program);
    theirs.pulumi(&["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(stack_outputs(&ours), stack_outputs(&theirs));
    ours.pulumi(&["preview", "--expect-no-changes"]).ok();
}
