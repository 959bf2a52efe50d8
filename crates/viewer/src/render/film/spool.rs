//! Storage of pictures in a temporary file until all of them are known: a film may be larger than memory.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};

use image::RgbImage;

use super::draft::Draft;
use crate::ViewError;

/// Pictures of one size in a file that is removed with the value.
pub(super) struct Spool {
    draft: Draft,
    file: BufWriter<File>,
    size: [u32; 2],
    count: usize,
}

impl Spool {
    /// An empty spool in the file of a draft.
    pub(super) fn new(draft: Draft, size: [u32; 2]) -> Result<Self, ViewError> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(draft.file());
        let file = file.map_err(|source| ViewError::write(draft.target(), source))?;
        Ok(Self { draft, file: BufWriter::new(file), size, count: 0 })
    }

    pub(super) fn add(&mut self, picture: &RgbImage) -> Result<(), ViewError> {
        assert_eq!([picture.width(), picture.height()], self.size, "pictures of a film have one size");
        self.count += 1;
        let written = self.file.write_all(picture.as_raw());
        written.map_err(|source| ViewError::write(self.draft.target(), source))
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Calls `take` with the index and content of every picture, in order.
    pub(super) fn each(
        &mut self,
        mut take: impl FnMut(usize, &RgbImage) -> Result<(), ViewError>,
    ) -> Result<(), ViewError> {
        let wrong = |source| ViewError::write(self.draft.target(), source);
        self.file.flush().and_then(|()| self.file.get_mut().rewind()).map_err(wrong)?;
        let mut reader = BufReader::new(self.file.get_mut());
        let mut picture = RgbImage::new(self.size[0], self.size[1]);
        for index in 0..self.count {
            reader.read_exact(&mut picture).map_err(wrong)?;
            take(index, &picture)?;
        }
        Ok(())
    }
}
