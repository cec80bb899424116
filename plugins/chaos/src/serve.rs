//! gRPC on a bare HTTP/2 connection, so that every byte of an answer can be wrong.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::{BufMut, Bytes, BytesMut};
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use crate::answer;
use crate::damage;
use crate::deed::{Deed, Plan};
use crate::lie;
use crate::wire::{self, Message};

/// A message of this size is one byte above the limit of Pulumi's hosts.
const ABOVE_THE_LIMIT: usize = 400 * 1024 * 1024 + 1;

/// The text in a huge answer.
const HUGE: usize = 300_000_000;

/// The pieces in which a huge answer is sent.
const PIECE: usize = 1 << 20;

const OK: u8 = 0;
const UNKNOWN: u8 = 2;
const UNIMPLEMENTED: u8 = 12;

/// Serves until the process is ended.
pub(crate) async fn run(listener: TcpListener, plan: Plan) -> io::Result<()> {
    let plan = Arc::new(plan);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(connection(stream, Arc::clone(&plan)));
    }
}

async fn connection(stream: TcpStream, plan: Arc<Plan>) {
    let _slower_without = stream.set_nodelay(true);
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    let hang_up = Arc::new(Notify::new());
    loop {
        tokio::select! {
            accepted = connection.accept() => match accepted {
                Some(Ok((request, respond))) => {
                    tokio::spawn(call(request, respond, Arc::clone(&plan), Arc::clone(&hang_up)));
                }
                _ => return,
            },
            () = hang_up.notified() => return,
        }
    }
}

/// Answers one call. An error means that the caller is gone, which does not matter.
async fn call(request: Request<RecvStream>, respond: SendResponse<Bytes>, plan: Arc<Plan>, hang_up: Arc<Notify>) {
    let name = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
    let Ok(message) = read(request.into_body()).await else { return };
    let mut exchange = Exchange { respond, answer: answer::obedient(&name, &message).map(|answer| answer.finish()) };
    let own = match Plan::parse(wire::property(answer::properties_of(&name, &message), "chaos")) {
        Ok(own) => own,
        Err(error) => {
            let _they_are_gone = exchange.begin().and_then(|stream| end(stream, UNKNOWN, &error));
            return;
        }
    };
    let deeds = plan.at(&name).iter().chain(own.at(&name)).copied();
    for deed in deeds {
        if damage::of(deed, &name).is_err() {
            return;
        }
        match deed {
            Deed::Hang => {
                // A test finds this file in the plugins' directory and knows that the call has arrived.
                let _not_told = std::fs::write(format!("hanging-in-{name}"), "");
                std::future::pending().await
            }
            Deed::Disconnect => {
                hang_up.notify_one();
                // Dropping the call would be an answer of another kind.
                std::future::pending().await
            }
            Deed::Late => tokio::time::sleep(Duration::from_millis(500)).await,
            Deed::Huge => {
                let _they_are_gone = exchange.huge(&message).await;
                return;
            }
            deed if is_of_the_wire(deed) => {
                let _they_are_gone = exchange.misbehave(deed).await;
                return;
            }
            deed => exchange.lie(lie::of(deed, &name, &message)),
        }
    }
    let _they_are_gone = exchange.obey();
}

/// Whether the deed is in the way an answer is sent.
fn is_of_the_wire(deed: Deed) -> bool {
    use Deed::*;
    matches!(deed, Refuse | RefuseAtLength | PartialLarge | Compressed | BadGateway | Html | Garbage | Truncated)
        || matches!(deed, Stall | Trickle | Twice | NoMessage | NoStatus | Reset | TooLarge)
}

async fn read(mut body: RecvStream) -> Result<Bytes, h2::Error> {
    let mut text = BytesMut::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk?;
        body.flow_control().release_capacity(chunk.len())?;
        text.extend_from_slice(&chunk);
    }
    // A flag and the length.
    Ok(if text.len() < 5 { Bytes::new() } else { text.split_off(5).freeze() })
}

/// One call that waits for its answer.
struct Exchange {
    respond: SendResponse<Bytes>,
    answer: Option<Vec<u8>>,
}

impl Exchange {
    fn lie(&mut self, lie: Option<Message>) {
        if let Some(lie) = lie {
            self.answer = Some(lie.finish());
        }
    }

    fn obey(mut self) -> Result<(), h2::Error> {
        match self.answer.take() {
            Some(answer) => {
                let mut stream = self.begin()?;
                stream.send_data(framed(&answer), false)?;
                end(stream, OK, "")
            }
            None => end(self.begin()?, UNIMPLEMENTED, "chaos does not have this call"),
        }
    }

