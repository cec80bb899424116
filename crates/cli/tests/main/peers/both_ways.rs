//! One project, two tools: `outrigger` and `pulumi` take turns, and neither finds anything to change.

use crate::sandbox::Sandbox;

fn project(length: u32) -> String {
    format!(
        "name: shop\nruntime: yaml\nconfig:\n  word: {{type: string, default: hello}}\nresources:\n  pet:\n    type: random:RandomPet\n    properties: {{length: {length}, prefix: '${{word}}'}}\n  password:\n    type: random:RandomPassword\n    properties: {{length: 20}}\n    options: {{dependsOn: ['${{pet}}']}}\noutputs:\n  name: ${{pet.id}}\n  password: ${{password.result}}\n"
    )
}

#[test]
fn each_goes_on_where_the_other_stopped() {
    let sandbox = Sandbox::with_stack(&project(2));
    sandbox.outrigger(&["config", "set", "--secret", "word", "quiet"]).ok();
    sandbox.outrigger(&["up", "--yes"]).ok();

    sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
    sandbox.pulumi(&["refresh", "--yes", "--expect-no-changes"]).ok();
    let output = |tool: fn(&Sandbox, &[&str]) -> crate::sandbox::Answer| {
        tool(&sandbox, &["stack", "output", "--json", "--show-secrets"]).ok().stdout
    };
    assert_eq!(output(Sandbox::outrigger), output(Sandbox::pulumi));
    assert_eq!(sandbox.pulumi(&["config", "get", "word"]).ok().stdout.trim(), "quiet");

    sandbox.write("Pulumi.yaml", &project(3));
    sandbox.pulumi(&["config", "set", "--secret", "other", "told by pulumi"]).ok();
    sandbox.pulumi(&["up", "--yes", "--skip-preview"]).ok();
    sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
    sandbox.outrigger(&["refresh", "--yes", "--expect-no-changes"]).ok();
    assert_eq!(output(Sandbox::outrigger), output(Sandbox::pulumi));
    assert_eq!(sandbox.outrigger(&["config", "get", "other"]).ok().stdout.trim(), "told by pulumi");

    sandbox.outrigger(&["up", "--yes"]).ok();
    sandbox.pulumi(&["destroy", "--yes"]).ok();
    sandbox.pulumi(&["up", "--yes", "--skip-preview"]).ok();
    sandbox.outrigger(&["destroy", "--yes"]).ok();
    sandbox.pulumi(&["stack", "rm", "--yes"]).ok();
}

#[test]
fn a_stack_selected_by_one_is_selected_for_the_other() {
    let sandbox = Sandbox::with_stack(&project(2));
    assert_eq!(sandbox.pulumi(&["stack", "--show-name"]).ok().stdout.trim(), "dev");
    sandbox.pulumi(&["stack", "init", "prod"]).ok();
    assert_eq!(sandbox.outrigger(&["stack", "--show-name"]).ok().stdout.trim(), "prod");
    sandbox.outrigger(&["stack", "select", "dev"]).ok();
    assert_eq!(sandbox.pulumi(&["stack", "--show-name"]).ok().stdout.trim(), "dev");
    sandbox.outrigger(&["stack", "select", "nope"]).ended(6).says(&["no stack `nope`", "dev, prod", "stack init nope"]);
    let listed: serde_json::Value =
        serde_json::from_str(&sandbox.outrigger(&["stack", "ls", "--json"]).ok().stdout).unwrap();
    let current: Vec<_> = listed.as_array().unwrap().iter().map(|stack| stack["current"].clone()).collect();
    assert_eq!(current, [true, false]);
}

#[test]
fn a_login_of_one_is_a_login_of_the_other() {
    let mut sandbox = Sandbox::new(&project(2));
    let url = format!("file://{}", sandbox.path("state").display());
    sandbox.set("PULUMI_BACKEND_URL", None);
    sandbox.outrigger(&["stack", "ls"]).ended(1).says(&[
        "no state backend is configured",
        "outrigger login file://",
        "Pulumi Cloud",
    ]);
    sandbox.outrigger(&["login", &url]).ok().says(&[&url]);
    sandbox.pulumi(&["stack", "init", "dev"]).ok();
    sandbox.outrigger(&["stack", "ls"]).ok().says(&["dev*"]);
    sandbox.outrigger(&["logout"]).ok();
    sandbox.outrigger(&["stack", "ls"]).ended(1);
    sandbox.pulumi(&["login", &url]).ok();
    sandbox.outrigger(&["stack", "ls"]).ok().says(&["dev*"]);
}

#[test]
fn an_export_of_one_is_an_import_of_the_other() {
    let sandbox = Sandbox::with_stack(&project(2));
    sandbox.outrigger(&["up", "--yes"]).ok();
    let file = sandbox.path("export.json").display().to_string();
    sandbox.outrigger(&["stack", "export", "--file", &file]).ok();
    sandbox.pulumi(&["stack", "import", "--file", &file]).ok();
    sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
    sandbox.pulumi(&["stack", "export", "--show-secrets", "--file", &file]).ok();
    sandbox.outrigger(&["stack", "import", "--file", &file]).ok();
    sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
    std::fs::remove_file(file).unwrap();
    let secret = sandbox.outrigger(&["stack", "output", "password", "--show-secrets"]).ok().stdout;
    assert_eq!(sandbox.files_with(secret.trim()), Vec::<std::path::PathBuf>::new(), "imported in clear");
}
