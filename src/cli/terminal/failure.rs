//! How a command ends: the exit codes of the contract, and failures that carry theirs.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, Report};

/// Exit codes.
pub(in crate::cli) use extricate_scene::request::Class as Exit;
use extricate_scene::request::Fault;
use extricate_scene::scene::SceneError;

/// Why a command did not end well.
#[derive(Debug)]
pub(in crate::cli) enum Failure {
    /// An exit code, and a line to tell.
    Told(Exit, String),
    /// An exit code, and a report with the place in a file.
    Shown(Exit, Report),
    /// An exit code; everything has been told.
    Silent(Exit),
    /// Nobody reads our output any more: not an error of ours.
    OutputClosed,
}

impl Failure {
    /// A failure with one line of explanation.
    pub(in crate::cli) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self::Told(exit, message.into())
    }

    /// A failure that an error explains.
    pub(in crate::cli) fn of(exit: Exit, error: &dyn std::error::Error) -> Self {
        Self::new(exit, error.to_string())
    }

    /// Its exit code, if it has one.
    pub(in crate::cli) fn exit(&self) -> Option<Exit> {
        match self {
            Self::Told(exit, _) | Self::Shown(exit, _) | Self::Silent(exit) => Some(*exit),
            Self::OutputClosed => None,
        }
    }

    /// What is to be told, without colours.
    pub(in crate::cli) fn text(&self) -> String {
        match self {
            Self::Told(_, message) => message.clone(),
            Self::Shown(_, report) => {
                let mut text = String::new();
                let plain = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
                match plain.with_wrap_lines(false).render_report(&mut text, report.as_ref()) {
                    Ok(()) => text,
                    Err(_) => report.to_string(),
                }
            }
            Self::Silent(_) | Self::OutputClosed => String::new(),
        }
    }

    /// Tells the failure on stderr and returns the exit code of the process.
    #[expect(clippy::print_stderr, reason = "the one place where a command tells its failure")]
    pub(in crate::cli) fn tell(self) -> ExitCode {
        match self {
            Self::Told(exit, message) => {
                eprintln!("error: {message}");
                ExitCode::from(exit.exit_code())
            }
            Self::Shown(exit, report) => {
                eprintln!("{report:?}");
                ExitCode::from(exit.exit_code())
            }
            Self::Silent(exit) => ExitCode::from(exit.exit_code()),
            Self::OutputClosed => ExitCode::SUCCESS,
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        match error {
            SceneError::Invalid { mut problems } if problems.len() == 1 => {
                Self::Shown(Exit::BadFile, problems.remove(0).into())
            }
            SceneError::Invalid { problems } => {
                let message = format!("{} things are wrong with the scene", problems.len());
                Self::Shown(Exit::BadFile, Several { message, problems }.into())
            }
            other => Self::of(Exit::BadFile, &other),
        }
    }
}

/// Chooses how reports are drawn; once a process. Lines are wrapped on a terminal only: elsewhere they stay whole, so
/// that other programs find the `file:line:column` at which a report starts.
pub(in crate::cli) fn draw_reports() {
    if !io::stderr().is_terminal() {
        let plain =
            || GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_wrap_lines(false);
        // The only error is that a drawing was chosen before, and then that one stays.
        let _ = miette::set_hook(Box::new(move |_| Box::new(plain())));
    }
}

/// Several problems under one headline.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
struct Several {
    message: String,
    #[related]
    problems: Vec<extricate_scene::scene::Problem>,
}

impl From<Fault> for Failure {
    fn from(Fault { class, message }: Fault) -> Self {
        Self::new(class, message)
    }
}

/// An error of writing to stdout.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::new(Exit::Usage, format!("cannot write the output: {error}"))
        }
    }
}
