//! Judges translational penetration against ground truth: `cargo run --release --example ground_truth -- DIR`.
//!
//! `DIR` holds `soup/*.jsonl` (poses with the best known depth) and `exact/exact.json` (exact depths); the program
//! prints one row a file for each effort: mean, median and worst ratio to the truth, the same for the original
//! PolyDepth where the file has it, time, failures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{Effort, TranslationalOptions, penetration};
use extricate::proximity::{Model, surfaces_collide};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};
use serde_json::Value;

fn load(path: &Path) -> Model {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut v, mut t) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut w = line.split_whitespace();
        match w.next() {
            Some("v") => {
                let x: Vec<f64> = w.map(|x| x.parse().unwrap()).collect();
                v.push(Point3::new(x[0], x[1], x[2]));
            }
            Some("f") => {
                let x: Vec<u32> =
                    w.map(|x| x.split('/').next().unwrap().parse::<u32>().unwrap() - 1).collect();
                for k in 1..x.len() - 1 {
                    t.push([x[0], x[k], x[k + 1]]);
                }
            }
            _ => {}
        }
    }
    Model::new(TriangleMesh::new(v, t).unwrap(), Solidity::Solid)
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array()
        .unwrap()
        .iter()
        .flat_map(|x| if x.is_array() { numbers(x) } else { vec![x.as_f64().unwrap()] })
        .collect()
}

fn pose(r: &Value, t: &Value) -> Isometry3<f64> {
    let (r, t) = (numbers(r), numbers(t));
    let m = Matrix3::from_row_slice(&r);
    let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(m));
    Isometry3::from_parts(Vector3::new(t[0], t[1], t[2]).into(), q)
}

fn main() {
    let dir = PathBuf::from(std::env::args().nth(1).unwrap());
    let only = std::env::args().nth(2).unwrap_or_default();
    let mut files: Vec<_> = std::fs::read_dir(dir.join("soup"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl") && !p.to_str().unwrap().contains(".poses."))
        .collect();
    files.sort();
    for effort in [Effort::Fast, Effort::Best] {
        let options = TranslationalOptions { effort, ..Default::default() };
        println!(
            "{effort:?}\n{:16} {:>5} {:>7} {:>7} {:>7} | {:>7} | {:>9} {:>6} {:>6} {:>5} fail",
            "file", "n", "mean", "median", "worst", "je12", "ms", "casts", "iters", "uncv"
        );
        for f in &files {
            let name = f.file_stem().unwrap().to_str().unwrap();
            if !name.contains(&only) {
                continue;
            }
            let m = load(&dir.join(format!("soup/meshes/{name}.obj")));
            let (mut ratios, mut je, mut ms, mut casts, mut iters, mut fail, mut uncv) =
                (vec![], vec![], 0.0, 0, 0, 0, 0);
            for line in std::fs::read_to_string(f).unwrap().lines() {
                let v: Value = serde_json::from_str(line).unwrap();
                let pa = pose(&v["a"]["rotation"], &v["a"]["translation"]);
                let pb = pose(&v["b"]["rotation"], &v["b"]["translation"]);
                let t0 = Instant::now();
                let r = penetration(&m, &pa, &m, &pb, &options);
                ms += t0.elapsed().as_secs_f64() * 1e3;
                let best = v["best_known_depth"].as_f64().unwrap();
                je.push(v["je12_depth"].as_f64().unwrap_or(f64::NAN) / best);
                match r {
                    Ok(Some(p)) => {
                        ratios.push(p.depth / best);
                        casts += p.casts;
                        iters += p.iterations;
                        uncv += u32::from(!p.converged);
                        let mut near = pa;
                        near.translation.vector += p.translation * 0.999;
                        if !surfaces_collide(&m, &near, &m, &pb) {
                            eprintln!("0.999 free {name}");
                        }
                    }
                    other => {
                        fail += 1;
                        eprintln!("{name} {other:?}");
                    }
                }
            }
            let n = ratios.len() as f64;
            let mean = ratios.iter().sum::<f64>() / n;
            let jm = je.iter().sum::<f64>() / je.len() as f64;
            ratios.sort_by(f64::total_cmp);
            println!(
                "{name:16} {:5} {mean:7.4} {:7.4} {:7.4} | {jm:7.4} | {:9.4} {:6.1} {:6.1} {uncv:5} {fail}",
                ratios.len(),
                ratios[ratios.len() / 2],
                ratios[ratios.len() - 1],
                ms / n,
                f64::from(casts) / n,
                f64::from(iters) / n
            );
        }
        if !"exact".contains(&only) {
            continue;
        }
        let e: Value =
            serde_json::from_str(&std::fs::read_to_string(dir.join("exact/exact.json")).unwrap()).unwrap();
        let mut sets: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for c in e["cases"].as_array().unwrap() {
            let a = load(&dir.join("exact").join(c["A_mesh"].as_str().unwrap()));
            let b = load(&dir.join("exact").join(c["B_mesh"].as_str().unwrap()));
            let pa = pose(&c["A_R"], &c["A_t"]);
            let pd = c["pd"].as_f64().unwrap();
            match penetration(&a, &pa, &b, &Isometry3::identity(), &options) {
                Ok(Some(p)) => {
                    sets.entry(c["set"].as_str().unwrap().into()).or_default().push(p.depth / pd);
                    if p.depth < pd - 1e-9 {
                        println!("BELOW {} {} {}", c["id"], p.depth, pd);
                    }
                }
                other => println!("{} pd {pd} {other:?}", c["id"]),
            }
        }
        for (s, r) in sets {
            println!(
                "{s:12} n {:3} mean {:.4} worst {:.4} exact {:3} within5% {:3}",
                r.len(),
                r.iter().sum::<f64>() / r.len() as f64,
                r.iter().copied().fold(0.0, f64::max),
                r.iter().filter(|x| **x < 1.0 + 1e-6).count(),
                r.iter().filter(|x| **x < 1.05).count()
            );
        }
    }
}
