//! Retrying, waiting and paging: loops around calls of a service, which end when the time is up or the user wants to stop.

use std::collections::hash_map::RandomState;
use std::future::Future;
use std::hash::{BuildHasher, Hasher};

use outrigger_provider::ErrorKind;
use tokio::time::{Duration, Instant, sleep};

use crate::{Context, Error, Result};

/// The delays between attempts, and the end of all attempts.
///
/// A delay is twice the one before, up to a limit, and a random part of up to a half is taken off, so that many resources do not call a
/// service in step.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    within: Duration,
}

impl Backoff {
    /// Delays that grow from the first to the longest. There are attempts for five minutes, unless [`Backoff::within`] changes that.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, within: Duration::from_secs(300) }
    }

    /// Gives up after this time. The user's own limit for the resource (`customTimeouts`) counts instead, if there is one.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { within: time, ..self }
    }
}

/// Delays from half a second to half a minute.
impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(500), Duration::from_secs(30))
    }
}

impl Context {
    /// Makes attempts until one succeeds, or fails with an error that is not marked as [`Error::transient`].
    ///
    /// It gives up when the time is up or the user wants to stop, with the error of the last attempt. An attempt is never cut
    /// off, so give the client of the service a timeout of its own.
    pub async fn retry<T, F>(&self, backoff: Backoff, mut attempt: impl FnMut() -> F + Send) -> Result<T>
    where
        F: Future<Output = Result<T>> + Send,
    {
        self.wait_until(backoff, || {
            let attempt = attempt();
            async { attempt.await.map(Some) }
        })
        .await
    }

    /// Looks until there is a value, such as a server that is ready. It looks again after `None` and after errors that are marked as
    /// [`Error::transient`]; other errors end it.
    ///
    /// It gives up like [`Context::retry`]. If the resource exists by then, report it: `.map_err(|error| error.created(id, outputs))`.
    pub async fn wait_until<T, F>(&self, backoff: Backoff, mut look: impl FnMut() -> F + Send) -> Result<T>
    where
        F: Future<Output = Result<Option<T>>> + Send,
    {
        let begun = Instant::now();
        let mut delay = backoff.first;
        let mut count = 0;
        loop {
            count += 1;
            let error = match look().await {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => Error::new("it is not ready"),
                Err(error) if error.transient => error,
                Err(error) => return Err(error),
            };
            let left = self.time_left().unwrap_or_else(|| backoff.within.saturating_sub(begun.elapsed()));
            if self.is_cancelled() || left.is_zero() {
                return Err(self.give_up(error, count, begun.elapsed()));
            }
            tokio::select! {
                () = sleep(jittered(delay).min(left)) => {}
                () = self.cancelled() => return Err(self.give_up(error, count, begun.elapsed())),
            }
            delay = delay.saturating_mul(2).min(backoff.longest);
        }
    }

    /// All items of a list that a service returns in pages. `page` takes the cursor of a page, which is `None` for the first, and returns its items
    /// and the cursor of the next one, if there is one.
    pub async fn pages<T, C, F>(&self, mut page: impl FnMut(Option<C>) -> F + Send) -> Result<Vec<T>>
    where
        T: Send,
        C: Clone + PartialEq + Send,
        F: Future<Output = Result<(Vec<T>, Option<C>)>> + Send,
    {
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            if self.is_cancelled() {
                return Err(Error::cancelled());
            }
            let (items, next) = page(cursor.clone()).await?;
            all.extend(items);
            match next {
                None => return Ok(all),
                next if next == cursor => return Err(Error::new("the service returned the same page twice")),
                next => cursor = next,
            }
        }
    }

    /// The error of the last attempt. When the user's limit is reached, the call is cancelled, too, so both have the same text.
    fn give_up(&self, error: Error, attempts: u32, time: Duration) -> Error {
        let times = if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") };
        let error = error.context(format_args!("gave up after {times} in {} s", time.as_secs()));
        // An attempt that may have changed something stays in doubt.
        let cancelled = self.is_cancelled() && error.kind != ErrorKind::Unknown;
        if cancelled { Error { kind: ErrorKind::Cancelled, ..error } } else { error }
    }
}

