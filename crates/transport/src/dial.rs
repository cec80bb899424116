//! Connects to an address.

use std::future::Future;
use std::time::Duration;

use http::uri::Authority;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};

use crate::channel::Channel;
use crate::{Address, StartError};

/// The time limit for connecting and the first call together, unless the caller sets another; Pulumi's value.
pub const CONNECT_BUDGET: Duration = Duration::from_secs(10);

/// The interval between attempts; Pulumi's value.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Connects. Never through a proxy, and only once: the channel holds one connection, and when that is lost the plugin is gone, even if another
/// program listens there later.
pub async fn dial(address: &Address) -> Result<Channel, StartError> {
    let unreachable = |reason: String| StartError::Unreachable { address: address.clone(), reason };
    let socket = address.dial().await.map_err(|error| unreachable(error.to_string()))?;
    let authority = match address {
        Address::Unix(_) => Authority::from_static("localhost"),
        Address::Tcp(address) => address.parse().map_err(|error| unreachable(format!("{error}")))?,
    };
    Channel::over(socket, authority).await.map_err(|error| unreachable(error.to_string()))
}

/// Dials and makes a first call, again and again within a budget, while the plugin is not ready yet (nothing listens, or the call returns
/// `UNAVAILABLE`). Any other result of the call is returned.
pub async fn dial_and_greet<T, F, A>(
    address: &Address,
    budget: Duration,
    mut greet: F,
) -> Result<(Channel, Result<T, Status>), StartError>
where
    F: FnMut(Channel) -> A,
    A: Future<Output = Result<T, Status>>,
{
    let end = Instant::now() + budget;
    // The error if time runs out during an attempt.
    let mut last = StartError::Unanswered { address: address.clone(), after: budget };
    loop {
        let attempt = async {
            let channel = dial(address).await?;
            match greet(channel.clone()).await {
                Err(status) if status.code() == Code::Unavailable => {
                    Err(StartError::Unreachable { address: address.clone(), reason: status.message().to_owned() })
                }
                answer => Ok((channel, answer)),
            }
        };
        match tokio::time::timeout_at(end, attempt).await {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(error)) => last = error,
            Err(_) => return Err(last),
        }
        if Instant::now() + RETRY_INTERVAL >= end {
            return Err(last);
        }
        sleep(RETRY_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn unavailable_is_asked_again_and_any_other_answer_is_the_answer() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = Address::of_port(listener.local_addr().unwrap().port());
        let attempts = AtomicUsize::new(0);
        let greet = |_| async {
            match attempts.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => Err(Status::unavailable("still starting")),
                _ => Err::<(), _>(Status::unimplemented("no such call")),
            }
        };
        let (_, answer) = dial_and_greet(&address, CONNECT_BUDGET, greet).await.unwrap();
        assert_eq!((answer.unwrap_err().code(), attempts.load(Ordering::Relaxed)), (Code::Unimplemented, 3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_port_where_nobody_listens_is_given_up() {
        // Bound, so that no other program gets the port, but not listening.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let address = Address::of_port(socket.local_addr().unwrap().port());
        let started = Instant::now();
        let error = dial_and_greet(&address, CONNECT_BUDGET, |_| async { Ok::<_, Status>(()) }).await.unwrap_err();
        assert!(matches!(error, StartError::Unreachable { .. }), "{error}");
        assert!(started.elapsed() <= CONNECT_BUDGET + RETRY_INTERVAL, "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn a_call_that_is_not_answered_is_no_port_without_a_listener() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = Address::of_port(listener.local_addr().unwrap().port());
        let budget = Duration::from_millis(50);
        let error =
            dial_and_greet(&address, budget, |_| std::future::pending::<Result<(), Status>>()).await.unwrap_err();
        assert_eq!(error, StartError::Unanswered { address, after: budget });
    }
}
