//! Runs and takeovers.

use std::sync::Arc;
use std::time::Duration;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_value::Value;
use serde_json::json;

use crate::testing::{FakeMachine, Mirror, block_on};
use crate::world::{
    World, append, begin, done, info, keys, provider, provider_resource, put, resource, run, stack, urn,
};
use crate::*;

#[test]
fn a_run_writes_checkpoint_history_and_backup_and_leaves_nothing_else() {
    World::each(|world| {
        let opened = world.open();
        assert!(opened.base.resources.is_empty() && opened.findings.is_empty());
        assert_eq!(run(&opened.session), 5);
        world.no_clear_secret();
        opened.session.finish(info()).unwrap();
        assert_eq!(world.contents(), (vec!["p1".into(), "one".into(), "two".into()], vec![]));
        world.no_clear_secret();
        let paths = world.disk.paths();
        assert!(
            !paths.iter().any(|path| path.contains("journal") || path.contains("locks") || path.contains("tmp")),
            "{paths:?}"
        );
        let beside = if world.is_remote() { "stacks/shop/dev.json.bak" } else { "stacks/shop/dev.json.bak.attrs" };
        for part in ["history/shop/dev/dev-", "backups/shop/dev/dev.", beside] {
            assert!(paths.iter().any(|path| path.contains(part)), "{part}: {paths:?}");
        }
        let again = world.open();
        assert_eq!(again.base.resources[1].inputs["password"], Value::secret("canary".into()));
        assert_eq!(again.base.secrets_provider, Some(provider()));
    });
}

#[test]
fn a_large_state_is_rewritten_less_often_for_a_small_change() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        for number in 1..20 {
            append(&opened.session, put(number, resource(&format!("r{number}"), Some("id")))).unwrap();
        }
        world.clock.advance(Duration::from_secs(11));
        append(&opened.session, begin(0, "one")).unwrap();
        assert_eq!(world.contents().1.len(), 1, "the journal is as large as the state");
        for (seconds, operation, known) in [(11, 1, 1), (11, 2, 1), (11, 3, 4)] {
            world.clock.advance(Duration::from_secs(seconds));
            append(&opened.session, begin(operation, "more")).unwrap();
            assert_eq!(world.contents().1.len(), known, "operation {operation}");
        }
    });
}

#[test]
fn the_checkpoint_is_rewritten_during_a_run_and_the_journal_goes_on_from_there() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        append(&opened.session, begin(0, "one")).unwrap();
        assert_eq!(world.contents().0.len(), 0);
        world.clock.advance(Duration::from_secs(11));
        append(&opened.session, begin(1, "two")).unwrap();
        assert_eq!(world.contents(), (vec!["p1".into()], vec!["one".into(), "two".into()]));
        append(&opened.session, done(0, 5, "one")).unwrap();
        assert_eq!(world.contents().0.len(), 1, "not twice in ten seconds");
        // After a kill, the rest is in the journal.
        let next = world.open_as(&World::after_death()).unwrap();
        assert_eq!(
            next.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(),
            ["lock-broken", "journal-recovered"]
        );
        assert_eq!(world.contents(), (vec!["p1".into(), "one".into()], vec!["two".into()]));
        assert_eq!(next.base.pending.len(), 1);
    });
}

#[test]
fn folding_brings_the_journal_into_the_checkpoint_and_leaves_the_lock() {
    World::each(|world| {
        run(&world.open().session);
        let findings = fold(&world.backend(), &stack(), world.clock.as_ref()).unwrap();
        assert_eq!(findings.len(), 1);
        assert_eq!(world.contents().0, ["p1", "one", "two"]);
        assert_eq!(holders(&world.backend(), &stack()).unwrap().len(), 1);
        // Under another process's lock it changes nothing.
        let world = world.fresh();
        run(&world.open().session);
        cancel(&world.backend(), &stack()).unwrap();
        world.disk.put(".pulumi/locks/organization/shop/dev/x.json", b"{}");
        assert!(fold(&world.backend(), &stack(), world.clock.as_ref()).unwrap().is_empty());
        assert!(world.contents().0.is_empty());
    });
}

/// The effect of `cancel`: how many locks it removes, and how many findings there are.
fn cancelled(world: &World, machine: &FakeMachine) -> (usize, usize) {
    let findings = fold_gone(&world.backend(), &stack(), world.clock.as_ref(), machine).unwrap();
    (cancel(&world.backend(), &stack()).unwrap().len(), findings.len())
}

