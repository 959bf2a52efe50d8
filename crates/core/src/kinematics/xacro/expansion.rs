//! Expansion of macros, in a thread with a large stack and a time limit.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;

use xacro_rs::extensions::ExtensionHandler;
use xacro_rs::{XacroError, XacroProcessor};

use super::include::{REFUSED, YAML, folder_of};
use super::source::{DEPTH, SECONDS, Source, TEXT_BYTES};
use super::yaml;
use crate::geometry::read::reach::FileScope;
use crate::kinematics::packages::Packages;

/// Stack of the thread [bytes]: half of it suffices for [`DEPTH`] levels of nested expressions.
const STACK: usize = 256 << 20;

/// Expands a text without includes.
///
/// # Errors
/// A message with the cause.
pub(super) fn run(source: &Source<'_>, text: String, refusals: Vec<String>) -> Result<String, String> {
    // Functions of expressions may call themselves without end, and robots need none.
    if text.contains("lambda") {
        return Err("functions in expressions (lambda) are not supported".to_owned());
    }
    let names = Names {
        robot: source.path.to_owned(),
        given: source.packages.to_vec(),
        reach: source.reach.clone(),
        refusals,
    };
    let arguments = source.arguments.iter().cloned().collect();
    let (sender, receiver) = mpsc::channel();
    let expand = move || {
        // The receiver is gone where the time is over.
        let _ = sender.send(names.expand(&text, arguments));
    };
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(expand)
        .map_err(|error| format!("no thread can be started: {error}"))?;
    let expanded = match receiver.recv_timeout(Duration::from_secs(SECONDS)) {
        Ok(expanded) => expanded?,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            return Err(format!("its macros take longer than {SECONDS} s"));
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => return Err("its macros cannot be evaluated".to_owned()),
    };
    if expanded.len() > TEXT_BYTES {
        return Err(format!("it expands to more than {TEXT_BYTES} bytes"));
    }
    Ok(expanded)
}

/// Names that substitutions refer to.
struct Names {
    robot: PathBuf,
    given: Vec<PathBuf>,
    reach: FileScope,
    refusals: Vec<String>,
}

/// Substitutions `$(find PACKAGE)`, `$(env NAME)`, `$(optenv NAME DEFAULT)`.
struct Substitution {
    names: Names,
    /// Folders of packages that were found, by name.
    packages: RefCell<HashMap<String, String>>,
    /// The last failure.
    cause: Rc<RefCell<Option<String>>>,
}

impl Names {
    fn expand(self, text: &str, arguments: HashMap<String, String>) -> Result<String, String> {
        let cause = Rc::<RefCell<Option<String>>>::default();
        let substitution =
            Substitution { names: self, packages: RefCell::default(), cause: Rc::clone(&cause) };
        let processor = XacroProcessor::builder()
            .clear_extensions()
            .with_extension(Box::new(substitution))
            .with_args(arguments)
            .with_compat_all()
            .with_max_depth(DEPTH)
            .build();
        let expanded = processor.run_from_string(text);
        expanded.map_err(|error| cause.take().unwrap_or_else(|| message(&error)))
    }
}

impl Substitution {
    fn value(&self, command: &str, arguments: &str) -> Result<Option<String>, String> {
        let mut words = arguments.split_whitespace();
        let name = words.next().unwrap_or_default();
        match command {
            "find" => {
                if let Some(known) = self.packages.borrow().get(name) {
                    return Ok(Some(known.clone()));
                }
                let Names { robot, given, reach, .. } = &self.names;
                let folder = folder_of(&mut Packages::of(robot, given, reach), name)?;
                self.packages.borrow_mut().insert(name.to_owned(), folder.clone());
                Ok(Some(folder))
            }
            "env" => match std::env::var(name) {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(format!("the environment variable {name} of $(env {name}) is not set")),
            },
            "optenv" => {
                let otherwise = || words.collect::<Vec<_>>().join(" ");
                Ok(Some(std::env::var(name).unwrap_or_else(|_| otherwise())))
            }
            YAML => {
                let Names { robot, reach, .. } = &self.names;
                let file = arguments.trim().trim_start_matches("file://");
                let path = robot.parent().unwrap_or(Path::new("")).join(file);
                reach.check(&path, robot).map_err(|error| error.to_string())?;
                yaml::literal(&path).map(Some)
            }
            REFUSED => {
                let refusal = name.parse().ok().and_then(|index: usize| self.names.refusals.get(index));
                Err(refusal.cloned().unwrap_or_else(|| format!("unknown substitution $({command})")))
            }
            _ => Ok(None),
        }
    }
}

impl ExtensionHandler for Substitution {
    fn resolve(&self, command: &str, arguments: &str) -> Result<Option<String>, Box<dyn Error>> {
        self.value(command, arguments).map_err(|cause| {
            *self.cause.borrow_mut() = Some(cause.clone());
            cause.into()
        })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The message of an error on one line, without its list of the macros that were open.
fn message(error: &XacroError) -> String {
    let error = match error {
        XacroError::WithContext { source, .. } => &**source,
        error => error,
    };
    if let XacroError::UnimplementedFeature(feature) = error {
        let element = feature.split_whitespace().next().unwrap_or_default();
        return format!("{element} is neither a macro that is defined nor an element that can be expanded");
    }
    let message = error.to_string();
    if message.contains("load_yaml") {
        return "load_yaml is read only as the whole value of a property".to_owned();
    }
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
