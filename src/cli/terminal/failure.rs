//! Failures of commands, with the exit codes that `docs/cli.md` specifies.

use std::io::{self, IsTerminal};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, Report};

/// Exit codes.
pub(in crate::cli) use extricate_scene::request::Class as Exit;
use extricate_scene::request::Fault;
use extricate_scene::scene::SceneError;

/// Failure of a command.
#[derive(Debug)]
pub(in crate::cli) enum Failure {
    /// An exit code, and a message of one line.
    Message(Exit, String),
    /// An exit code, and a report with the location in a file.
    Located(Exit, Report),
    /// An exit code; everything has been printed.
    Silent(Exit),
    /// The reader closed the output, which is not an error.
    OutputClosed,
}

impl Failure {
    /// A failure with a message of one line.
    pub(in crate::cli) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self::Message(exit, message.into())
    }

    /// A failure with the message of an error.
    pub(in crate::cli) fn of(exit: Exit, error: &dyn std::error::Error) -> Self {
        Self::new(exit, error.to_string())
    }

    /// Its exit code, if it has one.
    pub(in crate::cli) fn exit(&self) -> Option<Exit> {
        match self {
            Self::Message(exit, _) | Self::Located(exit, _) | Self::Silent(exit) => Some(*exit),
            Self::OutputClosed => None,
        }
    }

    /// Text of the failure, without colours.
    pub(in crate::cli) fn text(&self) -> String {
        match self {
            Self::Message(_, message) => message.clone(),
            Self::Located(_, report) => {
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

    /// Prints the failure on stderr and returns the exit code of the process.
    #[expect(clippy::print_stderr, reason = "the one place where a command prints its failure")]
    pub(in crate::cli) fn print(self) -> u8 {
        match self {
            Self::Message(exit, message) => {
                eprintln!("error: {message}");
                exit.exit_code()
            }
            Self::Located(exit, report) => {
                eprintln!("{report:?}");
                exit.exit_code()
            }
            Self::Silent(exit) => exit.exit_code(),
            Self::OutputClosed => 0,
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        match error {
            SceneError::Invalid { mut problems } if problems.len() == 1 => {
                Self::Located(Exit::BadFile, problems.remove(0).into())
            }
            SceneError::Invalid { problems } => {
                let message = format!("the scene has {} errors", problems.len());
                Self::Located(Exit::BadFile, Several { message, problems }.into())
            }
            other => Self::of(Exit::BadFile, &other),
        }
    }
}

/// Installs the formatter of reports; once per process. Lines are wrapped on a terminal only, so that other programs find
/// the `file:line:column` at which a report starts.
pub(in crate::cli) fn install_report_handler() {
    if !io::stderr().is_terminal() {
        let plain =
            || GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_wrap_lines(false);
        // The only error is that a handler is installed already, which then stays.
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

/// Error of writing to stdout.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::new(Exit::Usage, format!("cannot write the output: {error}"))
        }
    }
}
