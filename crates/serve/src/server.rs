//! The server: a listener on the loopback interface, and a thread for each connection.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

use crate::gate::{Gate, Refusal};
use crate::head::{Head, HeadError};
use crate::limits::{CONNECTIONS, HEAD_BYTES, MESSAGE_BYTES, WRITE_TIME};
use crate::page::PageFile;
use crate::session::{Reply, Session};

/// Interval at which the listener looks for a connection, and for the request to stop.
const POLL: Duration = Duration::from_millis(10);

/// Headers of every response: nothing of another server is loaded, and nothing is cached or passed on.
const HEADERS: &str = "Cache-Control: no-store\r\nConnection: close\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; form-action 'none'; base-uri 'none'\r\n\
    Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n";

/// Error of the server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The address is not one of this machine, or the port is taken.
    #[error("cannot listen on {host}:{port}: {source}")]
    Listen {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The cause.
        source: io::Error,
    },
    /// The system has no random numbers.
    #[error("the system provides no random numbers for the token: {0}")]
    Random(getrandom::Error),
    /// The folder of dropped files cannot be created.
    #[error("cannot create a folder for dropped files: {0}")]
    Folder(io::Error),
}

/// A server of a session.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    gate: Gate,
    host: String,
    local: SocketAddr,
    session: Arc<Session>,
}

impl Server {
    /// A server that listens on an address or name of this machine; port 0 is any free one.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn bind(host: &str, port: u16, session: Session) -> Result<Self, ServeError> {
        let listen = || {
            let address = (host, port).to_socket_addrs()?.next();
            let listener = TcpListener::bind(address.ok_or(io::ErrorKind::AddrNotAvailable)?)?;
            listener.set_nonblocking(true)?;
            Ok((listener.local_addr()?, listener))
        };
        let (local, listener) =
            listen().map_err(|source| ServeError::Listen { host: host.to_owned(), port, source })?;
        let gate = Gate::new(host).map_err(ServeError::Random)?;
        Ok(Self { listener, gate, host: host.to_owned(), local, session: Arc::new(session) })
    }

    /// Address of the page, with the token.
    #[must_use]
    pub fn url(&self) -> String {
        let (host, port) = (&self.host, self.local.port());
        let host = match host.parse::<IpAddr>() {
            Ok(address) if address.is_unspecified() => String::from("localhost"),
            Ok(IpAddr::V6(address)) => format!("[{address}]"),
            _ => host.clone(),
        };
        format!("http://{host}:{port}/{}/", self.gate.token())
    }

    /// Whether only this machine can connect.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.local.ip().is_loopback()
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Serves until `stop` returns true.
    pub fn run(&self, stop: &dyn Fn() -> bool) {
        let open = Arc::new(AtomicUsize::new(0));
        while !stop() {
            let Ok((stream, _)) = self.listener.accept() else {
                thread::sleep(POLL);
                continue;
            };
            if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
                open.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            let (gate, session, open) = (self.gate.clone(), Arc::clone(&self.session), Arc::clone(&open));
            thread::spawn(move || {
                // A connection that ends is not an error of the server.
                let _ = serve(stream, &gate, &session);
                open.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }
}

/// Serves a connection: one file, or a WebSocket until it is closed.
fn serve(mut stream: TcpStream, gate: &Gate, session: &Session) -> Result<(), Box<dyn std::error::Error>> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let head = match Head::read(&mut stream) {
        Ok(head) => head,
        Err(HeadError::Io(error)) => return Err(error.into()),
        Err(HeadError::Malformed(_)) => {
            return refuse(&mut stream, "400 Bad Request", "This is not a request.");
        }
        Err(HeadError::TooLong) => {
            let why = format!("The head of a request may have {HEAD_BYTES} bytes.");
            return refuse(&mut stream, "431 Request Header Fields Too Large", &why);
        }
    };
    let path = match gate.admit(&head) {
        Ok(path) => path,
        Err(Refusal::Token) => {
            let why = "Open the address that `extricate serve` printed: it ends in a token.";
            return refuse(&mut stream, "403 Forbidden", why);
        }
        Err(Refusal::Host) => {
            let why = "This server is reached by its address, by localhost, or by the name of --host.";
            return refuse(&mut stream, "403 Forbidden", why);
        }
        Err(Refusal::Origin) => {
            return refuse(&mut stream, "403 Forbidden", "Pages of other servers are not admitted.");
        }
    };
    match (head.method.as_str(), path) {
        ("GET", "socket") if head.is_upgrade() => converse(stream, &head, session),
        ("GET", path) => match PageFile::find(path) {
            Some(file) => respond(&mut stream, "200 OK", file.media, file.bytes),
            None => refuse(&mut stream, "404 Not Found", "There is no such file."),
        },
        _ => refuse(&mut stream, "405 Method Not Allowed", "Files are read with GET."),
    }
}

fn refuse(stream: &mut TcpStream, status: &str, why: &str) -> Result<(), Box<dyn std::error::Error>> {
    respond(stream, status, "text/plain; charset=utf-8", format!("{why}\n").as_bytes())
}

fn respond(
    stream: &mut TcpStream,
    status: &str,
    media: &str,
    body: &[u8],
) -> Result<(), Box<dyn std::error::Error>> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n{HEADERS}\r\n");
    stream.write_all(&[head.as_bytes(), body].concat())?;
    Ok(stream.flush()?)
}

