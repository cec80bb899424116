//! The store on real files, without a peer.

use std::sync::Arc;

use outrigger_state::{Backend, BackendOptions, LocalDisk, Lock, MemoryDisk, StackName, SystemClock};
use serde_json::json;

use crate::peer::{keys, machine, open, stack};

fn create(backend: &Backend, stack: &StackName) {
    backend.create_stack(stack, None, &machine(), &SystemClock::default()).unwrap();
}

fn opened(disk: &MemoryDisk, options: BackendOptions) -> Result<Vec<&'static str>, &'static str> {
    match Backend::open(Arc::new(disk.clone()), options) {
        Ok((_, findings)) => Ok(findings.iter().map(|finding| finding.code).collect()),
        Err(error) => Err(error.code),
    }
}

#[test]
fn a_stack_is_made_listed_tagged_and_removed() {
    let directory = tempfile::tempdir().unwrap();
    let backend = open(directory.path());
    assert!(backend.stacks().unwrap().is_empty());
    create(&backend, &stack());
    assert_eq!(std::fs::read_to_string(directory.path().join(".pulumi/meta.yaml")).unwrap(), "version: 1\n");
    let again = backend.create_stack(&stack(), None, &machine(), &SystemClock::default()).unwrap_err();
    assert_eq!(again.code, "stack-exists");
    assert_eq!(backend.stacks().unwrap(), [stack()]);
    let summary = backend.summary(&stack()).unwrap();
    assert_eq!((summary.last_update, summary.resources), (None, None));

    let tags = [("team".to_owned(), "red".to_owned())].into();
    backend.set_tags(&stack(), &tags).unwrap();
    assert_eq!(backend.tags(&stack()).unwrap(), tags);
    backend.set_tags(&stack(), &Default::default()).unwrap();
    assert!(backend.tags(&stack()).unwrap().is_empty());

    backend.remove_stack(&stack(), false, &machine(), &SystemClock::default()).unwrap();
    assert!(!backend.exists(&stack()).unwrap());
    assert!(directory.path().join(".pulumi/stacks/shop/dev.json.bak").is_file());
    let missing = backend.summary(&stack()).unwrap_err();
    assert_eq!(missing.code, "stack-missing");
}

#[test]
fn a_stack_with_resources_is_removed_by_force_only_and_a_foreign_one_is_not_imported() {
    let directory = tempfile::tempdir().unwrap();
    let backend = open(directory.path());
    create(&backend, &stack());
    let document = |stack: &str| {
        let urn = format!("urn:pulumi:{stack}::shop::a:b:Component::x");
        let resource = json!({"urn": urn, "custom": false, "type": "a:b:Component"});
        let pending = json!({"resource": resource, "type": "updating"});
        json!({"version": 3, "deployment": {"resources": [resource], "pending_operations": [pending]}}).to_string()
    };
    let import = |text: &str, force| {
        backend.import_stack(&stack(), text.as_bytes(), force, &keys, &machine(), &SystemClock::default())
    };
    assert_eq!(import(&document("other"), false).unwrap_err().code, "import-foreign");
    assert_eq!(import("{", false).unwrap_err().code, "state-unreadable");
    let codes =
        |findings: Vec<outrigger_diagnostic::Diagnostic>| findings.iter().map(|each| each.code).collect::<Vec<_>>();
    assert_eq!(codes(import(&document("other"), true).unwrap()), ["import-pending-dropped", "import-foreign"]);
    assert_eq!(codes(import(&document("dev"), false).unwrap()), ["import-pending-dropped"]);
    assert_eq!(backend.summary(&stack()).unwrap().resources, Some(1));
    let refusal = backend.remove_stack(&stack(), false, &machine(), &SystemClock::default()).unwrap_err();
    assert_eq!(refusal.code, "stack-not-empty");
    backend.remove_stack(&stack(), true, &machine(), &SystemClock::default()).unwrap();
}

#[test]
fn layouts_and_compressions_that_are_not_there_are_refused_by_name() {
    let with = |files: &[(&str, &str)]| {
        let disk = MemoryDisk::new();
        files.iter().for_each(|(path, text)| disk.put(path, text.as_bytes()));
        disk
    };
    let plain = BackendOptions::default();
    assert_eq!(opened(&with(&[]), plain), Ok(vec![]));
    assert_eq!(opened(&with(&[]), BackendOptions { gzip: true, ..plain }), Err("compression-unsupported"));
    assert_eq!(opened(&with(&[]), BackendOptions { legacy_layout: true, ..plain }), Err("legacy-layout"));
    let legacy = (".pulumi/stacks/old.json", "{}");
    let meta = |text| (".pulumi/meta.yaml", text);
    assert_eq!(opened(&with(&[legacy]), plain), Err("legacy-layout"));
    assert_eq!(opened(&with(&[meta("version: 0\n")]), plain), Err("legacy-layout"));
    assert_eq!(opened(&with(&[meta("version: 2\n")]), plain), Err("store-too-new"));
    assert_eq!(opened(&with(&[meta("nonsense")]), plain), Err("store-damaged"));
    assert_eq!(opened(&with(&[meta("version: 1\n"), legacy]), plain), Ok(vec!["legacy-stacks"]));
    assert_eq!(
        opened(&with(&[meta("version: 1\n"), legacy]), BackendOptions { no_legacy_warning: true, ..plain }),
        Ok(vec![])
    );

    let disk = with(&[meta("version: 1\n"), (".pulumi/stacks/shop/dev.json.gz", "x")]);
    let (backend, _) = Backend::open(Arc::new(disk), plain).unwrap();
    assert_eq!(backend.stacks().unwrap(), [stack()]);
    assert_eq!(backend.summary(&stack()).unwrap_err().code, "state-compressed");
}

#[test]
fn an_unwritable_directory_is_named() {
    // A file where a directory should be: no user, not even root, can write there.
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("file"), "").unwrap();
    let disk = Arc::new(LocalDisk::new(directory.path().join("file")));
    let error = match Backend::open(disk, BackendOptions::default()) {
        Ok((backend, _)) => backend.create_stack(&stack(), None, &machine(), &SystemClock::default()).unwrap_err(),
        Err(error) => error,
    };
    assert!(error.code == "state-io" && error.detail.unwrap().contains("file"));
}

#[test]
fn of_many_that_take_the_lock_at_once_exactly_one_gets_it() {
    let directory = tempfile::tempdir().unwrap();
    let backend = open(directory.path());
    create(&backend, &stack());
    let won = std::thread::scope(|scope| {
        let take = || Lock::acquire(backend.disk(), &stack(), &machine(), &SystemClock::default());
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap().is_ok()).filter(|won| *won).count()
    });
    assert_eq!(won, 1);
}
