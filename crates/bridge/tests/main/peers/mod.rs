//! The real programs that decide: Pulumi's own bridge and Terraform providers.

mod chance;
mod documents;
#[path = "../../../../../xtask/src/peers/place.rs"]
mod place;
mod planned;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use outrigger_provider::{CallContext, CallError, Parameterization, Parameterize, Plugin};
use outrigger_pulumi::{ConnectOptions, Origin, connect};
use outrigger_terraform::schema::Schemas;
use outrigger_terraform::{Client, Protocol};
use outrigger_transport::Address;
use outrigger_transport::caller::Caller;
use outrigger_transport::channel::Channel;
use serde_json::Value;
use tokio::net::UnixStream;

use self::place::peer;

/// The Terraform providers among the peers.
pub(crate) fn providers() -> Vec<PathBuf> {
    let folder = peer("terraform");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| name_of(path).is_some() && path.is_file());
    found.sort();
    for wanted in PROVIDERS.iter().chain(AWS) {
        let there = found.iter().any(|path| name_of(path) == Some(wanted));
        assert!(there, "`{wanted}` is not in `{}`: run `cargo xtask peers`", folder.display());
    }
    found
}

/// Published providers, and our own on every provider library.
const PROVIDERS: [&str; 12] =
    ["ancient", "classic", "crude", "local", "mixed", "narrow", "null", "raised", "random", "time", "tls", "wide"];

/// Published as a program for one kind of machine only.
const AWS: &[&str] = if cfg!(all(target_os = "linux", target_arch = "x86_64")) { &["aws"] } else { &[] };

/// `random` of `…/terraform-provider-random`.
pub(crate) fn name_of(provider: &Path) -> Option<&str> {
    provider.file_name()?.to_str()?.strip_prefix("terraform-provider-")
}

/// A process and all its children: Pulumi's bridge leaves its providers behind.
struct Group {
    child: Child,
    first_line: String,
}

impl Group {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut first_line = String::new();
        output.read_line(&mut first_line).unwrap();
        // A process that writes to a closed pipe ends, so its output is read to the end.
        std::thread::spawn(move || output.read_to_end(&mut Vec::new()));
        Self { child, first_line: first_line.trim().to_owned() }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.child.wait();
    }
}

/// A running provider.
pub(crate) struct Running {
    pub(crate) client: Client,
    socket: String,
    _group: Group,
}

impl Running {
    pub(crate) async fn start(provider: &Path) -> Self {
        let cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
        let mut command = Command::new(provider);
        command.env("TF_PLUGIN_MAGIC_COOKIE", cookie).env("PLUGIN_PROTOCOL_VERSIONS", "5,6");
        let group = Group::start(&mut command);
        let fields: Vec<&str> = group.first_line.split('|').collect();
        let protocol = match fields.get(1) {
            Some(&"5") => Protocol::Five,
            Some(&"6") => Protocol::Six,
            _ => panic!("{}: `{}` is no handshake", provider.display(), group.first_line),
        };
        let socket = fields[3].to_owned();
        let stream = UnixStream::connect(&socket).await.unwrap();
        let channel = Channel::over(stream, http::uri::Authority::from_static("localhost")).await.unwrap();
        let client = Client::new(channel, protocol, Caller::new(None, "provider".to_owned()));
        Self { client, socket, _group: group }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// A provider's schemas.
pub(crate) async fn schemas(provider: &Path) -> Schemas {
    Running::start(provider).await.client.schemas(&CallContext::background()).await.unwrap()
}

/// The schema that Pulumi's bridge writes for a provider, and the package's name. `cache` has the providers for which it need not ask a
/// registry.
pub(crate) async fn go_document(arguments: &[&str], cache: &Path) -> (Parameterization, Value) {
    try_go_document(arguments, cache).await.unwrap()
}

/// The same, if it may refuse the provider.
pub(crate) async fn try_go_document(arguments: &[&str], cache: &Path) -> Result<(Parameterization, Value), CallError> {
    let mut command = Command::new(peer("go-bridge/pulumi-resource-terraform-provider"));
    command.env("PULUMI_HOME", cache).env("PULUMI_DYNAMIC_TF_PLUGIN_CACHE_DIR", cache).arg("127.0.0.1:1");
    let group = Group::start(&mut command);
    let port = group.first_line.parse().unwrap_or_else(|_| panic!("`{}` is no port", group.first_line));
    let options = ConnectOptions {
        name: "terraform-provider".to_owned(),
        engine_address: "127.0.0.1:1".to_owned(),
        deadlines: Default::default(),
        log: None,
    };
    let plugin = connect(Origin::Running(Address::of_port(port)), options).await.unwrap();
    let cx = CallContext::background();
    if arguments.is_empty() {
        let bytes = plugin.schema(&cx, None).await?;
        let none = Parameterization { name: String::new(), version: String::new(), value: Vec::new() };
        return Ok((none, serde_json::from_slice(&bytes).unwrap()));
    }
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let package = plugin.parameterize(&cx, Parameterize::Arguments(arguments)).await?;
    let bytes = plugin.schema(&cx, Some(&package)).await?;
    Ok((package, serde_json::from_slice(&bytes).unwrap()))
}
