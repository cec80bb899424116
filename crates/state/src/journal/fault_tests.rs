//! Crashes before every file operation, full and failing disks.

use std::io::ErrorKind;
use std::time::Duration;

use crate::testing::FakeMachine;
use crate::world::{World, append, begin, done, info, keys, provider_resource, put, resource, run, stack};
use crate::*;

#[test]
fn a_crash_before_every_operation_loses_nothing_that_was_acknowledged() {
    World::each(|world| {
        let count = {
            let world = world.copy();
            run(&world.open().session);
            let before = world.disk.operations();
            // The last operations are those of finish.
            world.disk.operations().max(before) + 60
        };
        for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Torn] {
            for operation in 0..count {
                let world = world.copy();
                world.disk.fail_at(operation, Fault::Crash);
                let acknowledged = match world.open_as(&FakeMachine::default()) {
                    Ok(opened) => {
                        let acknowledged = run(&opened.session);
                        if acknowledged == 5 {
                            let _ = opened.session.finish(info());
                        }
                        acknowledged
                    }
                    Err(_) => 0,
                };
                world.disk.restart(unsynced);
                let opened = world
                    .open_as(&World::after_death())
                    .unwrap_or_else(|error| panic!("{operation} {unsynced:?} {error:?}"));
                opened.session.finish(info()).unwrap();
                let (ids, pending) = world.contents();
                let context = format!("{operation} {unsynced:?}: {acknowledged} acknowledged, {ids:?} {pending:?}");
                let has = |id: &str| ids.iter().any(|each| each == id);
                assert!(acknowledged < 1 || has("p1"), "{context}");
                assert!(acknowledged < 3 || has("one"), "{context}");
                assert!(acknowledged < 5 || has("two"), "{context}");
                // An acknowledged intent may have created something: it is in the state as a resource or as pending.
                assert!(acknowledged < 2 || has("one") || pending == ["one"], "{context}");
                assert!(acknowledged < 4 || has("two") || pending == ["two"], "{context}");
                assert!(
                    !world.disk.paths().iter().any(|path| path.contains(".journal") || path.contains("locks/")),
                    "{context}"
                );
                world.no_clear_secret();
            }
        }
    });
}

#[test]
fn a_crash_during_recovery_is_recovered_from() {
    World::each(|world| {
        assert_eq!(run(&world.open().session), 5);
        world.disk.restart(Unsynced::Lost);
        for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Torn] {
            for operation in 0..60 {
                let world = world.copy();
                world.disk.fail_at(operation, Fault::Crash);
                if let Ok(opened) = world.open_as(&World::after_death()) {
                    let _ = opened.session.release();
                }
                world.disk.restart(unsynced);
                let machine = World::after_death().with_pid(9);
                machine.end(8);
                world.open_as(&machine).unwrap().session.release().unwrap();
                assert_eq!(
                    world.contents(),
                    (vec!["p1".into(), "one".into(), "two".into()], vec![]),
                    "{operation} {unsynced:?}"
                );
            }
        }
    });
}

#[test]
fn a_journal_that_another_run_took_over_is_started_anew() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        append(&opened.session, done(9, 1, "one")).unwrap();
        // A run on another machine, which cannot tell whether we are alive, cancels and takes over.
        cancel(&world.backend(), &stack()).unwrap();
        let other = world.open_as(&FakeMachine::default().on_host("elsewhere")).unwrap();
        assert_eq!(world.contents().0, ["p1", "one"]);
        append(&opened.session, done(8, 2, "two")).unwrap();
        other.session.finish(info()).unwrap();
        let next = world.open_as(&World::after_death()).unwrap();
        assert_eq!(next.findings.len(), 1, "{:?}", next.findings);
        assert_eq!(world.contents().0, ["p1", "one", "two"]);
    });
}

#[test]
fn a_disk_that_fills_up_has_room_for_the_results_of_what_was_begun() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        append(&opened.session, begin(0, "one")).unwrap();
        world.disk.fail_at(0, Fault::Full);
        let refusal = append(&opened.session, begin(1, "two")).unwrap_err();
        assert_eq!(refusal.code, "disk-full");
        append(&opened.session, done(0, 1, "one")).unwrap();
        let finished = opened.session.finish(info());
        // An object store is not on the full disk.
        assert_eq!(finished.is_ok(), world.is_remote());
        if let Err(failure) = finished {
            assert!(failure.notes.iter().any(|note| note.contains("Nothing is lost")), "{failure:?}");
        }
        world.disk.heal();
        world.open_as(&World::after_death()).unwrap();
        assert_eq!(world.contents(), (vec!["p1".into(), "one".into()], vec![]));
    });
}

