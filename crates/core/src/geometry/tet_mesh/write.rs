//! Writing tetrahedral meshes: TetGen's `.node` with `.ele`, Gmsh's `.msh` 4.1 in text, and VTK's `.vtu` for pictures.
//!
//! A file appears whole or not at all. Text has the shortest decimals that read back the same; indices count from 0
//! in TetGen files and from 1 in Gmsh files.

use std::io::{self, Write};
use std::path::Path;

#[cfg(feature = "formats")]
use nalgebra::Point3;
use thiserror::Error;
#[cfg(feature = "formats")]
use vtkio::IOBuffer;
#[cfg(feature = "formats")]
use vtkio::model::{
    Attributes, ByteOrder, CellType, Cells, DataSet, UnstructuredGridPiece, Version, VertexNumbers, Vtk,
};

use super::TetMesh;
use crate::geometry::write::write_atomically;

/// Extensions of the formats that can be written; VTK's with the feature `formats`.
pub const EXTENSIONS: &[&str] =
    if cfg!(feature = "formats") { &["node", "ele", "msh", "vtu"] } else { &["node", "ele", "msh"] };

/// Why a file of tetrahedra was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TetWriteError {
    /// The file cannot be created, written or put in its place.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file.
        path: std::path::PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The extension names no format that can be written.
    #[error("{}: \"{extension}\" cannot be written; {} can", path.display(), EXTENSIONS.join(", "))]
    UnknownFormat {
        /// The file.
        path: std::path::PathBuf,
        /// Its extension.
        extension: String,
    },
}

/// Writes a mesh; the extension, in capitals or not, tells the format. `.node` and `.ele` are written together, under
/// the name that either has.
///
/// # Errors
/// [`TetWriteError`] when the format is unknown or a file cannot be written.
pub fn write_tets(mesh: &TetMesh, path: impl AsRef<Path>) -> Result<(), TetWriteError> {
    let path = path.as_ref();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    type Writer = fn(&TetMesh, &mut dyn Write) -> io::Result<()>;
    let files: &[(&str, Writer)] = match extension.as_str() {
        "node" | "ele" => &[("node", write_nodes), ("ele", write_elements)],
        "msh" => &[("msh", write_gmsh)],
        #[cfg(feature = "formats")]
        "vtu" => &[("vtu", write_vtu)],
        _ => return Err(TetWriteError::UnknownFormat { path: path.to_owned(), extension }),
    };
    for (own, write) in files {
        let path = if extension == *own { path.to_owned() } else { path.with_extension(own) };
        write_atomically(&path, |file| write(mesh, file))
            .map_err(|source| TetWriteError::Io { path, source })?;
    }
    Ok(())
}

/// Writes the tetrahedra of a mesh with their nodes elsewhere, as VTK's `.vtu`: a deformed body, whose tetrahedra may
/// be turned inside out.
///
/// # Errors
/// [`TetWriteError`] when the file cannot be written.
///
/// # Panics
/// When there are not as many nodes as the mesh has.
#[cfg(feature = "formats")]
pub fn write_deformed(
    mesh: &TetMesh,
    nodes: &[Point3<f64>],
    path: impl AsRef<Path>,
) -> Result<(), TetWriteError> {
    assert_eq!(nodes.len(), mesh.nodes().len(), "one place for each node");
    let path = path.as_ref();
    write_atomically(path, |file| write_grid(nodes, mesh.tets(), file))
        .map_err(|source| TetWriteError::Io { path: path.to_owned(), source })
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

#[cfg(feature = "formats")]
fn write_vtu(mesh: &TetMesh, file: &mut dyn Write) -> io::Result<()> {
    write_grid(mesh.nodes(), mesh.tets(), file)
}

#[cfg(feature = "formats")]
fn write_grid(nodes: &[Point3<f64>], tets: &[[u32; 4]], file: &mut dyn Write) -> io::Result<()> {
    let grid = UnstructuredGridPiece {
        points: IOBuffer::F64(nodes.iter().flat_map(|p| [p.x, p.y, p.z]).collect()),
        cells: Cells {
            cell_verts: VertexNumbers::XML {
                connectivity: tets.iter().flatten().map(|&node| u64::from(node)).collect(),
                offsets: (1..=tets.len() as u64).map(|count| 4 * count).collect(),
            },
            types: vec![CellType::Tetra; tets.len()],
        },
        data: Attributes { point: Vec::new(), cell: Vec::new() },
    };
    let vtk = Vtk {
        version: Version::Auto,
        title: "tetrahedra".to_owned(),
        byte_order: ByteOrder::LittleEndian,
        file_path: None,
        data: DataSet::inline(grid),
    };
    vtk.write_xml(file).map_err(|error| io::Error::other(error.to_string()))
}

#[cfg(all(test, feature = "formats"))]
mod tests {
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
        assert!(matches!(write_tets(&mesh, "a.stl"), Err(TetWriteError::UnknownFormat { .. })));
    }
}
