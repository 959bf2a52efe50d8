//! A field as an image of VTK (`.vti`), for ParaView and others.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use vtkio::model::{Attribute, Attributes, ByteOrder, DataSet, Extent, ImageDataPiece, Piece, Version, Vtk};

use super::distance_field::DistanceField;
use super::error::FieldError;

impl DistanceField {
    /// Writes the field as an image of VTK: the signed distance [m] at the nodes, as `distance`; not a number where
    /// there is none.
    ///
    /// # Errors
    /// [`FieldError::Io`] when the file cannot be written.
    pub fn write_vtk(&self, path: &Path) -> Result<(), FieldError> {
        let failed = |source: io::Error| FieldError::Io { path: path.to_owned(), source };
        let finite = |value: f64| if value.is_finite() { value } else { f64::NAN };
        let values: Vec<f64> = self.values().map(finite).collect();
        let extent = Extent::Ranges(self.grid.counts.map(|count| 0..=count as i32 - 1));
        let distance = Attribute::scalars("distance", 1).with_data(values);
        let data = Attributes { point: vec![distance], cell: Vec::new() };
        let image = DataSet::ImageData {
            extent: extent.clone(),
            origin: self.grid.origin.map(|x| x as f32).into(),
            spacing: [self.grid.spacing as f32; 3],
            meta: None,
            pieces: vec![Piece::Inline(Box::new(ImageDataPiece { extent, data }))],
        };
        let vtk = Vtk {
            version: Version::new_xml(1, 0),
            title: "distance field".to_owned(),
            byte_order: ByteOrder::LittleEndian,
            data: image,
            file_path: None,
        };
        let file = File::create(path).map_err(failed)?;
        vtk.write_xml(BufWriter::new(file)).map_err(|error| failed(io::Error::other(error.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::FieldOptions;
    use super::*;
    use crate::geometry::procedural::{Cuboid, Procedural};

    #[test]
    fn an_image_has_the_values_of_its_field() {
        let path = std::env::temp_dir().join(format!("extricate-vtk-test-{}.vti", std::process::id()));
        let options = FieldOptions { resolution: 7, ..Default::default() };
        let field = DistanceField::of(&Cuboid::default().mesh().unwrap(), &options).unwrap();
        field.write_vtk(&path).unwrap();
        let read = Vtk::import(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let DataSet::ImageData { pieces, .. } = read.data else { panic!("no image") };
        let Piece::Inline(piece) = &pieces[0] else { panic!("no piece") };
        let Attribute::DataArray(array) = &piece.data.point[0] else { panic!("no array") };
        let values: Vec<f64> = array.data.cast_into().unwrap();
        assert!(values.into_iter().eq(field.values()));
    }
}
