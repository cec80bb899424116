//! Further connections between a host and a plugin, in either direction.
//!
//! The side that accepts chooses a number, listens, and announces its address over a stream that stays open; the number itself travels in a
//! message of the application. The other side waits for the announcement and dials.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::stream;
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tonic::{Code, Streaming};

use super::handshake::{HandshakeError, address_from};
use super::queue::Queue;
use super::socket::Sockets;
use super::tls::{self, Gate, Tls};
use crate::channel::Channel;
use crate::generated::plugin::ConnInfo;
use crate::generated::plugin::grpc_broker_client::GrpcBrokerClient;
use crate::limited;
use crate::server::{self, Grpc};

/// How long the other side may take to announce its address, as in go-plugin; and how long it may take to answer there.
const WAIT: Duration = Duration::from_secs(5);

/// How many announced addresses are kept until they are dialled.
const REMEMBERED: usize = 256;

/// Why a connection could not be made.
#[derive(Debug, Error)]
pub enum BrokerError {
    /// The other side did not announce its address.
    #[error("the other side did not announce connection {0} within 5 s")]
    NotOffered(u32),
    /// The other side announced its address, but does not answer there.
    #[error("the other side did not answer on connection {0} within 5 s")]
    Unanswered(u32),
    /// The other side announced an address that cannot be dialled.
    #[error("the other side {0}")]
    Address(#[from] HandshakeError),
    /// The other side does not read announcements, or is gone.
    #[error("{0}")]
    Closed(String),
    /// The connection itself failed.
    #[error(transparent)]
    Connection(#[from] io::Error),
}

/// Makes connections by number. Clones share them.
#[derive(Clone)]
pub struct Broker {
    shared: Arc<Shared>,
}

struct Shared {
    last_id: AtomicU32,
    sockets: Arc<Sockets>,
    tls: Option<Tls>,
    outgoing: Queue<ConnInfo>,
    heard: Mutex<Heard>,
    news: Notify,
}

/// Announcements of the other side.
#[derive(Default)]
struct Heard {
    offers: VecDeque<ConnInfo>,
    closed: Option<String>,
}

/// A service that was announced to the other side. It ends when this is dropped.
pub struct Accepted {
    /// Dropping it closes the connections.
    _open: watch::Sender<()>,
}

impl Broker {
    pub(super) fn new(sockets: Arc<Sockets>, tls: Option<Tls>) -> Self {
        let (last_id, outgoing) = (AtomicU32::new(0), Queue::default());
        let shared = Shared { last_id, sockets, tls, outgoing, heard: Mutex::default(), news: Notify::new() };
        Self { shared: Arc::new(shared) }
    }

    /// A number for a connection that this side is going to accept.
    pub fn next_id(&self) -> u32 {
        self.shared.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// Serves on a connection of this number. The other side forgets an announcement after five seconds, so the message with the number has to
    /// follow at once.
    pub async fn accept<S: Grpc>(&self, id: u32, service: S) -> Result<Accepted, BrokerError> {
        self.open()?;
        let entrance = self.shared.sockets.listen().await?;
        let address = entrance.address();
        let (network, address) = (address.network().to_owned(), address.to_string());
        if !self.shared.outgoing.push(ConnInfo { service_id: id, network, address, knock: None }) {
            return Err(BrokerError::Closed("the other side does not listen to the broker".to_owned()));
        }
        let (open, closed) = watch::channel(());
        tokio::spawn(server::serve(Gate { entrance, tls: self.shared.tls.clone() }, service, closed));
        Ok(Accepted { _open: open })
    }

    /// Dials a connection that the other side accepts under this number.
    pub async fn dial(&self, id: u32) -> Result<Channel, BrokerError> {
        let offer = tokio::time::timeout(WAIT, self.offer(id)).await.map_err(|_| BrokerError::NotOffered(id))??;
        let address = address_from(&offer.network, &offer.address)?;
        let dialled = tokio::time::timeout(WAIT, tls::dial(&address, self.shared.tls.as_ref())).await;
        Ok(dialled.map_err(|_| BrokerError::Unanswered(id))??)
    }

    /// Reads the plugin's announcements: the host's end of the stream.
    pub(super) async fn follow(self, channel: Channel) {
        // The stream stays open: messages sent before the plugin answers must not be lost, and it answers only with its first message.
        let outgoing = stream::unfold(self.outgoing().take().await, |mut queue| async {
            queue.recv().await.map(|message| (message, queue))
        });
        match limited!(GrpcBrokerClient::new(channel)).start_stream(outgoing).await {
            Ok(incoming) => {
                let mut incoming = incoming.into_inner();
                while self.hear_from(&mut incoming).await {}
                self.close("the plugin has closed the broker".to_owned());
            }
            Err(status) if status.code() == Code::Unimplemented => self.close("the plugin has no broker".to_owned()),
            Err(status) => self.close(format!("the plugin's broker failed: {}", status.message())),
        }
    }

    /// Reads the next message. `false`: there are no more.
    pub(super) async fn hear_from(&self, incoming: &mut Streaming<ConnInfo>) -> bool {
        let Ok(Some(message)) = incoming.message().await else { return false };
        // Knocking is for sides that share one connection.
        if message.knock.is_none() {
            let mut heard = self.heard();
            heard.offers.retain(|offer| offer.service_id != message.service_id);
            if heard.offers.len() == REMEMBERED {
                heard.offers.pop_front();
            }
            heard.offers.push_back(message);
            drop(heard);
            self.shared.news.notify_waiters();
        }
        true
    }

    pub(super) fn outgoing(&self) -> &Queue<ConnInfo> {
        &self.shared.outgoing
    }

    /// Ends the broker: nothing reads announcements from now on.
    pub(super) fn close(&self, reason: String) {
        self.heard().closed.get_or_insert(reason);
        self.shared.news.notify_waiters();
    }

    async fn offer(&self, id: u32) -> Result<ConnInfo, BrokerError> {
        loop {
            let news = self.shared.news.notified();
            tokio::pin!(news);
            // From here on no announcement is missed.
            news.as_mut().enable();
            {
                let mut heard = self.heard();
                if let Some(at) = heard.offers.iter().position(|offer| offer.service_id == id)
                    && let Some(offer) = heard.offers.remove(at)
                {
                    return Ok(offer);
                }
            }
            self.open()?;
            news.await;
        }
    }

    fn open(&self) -> Result<(), BrokerError> {
        self.heard().closed.clone().map_or(Ok(()), |reason| Err(BrokerError::Closed(reason)))
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.shared.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::super::certificate::Identity;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_offer_where_nobody_answers_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let ours = Identity::new().unwrap();
        let tls = Tls::new(&ours, ours.certificate().clone()).unwrap();
        let sockets = Sockets::private(&[std::env::temp_dir()]).unwrap();
        let broker = Broker::new(Arc::new(sockets), Some(tls));
        let offer = ConnInfo { service_id: 7, network: "tcp".to_owned(), address, knock: None };
        broker.heard().offers.push_back(offer);
        let error = tokio::time::timeout(WAIT * 2, broker.dial(7)).await.unwrap().err().unwrap();
        assert_eq!(error.to_string(), "the other side did not answer on connection 7 within 5 s");
    }
}
