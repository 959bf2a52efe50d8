//! Responses to requests, and the handshake of a WebSocket.

use std::error::Error;
use std::io::Write;
use std::net::TcpStream;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tungstenite::WebSocket;
use tungstenite::protocol::{Role, WebSocketConfig};

use crate::head::{Head, HeadError};
use crate::limits::{HEAD_BYTES, WRITE_TIME};

/// Headers of every response: nothing of another server is loaded, and nothing is cached or passed on.
const HEADERS: &str = "Cache-Control: no-store\r\nConnection: close\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; form-action 'none'; base-uri 'none'\r\n\
    Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n";

/// Head of the request of a new connection; none where it was refused.
pub(crate) fn read_head(stream: &mut TcpStream) -> Result<Option<Head>, Box<dyn Error>> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE_TIME))?;
    match Head::read(stream) {
        Ok(head) => return Ok(Some(head)),
        Err(HeadError::Io(error)) => return Err(error.into()),
        Err(HeadError::Malformed(_)) => refuse(stream, "400 Bad Request", "This is not a request.")?,
        Err(HeadError::TooLong) => {
            let why = format!("The head of a request may have {HEAD_BYTES} bytes.");
            refuse(stream, "431 Request Header Fields Too Large", &why)?;
        }
    }
    Ok(None)
}

pub(crate) fn refuse(stream: &mut TcpStream, status: &str, why: &str) -> Result<(), Box<dyn Error>> {
    respond(stream, status, "text/plain; charset=utf-8", format!("{why}\n").as_bytes())
}

pub(crate) fn respond(
    stream: &mut TcpStream,
    status: &str,
    media: &str,
    body: &[u8],
) -> Result<(), Box<dyn Error>> {
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

/// Opens the WebSocket that a request asks for, with a subprotocol and a maximum length of the messages that are received \[bytes\]; none
/// where the request was refused.
pub(crate) fn open_socket(
    mut stream: TcpStream,
    head: &Head,
    (protocol, longest): (Option<&str>, usize),
) -> Result<Option<WebSocket<TcpStream>>, Box<dyn Error>> {
    let Some(accept) = accepted(head) else {
        let why = "This is not a request for a WebSocket of version 13.";
        refuse(&mut stream, "400 Bad Request", why)?;
        return Ok(None);
    };
    let protocol = protocol.map_or_else(String::new, |name| format!("Sec-WebSocket-Protocol: {name}\r\n"));
    let switched = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{protocol}\r\n"
    );
    stream.write_all(switched.as_bytes())?;
    let config = WebSocketConfig::default().max_message_size(Some(longest)).max_frame_size(Some(longest));
    Ok(Some(WebSocket::from_partially_read(stream, head.rest.clone(), Role::Server, Some(config))))
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
