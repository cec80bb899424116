//! A program that is not the command brings a project up through the library.

use std::fs;
use std::os::unix::fs::symlink;

use outrigger_workspace::{Ending, Environment, ErrorKind, StepOp};

#[expect(dead_code, reason = "the example's `main` reads the arguments of a process")]
#[allow(unreachable_pub)]
#[path = "../../../workspace/examples/up.rs"]
mod example;

#[tokio::test]
async fn the_example_brings_a_project_up() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for name in ["project", "state", "bin"] {
        fs::create_dir(at(name)).unwrap();
    }
    // The executable is the plugin under this name.
    symlink(env!("CARGO_BIN_EXE_outrigger"), at("bin/pulumi-resource-kit")).unwrap();
    let program =
        "{name: shop, runtime: yaml, resources: {note: {type: 'kit:fs:File', properties: {path: note, content: hi}}}}";
    fs::write(at("project/Pulumi.yaml"), program).unwrap();
    let backend = format!("file://{}", at("state").display());
    let variables = [
        ("PATH", at("bin").display().to_string()),
        ("HOME", directory.path().display().to_string()),
        ("PULUMI_CONFIG_PASSPHRASE", "canary".to_owned()),
        ("PULUMI_BACKEND_URL", backend),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let mut environment = Environment::new(variables, at("project"));
    for (op, count) in [(StepOp::Create, 2), (StepOp::Same, 2)] {
        let result = example::up(&environment, "dev").await.unwrap();
        assert_eq!(result.ending, Ending::Succeeded);
        assert_eq!(result.summary.counts.into_iter().collect::<Vec<_>>(), [(op, count)]);
    }
    assert_eq!(fs::read_to_string(at("project/note")).unwrap(), "hi");

    // A failure has a kind, so that a caller need not compare texts.
    environment.variables.retain(|(name, _)| name != "PULUMI_CONFIG_PASSPHRASE");
    assert_eq!(example::up(&environment, "dev").await.unwrap_err().kind, ErrorKind::PassphraseMissing);
    environment.variables.retain(|(name, _)| name != "PULUMI_BACKEND_URL");
    assert_eq!(example::up(&environment, "dev").await.unwrap_err().kind, ErrorKind::NoBackend);
}
