//! A run as a live stream for Foxglove [Foxglove WebSocket protocol, versions `foxglove.websocket.v1` and `foxglove.sdk.v1`].
//!
//! The server states its channels, and sends the messages of those to which a client subscribes; a client can do nothing else. Whoever
//! subscribes to the channel of the meshes receives them first. A client that is slower than the run misses states.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::gate::{known_host, name_of};
use crate::handshake::{open_socket, read_head, refuse};
use crate::head::Head;
use crate::limits::{CONNECTIONS, ORDER_BYTES, STREAM_STATES};
use crate::server::{POLL, listen};
use extricate_scene::record::export::messages::{self, CHANNELS};

/// Subprotocols that a client may ask for. They differ in messages that are not sent here.
const PROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", "foxglove.websocket.v1"];

/// Time for which a client is read between messages. Longer, and messages wait.
const READ_TIME: Duration = Duration::from_millis(1);

/// Time that clients have to receive what was sent before the end.
const END_TIME: Duration = Duration::from_secs(5);

/// Codes of binary messages.
const MESSAGE_DATA: u8 = 1;
const TIME: u8 = 2;

/// A server that streams to any number of clients; it ends when this is dropped.
#[derive(Debug)]
pub struct FoxgloveServer {
    local: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// Name by which the server was asked to be reached, if it is a name.
    host: Option<String>,
    /// Messages with which a connection begins.
    greeting: [String; 2],
    exchange: Mutex<Exchange>,
    /// Number of connections.
    open: AtomicUsize,
    /// Number of subscriptions.
    subscriptions: AtomicUsize,
    has_ended: AtomicBool,
}

#[derive(Debug, Default)]
struct Exchange {
    /// Message that every client receives first of its channel.
    first: Option<Arc<messages::Message>>,
    /// The messages of a state are one item: a client that is slow misses whole states.
    queues: Vec<SyncSender<Arc<[messages::Message]>>>,
}

/// A message from a client.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Order {
    Subscribe {
        subscriptions: Vec<Subscription>,
    },
    #[serde(rename_all = "camelCase")]
    Unsubscribe {
        subscription_ids: Vec<u32>,
    },
    /// All others, which need capabilities that this server does not state.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    id: u32,
    channel_id: u32,
}