/// Half of the delay to all of it.
fn jittered(delay: Duration) -> Duration {
    // Each `RandomState` has different keys, which is randomness enough here.
    let random = RandomState::new().build_hasher().finish() >> 32;
    delay / 2 + (delay / 2).mul_f64(random as f64 / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use outrigger_provider::{CallContext, ResourceIdentity};
    use outrigger_value::Urn;

    use super::*;

    fn context(timeout: Option<Duration>) -> (Context, CallContext) {
        let call = CallContext::background();
        let resource = ResourceIdentity::new(Urn::new("test", "test", None, "a:index:A", "a"));
        (Context::new(&call, None).about(resource, timeout), call)
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn backoff() -> Backoff {
        Backoff::new(SECOND, 4 * SECOND)
    }

    #[tokio::test(start_paused = true)]
    async fn transient_errors_are_retried_with_growing_delays() {
        let (cx, _) = context(None);
        let begun = Instant::now();
        let count = AtomicU32::new(0);
        let attempt = || async {
            match count.fetch_add(1, Ordering::Relaxed) {
                4 => Ok("done"),
                _ => Err(Error::new("busy").transient()),
            }
        };
        assert_eq!(cx.retry(backoff(), attempt).await.unwrap(), "done");
        // 1, 2, 4 and 4 seconds, each shortened by up to a half.
        let time = begun.elapsed();
        assert!(time >= 11 * SECOND / 2 && time <= 11 * SECOND + SECOND / 100, "{time:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn other_errors_are_final() {
        let (cx, _) = context(None);
        let begun = Instant::now();
        let error = cx.retry(backoff(), || async { Err::<(), _>(Error::new("forbidden")) }).await.unwrap_err();
        assert_eq!((error.to_string(), begun.elapsed()), ("forbidden".to_owned(), Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_error_is_reported_when_the_time_is_up() {
        // The time that the user sets is that of the whole call, and some of it may have passed.
        for (timeout, passed, expected) in [(None, 2, 10), (Some(20 * SECOND), 0, 20), (Some(5 * SECOND), 2, 3)] {
            let (cx, _) = context(timeout);
            sleep(passed * SECOND).await;
            let count = AtomicU32::new(0);
            let attempt = || async {
                Err::<(), _>(Error::new(format!("busy {}", count.fetch_add(1, Ordering::Relaxed) + 1)).transient())
            };
            let error = cx.retry(backoff().within(10 * SECOND), attempt).await.unwrap_err();
            let count = count.load(Ordering::Relaxed);
            assert_eq!(error.to_string(), format!("gave up after {count} attempts in {expected} s: busy {count}"));
            assert_eq!(error.kind, ErrorKind::NotDone);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_with_the_value_or_when_the_user_stops_it() {
        let (cx, call) = context(Some(1000 * SECOND));
        let begun = Instant::now();
        let look = || async { Ok((begun.elapsed() > 30 * SECOND).then_some("ready")) };
        assert_eq!(cx.wait_until(backoff(), look).await.unwrap(), "ready");

        let begun = Instant::now();
        let waiting = cx.wait_until(backoff(), || async { Ok(None::<()>) });
        let stopping = async {
            sleep(20 * SECOND).await;
            call.cancel.cancel();
        };
        let (error, ()) = tokio::join!(waiting, stopping);
        let error = error.unwrap_err();
        assert!(
            error.to_string().starts_with("gave up after ") && error.to_string().ends_with(": it is not ready"),
            "{error}"
        );
        assert_eq!((error.kind, begun.elapsed().as_secs()), (ErrorKind::Cancelled, 20));

        let doubtful = cx.retry(backoff(), || async { Err::<(), _>(Error::new("reset").in_doubt().transient()) }).await;
        let doubtful = doubtful.unwrap_err();
        assert_eq!(
            (doubtful.to_string(), doubtful.kind),
            ("gave up after 1 attempt in 0 s: reset".to_owned(), ErrorKind::Unknown)
        );
        assert_eq!(
            cx.pages(|_: Option<u8>| async { Ok((vec![1], None)) }).await.unwrap_err().kind,
            ErrorKind::Cancelled
        );
    }

    #[tokio::test]
    async fn pages_are_put_together() {
        let (cx, _) = context(None);
        let page = |cursor: Option<u32>| async move {
            let start = cursor.unwrap_or(0);
            Ok((vec![start, start + 1], (start < 4).then_some(start + 2)))
        };
        assert_eq!(cx.pages(page).await.unwrap(), [0, 1, 2, 3, 4, 5]);
        let stuck = cx.pages(|_: Option<u32>| async { Ok((vec![1], Some(7))) }).await.unwrap_err();
        assert_eq!(stuck.to_string(), "the service returned the same page twice");
    }
}
