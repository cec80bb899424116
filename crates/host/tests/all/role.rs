//! This test executable in another role: a keeper, or a host that will be killed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use outrigger_host::{KeeperCommand, keeper};
use outrigger_provider::{PluginDescriptor, Plugins};

use crate::support::{InRun, cx, options};

const ROLE: &str = "OUTRIGGER_TEST_ROLE";
const DIRECTORY: &str = "OUTRIGGER_TEST_DIRECTORY";

/// Plays the given role, if any; otherwise checks that an unknown role is refused.
#[test]
fn role() {
    let Some(role) = std::env::var_os(ROLE) else {
        let refused = itself("nonsense", Path::new("/")).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(!refused.success());
        return;
    };
    let directory = PathBuf::from(std::env::var_os(DIRECTORY).unwrap());
    match role.to_str() {
        Some("keeper") => {
            let parting = keeper::run(std::io::stdin());
            std::fs::write(directory.join("parting"), format!("{parting:?}")).unwrap();
        }
        Some("host") => be_a_host(&directory),
        _ => panic!("no such role"),
    }
}

/// How to start this executable as a keeper, which writes to `parting` how its host left.
pub(crate) fn keeper_command(directory: &Path) -> KeeperCommand {
    let mut environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    environment.push((ROLE.into(), "keeper".into()));
    environment.push((DIRECTORY.into(), directory.into()));
    let arguments = ["--exact", "role::role", "--nocapture"].map(OsString::from).to_vec();
    KeeperCommand { program: std::env::current_exe().unwrap(), arguments, environment }
}

/// A host in a separate process, with plugin `demo` of that directory loaded and a keeper.
pub(crate) fn host_process(directory: &Path) -> Child {
    let mut host = itself("host", directory).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let ready = lines.map_while(Result::ok).any(|line| line.contains("host is ready"));
    assert!(ready, "the host did not come up: {:?}", host.wait());
    host
}

fn itself(role: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "role::role", "--nocapture"])
        .env(ROLE, role)
        .env(DIRECTORY, directory)
        .stdin(Stdio::null());
    command
}

#[tokio::main]
async fn be_a_host(directory: &Path) {
    let mut options = options(directory);
    options.keeper = Some(keeper_command(directory));
    let host = InRun::new(directory, options);
    let _plugin = host.load(&cx(), &PluginDescriptor::named("demo", None)).await.unwrap();
    println!("host is ready");
    std::io::stdout().flush().unwrap();
    std::future::pending::<()>().await;
}
