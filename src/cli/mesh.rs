//! `extricate mesh`: generates a procedural mesh. The kinds and their parameters are those of `geometry::procedural`,
//! and every kind has its own help with meanings, units and defaults.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, value_parser};
use serde::Serialize;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_core::geometry::procedural::{self, KINDS, Kind, SCALE};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::write::{Encoding, write_mesh_as};

/// MeshArguments of `extricate mesh`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MeshArguments {
    #[command(subcommand)]
    shape: Shape,
}

const EXAMPLES: &str = "\
Examples:
  extricate mesh torus --major-radius 1 --minor-radius 0.2 -o ring.obj
  extricate mesh blob --frequency 80 --seed 7 -o boulder.ply
  extricate mesh cup --help";

/// A kind with its parameters, and the output.
#[derive(Debug)]
struct Shape {
    kind: &'static Kind,
    parameters: BTreeMap<String, f64>,
    output: PathBuf,
    encoding: Encoding,
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct MeshAnswer<'a> {
    kind: &'static str,
    output: String,
    #[serde(flatten)]
    report: &'a MeshReport,
}

/// Generates the mesh, writes it and reports its quality.
pub(super) fn execute(console: &mut Console, arguments: &MeshArguments) -> Result<(), Failure> {
    let Shape { kind, parameters, output, encoding } = &arguments.shape;
    let mesh = procedural::build(kind.name, parameters).map_err(|error| Failure::of(Exit::Usage, &error))?;
    write_mesh_as(&mesh, output, *encoding).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let report = MeshReport::of(&mesh);
    if console.json() {
        return console.json_line(&MeshAnswer {
            kind: kind.name,
            output: output.display().to_string(),
            report: &report,
        });
    }
    console.line(format_args!("{} → {}", kind.name, output.display()))?;
    console.line(report)
}

impl Subcommand for Shape {
    fn augment_subcommands(command: Command) -> Command {
        command
            .subcommands(KINDS.iter().map(command_of))
            .subcommand_value_name("KIND")
            .subcommand_help_heading("Kinds")
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        procedural::kind(&snake_case(name)).is_ok()
    }
}

impl FromArgMatches for Shape {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, own) = matches.subcommand().ok_or_else(missing)?;
        let kind = procedural::kind(&snake_case(name)).map_err(|_| missing())?;
        let names = kind.parameters.iter().map(|parameter| parameter.name).chain([SCALE]);
        let given = names.filter_map(|name| Some((name.to_owned(), *own.get_one::<f64>(name)?)));
        let output = own.get_one::<PathBuf>("output").ok_or_else(missing)?.clone();
        let encoding = if own.get_flag("text") { Encoding::Text } else { Encoding::Binary };
        Ok(Self { kind, parameters: given.collect(), output, encoding })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The command of one kind: an option for each of its parameters.
fn command_of(kind: &Kind) -> Command {
    let option = |name: &'static str, is_count: bool, default: f64, about: &[&str]| {
        Arg::new(name)
            .long(name.replace('_', "-"))
            .aliases(name.contains('_').then_some(name))
            .value_name(if is_count { "COUNT" } else { "NUMBER" })
            .value_parser(value_parser!(f64))
            .allow_negative_numbers(true)
            .help(format!("{} [default: {default}]", paragraph(about).trim_end_matches('.')))
    };
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .required(true)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("File to write: .obj, .ply or .stl");
    let text = Arg::new("text")
        .long("text")
        .action(ArgAction::SetTrue)
        .help("Write .ply and .stl as text instead of binary");
    let own = kind
        .parameters
        .iter()
        .map(|parameter| option(parameter.name, parameter.is_count, parameter.default, parameter.about));
    Command::new(kind.name)
        .aliases(kind.name.contains('_').then(|| kind.name.replace('_', "-")))
        .about(paragraph(kind.about))
        .args(own)
        .arg(option(SCALE, false, 1.0, &["Factor on every length"]))
        .args([output, text])
}

/// Lines of documentation as one paragraph.
fn paragraph(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn snake_case(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<MeshArguments, clap::Error> {
        let command = MeshArguments::augment_args(Command::new("mesh"));
        let matches = command.try_get_matches_from(words.split(' '))?;
        MeshArguments::from_arg_matches(&matches)
    }

    #[test]
    fn every_kind_has_a_valid_command() {
        MeshArguments::augment_args(Command::new("mesh")).debug_assert();
        for kind in KINDS {
            let shape = parse(&format!("mesh {} -o a.obj", kind.name)).unwrap().shape;
            assert_eq!((shape.kind.name, shape.parameters.len()), (kind.name, 0));
        }
    }

    #[test]
    fn parameters_are_taken_with_dashes_and_underscores() {
        let shape =
            parse("mesh torus-knot --tube_radius 0.1 --minor-radius 0.3 --scale -2 -o a.obj").unwrap().shape;
        assert_eq!(shape.kind.name, "torus_knot");
        let given = [("minor_radius", 0.3), ("scale", -2.0), ("tube_radius", 0.1)];
        assert_eq!(shape.parameters, BTreeMap::from(given.map(|(name, value)| (name.to_owned(), value))));
    }

    #[test]
    fn a_mesh_without_output_or_with_an_unknown_parameter_is_a_usage_error() {
        assert!(parse("mesh torus").is_err() && parse("mesh torus -o a.obj --radius 1").is_err());
        assert!(parse("mesh").is_err() && parse("mesh tortus -o a.obj").is_err());
    }

    #[test]
    fn the_help_of_a_kind_states_meanings_units_and_defaults() {
        let help = parse("mesh torus --help").unwrap_err().to_string();
        assert!(help.contains("Radius of the tube [m] [default: 0.2]"), "{help}");
    }
}