#[test]
fn cancelling_a_dead_run_keeps_what_it_created_and_a_live_one_keeps_its_journal() {
    World::each(|world| {
        run(&world.open().session);
        let alive = FakeMachine::default().with_pid(8);
        assert_eq!(cancelled(&world, &alive), (1, 0));
        assert!(world.contents().0.is_empty());
    });
    World::each(|world| {
        run(&world.open().session);
        assert_eq!(cancelled(&world, &World::after_death()), (1, 1));
        assert_eq!(world.contents().0, ["p1", "one", "two"]);
        assert!(holders(&world.backend(), &stack()).unwrap().is_empty());
    });
}

#[test]
fn an_owner_whose_lock_was_taken_starts_nothing_keeps_results_and_says_so() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        append(&opened.session, begin(0, "one")).unwrap();
        cancel(&world.backend(), &stack()).unwrap();
        assert_eq!(append(&opened.session, begin(1, "two")).unwrap_err().code, "lock-lost");
        append(&opened.session, done(0, 1, "one")).unwrap();
        world.clock.advance(Duration::from_secs(60));
        append(&opened.session, put(0, provider_resource())).unwrap();
        assert_eq!(opened.session.finish(info()).unwrap_err().code, "lock-lost");
        assert!(world.contents().0.is_empty(), "no checkpoint is written without the lock");
        // While it is still running, another run of ours is refused.
        let refusal = world.open_as(&FakeMachine::default().with_pid(8)).err().unwrap();
        assert_eq!(refusal.code, "run-still-active");
        assert!(holders(&world.backend(), &stack()).unwrap().is_empty(), "and gives the lock back");
        world.open_as(&World::after_death()).unwrap();
        assert_eq!(world.contents().0, ["p1", "one"]);
    });
}

#[test]
fn a_state_written_by_somebody_else_gets_only_what_was_created() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        append(&opened.session, put(1, resource("kept", Some("kept")))).unwrap();
        append(&opened.session, put(2, resource("gone", Some("gone")))).unwrap();
        opened.session.finish(info()).unwrap();

        let opened = world.open();
        // Updates of existing resources do not count; creations do.
        let updated = |id: &str| {
            let mut resource = Resource::clone(&resource(id, Some(id)));
            resource.protect = true;
            Arc::new(resource)
        };
        let keys: Vec<u64> = (0..3).collect();
        assert_eq!(opened.base.resources.len(), keys.len());
        append(&opened.session, put(1, updated("gone"))).unwrap();
        let mut dependent = Resource::clone(&resource("new", Some("new")));
        dependent.dependencies = vec![urn("gone")];
        append(&opened.session, put(3, Arc::new(dependent))).unwrap();
        append(&opened.session, put(4, resource("contested", Some("ours")))).unwrap();
        append(&opened.session, begin(0, "unfinished")).unwrap();

        // `pulumi cancel`, then `pulumi up`: it deletes `gone` and creates `contested` itself.
        cancel(&world.backend(), &stack()).unwrap();
        let mut json = world.checkpoint();
        let resources = json["checkpoint"]["latest"]["resources"].as_array_mut().unwrap();
        resources.retain(|entry| entry["id"] != "gone");
        let mut theirs = resources[1].clone();
        theirs["urn"] = json!(urn("contested").as_str());
        theirs["id"] = json!("theirs");
        resources.push(theirs);
        world.disk.put(".pulumi/stacks/shop/dev.json", json.to_string().as_bytes());

        let next = world.open_as(&World::after_death()).unwrap();
        let codes: Vec<&str> = next.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["journal-merged", "journal-merged", "journal-pending-kept"], "{:?}", next.findings);
        assert_eq!(
            world.contents(),
            (vec!["p1".into(), "theirs".into(), "ours".into(), "kept".into(), "new".into()], vec!["unfinished".into()])
        );
        let resources = &next.base.resources;
        let ours = resources.iter().find(|resource| resource.id.as_deref() == Some("ours")).unwrap();
        assert!(ours.delete);
        let new = resources.iter().find(|resource| resource.id.as_deref() == Some("new")).unwrap();
        assert!(!new.delete && new.dependencies.is_empty());
    });
}

