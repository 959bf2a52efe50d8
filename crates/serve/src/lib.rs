//! The viewer in the browser: a server on the loopback interface, and the page that it delivers.
//!
//! A [`Server`] delivers a page, drawn by three.js, and answers the page over a WebSocket. What is shown is a [`Session`]: a scene,
//! which is posed and run, or the record of a run. The page sends commands and asks for frames; the server sends nothing
//! unasked, so that a slow connection gets fewer frames and no queue of old ones.
//!
//! Every request needs the token in its path. The head of a request must name this machine as its host and, where a browser states an
//! origin, be of the same origin, so that pages of other servers, and names that are resolved to this machine by somebody else,
//! are refused.
//!
//! A [`FoxgloveServer`] streams the states of a run, while it runs, to Foxglove and to other programs that read its protocol. It sends and takes no
//! commands, and needs no token.
//!
//! The API of this crate is not stable: use the crate `extricate`.

mod command;
mod dropped;
mod encode;
mod foxglove;
mod frame;
mod gate;
mod handshake;
mod head;
pub mod limits;
mod live;
mod measure;
mod page;
mod playback;
mod posing;
mod search;
mod server;
mod session;
mod stage;

pub use foxglove::FoxgloveServer;
pub use server::Server;
pub use session::{Session, Shown};
