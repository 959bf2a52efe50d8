//! Streams of a run, while it runs, to Foxglove.

use std::time::{Duration, Instant};

use clap::Args;

use super::terminal::{Console, Exit, Failure};
use extricate_dynamics::World;
use extricate_scene::record::export::subject::Subject;
use extricate_scene::record::{ContactPoint, RunDirectory, StateListener, WorldState};
use extricate_serve::FoxgloveServer;

/// Address where none is given: that to which Foxglove connects by default.
const ADDRESS: &str = "127.0.0.1:8765";

/// Delay behind the speed beyond which a run does not catch up.
const MAX_DELAY: Duration = Duration::from_millis(100);

/// Longest time between two looks for Ctrl-C.
const POLL: Duration = Duration::from_millis(50);

/// Options of streams.
#[derive(Debug, Args)]
pub(super) struct StreamArguments {
    /// Stream the recorded states to Foxglove while the scene runs, with their contacts [default address: 127.0.0.1:8765]. Port 0 is any
    /// free one; with another host than 127.0.0.1 other machines can connect.
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = ADDRESS)]
    #[arg(value_parser = address, conflicts_with = "from")]
    foxglove: Option<(String, u16)>,
    /// Of a stream: simulated time per real time, at most; 0 does not limit it.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "foxglove", value_parser = not_negative)]
    speed: f64,
    /// Of a stream: time for which the first step waits for a client to subscribe [s].
    #[arg(long, value_name = "S", default_value_t = 30.0, requires = "foxglove", value_parser = not_negative)]
    wait: f64,
}

fn address(text: &str) -> Result<(String, u16), String> {
    let expected = || String::from("expected HOST:PORT, as 127.0.0.1:8765");
    let (host, port) = text.rsplit_once(':').ok_or_else(expected)?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let port = port.parse().map_err(|_| expected())?;
    if host.is_empty() { Err(expected()) } else { Ok((host.to_owned(), port)) }
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number >= 0.0 && number.is_finite());
    number.ok_or_else(|| String::from("expected a number that is not negative"))
}

impl StreamArguments {
    /// The folder with a stream of its states, and the pace of the run, where a stream is asked for. Waits for a client.
    pub(super) fn start(
        &self,
        console: &Console,
        (world, name): (&World, &str),
        directory: RunDirectory,
    ) -> Result<(RunDirectory, Option<Pace>), Failure> {
        let Some((host, port)) = &self.foxglove else { return Ok((directory, None)) };
        let subject = Subject::of(world).map_err(|error| Failure::of(Exit::BadFile, &error))?;
        let server = FoxgloveServer::bind(host, *port, &format!("extricate {name}"))
            .map_err(|error| Failure::of(Exit::Usage, &error))?;
        server.begin_with(subject.mesh_message(world.time()));
        console.note(format_args!(
            "streaming to Foxglove at {}; waiting {} s for a client",
            server.url(),
            self.wait
        ));
        if !server.is_local() {
            console.note("warning: other machines can connect, unencrypted");
        }
        let patience = Duration::try_from_secs_f64(self.wait).unwrap_or(Duration::MAX);
        server.wait(patience, &|| console.is_interrupted());
        let pace = (self.speed > 0.0).then_some(Pace { speed: self.speed, clock: None });
        Ok((directory.with_listener(Box::new(Stream { server, subject })), pace))
    }
}

/// A stream of the recorded states.
#[derive(Debug)]
struct Stream {
    server: FoxgloveServer,
    subject: Subject,
}

impl StateListener for Stream {
    fn receive(&mut self, world: &World, state: &WorldState) {
        if self.server.has_subscribers() {
            let contacts = ContactPoint::of(world);
            self.server.send(self.subject.state_messages(state, Some(&contacts)));
        }
    }
}

/// The pace of a run: simulated time per real time, at most.
#[derive(Debug)]
pub(super) struct Pace {
    speed: f64,
    /// Real and simulated time \[s\] from which it is measured.
    clock: Option<(Instant, f64)>,
}

impl Pace {
    /// Waits until a simulated time \[s\] is due, or until Ctrl-C.
    pub(super) fn follow(&mut self, console: &Console, time: f64) {
        let (began, from) = *self.clock.get_or_insert((Instant::now(), time));
        let due = Duration::try_from_secs_f64((time - from) / self.speed).unwrap_or_default();
        if began.elapsed() > due + MAX_DELAY {
            self.clock = None;
        }
        while let Some(early) = due.checked_sub(began.elapsed()).filter(|early| !early.is_zero()) {
            if console.is_interrupted() {
                return;
            }
            std::thread::sleep(early.min(POLL));
        }
    }
}
