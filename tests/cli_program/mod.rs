//! The binary as a program, and folders for its files.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code; −1 where a signal ended it.
    pub(crate) exit: i32,
    /// What it said on stdout.
    pub(crate) stdout: String,
    /// What it said on stderr.
    pub(crate) stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self {
            exit: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// The program, not yet started.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_extricate"))
}

/// Runs the program.
pub(crate) fn extricate<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Ended {
    program().args(arguments).output().expect("the program starts").into()
}

/// A folder of one test; it goes away with the value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("extricate-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("a folder for the test can be made");
        Self(path)
    }

    /// Path of a file in it.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the path is UTF-8").to_owned()
    }

    /// Whether something of that name is in it.
    pub(crate) fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).expect("a file of the test can be written");
        self.path(name)
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("the file can be read")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind is in target/ and harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
