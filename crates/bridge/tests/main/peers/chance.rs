//! Documents of randomly generated providers, compared with those of Pulumi's bridge.

use std::os::unix::fs::symlink;

use outrigger_bridge::tokens::Selection;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::documents::{differences, document_of};
use super::{schemas, try_go_document};
use crate::chance::{EVEN, any_provider};

/// The example `made_provider` is the provider, and Pulumi's own bridge the judge.
#[test]
fn every_document_is_the_other_bridges() {
    let built = std::env::current_exe().unwrap().parent().unwrap().with_file_name("examples").join("made_provider");
    assert!(built.exists(), "`{}` is not there: run `cargo build -p outrigger-bridge --examples`", built.display());
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("terraform-provider-x");
    symlink(built, &program).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut runner =
        TestRunner::new(Config { cases: 16, max_shrink_iters: 60, failure_persistence: None, ..Config::default() });
    let result = runner.run(&any_provider(EVEN, false), |provider| {
        std::fs::write(folder.path().join("schema"), provider.encoded()).unwrap();
        let found = runtime.block_on(async {
            let theirs = try_go_document(&[program.to_str().unwrap()], folder.path()).await;
            let (_, theirs) = theirs.map_err(|error| format!("it refused the provider: {error}"))?;
            let ours = document_of("x", schemas(&program).await, &Selection::default(), &theirs);
            Ok::<_, String>(differences(&ours, &theirs))
        });
        prop_assert_eq!(found, Ok(Vec::new()));
        Ok(())
    });
    result.unwrap();
}