#[test]
fn a_state_that_would_not_be_sound_is_not_written() {
    World::each(|world| {
        let opened = world.open();
        let before = world.checkpoint();
        append(&opened.session, put(0, resource("orphan", Some("1")))).unwrap();
        let failure = opened.session.finish(info()).unwrap_err();
        assert_eq!(failure.code, "state-integrity-write");
        assert_eq!(world.checkpoint(), before);
        assert!(world.disk.paths().iter().any(|path| path.ends_with(".journal")));
        assert_eq!(holders(&world.backend(), &stack()).unwrap().len(), 1);
    });
}

#[test]
fn a_secret_that_cannot_be_encrypted_does_not_lose_the_resource() {
    World::each(|world| {
        let clock: Arc<dyn Clock> = Arc::clone(&world.clock) as _;
        let locked = |_: &SecretsProviderState| Ok(Arc::new(outrigger_secrets::Locked) as Arc<dyn Crypter>);
        let machine = FakeMachine::default();
        let options =
            SessionOptions { machine: &machine, clock, keys: &locked, secrets_provider: None, mode: Mode::Inline };
        let opened = Session::open(&world.backend(), &stack(), options).unwrap();
        append(&opened.session, put(0, provider_resource())).unwrap();
        assert_eq!(append(&opened.session, begin(0, "one")).unwrap_err().code, "passphrase-missing");
        assert_eq!(
            append(&opened.session, put(1, resource("one", Some("one")))).unwrap_err().code,
            "passphrase-missing"
        );
        opened.session.finish(info()).unwrap();
        assert_eq!(world.contents(), (vec!["p1".into(), "one".into()], vec![]));
        world.no_clear_secret();
    });
}

#[test]
fn the_threaded_session_flushes_many_records_at_once() {
    World::each(|world| {
        let clock: Arc<dyn Clock> = Arc::clone(&world.clock) as _;
        let machine = FakeMachine::default();
        let options =
            SessionOptions { machine: &machine, clock, keys: &keys, secrets_provider: None, mode: Mode::Threaded };
        let opened = Session::open(&world.backend(), &stack(), options).unwrap();
        block_on(opened.session.append(put(0, provider_resource()))).unwrap();
        std::thread::scope(|scope| {
            for number in 1..=64 {
                let session = &opened.session;
                scope.spawn(move || {
                    let name = format!("r{number:02}");
                    block_on(session.append(put(number, resource(&name, Some(&name))))).unwrap();
                });
            }
        });
        opened.session.finish(info()).unwrap();
        assert_eq!(world.contents().0.len(), 65);
        assert_eq!(append(&opened.session, begin(0, "late")).unwrap_err().code, "journal-closed");
    });
}

#[test]
fn another_secrets_provider_encrypts_everything_anew() {
    World::each(|world| {
        let opened = world.open();
        run(&opened.session);
        opened.session.finish(info()).unwrap();
        let before = world.checkpoint();
        let new = SecretsProviderState { kind: "passphrase".into(), state: json!({"salt": "other"}) };
        struct Marked;
        impl Crypter for Marked {
            fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic> {
                Mirror.encrypt(plaintext).map(|text| format!("new:{text}"))
            }
            fn decrypt(&self, ciphertext: &str) -> Result<String, Diagnostic> {
                Mirror.decrypt(ciphertext.strip_prefix("new:").unwrap())
            }
        }
        let both = |provider: &SecretsProviderState| -> Result<Arc<dyn Crypter>, Diagnostic> {
            if provider.state["salt"] == "other" { Ok(Arc::new(Marked)) } else { Ok(Arc::new(Mirror)) }
        };
        let clock: Arc<dyn Clock> = Arc::clone(&world.clock) as _;
        let machine = FakeMachine::default();
        let options = SessionOptions {
            machine: &machine,
            clock,
            keys: &both,
            secrets_provider: Some(new.clone()),
            mode: Mode::Inline,
        };
        let opened = Session::open(&world.backend(), &stack(), options).unwrap();
        assert_eq!(opened.base.resources[1].inputs["password"], Value::secret("canary".into()));
        opened.session.finish(info()).unwrap();
        let text = world.checkpoint().to_string();
        assert!(text.contains("new:v1:") && !text.contains(r#""ciphertext":"v1:"#));
        assert_ne!(before, world.checkpoint());
        assert_eq!(Session::view(&world.backend(), &stack(), &both).unwrap().base.secrets_provider, Some(new));
    });
}
