//! Limits of what is received, and of what is kept.

use std::time::Duration;

/// Maximum length of the head of a request \[bytes\]. Browsers send less than 2 KiB.
pub const HEAD_BYTES: usize = 16 << 10;

/// Maximum number of headers of a request.
pub const HEADERS: usize = 64;

/// Time within which the head of a request must have arrived: a connection that sends nothing occupies a thread no longer.
pub const HEAD_TIME: Duration = Duration::from_secs(5);

/// Time after which a client that accepts no data is disconnected.
pub const WRITE_TIME: Duration = Duration::from_secs(30);

/// Maximum number of connections at a time; a browser opens six, and further ones wait.
pub const CONNECTIONS: usize = 32;

/// Maximum length of a message \[bytes\]: that of all files that are dropped at once.
pub const MESSAGE_BYTES: usize = 256 << 20;

/// Maximum length of all files that were dropped in a session \[bytes\].
pub const DROPPED_BYTES: u64 = 1 << 30;

/// Maximum number of files that are dropped at once.
pub const DROPPED_FILES: usize = 2000;

/// Maximum number of folders and length of the path of a dropped file \[bytes\].
pub const DROPPED_PATH: (usize, usize) = (16, 240);

/// Maximum size of the states of a run that are kept \[bytes\]; beyond it every second one is dropped, and every second one of the further.
pub const HISTORY_BYTES: usize = 256 << 20;

/// Maximum length of a message of a client of a stream \[bytes\]: it names the channels that it wants.
pub const ORDER_BYTES: usize = 64 << 10;

/// Maximum number of states that wait for a client of a stream; it misses further ones.
pub const STREAM_STATES: usize = 50;