impl FoxgloveServer {
    /// A server that listens on an address or name of this machine; port 0 is any free one. `name` is what clients show.
    ///
    /// # Errors
    /// The address is not one of this machine, or the port is taken.
    pub fn bind(host: &str, port: u16, name: &str) -> io::Result<Self> {
        let (local, listener) = listen(host, port)?;
        let shared = Arc::new(Shared {
            host: name_of(host),
            greeting: [server_info(name), advertisement()].map(|message| message.to_string()),
            exchange: Mutex::default(),
            open: AtomicUsize::new(0),
            subscriptions: AtomicUsize::new(0),
            has_ended: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let listener = Some(thread::spawn(move || accept(&listener, &own)));
        Ok(Self { local, shared, listener })
    }

    /// Address to which Foxglove connects.
    #[must_use]
    pub fn url(&self) -> String {
        format!("ws://{}", self.local)
    }

    /// Whether only this machine can connect.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.local.ip().is_loopback()
    }

    /// Whether a client subscribes to a channel.
    #[must_use]
    pub fn has_subscribers(&self) -> bool {
        self.shared.subscriptions.load(Ordering::SeqCst) > 0
    }

    /// Waits until a client subscribes, for a time at most, and until `stop` returns true.
    pub fn wait(&self, patience: Duration, stop: &dyn Fn() -> bool) {
        let started = Instant::now();
        while !self.has_subscribers() && !stop() && started.elapsed() < patience {
            thread::sleep(POLL);
        }
    }

    /// Sets the message that every client receives first of its channel.
    pub fn begin_with(&self, first: messages::Message) {
        self.shared.exchange().first = Some(Arc::new(first));
    }

    /// Sends the messages of a state, and before them their time. Clients that do not keep up miss them.
    pub fn send(&self, messages: Vec<messages::Message>) {
        let state: Arc<[messages::Message]> = messages.into();
        self.shared.exchange().queues.retain(|queue| {
            !matches!(queue.try_send(Arc::clone(&state)), Err(TrySendError::Disconnected(_)))
        });
    }
}

impl Drop for FoxgloveServer {
    /// Ends the connections, after what was sent.
    fn drop(&mut self) {
        self.shared.has_ended.store(true, Ordering::SeqCst);
        self.shared.exchange().queues.clear();
        if let Some(listener) = self.listener.take() {
            // A listener that panicked has ended too.
            drop(listener.join());
        }
        let started = Instant::now();
        while self.shared.open.load(Ordering::SeqCst) > 0 && started.elapsed() < END_TIME {
            thread::sleep(POLL);
        }
    }
}

impl Shared {
    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue of the messages from now on, and the first message.
    fn join(&self) -> (Receiver<Arc<[messages::Message]>>, Option<Arc<messages::Message>>) {
        let (sender, receiver) = sync_channel(STREAM_STATES);
        let mut exchange = self.exchange();
        // Without its sender the queue ends at once.
        if !self.has_ended.load(Ordering::SeqCst) {
            exchange.queues.push(sender);
        }
        (receiver, exchange.first.clone())
    }
}

/// First message of a connection. Its session distinguishes runs: clients forget what they received of another.
fn server_info(name: &str) -> Value {
    let session = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    json!({
        "op": "serverInfo", "name": name, "capabilities": ["time"], "supportedEncodings": ["json"],
        "metadata": {"extricate": env!("CARGO_PKG_VERSION")}, "sessionId": session.to_string(),
    })
}

/// The channels, of which channel `i` has the number `i + 1`.
fn advertisement() -> Value {
    let channel = |(index, channel): (usize, &messages::Channel)| {
        json!({
            "id": index + 1, "topic": channel.topic, "encoding": "json", "schemaName": channel.schema,
            "schema": channel.definition, "schemaEncoding": "jsonschema",
        })
    };
    json!({"op": "advertise", "channels": CHANNELS.iter().enumerate().map(channel).collect::<Vec<_>>()})
}

/// Accepts connections until the end.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.has_ended.load(Ordering::SeqCst) {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(POLL);
            continue;
        };
        if shared.open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            shared.open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let own = Arc::clone(shared);
        thread::spawn(move || {
            let mut client = Client { subscribed: BTreeMap::new(), shared: &own };
            // A connection that ends is not an error of the server.
            let _ = client.serve(stream);
            drop(client);
            own.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// A connected client.
struct Client<'a> {
    /// Numbers of its subscriptions, by the numbers of their channels.
    subscribed: BTreeMap<u32, u32>,
    shared: &'a Shared,
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        self.shared.subscriptions.fetch_sub(self.subscribed.len(), Ordering::SeqCst);
    }
}

