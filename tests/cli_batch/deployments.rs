//! The templates under `deploy/`, and the commands that they run.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::ROOT;
use super::cli_program::{Ended, scratch_folder};
use super::material::{assert_same, batch, manifest};

#[test]
fn the_task_of_a_slurm_array_answers_its_shard() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 24);
    let out = folder.path("out");
    let task = |script: &str, arguments: &[&str], index: usize| {
        let mut command = Command::new("bash");
        command.arg(format!("{ROOT}/deploy/slurm/{script}")).args(arguments);
        command.env("EXTRICATE", env!("CARGO_BIN_EXE_extricate"));
        command.env("SLURM_ARRAY_TASK_ID", index.to_string()).env("SLURM_ARRAY_TASK_COUNT", "3");
        let ended: Ended = command.output().expect("bash is there").into();
        ended
    };
    for index in 0..2 {
        let ended = task("batch.sbatch", &[&manifest, &out], index);
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
    }
    let ended = task("merge.sbatch", &[&out], 0);
    assert!(ended.exit == 3 && ended.stderr.contains("2/3"), "{}", ended.stderr);
    // A part of the array, submitted again, is passed the number of shards.
    assert_eq!(task("batch.sbatch", &[&manifest, &out, "3"], 2).exit, 0);
    assert_eq!(task("merge.sbatch", &[&out], 0).exit, 0);
    assert_eq!(batch(&manifest, &folder.path("whole"), &[]).exit, 8);
    assert_same(&folder.path("whole"), &folder.path("out/all"));
}

#[test]
fn the_commands_of_the_kubernetes_jobs_answer_and_merge_the_shards() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 16);
    let bin = Path::new(env!("CARGO_BIN_EXE_extricate")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let run = |file: &str, index: usize| {
        let text = fs::read_to_string(format!("{ROOT}/deploy/kubernetes/{file}")).expect("a job");
        let (_, script) = text.split_once("- |\n").expect("a script");
        let script: Vec<&str> = script.lines().take_while(|line| line.starts_with(&" ".repeat(14))).collect();
        let script =
            script.join("\n").replace("/data/manifest.jsonl", &manifest).replace("/data", &folder.path(""));
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]).env("PATH", &path).env("SHARDS", "3");
        let ended: Ended =
            command.env("JOB_COMPLETION_INDEX", index.to_string()).output().expect("sh is there").into();
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
    };
    (0..3).for_each(|index| run("batch.yaml", index));
    run("merge.yaml", 0);
    assert_eq!(batch(&manifest, &folder.path("whole"), &[]).exit, 8);
    assert_same(&folder.path("whole"), &folder.path("out/all"));
}
