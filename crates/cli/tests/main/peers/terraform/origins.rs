//! The source of a provider without a path or a mirror, and the part of it that becomes a package.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use super::mirrors::platform;
use super::world::{Tool, World, provider_path};

/// A provider that was started separately, for a debugger; it ends with the test.
struct Running {
    process: Child,
    /// Kept open: the provider prints more, and would end if the pipe were closed.
    _said: BufReader<ChildStdout>,
    /// The value that it prints for `TF_REATTACH_PROVIDERS`.
    reattach: String,
    /// Its address.
    address: String,
}

impl Running {
    fn start(name: &str) -> Self {
        let mut command = Command::new(provider_path(name));
        command.arg("-debug").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap());
        let mut lines = said.by_ref().lines().map(Result::unwrap);
        let found = lines.find_map(|line| Some(line.split_once("TF_REATTACH_PROVIDERS='")?.1.to_owned())).unwrap();
        let reattach = found.trim_end_matches('\'').to_owned();
        let providers: BTreeMap<String, Json> = serde_json::from_str(&reattach).unwrap();
        Self { process, _said: said, address: providers.into_keys().next().unwrap(), reattach }
    }

    /// One without a switch for that, started as a host would; in the newer protocol.
    fn by_hand(name: &str) -> Self {
        let mut command = Command::new(provider_path(name));
        let cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
        command.env("TF_PLUGIN_MAGIC_COOKIE", cookie).env("PLUGIN_PROTOCOL_VERSIONS", "6");
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let fields: Vec<&str> = line.trim().split('|').collect();
        assert_eq!(fields[1], "6", "{line}");
        let address = format!("example.com/tests/{name}");
        let reattach = json!({
            &address: {
                "Protocol": "grpc",
                "ProtocolVersion": 6,
                "Pid": process.id(),
                "Test": true,
                "Addr": {"Network": fields[2], "String": fields[3]},
            },
        });
        Self { process, _said: said, reattach: reattach.to_string(), address }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // There is nothing to be done if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Adds a program to the file that `package add` wrote.
fn append(world: &World, program: &str) {
    let project = world.sandbox.read("Pulumi.yaml");
    world.sandbox.write("Pulumi.yaml", &format!("{project}{program}"));
}

/// A life in short, under both tools.
fn lives(world: &World) {
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    world.run_with(Tool::Pulumi, &["preview", "--expect-no-changes"]).ok();
    world.run_with(Tool::Pulumi, &["destroy", "--yes", "--skip-preview"]).ok();
}

/// A provider that is running already is used as it is, and is not ended.
#[test]
fn from_a_debugger() {
    let mut running = Running::start("random");
    let mut world = World::new(Tool::Outrigger, &[], "");
    world.sandbox.set("TF_REATTACH_PROVIDERS", Some(&running.reattach));
    world.run(&["package", "add", "terraform-provider", &running.address]).ok();
    append(&world, "resources:\n  a: {type: 'random:Pet', properties: {length: 2}}\n");
    lives(&world);
    assert!(running.process.try_wait().unwrap().is_none(), "it was ended");

    // There is no other provider of that name, and no source for one.
    world.sandbox.set("TF_REATTACH_PROVIDERS", None);
    let missing = format!("`{}` was not found", running.address);
    let says = [missing.as_str(), "sources on a network are not supported yet"];
    world.run(&["preview"]).ended(1).says(&says).says(&["Pulumi.yaml:10:13"]);
    world.run_with(Tool::Pulumi, &["preview"]).failed().says(&says);
}

/// In the newer protocol, and by the variable of Pulumi's bridge, which comes first.
#[test]
fn from_a_debugger_for_either_variable() {
    let mut running = Running::by_hand("wide");
    for (variable, other) in [
        ("TF_REATTACH_PROVIDERS", "PULUMI_BRIDGE_REATTACH_PROVIDERS"),
        ("PULUMI_BRIDGE_REATTACH_PROVIDERS", "TF_REATTACH_PROVIDERS"),
    ] {
        let mut world = World::new(Tool::Outrigger, &[], "");
        world.sandbox.set(variable, Some(&running.reattach));
        world.run(&["package", "add", "terraform-provider", &running.address]).ok();
        append(&world, "resources:\n  a: {type: 'wide:Named', properties: {name: x}}\n");
        let directory = world.cloud("wide").display().to_string();
        world.sandbox.outrigger(&["config", "set", "wide:directory", &directory]).ok();
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.things("wide", "named").len(), 1, "{variable}");
        lives(&world);
        assert_eq!(world.things("wide", "named").len(), 0, "{variable}");
        assert!(running.process.try_wait().unwrap().is_none(), "it was ended");
        world.sandbox.set(other, Some("nonsense"));
        let answer = world.run(&["preview"]);
        let wins = variable.starts_with("PULUMI");
        if wins {
            answer.ok()
        } else {
            answer.ended(1).says(&[&format!("`{other}` cannot be read")])
        };
    }
}

