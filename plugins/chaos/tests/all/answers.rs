//! Wrong answers.

use futures::future::join_all;
use outrigger_provider::{CallContext, ErrorKind};

use crate::stage::{Row, SHORT, Stage, assert_clear};
use crate::thing::{Reply, make, of_provider};

/// How the host treats an answer.
pub(crate) enum Verdict {
    /// It is accepted, and contains this.
    Taken(&'static str),
    /// It is an error of this kind, whose message contains this.
    Error(ErrorKind, &'static str),
    /// The same error, and the id in the answer is known.
    ErrorWithId(ErrorKind, &'static str),
}

use ErrorKind::{Crashed, Garbage, TimedOut, Unknown};
use Verdict::{Error, ErrorWithId, Taken};

const fn row(chaos: &'static str, does: &'static str, happens: &'static str, expected: Verdict) -> Row<Verdict> {
    Row { chaos, does, happens, expected }
}

/// The table.
pub(crate) const ROWS: [Row<Verdict>; 35] = [
    row(
        "Create=refuse",
        "answers an error",
        "an answered error: nothing is in doubt for the engine",
        Error(Unknown, "chaos does not want to"),
    ),
    row(
        "Create=refuse-at-length",
        "answers an error of a megabyte",
        "the same; its first 64 KiB are shown",
        Error(Unknown, "bytes more)"),
    ),
    row(
        "Create=partial-large",
        "answers that the resource is not ready, with 22 MB of properties in the trailers",
        "all of it is kept, marked as not ready",
        Taken("still waking up"),
    ),
    row(
        "Create=compressed",
        "answers compressed, which was not asked for",
        GARBAGE,
        Error(Garbage, "the answer is compressed"),
    ),
    row(
        "Create=garbage",
        "answers bytes that are no message",
        GARBAGE,
        Error(Garbage, "the answer cannot be understood"),
    ),
    row(
        "Create=truncated",
        "answers a message that ends too early",
        GARBAGE,
        Error(Garbage, "the answer cannot be understood"),
    ),
    row(
        "Create=html",
        "answers a page of HTML with HTTP status 200",
        GARBAGE,
        Error(Garbage, "the answer is not gRPC (HTTP status 200"),
    ),
    row(
        "Create=bad-gateway",
        "answers HTTP status 502",
        GARBAGE,
        Error(Garbage, "the answer is not gRPC (HTTP status 502"),
    ),
    row(
        "Create=no-message",
        "answers success without a message",
        GARBAGE,
        Error(Garbage, "the answer contains no message"),
    ),
    row(
        "Create=no-status",
        "answers without a final status",
        GARBAGE,
        Error(Garbage, "the answer ended without a final status"),
    ),
    row(
        "Create=too-large",
        "announces an answer one byte above 400 MiB",
        GARBAGE,
        Error(Garbage, "larger than 400 MiB"),
    ),
    row("Create=empty", "answers a message without any field", GARBAGE, Error(Garbage, "without an id")),
    row("Create=no-id", "answers without an id", GARBAGE, Error(Garbage, "without an id")),
    row("Create=deep", "answers objects in objects, 10,000 deep", GARBAGE, Error(Garbage, "nested too deeply")),
    row(
        "Create=unsigned",
        "answers an object with an unknown signature",
        KNOWN,
        ErrorWithId(Garbage, "nobody-knows-this"),
    ),
    row(
        "Create=secret-without-value",
        "answers a secret without a value",
        KNOWN,
        ErrorWithId(Garbage, "its value is missing"),
    ),
    row("Create=unknown-output", "answers a value that is not known yet", KNOWN, ErrorWithId(Garbage, "unknown")),
    row("Create=not-a-number", "answers NaN", "taken as it is, and kept in the state as Pulumi keeps it", Taken("NaN")),
    row(
        "Create=reset",
        "takes the call back (RST_STREAM)",
        GONE,
        Error(Crashed, "the connection broke during the call"),
    ),
    row(
        "Create=disconnect",
        "closes the connection and lives on",
        GONE,
        Error(Crashed, "the connection broke during the call"),
    ),
    row("Create=trickle", "answers one byte at a time", "taken when it is whole", Taken("chaos-it")),
    row("Create=twice", "answers twice", "the first answer counts", Taken("chaos-it")),
    row("Create=late", "answers after a while", "taken: Create has no deadline", Taken("chaos-it")),
    row(
        "Check=late",
        "answers after the deadline",
        "the deadline holds; the late answer is dropped, and the next call works",
        Error(TimedOut, "no answer within 0.3 s"),
    ),
    row(
        "Check=stall",
        "answers half a message and then nothing",
        "the deadline holds",
        Error(TimedOut, "no answer within 0.3 s"),
    ),
    row("Check=empty", "answers a message without any field", "taken as no inputs, as in Pulumi", Taken("{}")),
    row(
        "Check=unsigned",
        "answers an object with an unknown signature",
        "refused",
        Error(Garbage, "nobody-knows-this"),
    ),
    row("Check=unknown-output", "answers an unknown value outside a preview", "refused", Error(Garbage, "unknown")),
    row(
        "Diff=unknown-enum",
        "answers enumerations with unknown numbers",
        "a difference of a kind that is not known is a plain update, as in Pulumi; whether anything changed is found by comparing inputs",
        Taken("verdict: Update"),
    ),
    row("Read=other-id", "answers with another id", "the new id is taken, as in Pulumi", Taken("somebody-else")),
    row("Read=empty", "answers a message without any field", "the resource is gone, as in Pulumi", Taken("Gone")),
    row("Read=unknown-output", "answers an unknown value", "refused", Error(Garbage, "unknown")),
    row(
        "Invoke=secret-without-value",
        "answers a secret without a value",
        "refused",
        Error(Garbage, "its value is missing"),
    ),
    row("Construct=empty", "answers a component without a name", "refused", Error(Garbage, "")),
    row(
        "Cancel=hang;start=deaf",
        "ignores Cancel, SIGINT and SIGTERM",
        "killed after the deadline for Cancel and the grace (5 s each)",
        Error(TimedOut, "no answer within 0.3 s"),
    ),
];

const GARBAGE: &str = "cannot be understood: whether it happened is in doubt, and the operation stays pending";
const KNOWN: &str = "cannot be understood, but its id can: the resource is kept, marked as not ready";
const GONE: &str = "no answer: whether it happened is in doubt, and the operation stays pending";

#[tokio::test]
async fn every_answer_has_a_verdict() {
    join_all(ROWS.iter().map(play)).await;
}

async fn play(row: &Row<Verdict>) {
    let call = row.chaos.split('=').next().unwrap();
    let stage = Stage::new(row.chaos, |deadlines| {
        if matches!(row.expected, Error(TimedOut, _)) {
            deadlines.check = SHORT;
        }
    });
    let reply = make(&stage, &CallContext::background(), call).await;
    match &row.expected {
        Taken(part) => {
            assert!(matches!(&reply, Reply::Fine(text) if text.contains(part)), "`{}`: {reply:?}", row.chaos);
        }
        Error(kind, part) | ErrorWithId(kind, part) => {
            let error = reply.error().unwrap_or_else(|| panic!("`{}`: {reply:?}", row.chaos));
            assert_eq!(error.kind, *kind, "`{}`: {error:?}", row.chaos);
            if *kind == Unknown {
                assert!(
                    error.message.contains(part) && error.message.len() < 100_000,
                    "`{}`: {error:.300?}",
                    row.chaos
                );
            } else {
                assert_clear(row.chaos, call, error, &[part]);
            }
            let known = matches!(&reply, Reply::Doubtful(_, Some(state)) if state.id == "chaos-it");
            assert_eq!(known, matches!(row.expected, ErrorWithId(..)), "`{}`: {reply:?}", row.chaos);
        }
    }
    // Unless the connection is gone, the plugin still answers other calls.
    if !row.chaos.contains("disconnect") && call != "Cancel" {
        let reply = of_provider(stage.provider().await.as_ref(), &CallContext::background(), "Delete").await;
        assert!(matches!(reply, Reply::Fine(_)), "`{}`: afterwards {reply:?}", row.chaos);
    }
    stage.end().await;
}
