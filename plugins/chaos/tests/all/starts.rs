//! Plugins that do not start as they should.

use futures::future::join_all;
use outrigger_host::Deadlines;
use outrigger_provider::CallContext;

use crate::stage::{Row, SHORT, Stage, assert_refused};
use crate::thing::{Reply, make};

/// The outcome of a start.
pub(crate) enum Start {
    /// It is refused with this code, and the reason contains this.
    Refused(&'static str, &'static [&'static str]),
    /// The plugin works.
    Works,
}

use Start::{Refused, Works};

/// The table.
pub(crate) const ROWS: [Row<Start>; 17] = [
    Row {
        chaos: "start=garbage",
        does: "prints words instead of a port",
        happens: "refused at once; the words are shown",
        expected: Refused("plugin-handshake", &["not a port number", "`usage: pulumi-resource-chaos"]),
    },
    Row {
        chaos: "start=hang",
        does: "prints nothing",
        happens: "refused after the deadline for starting (60 s)",
        expected: Refused("plugin-silent", &["did not print the port", "within 0.3 s"]),
    },
    Row {
        chaos: "start=port-invalid",
        does: "prints a number that is no port",
        happens: "refused at once; the number is shown",
        expected: Refused("plugin-handshake", &["not a port number", "`70000`"]),
    },
    Row {
        chaos: "start=port-closed",
        does: "prints a port on which nobody listens",
        happens: "dialled again and again, refused after the deadline for connecting (10 s)",
        expected: Refused("plugin-handshake", &["nothing answered on 127.0.0.1:", "refused"]),
    },
    Row {
        chaos: "start=port-foreign",
        does: "prints the port of somebody who speaks HTTP/1.1",
        happens: "refused within some 2 s, in which the plugin could end",
        expected: Refused("plugin-handshake", &["the server on 127.0.0.1:", "does not speak gRPC"]),
    },
    Row {
        chaos: "start=port-mute",
        does: "prints the port of somebody who never says anything",
        happens: "refused after the deadline for connecting (10 s)",
        expected: Refused(
            "plugin-silent",
            &["Handshake: 127.0.0.1:", "takes connections, but did not answer within 0.3 s"],
        ),
    },
    Row {
        chaos: "start=port-twice",
        does: "prints a second port after the right one",
        happens: "the first line counts; the plugin works",
        expected: Works,
    },
    Row {
        chaos: "start=line-endless",
        does: "prints a megabyte without a line break and no port",
        happens: "refused as soon as 64 KiB came; the beginning is shown",
        expected: Refused("plugin-handshake", &["not a port number", "`xxxx"]),
    },
    Row {
        chaos: "start=close-output",
        does: "closes its standard output after the port",
        happens: "nothing: the plugin works",
        expected: Works,
    },
    Row {
        chaos: "start=exit",
        does: "exits with a code before it prints a port",
        happens: "refused at once, with the code and the end of its stderr",
        expected: Refused("plugin-crash", &["exited with code 3 before it printed the port"]),
    },
    Row {
        chaos: "start=port-then-exit",
        does: "exits with a code after it printed its port",
        happens: "refused at once, with the code and the end of its stderr",
        expected: Refused("plugin-crash", &["exited with code 3 after it printed the port"]),
    },
    Row {
        chaos: "start=segfault",
        does: "is ended by a signal before it prints a port",
        happens: "refused at once, with the signal's name",
        expected: Refused("plugin-crash", &["was ended by signal 11 (SIGSEGV)"]),
    },
    Row {
        chaos: "start=daemonize",
        does: "forks; the child serves and the parent exits",
        happens: "refused: the process that was started has ended, and its child is ended too",
        expected: Refused("plugin-crash", &["exited with code 0"]),
    },
    Row {
        chaos: "start=flood",
        does: "writes 100 MB to each of its streams while it works",
        happens: "the output is read and all but its end is dropped; the plugin works",
        expected: Works,
    },
    Row {
        chaos: "Handshake=garbage",
        does: "answers Handshake with bytes that are no message",
        happens: "refused at once",
        expected: Refused("plugin-handshake", &["Handshake: the answer cannot be understood"]),
    },
    Row {
        chaos: "Handshake=bad-gateway",
        does: "answers Handshake with an HTTP error",
        happens: "refused at once, with the HTTP status",
        expected: Refused("plugin-handshake", &["Handshake: the answer is not gRPC", "HTTP status 502"]),
    },
    Row {
        chaos: "GetPluginInfo=html",
        does: "answers GetPluginInfo with a page of HTML",
        happens: "refused at once",
        expected: Refused("plugin-handshake", &["GetPluginInfo: the answer is not gRPC"]),
    },
];

#[tokio::test]
async fn every_start_has_a_clear_end() {
    join_all(ROWS.iter().map(play)).await;
}

/// An impossible plan would show nothing.
#[tokio::test]
async fn a_plan_that_makes_no_sense_is_refused() {
    for chaos in ["Creat=exit", "Create=exti", "Create=port-twice", "start=no-id", "exit"] {
        let stage = Stage::new(chaos, |_| {});
        let Err(error) = stage.load().await else { panic!("`{chaos}` was carried out") };
        assert_refused(chaos, &error, "plugin-crash", &["exited with code 2"]);
        stage.end().await;
    }
}

async fn play(row: &Row<Start>) {
    let shorten = |deadlines: &mut Deadlines| match row.chaos {
        "start=hang" => deadlines.start = SHORT,
        "start=port-closed" | "start=port-mute" => deadlines.connect = SHORT,
        _ => {}
    };
    let stage = Stage::new(row.chaos, shorten);
    match &row.expected {
        Refused(code, says) => {
            let Err(error) = stage.load().await else { panic!("`{}` was taken for a plugin", row.chaos) };
            assert_refused(row.chaos, &error, code, says);
            assert_eq!(stage.processes(), [0_u32; 0], "`{}`: a process is left before the host ends", row.chaos);
        }
        Works => {
            let reply = make(&stage, &CallContext::background(), "Create").await;
            assert!(matches!(&reply, Reply::Fine(text) if text.contains("chaos-it")), "`{}`: {reply:?}", row.chaos);
        }
    }
    stage.end().await;
}
