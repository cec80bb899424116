//! A plugin that never answers, under the engine: every call that has a deadline gets the host's, as in a command.

use futures::future::join_all;
use outrigger_testing::{Stack, Store};

use crate::calls::{LIMITED, all_short};
use crate::stage::{PROMPT, Stage};

const PROGRAM: &str = "resources: {it: {type: 'chaos:Thing', properties: {value: one}}}";

#[tokio::test]
async fn silence_under_the_engine_ends_with_the_hosts_deadline() {
    // A command sends Cancel only when the user interrupts.
    let calls = LIMITED.into_iter().filter(|call| *call != "Cancel");
    join_all(calls.map(|call| async move {
        let chaos = format!("{call}=hang");
        let stage = Stage::new(&chaos, all_short);
        let mut stack = Stack::with(stage.host.run.clone(), Store::Memory).unwrap();
        let mut program = PROGRAM.to_owned();
        if ["Diff", "DiffConfig"].contains(&call) {
            // Only existing resources are compared.
            stack.up(PROGRAM).await.unwrap();
            program = PROGRAM.replace("one", "two");
            stack = stack.config("chaos:mood", "another").unwrap();
        }
        let ended = tokio::time::timeout(PROMPT, stack.up(&program)).await;
        let failed = ended.unwrap_or_else(|_| panic!("`{chaos}` was waited for")).unwrap_err();
        assert!(failed.says("no answer within 0.3 s") && failed.says("chaos: starting"), "`{chaos}`: {failed}");
        assert!(failed.says(&format!("answer {call} in time")) || call == "GetSchema", "`{chaos}`: {failed}");
        let pending = stack.state().unwrap().pending;
        assert!(pending.is_empty(), "`{chaos}` leaves {pending:?}");
        stage.end().await;
    }))
    .await;
}
