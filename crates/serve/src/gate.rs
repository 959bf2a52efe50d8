//! Admission of requests: the token in the path, the host, and the origin.
//!
//! | attack | what refuses it |
//! |---|---|
//! | another user of the machine, or a page, calls the port | the token: 128 random bits in the path |
//! | a page of another server opens the WebSocket (browsers allow it) | `Origin` must be that of `Host` |
//! | a name of a stranger is resolved to 127.0.0.1 (DNS rebinding) | `Host` must be an address, `localhost`, or a name given by `--host` |

use std::fmt::Write;
use std::net::IpAddr;

use crate::head::Head;

/// Conditions on a request.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    token: String,
    /// Name by which the server was asked to be reached, if it is a name.
    name: Option<String>,
}

/// Reason for which a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The path lacks the token.
    Token,
    /// The host is not this machine.
    Host,
    /// The origin is that of another server.
    Origin,
}

impl Gate {
    /// A gate with a random token.
    pub(crate) fn new(host: &str) -> Result<Self, getrandom::Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let mut token = String::new();
        for byte in random {
            // Writing to a string does not fail.
            let _ = write!(token, "{byte:02x}");
        }
        Ok(Self { token, name: name_of(host) })
    }

    /// The token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// The path behind the token, without a slash, where the request is admitted.
    pub(crate) fn admit<'a>(&self, head: &'a Head) -> Result<&'a str, Refusal> {
        let host = known_host(head, self.name.as_deref()).ok_or(Refusal::Host)?;
        let is_same =
            |origin: &str| origin.strip_prefix("http://").is_some_and(|from| from.eq_ignore_ascii_case(host));
        if !head.values("origin").all(is_same) {
            return Err(Refusal::Origin);
        }
        let path = head.path.strip_prefix('/').unwrap_or_default();
        let (token, path) = path.split_once('/').unwrap_or((path, "\0"));
        if is_equal(token.as_bytes(), self.token.as_bytes()) { Ok(path) } else { Err(Refusal::Token) }
    }
}

/// The host of a request, where it has one and that is an address, `localhost`, or the name of this server; its port may be that of a tunnel.
pub(crate) fn known_host<'a>(head: &'a Head, name: Option<&str>) -> Option<&'a str> {
    let mut hosts = head.values("host");
    hosts.next().filter(|host| hosts.next().is_none() && is_known(host, name))
}

fn is_known(host: &str, own: Option<&str>) -> bool {
    let host = host.to_ascii_lowercase();
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(address, _)| address);
    let name = bracketed.unwrap_or_else(|| host.split(':').next().unwrap_or_default());
    name.parse::<IpAddr>().is_ok() || name == "localhost" || own == Some(name)
}

/// The name by which a server is reached, in lower case, where its host is a name.
pub(crate) fn name_of(host: &str) -> Option<String> {
    Some(host.to_ascii_lowercase()).filter(|host| host.parse::<IpAddr>().is_err())
}

/// Equality in a time that does not depend on where the texts differ.
fn is_equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(path: &str, headers: &str) -> Head {
        use std::io::Write;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        write!(client, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
        Head::read(&mut listener.accept().unwrap().0).unwrap()
    }

    #[test]
    fn only_requests_with_the_token_from_this_machine_and_this_page_are_admitted() {
        let gate = Gate::new("Box.example").unwrap();
        let path = format!("/{}/socket", gate.token());
        let admit = |path: &str, headers: &str| gate.admit(&head(path, headers)).map(str::to_owned);
        let here = "Host: 127.0.0.1:80\r\n";
        assert_eq!(admit(&path, here), Ok(String::from("socket")));
        assert_eq!(admit(&path, "Host: [::1]:80\r\nOrigin: http://[::1]:80\r\n"), Ok(String::from("socket")));
        assert_eq!(
            admit(&path, "Host: localhost:9000\r\nOrigin: http://localhost:9000\r\n"),
            Ok(String::from("socket"))
        );
        assert_eq!(admit(&path, "Host: box.example:80\r\n"), Ok(String::from("socket")));
        for token in ["", &"0".repeat(32), &gate.token()[1..]] {
            assert_eq!(admit(&format!("/{token}/socket"), here), Err(Refusal::Token), "{token}");
        }
        for host in [
            "",
            "Host: evil.example\r\n",
            "Host: localhost.evil.example\r\n",
            "Host: localhost\r\nHost: localhost\r\n",
        ] {
            assert_eq!(admit(&path, host), Err(Refusal::Host), "{host}");
        }
        for origin in ["http://evil.example", "http://127.0.0.1:81", "https://127.0.0.1:80", "null"] {
            assert_eq!(
                admit(&path, &format!("{here}Origin: {origin}\r\n")),
                Err(Refusal::Origin),
                "{origin}"
            );
        }
    }
}
