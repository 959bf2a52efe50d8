use super::*;

const LAYERS: [&str; 14] = [
    "geometry",
    "kinematics",
    "bvh",
    "proximity",
    "penetration",
    "field",
    "plan",
    "dynamics",
    "scene",
    "repair",
    "record",
    "batch",
    "viewer",
    "cli",
];

fn of(files: &[(&str, &str)]) -> Crate {
    Crate::of(files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())))
}

fn keys(violations: &Violations) -> Vec<&str> {
    violations.keys().map(String::as_str).collect()
}

#[test]
fn cyclic_imports_are_found_through_re_exports_aliases_and_modules() {
    let found = of(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a/mod.rs", "mod inner; pub use inner::Thing as Other; pub(crate) use inner::*;"),
        ("a/inner.rs", "use crate::b; pub struct Thing; pub fn helper() { b::make() }"),
        ("b.rs", "pub fn make() {} use crate::c::C;"),
        ("c.rs", "pub struct C(crate::a::Other);"),
        ("d.rs", "use crate::{a::helper, c::C}; #[cfg(test)] mod tests { use crate::d::D; } pub struct D;"),
    ]);
    let cycle = ["cycle: a/inner.rs -> b.rs", "cycle: b.rs -> c.rs", "cycle: c.rs -> a/inner.rs"];
    assert_eq!(keys(&found.cycles()), cycle);
}

#[test]
fn a_hub_may_not_be_imported_by_its_own_children_and_tests_may_do_everything() {
    let found = of(&[
        ("lib.rs", "mod a; #[cfg(test)] mod tests;"),
        ("a/mod.rs", "mod one; mod two; #[cfg(test)] mod tests; pub use one::One; use two::Two;"),
        ("a/one.rs", "pub struct One;"),
        ("a/two.rs", "use super::One; pub struct Two; #[cfg(test)] use crate::a::tests::X;"),
        ("a/tests.rs", "use super::{One, Two};"),
        ("tests.rs", "use crate::a::One;"),
    ]);
    assert_eq!(keys(&found.cycles()), ["hub: a/two.rs -> a/mod.rs"]);
    let own = of(&[("lib.rs", "mod a; pub struct Own;"), ("a.rs", "use super::Own;")]);
    assert!(own.cycles().is_empty());
}

#[test]
fn upward_imports_between_parts_and_missing_parts_are_found() {
    let found = of(&[
        ("lib.rs", "pub mod low; pub mod high; mod new;"),
        ("low.rs", "pub struct Low; fn f() { crate::high::deep::g(); }"),
        ("high/mod.rs", "pub mod deep; use crate::low::Low;"),
        ("high/deep.rs", "pub fn g(_: super::super::low::Low) {}"),
        ("new.rs", ""),
    ]);
    let expected =
        ["`gone` is in an order and nowhere else", "`new` is in no order", "up: low.rs -> high/deep.rs"];
    assert_eq!(keys(&found.upward_imports(&[], &["low", "high", "gone"])), expected);
    assert_eq!(keys(&found.upward_imports(&["high"], &["deep"])), Vec::<&str>::new());
}

#[test]
fn every_form_of_a_path_into_a_higher_layer_is_found() {
    let violating = [
        (vec!["geometry"], "use crate::bvh::Tree;"),
        (vec!["geometry", "read"], "fn f() -> crate::scene::Scene { todo!() }"),
        (vec!["proximity"], "use crate::{geometry::{Aabb, TriangleMesh as Mesh}, dynamics::World};"),
        (vec!["geometry"], "use super::cli;"),
        (vec!["bvh", "build"], "use super::super::penetration::Penetration;"),
        (vec!["bvh"], "use self::super::proximity;"),
        (vec!["bvh"], "mod tests { use super::super::proximity::collide; }"),
        (vec!["bvh"], "mod a { mod b {} use super::super::scene; }"),
        (vec!["geometry"], "use crate::*;"),
        (vec!["dynamics"], "let c = '\"'; use crate::scene::Scene; let d = \"\";"),
        (vec!["dynamics"], "fn f<'a>(x: &'a str) { crate::record::write(x) }"),
        (vec!["kitchen"], ""),
    ];
    for (module, source) in violating {
        assert_eq!(upward_paths(&LAYERS, &module, source).len(), 1, "{module:?}: {source}");
    }
}

#[test]
fn allowed_imports_comments_and_strings_are_not_violations() {
    let allowed = [
        (vec!["cli"], "use crate::{geometry, scene::Scene, record::*};"),
        (vec!["geometry", "read"], "use super::TriangleMesh; use super::*;"),
        (vec!["geometry"], "//! See [`crate::cli`].\n/* crate::cli /* nested */ crate::scene */"),
        (
            vec!["geometry"],
            r####"let a = "crate::cli"; let b = r##"crate::"scene"##; let c = "\"crate::cli";"####,
        ),
        (vec!["scene"], "pub(crate) fn f() {} mod tests { use super::*; use crate::dynamics::World; }"),
        (vec!["bvh"], "mod tests { use super::Tree; } use self::tests as scene;"),
    ];
    for (module, source) in allowed {
        assert_eq!(upward_paths(&LAYERS, &module, source), Vec::<String>::new(), "{module:?}: {source}");
    }
}