#[test]
fn a_full_disk_stops_what_begins_and_loses_nothing() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        append(&opened.session, begin(0, "one")).unwrap();
        world.disk.fail_at(0, Fault::FailFrom(ErrorKind::StorageFull));
        let refusal = append(&opened.session, begin(1, "two")).unwrap_err();
        assert_eq!(refusal.code, "disk-full");
        assert_eq!(append(&opened.session, done(0, 1, "one")).unwrap_err().code, "disk-full");
        let failure = opened.session.finish(info()).unwrap_err();
        assert_eq!(failure.code, "disk-full");
        assert!(failure.notes.iter().any(|note| note.contains("every result but the last ones")), "{failure:?}");
        // After a kill now, the acknowledged intent is known.
        let killed = world.copy();
        let next = killed.open_as(&World::after_death()).unwrap();
        assert_eq!(next.base.pending.len(), 1);
        // With room again, the next record brings the results that could not be written.
        world.disk.heal();
        append(&opened.session, put(7, resource("three", Some("three")))).unwrap();
        world.open_as(&World::after_death()).unwrap();
        assert_eq!(world.contents(), (vec!["p1".into(), "one".into(), "three".into()], vec![]));
    });
}

#[test]
fn a_failed_flush_of_the_journal_is_followed_by_a_whole_one() {
    World::each(|world| {
        let opened = world.open();
        append(&opened.session, put(0, provider_resource())).unwrap();
        let append_operation = world.disk.operations();
        for (offset, name) in [(0, "one"), (1, "two")] {
            world.disk.fail_at(world.disk.operations() + offset, Fault::Fail(ErrorKind::Other));
            assert!(append(&opened.session, put(10 + offset, resource(name, Some(name)))).is_err());
            append(
                &opened.session,
                put(20 + offset, resource(&format!("{name}-after"), Some(&format!("{name}-after")))),
            )
            .unwrap();
        }
        assert!(world.disk.operations() > append_operation);
        world.open_as(&World::after_death()).unwrap();
        assert_eq!(world.contents().0, ["p1", "one", "one-after", "two", "two-after"]);
    });
}

#[test]
fn a_read_only_directory_is_a_clear_answer_before_anything_happens() {
    World::each(|world| {
        world.disk.fail_at(0, Fault::FailFrom(ErrorKind::PermissionDenied));
        let refusal = world.open_as(&FakeMachine::default()).err().unwrap();
        assert_eq!(refusal.code, "state-not-writable");
        // A view works.
        Session::view(&world.backend(), &stack(), &keys).unwrap();
    });
}

#[test]
fn a_put_that_fails_and_one_whose_answer_is_lost_lose_nothing() {
    for lag in [0, 5] {
        for fault in [Fault::LostPut, Fault::LostAnswer] {
            for operation in 0..30 {
                let world = World::new(Some(lag));
                world.disk.fail_at(world.disk.operations() + operation, fault);
                let context = format!("{fault:?} {operation} {lag}");
                // Tries once more, as the user does.
                let opened = world.open_as(&FakeMachine::default()).or_else(|_| world.open_as(&FakeMachine::default()));
                let opened = opened.unwrap_or_else(|error| panic!("{context}: {error:?}"));
                append(&opened.session, put(0, provider_resource())).unwrap();
                append(&opened.session, begin(0, "one")).unwrap();
                world.clock.advance(Duration::from_secs(11));
                append(&opened.session, begin(1, "two")).unwrap();
                // Whether or not the checkpoint is in place, the journal continues from it, and a kill at any moment is recovered from.
                append(&opened.session, done(0, 1, "one")).unwrap();
                let killed = world.copy();
                killed.open_as(&World::after_death()).unwrap();
                assert_eq!(killed.contents(), (vec!["p1".into(), "one".into()], vec!["two".into()]), "{context}");
                world.clock.advance(Duration::from_secs(31));
                append(&opened.session, done(1, 2, "two")).unwrap();
                let finished = opened.session.finish(info());
                world.disk.heal();
                world.open_as(&World::after_death()).unwrap();
                let expected = (vec!["p1".into(), "one".into(), "two".into()], vec![]);
                assert_eq!(world.contents(), expected, "{context}: {finished:?}");
            }
        }
    }
}
