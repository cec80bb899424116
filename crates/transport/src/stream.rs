//! The bodies of requests and answers on HTTP/2's streams.

use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::{Reason, RecvStream, SendStream};
use http_body::{Body, Frame};

use crate::tap::Answer;

/// How much room is reserved at once for a body that is still being produced.
const CHUNK: usize = 64 * 1024;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// A body that arrives.
pub struct Incoming {
    stream: RecvStream,
    listener: Option<Answer>,
}

impl Incoming {
    pub(crate) fn new(stream: RecvStream, listener: Option<Answer>) -> Self {
        Self { stream, listener }
    }

    fn next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        match ready!(self.stream.poll_data(cx)) {
            Some(Ok(data)) => {
                // The data was taken, so the other side may send as much again. This fails only when the stream is over.
                let _over = self.stream.flow_control().release_capacity(data.len());
                Poll::Ready(Some(Ok(Frame::data(data))))
            }
            Some(Err(error)) => Poll::Ready(Some(Err(error))),
            None => {
                let trailers = ready!(self.stream.poll_trailers(cx));
                Poll::Ready(trailers.transpose().map(|trailers| trailers.map(Frame::trailers)))
            }
        }
    }
}

impl Body for Incoming {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let frame = self.next(cx);
        if let (Some(listener), Poll::Ready(Some(frame))) = (&mut self.listener, &frame) {
            match frame {
                Ok(frame) => {
                    if let Some(data) = frame.data_ref() {
                        listener.data(data);
                    } else if let Some(trailers) = frame.trailers_ref() {
                        listener.trailers(trailers);
                    }
                }
                Err(error) => listener.failed(&error.to_string()),
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.stream.is_end_stream()
    }
}

/// Sends the available part of a body. A complete body, as nearly every one is, is handed over as it is, and HTTP/2 sends it as fast as the
/// other side reads. The rest of a body that is still being produced is returned.
pub(crate) async fn send(mut body: tonic::body::Body, mut stream: SendStream<Bytes>) -> Result<Option<Rest>, Failure> {
    // One frame is held back: only the next one shows whether it is the last.
    let mut last = None;
    loop {
        match poll_fn(|cx| Poll::Ready(Pin::new(&mut body).poll_frame(cx))).await {
            Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => {
                    if let Some(before) = last.replace(data) {
                        stream.send_data(before, false)?;
                    }
                }
                Err(frame) => {
                    if let Some(before) = last {
                        stream.send_data(before, false)?;
                    }
                    stream.send_trailers(frame.into_trailers().unwrap_or_default())?;
                    return Ok(None);
                }
            },
            Poll::Ready(Some(Err(error))) => {
                stream.send_reset(Reason::CANCEL);
                return Err(error.into());
            }
            Poll::Ready(None) => {
                stream.send_data(last.unwrap_or_default(), true)?;
                return Ok(None);
            }
            Poll::Pending => {
                if let Some(before) = last {
                    stream.send_data(before, false)?;
                }
                return Ok(Some(Rest { body, stream }));
            }
        }
    }
}

/// A body that is still being produced.
pub(crate) struct Rest {
    body: tonic::body::Body,
    stream: SendStream<Bytes>,
}

impl Rest {
    /// Sends it, no faster than the other side reads.
    pub(crate) async fn send(self) -> Result<(), Failure> {
        let Self { mut body, mut stream } = self;
        loop {
            let frame = tokio::select! {
                frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)) => frame,
                // The other side does not want the rest.
                _ = poll_fn(|cx| stream.poll_reset(cx)) => return Ok(()),
            };
            match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => send_slowly(&mut stream, data).await?,
                    Err(frame) => return Ok(stream.send_trailers(frame.into_trailers().unwrap_or_default())?),
                },
                Some(Err(error)) => {
                    stream.send_reset(Reason::CANCEL);
                    return Err(error.into());
                }
                None => return Ok(stream.send_data(Bytes::new(), true)?),
            }
        }
    }
}

pub(crate) async fn send_slowly(stream: &mut SendStream<Bytes>, mut data: Bytes) -> Result<(), h2::Error> {
    while !data.is_empty() {
        stream.reserve_capacity(data.len().min(CHUNK));
        let room = match poll_fn(|cx| stream.poll_capacity(cx)).await {
            // The stream may report room that is gone again.
            Some(Ok(0)) => continue,
            Some(room) => room?,
            None => return Err(Reason::CANCEL.into()),
        };
        stream.send_data(data.split_to(room.min(data.len())), false)?;
    }
    Ok(())
}
