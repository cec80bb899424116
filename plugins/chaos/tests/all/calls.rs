//! A plugin that ends, or never answers, in each of the host's calls.

use std::time::Duration;

use futures::future::join_all;
use outrigger_host::Deadlines;
use outrigger_provider::{CallContext, ErrorKind, PluginDescriptor, Plugins};

use crate::stage::{PROMPT, SHORT, Stage, assert_clear, assert_refused};
use crate::thing::{CALLS, Reply, make, of_provider};

/// The calls of a start: a plugin that fails in one is refused.
pub(crate) const STARTING: [&str; 2] = ["Handshake", "GetPluginInfo"];

/// The calls with a deadline of the host.
pub(crate) const LIMITED: [&str; 7] =
    ["GetSchema", "CheckConfig", "DiffConfig", "Configure", "Check", "Diff", "Cancel"];

/// The deadline of a call.
pub(crate) fn deadline_of(call: &str, deadlines: &Deadlines) -> Duration {
    match call {
        "Handshake" => deadlines.connect,
        "GetPluginInfo" => deadlines.handshake,
        "GetSchema" => deadlines.schema,
        "Configure" => deadlines.configure,
        "Diff" => deadlines.plan,
        "Cancel" => deadlines.cancel,
        _ => deadlines.check,
    }
}

/// The calls without a deadline, which only a person ends.
pub(crate) fn unlimited() -> impl Iterator<Item = &'static str> {
    CALLS.into_iter().filter(|call| !LIMITED.contains(call))
}

pub(crate) fn all_short(deadlines: &mut Deadlines) {
    *deadlines = Deadlines { schema: SHORT, check: SHORT, plan: SHORT, configure: SHORT, ..*deadlines };
}

#[tokio::test]
async fn an_end_in_a_starting_call_is_a_refusal() {
    join_all(STARTING.map(|call| async move {
        let chaos = format!("{call}=exit");
        let stage = Stage::new(&chaos, |_| {});
        let Err(error) = stage.load().await else { panic!("`{chaos}` was taken for a plugin") };
        assert_refused(&chaos, &error, "plugin-crash", &["exited with code 3"]);
        assert!(error.notes[0].contains(&format!("the end comes in {call}")), "{error:?}");
        stage.end().await;
    }))
    .await;
}

#[tokio::test]
async fn silence_in_a_starting_call_is_a_refusal() {
    join_all(STARTING.map(|call| async move {
        let chaos = format!("{call}=hang");
        let stage = Stage::new(&chaos, |deadlines| match call {
            "Handshake" => deadlines.connect = SHORT,
            _ => deadlines.handshake = SHORT,
        });
        let Err(error) = stage.load().await else { panic!("`{chaos}` was taken for a plugin") };
        assert_refused(&chaos, &error, "plugin-silent", &[call, "within 0.3 s"]);
        assert_eq!(stage.processes(), [0_u32; 0]);
        stage.end().await;
    }))
    .await;
}

#[tokio::test]
async fn an_end_in_any_call_is_a_crash_with_last_words() {
    for (deed, says) in [("exit", "exited with code 3"), ("segfault", "was ended by signal 11 (SIGSEGV)")] {
        join_all(CALLS.map(|call| async move {
            let chaos = format!("{call}={deed}");
            let stage = Stage::new(&chaos, |_| {});
            let reply = make(&stage, &CallContext::background(), call).await;
            let error = reply.error().unwrap_or_else(|| panic!("`{chaos}`: {reply:?}"));
            assert_clear(&chaos, call, error, &[says]);
            assert_eq!(error.kind, ErrorKind::Crashed, "{error:?}");
            let word = error.last_words.last().unwrap();
            assert!(word.contains(&format!("in {call}")), "`{chaos}`: {error:?}");
            let changes = ["Create", "Update", "Delete"].contains(&call);
            assert_eq!(matches!(reply, Reply::Doubtful(..)), changes, "`{chaos}`: {reply:?}");
            // The next plugin loaded is a new process.
            assert_eq!(stage.processes(), [0_u32; 0], "`{chaos}`: something of the crashed plugin is left");
            stage.plugin().await;
            stage.end().await;
        }))
        .await;
    }
}

#[tokio::test]
async fn silence_in_a_call_with_a_deadline_ends_with_it() {
    join_all(LIMITED.map(|call| async move {
        let chaos = format!("{call}=hang");
        let stage = Stage::new(&chaos, all_short);
        let reply = make(&stage, &CallContext::background(), call).await;
        let error = reply.error().unwrap_or_else(|| panic!("`{chaos}`: {reply:?}"));
        assert_clear(&chaos, call, error, &["no answer within 0.3 s"]);
        assert_eq!(error.kind, ErrorKind::TimedOut, "{error:?}");
        stage.end().await;
    }))
    .await;
}

/// A call by hand is limited like the same call of a run.
#[tokio::test]
async fn silence_in_a_call_by_hand_ends_with_its_deadline() {
    join_all(["Configure", "GetSchema", "Check"].map(|call| async move {
        let stage = Stage::new(&format!("{call}=hang"), all_short);
        let plugin = stage.plugin().await;
        let error = plugin.by_hand(&CallContext::background(), call, "{}", false).await.unwrap_err();
        assert_eq!((error.kind, error.call.as_str()), (ErrorKind::TimedOut, call), "{error:?}");
        drop(plugin);
        stage.end().await;
    }))
    .await;
}

/// A start and a schema have long deadlines, but a person may not want to wait for them.
#[tokio::test]
async fn nobody_waits_for_a_plugin_when_the_user_wants_to_stop() {
    join_all(["start=hang", "Handshake=hang", "GetPluginInfo=hang", "GetSchema=hang"].map(|chaos| async move {
        let stage = Stage::new(chaos, |_| {});
        let descriptor = PluginDescriptor::named("chaos", None);
        let context = CallContext::background();
        let mut waiting = stage.host.schema(&context, &descriptor);
        assert!(tokio::time::timeout(SHORT, &mut waiting).await.is_err(), "`{chaos}` was given up");
        stage.host.cancel().await;
        let error = tokio::time::timeout(PROMPT, waiting).await.unwrap().err().unwrap();
        assert_eq!(error.code, "plugin-cancelled", "`{chaos}`: {error:?}");
        stage.end().await;
    }))
    .await;
}

/// Real creations take hours: the wait ends when a person stops it, and not before.
#[tokio::test]
async fn silence_in_any_other_call_ends_with_a_persons_patience() {
    join_all(unlimited().map(|call| async move {
        let chaos = format!("{call}=hang");
        let stage = Stage::new(&chaos, all_short);
        let cx = CallContext::background();
        let provider = stage.provider().await;
        let mut waiting = Box::pin(of_provider(provider.as_ref(), &cx, call));
        // Longer than every deadline of this host.
        assert!(tokio::time::timeout(4 * SHORT, &mut waiting).await.is_err(), "`{chaos}` was given up");
        assert!(stage.scratch.path().join(format!("hanging-in-{call}")).exists(), "`{chaos}`: the call did not come");
        cx.cancel.cancel();
        let reply = tokio::time::timeout(PROMPT, waiting).await.unwrap();
        let error = reply.error().unwrap_or_else(|| panic!("`{chaos}`: {reply:?}"));
        assert_eq!((error.kind, error.call.as_str()), (ErrorKind::Cancelled, call), "{error:?}");
        assert!(error.leaves_doubt());
        stage.end().await;
    }))
    .await;
}
