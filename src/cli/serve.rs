//! `extricate serve`: the viewer in the browser.

use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::run_folder::RunFolder;
use super::terminal::{Console, Exit, Failure};
use extricate_scene::record::export::ExportFormat;
use extricate_serve::{Server, Session, Shown};

const EXAMPLES: &str = "\
Examples:
  extricate serve scenes/repair/figure_on_bench.ron
  extricate serve out/ring_stack
  extricate serve assets/meshes/cup.obj assets/meshes/spoon.obj@0,0,0.4
  extricate serve assets/robots/arm.urdf box:0.4,0.4,0.4@0.5,0,0.3
  extricate serve

Open the printed address in a browser: it has a token, without which nothing is served. Bodies and links are dragged,
depths are shown, overlaps are repaired, scenes run, and files are dropped on the page. The folder of a run may still
be growing. Over SSH, forward the port: ssh -L 8765:127.0.0.1:8765 HOST. Ctrl-C ends the server.";

/// Port that is taken where none is given and it is free.
const PORT: u16 = 8765;

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ServeArguments {
    /// A scene file, a run (its folder, or an .mcap file of it), or robots and shapes, each as SHAPE, SHAPE@X,Y,Z or SHAPE@X,Y,Z,W,QX,QY,QZ.
    #[arg(value_name = "SCENE|RUN|ROBOT|SHAPE")]
    shown: Vec<String>,
    /// Port; 0 is any free one [default: 8765, or any free one].
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Address or name of this machine on which to listen: with another than 127.0.0.1 other machines can connect.
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
}

/// The line that is printed with `--json`.
#[derive(Debug, Serialize)]
struct ServeOutput {
    /// Address of the page, with its token.
    url: String,
}

/// Serves until Ctrl-C.
pub(super) fn execute(console: &mut Console, arguments: &ServeArguments) -> Result<(), Failure> {
    let ServeArguments { shown, port, host } = arguments;
    let run = match shown.as_slice() {
        [run] => RunFolder::find(Path::new(run))?,
        _ => None,
    };
    let what = match &run {
        Some(run) => Shown::Run(run.path().to_owned()),
        None => what(console, shown)?,
    };
    let session = Session::new(what, console.access().clone())?;
    let bind = |port: u16, session| Server::bind(host, port, session);
    let server = match port {
        Some(port) => bind(*port, session),
        // Looks whether the port is free before the session is given away.
        None if std::net::TcpListener::bind((host.as_str(), PORT)).is_ok() => bind(PORT, session),
        None => bind(0, session),
    };
    let server = server.map_err(|error| Failure::of(Exit::Usage, &error))?;
    let url = server.url();
    match console.json() {
        true => console.json_line(&ServeOutput { url })?,
        false => console.line(url)?,
    }
    console.flush()?;
    if !server.is_local() {
        console.note(
            "warning: other machines can connect, unencrypted: whoever has the address can use this server",
        );
    }
    server.run(&|| console.is_interrupted());
    Ok(())
}

/// Content that the arguments name.
fn what(console: &Console, shown: &[String]) -> Result<Shown, Failure> {
    let is_scene = |text: &String| Path::new(text).extension().is_some_and(|extension| extension == "ron");
    let is_run = |text: &String| {
        Path::new(text).is_dir() || ExportFormat::of(Path::new(text)) == Some(ExportFormat::Mcap)
    };
    match shown {
        [] => Ok(Shown::Nothing),
        [scene] if is_scene(scene) => Ok(Shown::Scene(Box::new(console.access().scene(scene)?))),
        several if several.iter().any(|text| is_scene(text) || is_run(text)) => {
            let why =
                "a scene or the folder of a run is shown by itself: give one of them, or robots and shapes";
            Err(Failure::new(Exit::Usage, why))
        }
        arguments => Ok(Shown::Arguments(arguments.to_vec())),
    }
}
