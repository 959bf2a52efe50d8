//! Threads and shards change no byte, and shards that make no whole are refused.

use std::fs;

use super::cli_program::{extricate, scratch_folder};
use super::material::{assert_same, batch, lines, manifest, schema};
use extricate_test_support::json_schema;

#[test]
fn neither_threads_nor_shards_change_a_byte_and_the_files_are_as_their_schemas_say() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 60);
    let whole = folder.path("whole");
    let ended = batch(&manifest, &whole, &["--threads", "1", "--json"]);
    assert_eq!(ended.exit, 8, "{}", ended.stderr);
    assert_eq!(lines(&ended.stdout)[0]["complete"], true);
    for (name, file) in
        [("batch", "batch.json"), ("batch-summary", "summary.json"), ("batch-timing", "timing.json")]
    {
        let value = serde_json::from_str(&folder.read(&format!("whole/{file}"))).unwrap();
        assert_eq!(json_schema::faults(&schema(name), &value), Vec::<String>::new(), "{file}");
    }
    let results = lines(&folder.read("whole/results.jsonl"));
    assert_eq!(results.len(), 60);
    for (index, result) in results.iter().enumerate() {
        assert_eq!(result["index"], index);
        assert_eq!(json_schema::faults(&schema("batch-result"), result), Vec::<String>::new(), "{result}");
    }
    for failure in lines(&folder.read("whole/failed.jsonl")) {
        assert_eq!(json_schema::faults(&schema("batch-failure"), &failure), Vec::<String>::new());
    }
    assert!(folder.exists("whole/runs/run-10/summary.json"));
    let ended = batch(&manifest, &folder.path("threads"), &["--threads", "5"]);
    assert_eq!(ended.exit, 8);
    assert_same(&whole, &folder.path("threads"));
    for count in [1, 3, 16] {
        let shards = folder.path(&format!("shards-{count}"));
        for index in 0..count {
            let shard = format!("{index}/{count}");
            let ended =
                batch(&manifest, &format!("{shards}/{index}"), &["--shard", &shard, "--threads", "2"]);
            assert!([0, 8].contains(&ended.exit), "{}", ended.stderr);
        }
        let merged = folder.path(&format!("merged-{count}"));
        assert_eq!(extricate(["merge", &shards, "-o", &merged]).exit, 8);
        assert_same(&whole, &merged);
    }
}

#[test]
fn shards_that_do_not_make_a_whole_are_refused_by_name() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 24);
    let shard = |name: &str, shard: &str| {
        let path = folder.path(name);
        batch(&manifest, &path, &["--shard", shard]);
        path
    };
    let [zero, one, two] = [shard("s0", "0/3"), shard("s1", "1/3"), shard("s2", "2/3")];
    let twin = shard("twin", "1/3");
    let of_two = shard("of-two", "1/2");
    let text = folder.read("manifest.jsonl") + "\n{\"kind\": \"run\", \"scene\": \"scene.ron\"}\n";
    let longer = folder.write("longer.jsonl", &text);
    let other = folder.path("other");
    batch(&longer, &other, &["--shard", "2/3"]);
    let unfinished = shard("unfinished", "2/3");
    fs::remove_file(format!("{unfinished}/summary.json")).unwrap();
    let cut = shard("cut", "2/3");
    let results = folder.read("cut/results.jsonl");
    fs::write(format!("{cut}/results.jsonl"), &results[..results.len() / 2]).unwrap();
    let changed = shard("changed", "2/3");
    let other_depth = results.replacen("depth\":0", "depth\":1", 1);
    assert_ne!(other_depth, results);
    fs::write(format!("{changed}/results.jsonl"), other_depth).unwrap();
    let nothing = folder.path("nothing");
    fs::create_dir(&nothing).unwrap();
    let out = folder.path("merged");
    for (shards, message) in [
        (vec![&zero, &two], "1 of 3 shards are missing: 1/3"),
        (vec![&zero, &one, &two, &twin], "are both shard 1/3"),
        (vec![&zero, &of_two, &two], "the numbers of shards differ: 3 and 2"),
        (vec![&zero, &one, &other], "of different batches: the hash of the manifest"),
        (vec![&zero, &one, &unfinished], "unfinished: shard 2/3 is incomplete"),
        (vec![&zero, &one, &cut], "the result of item"),
        (vec![&zero, &one, &changed], "the hash of the results"),
        (vec![&nothing], "neither a shard nor a folder of shards"),
    ] {
        let ended =
            extricate(["merge"].into_iter().chain(shards.iter().map(|s| s.as_str())).chain(["-o", &out]));
        assert_eq!(ended.exit, 3, "{shards:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{shards:?}: {}", ended.stderr);
    }
    // Failed items do not prevent the merge.
    assert_eq!(extricate(["merge", &two, &zero, &one, "-o", &out]).exit, 8);
    let ended = extricate(["merge", &zero, &one, &two, "-o", &out]);
    assert!(ended.exit == 2 && ended.stderr.contains("already holds results"), "{}", ended.stderr);
}
