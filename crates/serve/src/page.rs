//! The files of the page, which are part of the program.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageFile {
    /// Path below the token.
    path: &'static str,
    /// Media type.
    pub(crate) media: &'static str,
    pub(crate) bytes: &'static [u8],
}

macro_rules! files {
    ($($path:literal $file:literal $media:literal;)*) => {
        &[$(PageFile { path: $path, media: $media, bytes: include_bytes!(concat!("../page/", $file)) },)*]
    };
}

const FILES: &[PageFile] = files! {
    "" "index.html" "text/html; charset=utf-8";
    "style.css" "style.css" "text/css; charset=utf-8";
    "icon.svg" "icon.svg" "image/svg+xml";
    "main.js" "main.js" "text/javascript; charset=utf-8";
    "link.js" "link.js" "text/javascript; charset=utf-8";
    "drawing.js" "drawing.js" "text/javascript; charset=utf-8";
    "marks.js" "marks.js" "text/javascript; charset=utf-8";
    "panel.js" "panel.js" "text/javascript; charset=utf-8";
    "dragging.js" "dragging.js" "text/javascript; charset=utf-8";
    "files.js" "files.js" "text/javascript; charset=utf-8";
    "three.min.js" "three.min.js" "text/javascript; charset=utf-8";
    "three.LICENSE" "three.LICENSE" "text/plain; charset=utf-8";
};

impl PageFile {
    /// The file of a path below the token.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        FILES.iter().find(|file| file.path == path)
    }
}
