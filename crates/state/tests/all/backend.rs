//! The suite that every store passes: real files, files of a simulated disk, and objects in memory.

use std::sync::Arc;

use outrigger_state::{
    Backend, BackendOptions, Disk, LocalDisk, Lock, MemoryDisk, MemoryObjects, StackName, SystemClock,
};
use serde_json::json;

use crate::peer::{keys, machine, stack};

/// Runs a test on each kind of store.
fn each(test: impl Fn(Backend, &dyn Disk)) {
    let directory = tempfile::tempdir().unwrap();
    let disks: [Arc<dyn Disk>; 2] = [Arc::new(LocalDisk::new(directory.path())), Arc::new(MemoryDisk::new())];
    for disk in disks {
        test(Backend::on_disk(Arc::clone(&disk), BackendOptions::default()).unwrap().0, disk.as_ref());
    }
    for lag in [0, 3] {
        let disk = MemoryDisk::new();
        let objects = Arc::new(MemoryObjects::new(&disk, lag));
        let opened = Backend::with(objects, Arc::new(disk.clone()), BackendOptions::default());
        test(opened.unwrap().0, &disk);
    }
}

fn create(backend: &Backend, stack: &StackName) {
    backend.create_stack(stack, None, &machine(), &SystemClock::default()).unwrap();
}

fn opened(disk: &MemoryDisk, options: BackendOptions) -> Result<Vec<&'static str>, &'static str> {
    match Backend::on_disk(Arc::new(disk.clone()), options) {
        Ok((_, findings)) => Ok(findings.iter().map(|finding| finding.code).collect()),
        Err(error) => Err(error.code),
    }
}

#[test]
fn a_stack_is_made_listed_tagged_and_removed() {
    each(|backend, disk| {
        assert!(backend.stacks().unwrap().is_empty());
        create(&backend, &stack());
        assert_eq!(disk.read(".pulumi/meta.yaml").unwrap().unwrap(), b"version: 1\n");
        let again = backend.create_stack(&stack(), None, &machine(), &SystemClock::default()).unwrap_err();
        assert_eq!(again.code, "stack-exists");
        // A list that lags shows the stack later.
        assert!(backend.stacks().unwrap().iter().all(|listed| *listed == stack()));
        let summary = backend.summary(&stack()).unwrap();
        assert_eq!((summary.last_update, summary.resources), (None, None));

        let tags = [("team".to_owned(), "red".to_owned())].into();
        backend.set_tags(&stack(), &tags).unwrap();
        assert_eq!(backend.tags(&stack()).unwrap(), tags);
        backend.set_tags(&stack(), &Default::default()).unwrap();
        assert!(backend.tags(&stack()).unwrap().is_empty());

        backend.remove_stack(&stack(), false, &machine(), &SystemClock::default()).unwrap();
        assert!(!backend.exists(&stack()).unwrap());
        assert!(disk.read(".pulumi/stacks/shop/dev.json.bak").unwrap().is_some());
        let missing = backend.summary(&stack()).unwrap_err();
        assert_eq!(missing.code, "stack-missing");
    });
}

#[test]
fn a_stack_with_resources_is_removed_by_force_only_and_a_foreign_one_is_not_imported() {
    each(|backend, _| {
        create(&backend, &stack());
        let document = |stack: &str| {
            let urn = format!("urn:pulumi:{stack}::shop::a:b:Component::x");
            let resource = json!({"urn": urn, "custom": false, "type": "a:b:Component"});
            let pending = json!({"resource": resource, "type": "updating"});
            json!({"version": 3, "deployment": {"resources": [resource], "pending_operations": [pending]}}).to_string()
        };
        let import = |text: &str, force| {
            backend.import_stack(
                &stack(),
                (text.as_bytes(), "export.json"),
                force,
                &keys,
                &machine(),
                &SystemClock::default(),
            )
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
    });
}

#[test]
fn a_stack_gets_another_name_with_its_tags() {
    each(|backend, _| {
        create(&backend, &stack());
        let tags = [("team".to_owned(), "red".to_owned())].into();
        backend.set_tags(&stack(), &tags).unwrap();
        let new = StackName::new("shop", "prod").unwrap();
        backend.rename_stack(&stack(), &new, &machine(), &SystemClock::default()).unwrap();
        assert!(backend.exists(&new).unwrap() && !backend.exists(&stack()).unwrap());
        assert_eq!(backend.tags(&new).unwrap(), tags);
    });
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
    let (backend, _) = Backend::on_disk(Arc::new(disk), plain).unwrap();
    assert_eq!(backend.stacks().unwrap(), [stack()]);
    assert_eq!(backend.summary(&stack()).unwrap_err().code, "state-compressed");
}

#[test]
fn an_unwritable_directory_is_named() {
    // A file where a directory should be: no user, not even root, can write below it.
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("file"), "").unwrap();
    let url = format!("file://{}/file", directory.path().display());
    let error = match Backend::open(&url, None, directory.path(), BackendOptions::default()) {
        Ok((backend, _)) => backend.create_stack(&stack(), None, &machine(), &SystemClock::default()).unwrap_err(),
        Err(error) => error,
    };
    assert!(error.code == "state-io" && error.detail.unwrap().contains("file"));
}

#[test]
fn of_many_that_take_the_lock_at_once_exactly_one_gets_it() {
    each(|backend, _| {
        create(&backend, &stack());
        let won = std::thread::scope(|scope| {
            let take = || Lock::acquire(&backend, &stack(), &machine(), &SystemClock::default());
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap().is_ok()).filter(|won| *won).count()
        });
        assert_eq!(won, 1);
    });
}
