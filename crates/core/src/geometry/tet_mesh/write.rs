//! Writing tetrahedral meshes: TetGen's `.node` with `.ele`, Gmsh's `.msh` 4.1 in text, and VTK's `.vtu` for visualisation.
//!
//! Files are written atomically. Text has the shortest decimals that read back to the same bits; indices are 0-based in TetGen
//! files and 1-based in Gmsh files.

use std::io::{self, Write};
use std::path::Path;

use super::mesh::TetMesh;
use crate::geometry::read::error::{FileError, extension_of};
use crate::geometry::vtk::{self, Values};
use crate::geometry::write::write_atomically;
use nalgebra::Point3;

/// Extensions of the formats that can be written.
pub const EXTENSIONS: [&str; 4] = ["node", "ele", "msh", "vtu"];

/// Writes a mesh; the extension (case-insensitive) determines the format. `.node` and `.ele` are written together; `path` is
/// either of them.
///
/// # Errors
/// [`FileError`] when the format is unknown or a file cannot be written.
pub fn write_tets(mesh: &TetMesh, path: impl AsRef<Path>) -> Result<(), FileError> {
    let path = path.as_ref();
    let extension = extension_of(path);
    type Writer = fn(&TetMesh, &mut dyn Write) -> io::Result<()>;
    let files: &[(&str, Writer)] = match extension.as_str() {
        "node" | "ele" => &[("node", write_nodes), ("ele", write_elements)],
        "msh" => &[("msh", write_gmsh)],
        "vtu" => &[("vtu", write_vtu)],
        _ => return Err(FileError::unknown_format(path, "unsupported output format", &EXTENSIONS)),
    };
    for (own, write) in files {
        let path = if extension == *own { path.to_owned() } else { path.with_extension(own) };
        write_atomically(&path, |file| write(mesh, file))?;
    }
    Ok(())
}

/// Writes the tetrahedra of a mesh with displaced nodes as VTK's `.vtu`: a deformed body, whose tetrahedra may be inverted.
///
/// # Errors
/// [`FileError`] when the file cannot be written.
///
/// # Panics
/// When there are not as many nodes as the mesh has.
pub fn write_deformed(
    mesh: &TetMesh,
    nodes: &[Point3<f64>],
    path: impl AsRef<Path>,
) -> Result<(), FileError> {
    assert_eq!(nodes.len(), mesh.nodes().len(), "one position for each node");
    write_atomically(path.as_ref(), |file| write_grid(nodes, mesh.tets(), file))
}

fn write_nodes(mesh: &TetMesh, file: &mut dyn Write) -> io::Result<()> {
    writeln!(file, "{} 3 0 0", mesh.nodes().len())?;
    for (index, p) in mesh.nodes().iter().enumerate() {
        writeln!(file, "{index} {} {} {}", p.x, p.y, p.z)?;
    }
    Ok(())
}

fn write_elements(mesh: &TetMesh, file: &mut dyn Write) -> io::Result<()> {
    writeln!(file, "{} 4 0", mesh.tets().len())?;
    for (index, [a, b, c, d]) in mesh.tets().iter().enumerate() {
        writeln!(file, "{index} {a} {b} {c} {d}")?;
    }
    Ok(())
}

fn write_gmsh(mesh: &TetMesh, file: &mut dyn Write) -> io::Result<()> {
    let [nodes, tets] = [mesh.nodes().len(), mesh.tets().len()];
    writeln!(file, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {nodes} 1 {nodes}\n3 1 0 {nodes}")?;
    for tag in 1..=nodes {
        writeln!(file, "{tag}")?;
    }
    for p in mesh.nodes() {
        writeln!(file, "{} {} {}", p.x, p.y, p.z)?;
    }
    writeln!(file, "$EndNodes\n$Elements\n1 {tets} 1 {tets}\n3 1 4 {tets}")?;
    for (index, tet) in mesh.tets().iter().enumerate() {
        let [a, b, c, d] = tet.map(|node| u64::from(node) + 1);
        writeln!(file, "{} {a} {b} {c} {d}", index + 1)?;
    }
    writeln!(file, "$EndElements")
}

fn write_vtu(mesh: &TetMesh, file: &mut dyn Write) -> io::Result<()> {
    write_grid(mesh.nodes(), mesh.tets(), file)
}

fn write_grid(nodes: &[Point3<f64>], tets: &[[u32; 4]], file: &mut dyn Write) -> io::Result<()> {
    /// VTK_TETRA.
    const TETRAHEDRON: u8 = 10;
    let points: Vec<f64> = nodes.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    let connectivity: Vec<u64> = tets.iter().flatten().map(|&node| u64::from(node)).collect();
    let offsets: Vec<u64> = (1..=tets.len() as u64).map(|count| 4 * count).collect();
    vtk::write_file(file, "UnstructuredGrid", |file| {
        let (points_count, cells) = (nodes.len(), tets.len());
        writeln!(file, "<UnstructuredGrid>")?;
        writeln!(file, "<Piece NumberOfPoints=\"{points_count}\" NumberOfCells=\"{cells}\">\n<Points>")?;
        vtk::write_array(file, "Points", 3, &Values::Float64(&points))?;
        writeln!(file, "</Points>\n<Cells>")?;
        vtk::write_array(file, "connectivity", 1, &Values::UInt64(&connectivity))?;
        vtk::write_array(file, "offsets", 1, &Values::UInt64(&offsets))?;
        vtk::write_array(file, "types", 1, &Values::UInt8(&vec![TETRAHEDRON; cells]))?;
        writeln!(file, "</Cells>\n</Piece>\n</UnstructuredGrid>")
    })
}

#[cfg(test)]
mod tests {
    use vtkio::model::{DataSet, Vtk};

    use super::*;
    use crate::geometry::tet_mesh::procedural::block;

    #[test]
    fn a_vtu_file_holds_the_nodes_and_tetrahedra() {
        let mesh =
            block([2, 1, 1], nalgebra::Vector3::new(2.0, 1.0, 1.0), nalgebra::Point3::origin()).unwrap();
        let path = std::env::temp_dir().join(format!("extricate-{}-block.vtu", std::process::id()));
        write_tets(&mesh, &path).unwrap();
        let vtk = Vtk::import(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else { panic!("{:?}", vtk.data) };
        let piece = pieces[0].load_piece_data(None).unwrap();
        assert_eq!((piece.num_points(), piece.cells.types.len()), (12, 12));
        let points: Vec<f64> = piece.points.cast_into().unwrap();
        let wanted: Vec<f64> = mesh.nodes().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        assert_eq!(points, wanted);
        assert!(matches!(write_tets(&mesh, "a.stl"), Err(FileError::UnknownFormat { .. })));
    }
}
