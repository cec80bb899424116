//! The Terraform providers that the tests use, under a real engine: what they do there is what a provider does.

use std::fs;
use std::path::Path;

use crate::sandbox::{Sandbox, peer, peers};

/// A host that nobody has to ask: everything is in the mirror.
const HOST: &str = "example.com";

/// Lays out providers as an engine's filesystem mirror has them, unpacked, under `HOST/tests/NAME`.
fn mirror(root: &Path, providers: &[(&str, &str)]) {
    for (name, version) in providers {
        let built = peers().join(format!("terraform/terraform-provider-{name}"));
        assert!(built.exists(), "`{}` is not there: run `cargo xtask peers`", built.display());
        let platform = format!("{}_{}", std::env::consts::OS, architecture());
        let folder = root.join(HOST).join("tests").join(name).join(version).join(platform);
        fs::create_dir_all(&folder).unwrap();
        let installed = folder.join(format!("terraform-provider-{name}_v{version}"));
        fs::hard_link(&built, &installed).or_else(|_| fs::copy(&built, &installed).map(|_| ())).unwrap();
    }
}

/// The architecture as Go calls it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[test]
fn tofu_makes_keeps_and_removes_what_the_providers_offer() {
    let providers = [
        ("random", "3.6.0"),
        ("wide", "1.0.0"),
        ("narrow", "1.0.0"),
        ("classic", "1.0.0"),
        ("mixed", "1.0.0"),
        ("raised", "1.0.0"),
        ("ancient", "1.0.0"),
        ("crude", "1.0.0"),
    ];
    let mut sandbox = Sandbox::new("name: engines\nruntime: yaml\n");
    let world = sandbox.path("world");
    mirror(&sandbox.path("mirror"), &providers);
    let config = format!(
        "provider_installation {{\n  filesystem_mirror {{\n    path = \"{}\"\n  }}\n}}\n",
        sandbox.path("mirror").display()
    );
    sandbox.write("mirror.tofurc", &config);
    sandbox.set("TF_CLI_CONFIG_FILE", Some(&sandbox.path("project/mirror.tofurc").display().to_string()));
    let mut program = String::from("terraform {\n  required_providers {\n");
    for (name, version) in providers {
        program.push_str(&format!(
            "    {name} = {{\n      source = \"{HOST}/tests/{name}\"\n      version = \"{version}\"\n    }}\n"
        ));
    }
    program.push_str("  }\n}\n");
    for (name, _) in &providers[1..] {
        program.push_str(&format!("provider \"{name}\" {{\n  directory = \"{}/{name}\"\n}}\n", world.display()));
    }
    program.push_str(RESOURCES);
    sandbox.write("main.tf", &program);
    let tofu = peer("tofu");
    sandbox.run(&tofu, &["init", "-no-color"]).ok();
    sandbox.run(&tofu, &["apply", "-auto-approve", "-no-color"]).ok().says(&["12 added", "made_of = \"a+b\"", "42"]);
    // Nothing is left to do: the providers remember what they made, and plan nothing that they do not do.
    sandbox.run(&tofu, &["plan", "-detailed-exitcode", "-no-color"]).ok();
    for kind in ["wide/nested", "narrow/blocks", "classic/blocks", "mixed/versioned", "raised/no_id", "ancient/named"] {
        assert_eq!(fs::read_dir(world.join(kind)).unwrap().count(), 1, "{kind}");
    }
    sandbox.run(&tofu, &["destroy", "-auto-approve", "-no-color"]).ok().says(&["12 destroyed"]);
    assert_eq!(fs::read_dir(world.join("wide/nested")).unwrap().count(), 0);
}

const RESOURCES: &str = r#"
resource "random_pet" "pet" {}
resource "wide_nested" "nested" {
  single = { given = "a", hidden = "h" }
  item   = [{ given = "a" }, { given = "b", either = "c" }]
  unique = [{ given = "b" }, { given = "a" }]
  keyed  = { k = { given = "a" } }
}
resource "wide_identified" "identified" {
  region = "here"
}
resource "wide_dynamic" "dynamic" {
  anything = { a = ["b", 1] }
}
resource "narrow_blocks" "blocks" {
  title = random_pet.pet.id
  rule {
    action = "allow"
    match {
      prefix = "p"
    }
  }
  tag {
    key = "k"
  }
}
resource "narrow_numbers" "numbers" {
  big_whole = 123456789012345678901234567890
  precise   = 0.1
}
resource "classic_blocks" "blocks" {
  title = "t"
  needed {
    value = "v"
  }
  settings {
    note = "n"
  }
  tag {
    key = "a"
  }
}
resource "mixed_versioned" "versioned" {
  amount = 5
}
resource "raised_no_id" "labelled" {
  label = "l"
}
resource "raised_slow" "slow" {
  value = "v"
  timeouts {
    create = "1m"
  }
}
resource "ancient_named" "named" {
  name = "n"
}
resource "crude_blocks" "blocks" {
  title = "t"
  needed_single {
    some_text = "a"
  }
  only_item {
    some_text = "b"
  }
  keyed "k" {
    some_text = "c"
  }
}
data "wide_lookup" "lookup" {
  name = "a"
}
output "made_of" {
  value = provider::wide::joined_up("+", "a", "b")
}
output "twice" {
  value = provider::wide::double(21)
}
output "found" {
  value = data.wide_lookup.lookup.made
}
"#;
