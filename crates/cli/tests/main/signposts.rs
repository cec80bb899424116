//! The answers to users of `pulumi` and `terraform` who type their own words, or work in their own projects.

use std::fs;

use crate::sandbox::Sandbox;

#[test]
fn words_of_the_peers_are_answered_and_change_nothing() {
    let sandbox = Sandbox::new("name: shop\nruntime: yaml\n");
    let cases: [(&[&str], &[&str]); 5] = [
        (&["apply", "-auto-approve"], &["`apply` is `outrigger up` here.", "`-auto-approve` is `--yes` here."]),
        // Read letter by letter, these would be a stack and a target.
        (&["up", "-m", "x", "-state=dev"], &["unexpected argument '-state'", "The backend stores the state"]),
        (&["up", "-target=random_pet.a"], &["unexpected argument '-target'", "two dashes here: `--target`"]),
        (&["preview", "--save-plan", "plan.json"], &["Plans cannot be saved or followed yet."]),
        (&["org", "member", "list"], &["Pulumi Cloud"]),
    ];
    for (words, says) in cases {
        let answer = sandbox.outrigger(words).ended(1).says(says);
        assert_eq!(answer.stdout, "", "{words:?}");
    }
}

#[test]
fn projects_of_other_programs_are_known() {
    let sandbox = Sandbox::new("");
    fs::remove_file(sandbox.path("project/Pulumi.yaml")).unwrap();
    let says = |name: &str, text: &str| {
        sandbox.outrigger(&["up", "--yes"]).failed().says(&["error[project-not-found]", text]);
        let path = sandbox.path("project").join(name);
        if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) }.unwrap();
    };
    sandbox.write("network.tf", "");
    says("network.tf", "Terraform's configuration (`*.tf`) is not read.");
    sandbox.write("cdktf.json", "{}");
    says("cdktf.json", "Programs of CDK for Terraform cannot be run.");
    fs::create_dir(sandbox.path("project/.sc")).unwrap();
    says(".sc", "Projects of Simple Container (`.sc`) are not supported yet.");
    sandbox.outrigger(&["up", "--yes"]).failed().says(&["Change to the directory of a Pulumi project"]);
}
