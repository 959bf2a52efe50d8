//! Continuous collision detection (CCD) of deforming meshes: every vertex moves on a straight line over a step, t ∈ [0, 1].
//!
//! [Lin17 §40.3, "deformable models"] splits the query into elementary tests of features, culled by a tree that is
//! refitted at every step, by connectivity and by normal cones. [`vertex_face`] and [`edge_edge`] are the elementary
//! tests; [`DeformingModel`] holds the topology and the tree; [`self_collides`], [`self_contacts`], [`collides`],
//! [`contacts`] and the queries for the first contact run over it.
//!
//! | source      | what is taken from it                                                                         |
//! |-------------|-----------------------------------------------------------------------------------------------|
//! | \[Pro97\]   | vertex–face and edge–edge tests; regions of similar normals do not collide with themselves    |
//! | \[CTM08\]   | representative triangles: every pair of features is tested exactly once                       |
//! | \[TCYM08\]  | continuous normal cones; contours                                                             |
//! | \[TKM10\]   | conservative advancement of the elementary tests                                              |
//! | \[TMT10a\]  | Bernstein coefficients of the coplanarity polynomial as a filter                              |
//! | [WFS+21]  | the guarantee: "no collision" is a proof (Wang et al., ACM Trans. Graph. 40:188)              |
//!
//! Features that share a vertex, by index, are adjacent and never reported as a contact.

mod contact;
mod contacts;
mod contour;
mod culling;
mod elementary;
mod features;
mod model;
mod pairs;
mod patches;
mod query;

pub use contact::{DeformingContact, DeformingOptions, Features};
pub use contacts::{collides, contacts, first_contact, first_self_contact, self_collides, self_contacts};
pub use elementary::{ElementaryContact, ElementaryOptions, edge_edge, vertex_face};
pub use model::DeformingModel;
