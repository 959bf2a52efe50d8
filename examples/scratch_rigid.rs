#![allow(clippy::all, missing_docs)]
use std::time::Instant;
use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::geometry::procedural::{Cuboid, Procedural};
use extricate::penetration::Effort;
use extricate::penetration::generalized::rigid::*;
use extricate::proximity::{Model, collide};
use nalgebra::*;
fn mat(v: &serde_json::Value) -> Matrix3<f64> { Matrix3::from_fn(|i,j| v[i][j].as_f64().unwrap()) }
fn vec3(v: &serde_json::Value) -> Vector3<f64> { Vector3::from_fn(|i,_| v[i].as_f64().unwrap()) }
fn main() {
    let data = "/work/shared/data";
    let which = std::env::args().nth(1).unwrap_or("all".into());
    let effort = if std::env::args().nth(2).as_deref() == Some("best") { Effort::Best } else { Effort::Fast };
    let options = RigidOptions { effort, ..Default::default() };
    let load = |n: &str| Model::new(read_mesh(format!("{data}/models/rigid/{n}.obj")).unwrap(), Solidity::Solid);
    let report = |name: &str, mut ratios: Vec<f64>, mut times: Vec<f64>, its: f64, proj: f64, conv: usize| {
        let n = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / n;
        ratios.sort_by(f64::total_cmp); times.sort_by(f64::total_cmp);
        println!("{name}: n {n} ratio mean {mean:.4} median {:.4} min {:.6} max {:.4}; ms median {:.3} max {:.3} mean {:.3}; its {:.1} proj {:.1} conv {conv}", ratios[ratios.len()/2], ratios[0], ratios.last().unwrap(), times[times.len()/2]*1e3, times.last().unwrap()*1e3, times.iter().sum::<f64>()/n*1e3, its/n, proj/n);
        println!("   {:.3?}", ratios);
    };
    let run = |a: &Model, pa: &Isometry3<f64>, b: &Model, pb: &Isometry3<f64>| {
        let _ = rigid(a, pa, b, pb, &options);
        let t = Instant::now();
        let r = rigid(a, pa, b, pb, &options);
        let dt = t.elapsed().as_secs_f64();
        (r.unwrap(), dt)
    };
    for set in ["l_torusknot", "hammer_bumpy"] {
        if which != "all" && which != set { continue; }
        let d: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(format!("{data}/generalized/{set}.json")).unwrap()).unwrap();
        let name = |k: &str| d[k].as_str().unwrap().rsplit('/').next().unwrap().to_string();
        let (a, b) = (load(&name("A")), load(&name("B")));
        let (mut ratios, mut times, mut its, mut proj, mut conv) = (vec![], vec![], 0.0, 0.0, 0);
        for c in d["configs"].as_array().unwrap() {
            let pa = Isometry3::from_parts(vec3(&c["t0"]).into(), UnitQuaternion::from_matrix(&mat(&c["R0"])));
            let (r, dt) = run(&a, &pa, &b, &Isometry3::identity());
            let r = r.expect("collides");
            assert!(!collide(&a, &r.pose, &b, &Isometry3::identity()));
            ratios.push(r.sigma / c["sigma_best"].as_f64().unwrap()); times.push(dt);
            its += r.iterations as f64; proj += r.projections as f64; conv += r.converged as usize;
        }
        report(set, ratios, times, its, proj, conv);
    }
    if which == "all" || which == "spoon_box" {
        let d: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(format!("{data}/generalized/spoon_box.json")).unwrap()).unwrap();
        let spoon = load("spoon");
        let com = vec3(&d["com"]); let rl = mat(&d["R_local_from_model"]);
        let bx = Model::new(Cuboid { x: 8.0, y: 8.0, z: 2.0, ..Cuboid::default() }.mesh().unwrap(), Solidity::Solid);
        let pb = Isometry3::translation(0.0, 0.0, -1.0);
        let text = std::fs::read_to_string(format!("{data}/generalized/spoon_box.csv")).unwrap();
        let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let (mut ratios, mut times, mut its, mut proj, mut conv) = (vec![], vec![], 0.0, 0.0, 0);
        for line in text.lines().skip(1) {
            let f: Vec<&str> = line.split(',').collect();
            let get = |n: &str| f[head.iter().position(|h| *h == n).unwrap()].parse::<f64>().unwrap();
            let r0 = Matrix3::from_fn(|i,j| get(&format!("R0_{i}{j}")));
            let rot = UnitQuaternion::from_matrix(&(r0 * rl));
            let t = Vector3::new(0.0,0.0,get("com_height")) - rot * com;
            let pa = Isometry3::from_parts(t.into(), rot);
            let (r, dt) = run(&spoon, &pa, &bx, &pb);
            let r = r.expect("collides");
            ratios.push(r.sigma / get("sigma_6dof_best")); times.push(dt);
            its += r.iterations as f64; proj += r.projections as f64; conv += r.converged as usize;
        }
        report("spoon_box", ratios, times, its, proj, conv);
    }
    for (na, nb) in [("spoon","cup"),("bunny_40k","dragon_48k"),("pawn","cad_fandisk_2k4")] {
        if which != "all" && which != na { continue; }
        let (a, b) = (load(na), load(nb));
        let (mut ratios, mut times, mut its, mut proj, mut conv) = (vec![], vec![], 0.0, 0.0, 0);
        let n = 200;
        for i in 0..n {
            let s = i as f64 / n as f64;
            let turn = UnitQuaternion::from_euler_angles(7.0 * s, 3.0 * s + 0.3, 11.0 * s);
            let dist = 0.9 * (a.radius() + b.radius()) * (1.0 - s);
            let dir = Vector3::new(1.0, 0.4, 0.3).normalize();
            let c = b.center() + dir * dist;
            let pa = Isometry3::from_parts((c.coords - turn * a.center().coords).into(), turn);
            let (r, dt) = run(&a, &pa, &b, &Isometry3::identity());
            let Some(r) = r else { continue };
            let t = extricate::penetration::penetration(&a, &pa, &b, &Isometry3::identity(), &extricate::penetration::TranslationalOptions{effort, ..Default::default()}).unwrap().unwrap();
            ratios.push(r.sigma / (t.depth*t.depth)); times.push(dt);
            its += r.iterations as f64; proj += r.projections as f64; conv += r.converged as usize;
        }
        report(&format!("{na}/{nb} (vs translational)"), ratios, times, its, proj, conv);
    }
}
