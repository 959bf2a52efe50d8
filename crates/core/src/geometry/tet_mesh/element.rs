//! Faces and edges of a tetrahedron.

/// Faces of a tetrahedron, face i opposite to corner i, counterclockwise seen from outside.
pub const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Edges of a tetrahedron.
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
