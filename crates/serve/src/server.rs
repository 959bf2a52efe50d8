//! The server: a listener on the loopback interface, and a thread for each connection.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tungstenite::Message;

use crate::gate::{Gate, Refusal};
use crate::handshake::{open_socket, read_head, refuse, respond};
use crate::head::Head;
use crate::limits::{CONNECTIONS, MESSAGE_BYTES};
use crate::page::PageFile;
use crate::session::{Reply, Session};

/// Interval at which the listener looks for a connection, and for the request to stop.
pub(crate) const POLL: Duration = Duration::from_millis(10);

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
    /// The address is not one of this machine, the port is taken, or the system has no random numbers for the token.
    pub fn bind(host: &str, port: u16, session: Session) -> io::Result<Self> {
        let (local, listener) = listen(host, port)?;
        let gate = Gate::new(host).map_err(|cause| {
            io::Error::other(format!("the system provides no random numbers for the token: {cause}"))
        })?;
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
        self.session.end();
    }
}

/// A listener on an address or name of this machine, which does not block, and its address.
pub(crate) fn listen(host: &str, port: u16) -> io::Result<(SocketAddr, TcpListener)> {
    let listen = || -> io::Result<_> {
        let address = (host, port).to_socket_addrs()?.next();
        let listener = TcpListener::bind(address.ok_or(io::ErrorKind::AddrNotAvailable)?)?;
        listener.set_nonblocking(true)?;
        Ok((listener.local_addr()?, listener))
    };
    listen().map_err(|cause| io::Error::new(cause.kind(), format!("cannot listen on {host}:{port}: {cause}")))
}

/// Serves a connection: one file, or a WebSocket until it is closed.
fn serve(mut stream: TcpStream, gate: &Gate, session: &Session) -> Result<(), Box<dyn std::error::Error>> {
    let Some(head) = read_head(&mut stream)? else { return Ok(()) };
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

/// Answers the messages of a WebSocket, one after another.
fn converse(stream: TcpStream, head: &Head, session: &Session) -> Result<(), Box<dyn std::error::Error>> {
    let Some(mut socket) = open_socket(stream, head, (None, MESSAGE_BYTES))? else { return Ok(()) };
    socket.get_ref().set_read_timeout(None)?;
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