/// The proof that a request for a WebSocket was understood [RFC 6455 §4.2.2]; none where it is not such a request.
fn accepted(head: &Head) -> Option<String> {
    const NAME: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    let key = head.values("sec-websocket-key").next()?;
    let is_key = STANDARD.decode(key).is_ok_and(|bytes| bytes.len() == 16);
    let is_known = head.values("sec-websocket-version").any(|version| version == "13");
    let asks = |value: &str| value.split(',').any(|part| part.trim().eq_ignore_ascii_case("upgrade"));
    let digest = sha1_smol::Sha1::from([key, NAME].concat()).digest().bytes();
    (is_key && is_known && head.values("connection").any(asks)).then(|| STANDARD.encode(digest))
}

/// Answers the messages of a WebSocket, one after another.
fn converse(mut stream: TcpStream, head: &Head, session: &Session) -> Result<(), Box<dyn std::error::Error>> {
    let Some(accept) = accepted(head) else {
        return refuse(
            &mut stream,
            "400 Bad Request",
            "This is not a request for a WebSocket of version 13.",
        );
    };
    let switched = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(switched.as_bytes())?;
    stream.set_read_timeout(None)?;
    let config =
        WebSocketConfig::default().max_message_size(Some(MESSAGE_BYTES)).max_frame_size(Some(MESSAGE_BYTES));
    let mut socket = WebSocket::from_partially_read(stream, head.rest.clone(), Role::Server, Some(config));
    loop {
        let reply = match socket.read()? {
            Message::Text(text) => session.handle(text.as_str()),
            Message::Binary(bytes) => session.receive(&bytes),
            Message::Close(_) => {
                // Confirms the end.
                socket.flush()?;
                return Ok(());
            }
            _ => continue,
        };
        socket.send(match reply {
            Reply::Json(value) => Message::text(value.to_string()),
            Reply::Binary(bytes) => Message::binary(bytes),
        })?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_is_answered_as_in_the_example_of_the_standard() {
        let text = "GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
        let head = |text: &str| Head::parse(text.as_bytes()).unwrap().unwrap();
        assert_eq!(accepted(&head(text)).as_deref(), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
        assert_eq!(accepted(&head(&text.replace("Version: 13", "Version: 8"))), None);
        assert_eq!(accepted(&head(&text.replace("dGhlIHNhbXBsZSBub25jZQ==", "short"))), None);
    }
}
