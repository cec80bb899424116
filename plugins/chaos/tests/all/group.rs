//! Processes that a plugin leaves behind, in its group and elsewhere.

use futures::future::join_all;
use outrigger_provider::CallContext;

use crate::role::host_process;
use crate::stage::{CHAOS, Row, Stage};
use crate::support::{Scratch, eventually, processes_in, sigkill};
use crate::thing::{Reply, make};

/// The table: how many processes run while the plugin works, and how they end.
pub(crate) const ROWS: [Row<usize>; 6] = [
    Row { chaos: "start=child", does: "leaves a child in its own group", happens: ENDED, expected: 2 },
    Row { chaos: "start=escape", does: "leaves a child in a session of its own", happens: ENDED, expected: 2 },
    Row {
        chaos: "start=escape-with-output",
        does: "leaves a child in a session of its own that holds its standard output",
        happens: ENDED,
        expected: 2,
    },
    Row { chaos: "Create=escape", does: "leaves such a child in a call", happens: ENDED, expected: 2 },
    Row {
        chaos: "start=escape;start=deaf;Cancel=hang",
        does: "the same, and ignores Cancel, SIGINT and SIGTERM",
        happens: "killed after the deadline for Cancel and the grace (5 s each), with the child",
        expected: 2,
    },
    Row {
        chaos: "start=child;start=escape;start=escape-with-output",
        does: "leaves several children",
        happens: ENDED,
        expected: 4,
    },
];

const ENDED: &str = "ended with the plugin";

#[tokio::test]
async fn children_end_with_the_plugin() {
    join_all(ROWS.iter().map(|row| async move {
        let stage = Stage::new(row.chaos, |_| {});
        let reply = make(&stage, &CallContext::background(), "Create").await;
        assert!(matches!(reply, Reply::Fine(_)), "`{}`: {reply:?}", row.chaos);
        assert_eq!(stage.processes().len(), row.expected, "`{}`", row.chaos);
        stage.end().await;
    }))
    .await;
}

#[tokio::test]
async fn children_end_with_a_plugin_that_crashes() {
    join_all(["child", "escape", "escape-with-output"].map(|deed| async move {
        let chaos = format!("start={deed};Create=segfault");
        let stage = Stage::new(&chaos, |_| {});
        let reply = make(&stage, &CallContext::background(), "Create").await;
        assert!(matches!(reply, Reply::Doubtful(..)), "`{chaos}`: {reply:?}");
        assert_eq!(stage.processes(), [0_u32; 0], "`{chaos}`: whoever hears of the crash may rely on it");
        stage.end().await;
    }))
    .await;
}

#[test]
fn the_keeper_ends_what_left_its_group_when_the_host_is_killed() {
    let scratch = Scratch::new();
    scratch.script("demo", &format!("CHAOS='start=child;start=escape;start=escape-with-output' exec '{CHAOS}' \"$@\""));
    let mut host = host_process(&scratch.path());
    assert_eq!(processes_in(&scratch.path()).len(), 4, "the plugin and its children");
    sigkill(host.id());
    host.wait().unwrap();
    eventually("all are gone", || processes_in(&scratch.path()).is_empty());
}
