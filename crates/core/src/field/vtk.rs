//! Export of a field as VTK image data (`.vti`), for ParaView and others.

use std::io::{self, Write};
use std::path::Path;

use super::distance_field::DistanceField;
use crate::geometry::read::error::FileError;
use crate::geometry::vtk::{Values, write_array, write_file};
use crate::geometry::write::write_atomically;

impl DistanceField {
    /// Writes the field as VTK image data: the signed distance \[m\] at the nodes, as `distance`; NaN where there is none.
    ///
    /// # Errors
    /// [`FileError::Io`] when the file cannot be written.
    pub fn write_vtk(&self, path: &Path) -> Result<(), FileError> {
        let finite = |value: f64| if value.is_finite() { value } else { f64::NAN };
        let values: Vec<f64> = self.values().map(finite).collect();
        write_atomically(path, |file| write_file(file, "ImageData", |file| self.write_image(file, &values)))
    }

    fn write_image(&self, file: &mut dyn Write, values: &[f64]) -> io::Result<()> {
        let [x, y, z] = self.grid.counts.map(|count| count - 1);
        let [origin, spacing] = [self.grid.origin.coords.into(), [self.grid.spacing; 3]]
            .map(|[x, y, z]: [f64; 3]| format!("{x} {y} {z}"));
        let extent = format!("0 {x} 0 {y} 0 {z}");
        writeln!(file, "<ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\">")?;
        writeln!(file, "<Piece Extent=\"{extent}\">\n<PointData Scalars=\"distance\">")?;
        write_array(file, "distance", 1, &Values::Float64(values))?;
        writeln!(file, "</PointData>\n</Piece>\n</ImageData>")
    }
}

#[cfg(test)]
mod tests {
    use vtkio::model::{Attribute, DataSet, Piece, Vtk};

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
