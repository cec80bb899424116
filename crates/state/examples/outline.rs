//! Reads a state in one of the ways that commands do, and prints how long it took and how much memory: `outline URL STACK WAY`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the command line")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::{Crypter, Locked};
use outrigger_state::{Backend, BackendOptions, SecretsProviderState, Session, StackName};

fn main() -> Result<(), Diagnostic> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, stack, way] = arguments.as_slice() else {
        eprintln!("usage: outline URL organization/PROJECT/STACK summary|outline|view");
        return Ok(());
    };
    let keys = |_: &SecretsProviderState| Ok(Arc::new(Locked) as Arc<dyn Crypter>);
    let start = Instant::now();
    let (backend, _) = Backend::open(url, None, Path::new("."), BackendOptions::default())?;
    let stack = StackName::parse(stack, None)?;
    let count = match way.as_str() {
        "summary" => backend.summary(&stack)?.resources.unwrap_or_default(),
        "outline" => backend.outline(&stack, &keys)?.entries.len(),
        _ => Session::view(&backend, &stack, &keys)?.base.resources.len(),
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("{way}: {count} resources, {:?}, {peak}", start.elapsed());
    Ok(())
}
