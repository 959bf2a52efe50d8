//! `replay READER FILE|DIR …`: gives files to a reader, without libFuzzer: to see a crash again, and to measure coverage.

use std::path::{Path, PathBuf};

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let reader = arguments.next().and_then(|name| name.into_string().ok()).expect("the name of a reader");
    let mut files = Vec::new();
    arguments.map(PathBuf::from).for_each(|path| collect(&path, &mut files));
    files.sort();
    for file in &files {
        extricate_fuzz::feed(&reader, &std::fs::read(file).expect("a file"));
    }
    println!("{reader}: {} files", files.len());
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("a folder");
        entries.for_each(|entry| collect(&entry.expect("an entry").path(), files));
    } else {
        files.push(path.to_owned());
    }
}
