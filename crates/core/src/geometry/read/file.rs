//! Contents of files: regular files up to a maximum size.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::suggestion::missing;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// Errors of the system; files that are not regular (a pipe or device may be endless), or longer than the limit.
pub fn bytes_of(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let found = std::fs::metadata(path).map_err(explained(path))?;
    if found.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder, not a file"));
    }
    if !found.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if found.len() > limit {
        return Err(too_long(found.len(), limit));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read: at most one byte beyond the limit is taken.
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_long(bytes.len() as u64, limit));
    }
    if LFS_POINTERS.iter().any(|pointer| bytes.starts_with(pointer)) {
        let message = "it is a Git LFS pointer instead of the file; `git lfs pull` fetches the file";
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    Ok(bytes)
}

/// Starts of the text that Git LFS, and its first versions, leave in place of a large file.
const LFS_POINTERS: [&[u8]; 2] =
    [b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/"];

/// Names what a missing file lacks, and the one that was probably meant; other errors stay.
pub fn explained(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| match error.kind() {
        ErrorKind::NotFound => io::Error::new(ErrorKind::NotFound, missing(path)),
        _ => error,
    }
}

/// Reads a regular file of at most `limit` bytes as UTF-8 text.
///
/// # Errors
/// As [`bytes_of`], and for text that is not valid UTF-8.
pub fn text_of(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(bytes_of(path, limit)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

fn too_long(length: u64, limit: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("it has {length} bytes, at most {limit} are accepted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_are_read_up_to_the_limit() {
        let path = std::env::temp_dir().join(format!("extricate-file-{}", std::process::id()));
        std::fs::write(&path, "four").unwrap();
        assert_eq!(bytes_of(&path, 4).unwrap(), b"four");
        assert_eq!(bytes_of(&path, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(text_of(&path, 4).unwrap_err().kind(), ErrorKind::InvalidData);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes_of(&path, 4).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(bytes_of(&std::env::temp_dir(), 4).is_err());
        #[cfg(unix)]
        assert!(bytes_of(Path::new("/dev/zero"), 4).unwrap_err().to_string().contains("not a regular file"));
    }
}
