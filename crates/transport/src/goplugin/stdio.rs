//! A plugin's output after its handshake: go-plugin redirects its stdout and stderr and sends them over the connection.

use std::sync::Arc;

use super::crash::CrashWatch;
use crate::channel::Channel;
use crate::generated::plugin::StdioData;
use crate::generated::plugin::grpc_stdio_client::GrpcStdioClient;
use crate::generated::plugin::stdio_data::Channel as Printed;
use crate::{LinePart, Lines, OutputLine, OutputLines as _, OutputStream, Process, limited};

/// Reads the output as long as the connection lives: a plugin whose output is not read blocks when it prints.
pub(super) async fn drain(channel: Channel, process: Option<Arc<dyn Process>>, told: Arc<CrashWatch>) {
    // Plugins that are not written in Go often lack this service, and print as any program does.
    let Ok(answer) = limited!(GrpcStdioClient::new(channel)).stream_stdio(()).await else { return };
    let mut messages = answer.into_inner();
    let take = |stream: OutputStream| {
        let (process, told) = (process.clone(), Arc::clone(&told));
        move |text: &[u8], part: LinePart| {
            let line = OutputLine { stream, text, part };
            if let (Some(process), true) = (&process, part != LinePart::Rest && told.is_worth_keeping(line)) {
                process.remember(text);
            }
            told.hand_on(line);
        }
    };
    let (mut out, mut err) = (Lines::default(), Lines::default());
    let (mut take_out, mut take_err) = (take(OutputStream::Stdout), take(OutputStream::Stderr));
    while let Ok(Some(StdioData { channel, data })) = messages.message().await {
        match Printed::try_from(channel) {
            Ok(Printed::Stdout) => out.feed(&data, &mut take_out),
            Ok(Printed::Stderr) => err.feed(&data, &mut take_err),
            // A channel of a later version is ignored.
            _ => {}
        }
    }
    out.finish(&mut take_out);
    err.finish(&mut take_err);
}