/// A provider under development, as the CLI configuration names it. It shows how it was started.
#[test]
fn from_where_it_is_built() {
    let mut world = World::new(Tool::Outrigger, &[], "");
    let built = world.sandbox.path("built");
    fs::create_dir(&built).unwrap();
    let told = world.sandbox.path("told");
    let script = format!("#!/bin/sh\nenv > '{}'\nexec '{}'\n", told.display(), provider_path("wide").display());
    let program = built.join("terraform-provider-wide");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let config = world.sandbox.path("terraformrc");
    let text = format!(
        "provider_installation {{\n  dev_overrides {{\n    \"example.com/tests/wide\" = \"{}\"\n  }}\n  direct {{}}\n}}\n",
        built.display()
    );
    fs::write(&config, text).unwrap();
    world.sandbox.set("TF_CLI_CONFIG_FILE", config.to_str());
    world.run(&["package", "add", "terraform-provider", "example.com/tests/wide"]).ok();
    append(&world, "resources:\n  a: {type: 'wide:Named', properties: {name: x}}\n");
    let directory = world.cloud("wide").display().to_string();
    world.sandbox.outrigger(&["config", "set", "wide:directory", &directory]).ok();
    // A connection is encrypted, unless a variable turns that off.
    for (variable, encrypted) in [(None, true), (Some(""), true), (Some("1"), false), (Some("yes"), false)] {
        world.sandbox.set("TF_DISABLE_PLUGIN_TLS", variable);
        for tool in [Tool::Outrigger, Tool::Pulumi] {
            world.run_with(tool, &["up", "--yes", "--skip-preview"]).ok();
            let certificate = fs::read_to_string(&told).unwrap().contains("PLUGIN_CLIENT_CERT=");
            assert_eq!(certificate, encrypted, "{tool:?}");
            fs::remove_file(&told).unwrap();
        }
    }
    assert_eq!(world.things("wide", "named").len(), 1);
}

/// The downloads of Pulumi's bridge can be used by ours.
#[test]
fn from_the_cache_of_the_other_bridge() {
    let mut world = World::new(Tool::Outrigger, &[], "");
    let cache = world.sandbox.path("downloaded");
    let directory = cache.join("example.com/tests/random/1.5.0").join(platform());
    fs::create_dir_all(&directory).unwrap();
    fs::copy(provider_path("random"), directory.join("terraform-provider-random_v1.5.0")).unwrap();
    world.sandbox.set("PULUMI_DYNAMIC_TF_PLUGIN_CACHE_DIR", cache.to_str());
    world.run(&["package", "add", "terraform-provider", "example.com/tests/random"]).ok();
    assert!(world.sandbox.read("sdks/random/random-1.5.0.yaml").contains("version: 1.5.0"));
    append(&world, "resources:\n  a: {type: 'random:Pet', properties: {length: 2}}\n");
    lives(&world);
    // A registry is none of the places that are searched.
    let says = ["/hashicorp/cloudy` was not found", "sources on a network are not supported yet"];
    world.run(&["package", "add", "terraform-provider", "hashicorp/cloudy"]).ended(1).says(&says);
    let answer = world.sandbox.pulumi(&["package", "add", "terraform-provider@1.0.0", "hashicorp/cloudy"]);
    answer.failed().says(&says);
}

/// The same provider twice: a part of it, and the rest under another name.
#[test]
fn in_parts() {
    let world = World::new(Tool::Outrigger, &[], "");
    let path = provider_path("wide").display().to_string();
    for arguments in [
        &["--include", "wide_named", "--include", "wide_lookup"][..],
        &["--exclude", "wide_named", "--provider-name", "broad"],
    ] {
        world.run(&[&["package", "add", "terraform-provider", &path], arguments].concat()).ok();
    }
    let project = world.sandbox.read("Pulumi.yaml");
    let program = "resources:\n  a: {type: 'wide:Named', properties: {name: x}}\n  b: {type: 'broad:Secret', properties: \
                   {label: '${size}'}}\nvariables:\n  size: {'fn::invoke': {function: 'wide:getLookup', arguments: \
                   {name: it}, return: made}}\n";
    append(&world, program);
    for package in ["wide", "broad"] {
        let directory = world.cloud("wide").display().to_string();
        world.sandbox.outrigger(&["config", "set", &format!("{package}:directory"), &directory]).ok();
    }
    lives(&world);
    for (ty, package) in [("broad:Named", "broad"), ("wide:Secret", "wide")] {
        world.sandbox.write("Pulumi.yaml", &format!("{project}resources:\n  a: {{type: '{ty}'}}\n"));
        let says = format!("unable to find resource type \"{ty}\" in resource provider \"{package}\"");
        for tool in [Tool::Outrigger, Tool::Pulumi] {
            world.run_with(tool, &["preview"]).failed().says(&[&says]);
        }
    }
}
