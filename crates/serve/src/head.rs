//! Head of a request [RFC 9112 §3], read with bounds on its length and its time.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::Instant;

use thiserror::Error;

use crate::limits::{HEAD_BYTES, HEAD_TIME, HEADERS};

/// Head of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// Path, without the query.
    pub(crate) path: String,
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
    /// Bytes that arrived behind the head.
    pub(crate) rest: Vec<u8>,
}

/// Reason for which a head is refused.
#[derive(Debug, Error)]
pub(crate) enum HeadError {
    /// The connection failed, or ended before the head.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a request of HTTP.
    #[error("malformed request: {0}")]
    Malformed(#[from] httparse::Error),
    /// It is too long, or took too long.
    #[error("the head of the request is longer than {HEAD_BYTES} bytes or took longer than {HEAD_TIME:?}")]
    TooLong,
}

impl Head {
    /// Reads a head.
    pub(crate) fn read(stream: &mut TcpStream) -> Result<Self, HeadError> {
        let started = Instant::now();
        let (mut bytes, mut chunk) = (Vec::new(), [0; 2048]);
        loop {
            // Browsers open connections in advance: one that sends nothing is closed without an answer.
            let late = |bytes: &[u8]| match bytes.is_empty() {
                true => HeadError::Io(io::ErrorKind::TimedOut.into()),
                false => HeadError::TooLong,
            };
            let left = HEAD_TIME.checked_sub(started.elapsed()).filter(|left| !left.is_zero());
            stream.set_read_timeout(Some(left.ok_or_else(|| late(&bytes))?))?;
            let count = match stream.read(&mut chunk) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(count) => count,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Err(late(&bytes));
                }
                Err(error) => return Err(error.into()),
            };
            bytes.extend_from_slice(&chunk[..count]);
            if let Some(head) = Self::parse(&bytes)? {
                return Ok(head);
            }
            if bytes.len() > HEAD_BYTES {
                return Err(HeadError::TooLong);
            }
        }
    }

    /// Parses a head; none where it is not complete.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Self>, HeadError> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(length) = request.parse(bytes)? else { return Ok(None) };
        let path = request.path.unwrap_or_default();
        let named = |header: &httparse::Header| {
            (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).trim().to_owned())
        };
        Ok(Some(Self {
            method: request.method.unwrap_or_default().to_owned(),
            path: path.split(['?', '#']).next().unwrap_or_default().to_owned(),
            headers: request.headers.iter().map(named).collect(),
            rest: bytes[length..].to_vec(),
        }))
    }

    /// The values of a header, whose name is given in lower case.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it asks for a WebSocket.
    pub(crate) fn is_upgrade(&self) -> bool {
        self.values("upgrade").any(|value| value.eq_ignore_ascii_case("websocket"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_parsed_without_their_query_and_incomplete_ones_wait() {
        let text = b"GET /a/b?c=d HTTP/1.1\r\nHost: localhost:1\r\nUpgrade: WebSocket\r\n\r\nrest";
        let head = Head::parse(text).unwrap().unwrap();
        assert_eq!((head.method.as_str(), head.path.as_str()), ("GET", "/a/b"));
        assert_eq!(head.values("host").collect::<Vec<_>>(), ["localhost:1"]);
        assert!(head.is_upgrade());
        assert_eq!(head.rest, b"rest");
        assert!(Head::parse(&text[..40]).unwrap().is_none());
        assert!(Head::parse(b"\x16\x03\x01\x02\x00 hello\r\n\r\n").is_err());
    }
}