impl Client<'_> {
    fn serve(&mut self, mut stream: TcpStream) -> Result<(), Box<dyn Error>> {
        let Some(head) = read_head(&mut stream)? else { return Ok(()) };
        let Some(protocol) = protocol(&head) else {
            let why = "This is a stream for Foxglove: connect to it as a Foxglove WebSocket.";
            return refuse(&mut stream, "400 Bad Request", why);
        };
        if known_host(&head, self.shared.host.as_deref()).is_none() {
            let why = "This server is reached by its address, by localhost, or by the name with which it was started.";
            return refuse(&mut stream, "403 Forbidden", why);
        }
        let Some(mut socket) = open_socket(stream, &head, (Some(protocol), ORDER_BYTES))? else {
            return Ok(());
        };
        socket.get_ref().set_read_timeout(Some(READ_TIME))?;
        for text in &self.shared.greeting {
            socket.send(Message::text(text.clone()))?;
        }
        let (queue, first) = self.shared.join();
        loop {
            match queue.recv_timeout(POLL) {
                Ok(state) => {
                    for state in std::iter::once(state).chain(queue.try_iter().take(STREAM_STATES)) {
                        self.send_state(&mut socket, &state)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    socket.close(None)?;
                    return Ok(socket.flush()?);
                }
            }
            match socket.read() {
                Ok(Message::Text(text)) => self.obey(text.as_str(), &mut socket, first.as_ref())?,
                Ok(Message::Close(_)) => return Ok(socket.flush()?),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if is_late(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends the messages of a state to whose channels the client subscribed, and before them their time.
    fn send_state(
        &self,
        socket: &mut WebSocket<TcpStream>,
        state: &[messages::Message],
    ) -> Result<(), tungstenite::Error> {
        if let Some(first) = state.first() {
            socket.send(Message::binary([&[TIME][..], &first.time.to_le_bytes()].concat()))?;
        }
        state.iter().try_for_each(|message| self.send(socket, message))
    }

    /// Sends a message, if it is of a channel to which the client subscribed.
    fn send(
        &self,
        socket: &mut WebSocket<TcpStream>,
        message: &messages::Message,
    ) -> Result<(), tungstenite::Error> {
        let Some(id) = self.subscribed.get(&(u32::from(message.channel) + 1)) else { return Ok(()) };
        let time = message.time.to_le_bytes();
        socket
            .send(Message::binary([&[MESSAGE_DATA], &id.to_le_bytes()[..], &time, &message.content].concat()))
    }

    /// Does what a message of the client asks for.
    fn obey(
        &mut self,
        text: &str,
        socket: &mut WebSocket<TcpStream>,
        first: Option<&Arc<messages::Message>>,
    ) -> Result<(), tungstenite::Error> {
        match serde_json::from_str(text) {
            Ok(Order::Subscribe { subscriptions }) => {
                for Subscription { id, channel_id: channel } in subscriptions {
                    if channel == 0 || channel as usize > CHANNELS.len() {
                        complain(socket, &format!("there is no channel {channel}"))?;
                    } else if self.subscribed.insert(channel, id).is_none() {
                        self.shared.subscriptions.fetch_add(1, Ordering::SeqCst);
                    }
                    if let Some(first) = first.filter(|first| u32::from(first.channel) + 1 == channel) {
                        self.send(socket, first)?;
                    }
                }
            }
            Ok(Order::Unsubscribe { subscription_ids }) => {
                let before = self.subscribed.len();
                self.subscribed.retain(|_, id| !subscription_ids.contains(id));
                self.shared.subscriptions.fetch_sub(before - self.subscribed.len(), Ordering::SeqCst);
            }
            Ok(Order::Other) => complain(socket, "this server has no capability but time")?,
            Err(error) => complain(socket, &format!("this is not a message of the protocol: {error}"))?,
        }
        Ok(())
    }
}

/// Sends an error that the client shows.
fn complain(socket: &mut WebSocket<TcpStream>, why: &str) -> Result<(), tungstenite::Error> {
    socket.send(Message::text(json!({"op": "status", "level": 2, "message": why}).to_string()))
}

/// The first known subprotocol of a request for a WebSocket.
fn protocol(head: &Head) -> Option<&'static str> {
    let mut asked = head.values("sec-websocket-protocol").flat_map(|value| value.split(',').map(str::trim));
    asked.find_map(|asked| PROTOCOLS.into_iter().find(|known| *known == asked)).filter(|_| head.is_upgrade())
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use tungstenite::protocol::Role;

    use super::*;

    /// A client that subscribes to the first three channels.
    fn subscribed(server: &FoxgloveServer) -> WebSocket<TcpStream> {
        let mut stream = TcpStream::connect(server.local).unwrap();
        write!(
            stream,
            "GET / HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: {}\r\n\r\n",
            server.local, PROTOCOLS[0]
        )
        .unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        let mut socket = WebSocket::from_raw_socket(stream, Role::Client, None);
        let subscriptions = [1, 2, 3].map(|channel| json!({"id": channel, "channelId": channel}));
        let order = json!({"op": "subscribe", "subscriptions": subscriptions});
        socket.send(Message::text(order.to_string())).unwrap();
        socket
    }

    #[test]
    fn a_client_that_does_not_keep_up_misses_whole_states() {
        const SENT: u64 = 8 * STREAM_STATES as u64;
        let server = FoxgloveServer::bind("127.0.0.1", 0, "test").unwrap();
        let mut socket = subscribed(&server);
        while server.shared.subscriptions.load(Ordering::SeqCst) < 3 {
            thread::sleep(POLL);
        }
        // Together more than what the network and the queue hold.
        for time in 1..=SENT {
            let message = |channel| messages::Message { channel, time, content: vec![b' '; 100_000] };
            server.send([0, 1, 2].map(message).into());
        }
        let end = thread::spawn(move || drop(server));
        let mut parts: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        while let Ok(message) = socket.read() {
            let Message::Binary(bytes) = message else { continue };
            if bytes[0] == MESSAGE_DATA {
                let id = u32::from_le_bytes(bytes[1..5].try_into().unwrap());
                let time = u64::from_le_bytes(bytes[5..13].try_into().unwrap());
                parts.entry(time).or_default().push(id);
            }
        }
        end.join().unwrap();
        assert!((1..SENT as usize).contains(&parts.len()), "{} of {SENT} states", parts.len());
        assert!(parts.values().all(|ids| ids[..] == [1, 2, 3]), "{parts:?}");
    }
}
