//! A loaded tree equals the saved one, and only trees over the mesh are ever accepted.

use std::{fs, process};

use extricate_test_support::Noise;
use nalgebra::Point3;

use super::*;
use crate::geometry::procedural::{BumpySphere, Cuboid, Procedural, Torus};

/// A mesh with triangles without area, some of them at its ends.
fn partly_degenerate() -> TriangleMesh {
    let torus = Torus::default().mesh().unwrap();
    let mut triangles = torus.triangles().to_vec();
    triangles.insert(0, [3, 3, 4]);
    triangles.insert(70, [5, 6, 5]);
    triangles.push([1, 1, 1]);
    TriangleMesh::new(torus.vertices().to_vec(), triangles).unwrap()
}

fn one_triangle() -> TriangleMesh {
    let corners = vec![Point3::origin(), Point3::new(1e6, 0.0, 0.0), Point3::new(0.0, 1e-6, 0.0)];
    TriangleMesh::new(corners, vec![[0, 1, 2]]).unwrap()
}

fn fault(mesh: &TriangleMesh, bytes: &[u8]) -> String {
    match TriangleBvh::from_bytes(mesh, bytes) {
        Ok(_) => "none".to_owned(),
        Err(fault) => fault.in_file(Path::new("x")).to_string(),
    }
}

/// The bytes with a checksum that is right for them.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes[HEADER..]);
    bytes[40..48].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn a_tree_that_is_read_is_the_one_that_was_written_to_the_bit() {
    let sphere = BumpySphere::default().mesh().unwrap();
    let cube = Cuboid::default().mesh().unwrap();
    for mesh in [sphere, cube, one_triangle(), partly_degenerate()] {
        let tree = TriangleBvh::new(&mesh);
        let bytes = tree.to_bytes(mesh.fingerprint());
        assert!(bytes.len() <= HEADER + 7 * mesh.triangles().len());
        let read = TriangleBvh::from_bytes(&mesh, &bytes).unwrap();
        assert!(read == tree);
        assert_eq!(read.to_bytes(mesh.fingerprint()), bytes);
    }
}

#[test]
fn a_file_replaces_an_older_one_and_leaves_no_part_behind() {
    let folder = std::env::temp_dir().join(format!("extricate-tree-file-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("tree.bvh");
    fs::write(&path, "something older").unwrap();
    let mesh = partly_degenerate();
    let tree = TriangleBvh::new(&mesh);
    assert!(matches!(TriangleBvh::load(&mesh, &path), Err(FileError::Malformed { .. })));
    tree.save(&mesh, &path).unwrap();
    assert!(TriangleBvh::load(&mesh, &path).unwrap() == tree);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let nowhere = folder.join("none").join("tree.bvh");
    assert!(matches!(tree.save(&mesh, &nowhere), Err(FileError::Io { .. })));
    assert!(matches!(TriangleBvh::load(&mesh, &nowhere), Err(FileError::Io { .. })));
    assert!(matches!(TriangleBvh::load(&mesh, &folder), Err(FileError::Io { .. })));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_truncation_and_every_flipped_bit_is_refused() {
    for mesh in [Torus::default().mesh().unwrap(), one_triangle()] {
        let bytes = TriangleBvh::new(&mesh).to_bytes(mesh.fingerprint());
        let step = (bytes.len() / 400).max(1);
        for length in (0..bytes.len()).step_by(step) {
            assert!(TriangleBvh::from_bytes(&mesh, &bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(TriangleBvh::from_bytes(&mesh, &[&bytes[..], &[0]].concat()).is_err());
        for at in (0..HEADER).chain((HEADER..bytes.len()).step_by(step)) {
            for bit in 0..8 {
                let mut wrong = bytes.clone();
                wrong[at] ^= 1 << bit;
                assert!(TriangleBvh::from_bytes(&mesh, &wrong).is_err(), "bit {bit} of byte {at}");
            }
        }
    }
}

#[test]
fn a_file_with_a_right_checksum_makes_a_tree_of_the_mesh_or_none() {
    let mesh = partly_degenerate();
    let bytes = TriangleBvh::new(&mesh).to_bytes(mesh.fingerprint());
    let mut noise = Noise(1);
    let mut random = |below: usize| noise.bits(31) as usize % below;
    let mut accepted = 0;
    for _ in 0..4000 {
        let mut wrong = bytes.clone();
        for _ in 0..=random(3) {
            let at = if random(2) == 0 { HEADER + random(400) } else { 24 + random(bytes.len() - 24) };
            wrong[at] = random(256) as u8;
        }
        if random(8) == 0 {
            let (i, j) = (HEADER + random(bytes.len() - HEADER), HEADER + random(bytes.len() - HEADER));
            wrong.swap(i, j);
        }
        let Ok(tree) = TriangleBvh::from_bytes(&mesh, &signed(wrong)) else { continue };
        accepted += 1;
        let mut triangles = tree.packets().iter().flat_map(|p| p.lanes().map(|(_, i)| i)).collect::<Vec<_>>();
        triangles.sort_unstable();
        let expected = (0..mesh.triangles().len() as u32).filter(|&i| !mesh.is_degenerate(i as usize));
        assert!(expected.eq(triangles));
    }
    assert!(accepted > 0, "some changes are another tree of the mesh or the same one");
}

#[test]
fn a_message_names_the_fault_of_a_file() {
    let mesh = partly_degenerate();
    let bytes = TriangleBvh::new(&mesh).to_bytes(mesh.fingerprint());
    let triangles = bytes.len() - 4 * (mesh.triangles().len() - 3);
    let with = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        changed
    };
    let first = bytes[triangles..triangles + 4].to_vec();
    let cases = [
        (bytes[..20].to_vec(), "has 20 bytes"),
        (with(0, b"solid"), "does not begin with the magic number"),
        (with(8, &9_u32.to_le_bytes()), "has version 9 of the format, expected 1"),
        (with(12, &[4]), "nodes have another layout"),
        (with(16, &[0; 8]), "belongs to another mesh: its fingerprint is 0000000000000000"),
        (with(24, &u32::MAX.to_le_bytes()), "does not match the counts in its header"),
        (with(HEADER, &[0]), "checksum does not match"),
        (signed(with(HEADER, &[0, 0])), "node 0 is empty or marks an empty lane as a leaf"),
        (signed(with(HEADER, &[1, 2])), "node 0 is empty or marks an empty lane as a leaf"),
        (signed(with(HEADER, &[255, 255])), "its nodes and leaves do not form a tree"),
        (signed(with(triangles, &u32::MAX.to_le_bytes())), "the mesh has no triangle 4294967295"),
        (signed(with(triangles + 4, &first)), "duplicate triangle"),
        (signed(with(triangles, &0_u32.to_le_bytes())), "triangle 0 of the mesh has no area"),
    ];
    for (file, expected) in cases {
        let message = fault(&mesh, &file);
        assert!(message.contains(expected), "{message:?} for {expected:?}");
    }
    let other = fault(&one_triangle(), &bytes);
    assert!(other.contains("belongs to another mesh"), "{other}");
}