    async fn misbehave(mut self, deed: Deed) -> Result<(), h2::Error> {
        let answer = framed(&self.answer.take().unwrap_or_default());
        let head = |status: StatusCode| {
            let mut response = Response::new(());
            *response.status_mut() = status;
            response.headers_mut().insert("content-type", HeaderValue::from_static("text/html"));
            response
        };
        let page = Bytes::from_static(b"<html><body>this is no plugin</body></html>");
        match deed {
            Deed::BadGateway => self.respond.send_response(head(StatusCode::BAD_GATEWAY), false)?.send_data(page, true),
            Deed::Html => self.respond.send_response(head(StatusCode::OK), false)?.send_data(page, true),
            Deed::Refuse => end(self.begin()?, UNKNOWN, "chaos does not want to"),
            Deed::RefuseAtLength => end(self.begin()?, UNKNOWN, &"chaos explains itself ".repeat(50_000)),
            Deed::PartialLarge => {
                let stream = self.begin()?;
                end_with(stream, UNKNOWN, "chaos is not ready", Some(&lie::partial(&"chaos-sized ".repeat(1_900_000))))
            }
            Deed::Compressed => {
                let mut response = Response::new(());
                response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
                response.headers_mut().insert("grpc-encoding", HeaderValue::from_static("gzip"));
                let mut stream = self.respond.send_response(response, false)?;
                stream.send_data(answer, false)?;
                end(stream, OK, "")
            }
            Deed::Garbage => {
                let mut stream = self.begin()?;
                stream.send_data(framed(&[0xff; 64]), false)?;
                end(stream, OK, "")
            }
            Deed::Truncated => {
                // The frame is complete, but the message in it is not.
                let mut stream = self.begin()?;
                stream.send_data(framed(answer.get(5..answer.len() - 3).unwrap_or_default()), false)?;
                end(stream, OK, "")
            }
            Deed::Stall => {
                let mut stream = self.begin()?;
                stream.send_data(answer.slice(..answer.len() / 2), false)?;
                std::future::pending().await
            }
            Deed::Trickle => {
                let mut stream = self.begin()?;
                for index in 0..answer.len() {
                    stream.send_data(answer.slice(index..=index), false)?;
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                end(stream, OK, "")
            }
            Deed::Twice => {
                let mut stream = self.begin()?;
                stream.send_data(answer.clone(), false)?;
                stream.send_data(answer, false)?;
                end(stream, OK, "")
            }
            Deed::NoMessage => end(self.begin()?, OK, ""),
            Deed::NoStatus => self.begin()?.send_data(answer, true),
            Deed::Reset => {
                self.begin()?.send_reset(Reason::INTERNAL_ERROR);
                Ok(())
            }
            Deed::TooLarge => {
                let mut stream = self.begin()?;
                stream.send_data(frame_head(ABOVE_THE_LIMIT), false)?;
                std::future::pending().await
            }
            _ => Ok(()),
        }
    }

    /// An answer whose only property is a text of [`HUGE`] bytes, sent as fast as it is read.
    async fn huge(mut self, request: &[u8]) -> Result<(), h2::Error> {
        let start = lie::around_a_text(request, HUGE);
        let mut stream = self.begin()?;
        stream.send_data(frame_head(start.len() + HUGE), false)?;
        stream.send_data(start.into(), false)?;
        let piece = Bytes::from(vec![b'x'; PIECE]);
        let mut left = HUGE;
        while left > 0 {
            stream.reserve_capacity(left.min(PIECE));
            let room = std::future::poll_fn(|cx| stream.poll_capacity(cx)).await.transpose()?.unwrap_or_default();
            let length = room.min(left).min(PIECE);
            stream.send_data(piece.slice(..length), false)?;
            left -= length;
        }
        end(stream, OK, "")
    }

    fn begin(&mut self) -> Result<SendStream<Bytes>, h2::Error> {
        let mut response = Response::new(());
        response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
        self.respond.send_response(response, false)
    }
}

fn end(stream: SendStream<Bytes>, status: u8, text: &str) -> Result<(), h2::Error> {
    end_with(stream, status, text, None)
}

/// Ends a call with the details of its status.
fn end_with(mut stream: SendStream<Bytes>, status: u8, text: &str, details: Option<&Message>) -> Result<(), h2::Error> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from(u16::from(status)));
    if let Ok(text) = HeaderValue::from_str(&text.replace(' ', "%20")) {
        trailers.insert("grpc-message", text);
    }
    if let Some(details) = details.map(|details| STANDARD.encode(details.clone().finish()))
        && let Ok(details) = HeaderValue::try_from(details)
    {
        trailers.insert("grpc-status-details-bin", details);
    }
    stream.send_trailers(trailers)
}

fn framed(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::from(frame_head(message.len()).as_ref());
    frame.extend_from_slice(message);
    frame.freeze()
}

fn frame_head(length: usize) -> Bytes {
    let mut head = BytesMut::with_capacity(5);
    head.put_u8(0);
    head.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    head.freeze()
}
