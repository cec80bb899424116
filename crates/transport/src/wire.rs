//! The bytes of a connection, between the socket and HTTP/2.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long the end of the input may take after writing has failed. A process that is gone has left its last bytes in the socket; a wait only
/// happens if the other side is alive, keeps the connection open and has only stopped reading.
const END: Duration = Duration::from_secs(1);

/// A connection that HTTP/2 writes to in whole pieces. With vectored writes, it would write each message of more than 256 bytes on its own;
/// without them, it gathers messages of up to 1,024 bytes and writes them together.
///
/// HTTP/2 gives a connection up when a write fails, without reading again: the answers of a plugin that died a moment ago would be lost with it.
/// So a write to a side that is gone reports no error; its bytes are dropped, and the reader finds the answers, and then the end.
pub(crate) struct Gathering<S> {
    stream: S,
    /// Before the first write there is no answer to lose, and the caller that connects needs the error.
    has_written: bool,
    broken: Option<Broken>,
    is_broken: Arc<AtomicBool>,
}

/// Why nothing can be written.
struct Broken {
    reason: io::ErrorKind,
    /// Started when a read finds nothing, not when the connection breaks: a timer that is first polled after it has expired is ready at once,
    /// even if the socket has not been read since.
    patience: Option<Pin<Box<Sleep>>>,
}

impl<S> Gathering<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, has_written: false, broken: None, is_broken: Arc::default() }
    }

    /// Becomes true when nothing can be written: requests handed over from then on are never sent.
    pub(crate) fn is_broken(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_broken)
    }

    /// The result of a write: the error that the other side is gone is kept for the reader.
    fn written<T>(&mut self, outcome: io::Result<T>, dropped: T, cx: &Context<'_>) -> io::Result<T> {
        use io::ErrorKind::{BrokenPipe, ConnectionReset, NotConnected};
        match outcome {
            Err(error) if self.has_written && matches!(error.kind(), BrokenPipe | ConnectionReset | NotConnected) => {
                self.broken = Some(Broken { reason: error.kind(), patience: None });
                self.is_broken.store(true, Ordering::Relaxed);
                // The driver read before it wrote, or could not read until it had written, so it is woken to read.
                cx.waker().wake_by_ref();
                Ok(dropped)
            }
            outcome => {
                self.has_written |= outcome.is_ok();
                outcome
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gathering<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, room);
        if read.is_pending()
            && let Some(Broken { reason, patience }) = &mut self.broken
        {
            ready!(patience.get_or_insert_with(|| Box::pin(sleep(END))).as_mut().poll(cx));
            return Poll::Ready(Err((*reason).into()));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gathering<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.broken.is_some() {
            return Poll::Ready(Ok(bytes.len()));
        }
        let outcome = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        Poll::Ready(self.written(outcome, bytes.len(), cx))
    }

    fn is_write_vectored(&self) -> bool {
        false
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.broken.is_some() {
            return Poll::Ready(Ok(()));
        }
        let outcome = ready!(Pin::new(&mut self.stream).poll_flush(cx));
        Poll::Ready(self.written(outcome, (), cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream as Peer;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;
    use tokio::time::Instant;

    /// A connection that a call was written to and that was found empty, and its other end. Until the test waits for something, the socket is
    /// not polled again: for its owner it stays empty, whatever arrives.
    async fn pair() -> (Gathering<UnixStream>, Peer) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut ours = Gathering::new(ours);
        ours.write_all(b"call").await.unwrap();
        assert!(poll_once(&mut ours).await.is_pending());
        (ours, theirs.into_std().unwrap())
    }

    async fn poll_once(stream: &mut Gathering<UnixStream>) -> Poll<io::Result<()>> {
        let mut room = [0; 64];
        std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut *stream).poll_read(cx, &mut ReadBuf::new(&mut room)))).await
    }

    /// The other side reads the call, answers, and closes.
    fn end(mut theirs: Peer) {
        theirs.read_exact(&mut [0; 4]).unwrap();
        theirs.write_all(b"answer").unwrap();
    }

    async fn rest(stream: &mut Gathering<UnixStream>) -> String {
        let mut rest = String::new();
        stream.read_to_string(&mut rest).await.unwrap();
        rest
    }

    #[tokio::test]
    async fn what_arrived_is_read_although_a_write_failed_first() {
        let (mut ours, theirs) = pair().await;
        end(theirs);
        assert!(poll_once(&mut ours).await.is_pending());
        ours.write_all(b"another").await.unwrap();
        assert!(ours.is_broken().load(Ordering::Relaxed));
        ours.write_all(b"third").await.unwrap();
        ours.flush().await.unwrap();
        assert_eq!(rest(&mut ours).await, "answer");
    }

    #[tokio::test]
    async fn what_arrived_is_read_before_a_write_fails() {
        let (mut ours, theirs) = pair().await;
        end(theirs);
        assert_eq!(rest(&mut ours).await, "answer");
        ours.write_all(b"another").await.unwrap();
        assert!(ours.is_broken().load(Ordering::Relaxed));
        assert_eq!(rest(&mut ours).await, "");
    }

    #[tokio::test(start_paused = true)]
    async fn who_only_reads_no_more_is_not_waited_for() {
        let (mut ours, mut theirs) = pair().await;
        theirs.shutdown(Shutdown::Read).unwrap();
        theirs.write_all(b"answer").unwrap();
        ours.write_all(b"another").await.unwrap();
        assert_eq!(ours.read(&mut [0; 64]).await.unwrap(), 6);
        let begin = Instant::now();
        let error = ours.read(&mut [0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert!(begin.elapsed() <= END + Duration::from_millis(10), "{:?}", begin.elapsed());
    }

    #[tokio::test]
    async fn the_first_write_says_that_nobody_is_there() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        let error = Gathering::new(ours).write_all(b"call").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
