//! Skills change under a running host: new versions are used, broken ones are not, and no call is affected.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use mitt::{Host, SessionOptions};

use crate::support::component;

fn manifest(name: &str, more: &str) -> String {
    format!(
        "schema: 1\nname: {name}\nversion: 0.1.0\ndescription: a test\ncomponent: plugin.wasm\n{more}\n"
    )
}

struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    fn new() -> Folder {
        Folder { root: tempfile::tempdir().unwrap() }
    }

    fn skill(&self, folder: &str) -> PathBuf {
        self.root.path().join(folder)
    }

    fn write(&self, name: &str, number: u32, more: &str) {
        let folder = self.skill(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("plugin.wasm"), component(number)).unwrap();
        std::fs::write(folder.join("SKILL.md"), "").unwrap();
        std::fs::write(folder.join("skill.yaml"), manifest(name, more)).unwrap();
    }

    fn host(&self) -> Host {
        Host::builder().no_cache().bundled_skills(false).skills(self.root.path()).build().unwrap()
    }
}

async fn run(host: &Host, skill: &str) -> Result<String, String> {
    let session = host.session(SessionOptions::default()).unwrap();
    let report = session.call(&format!("{skill}__run"), "{}").await;
    report.result.map(|json| json.to_string()).map_err(|error| error.render())
}

/// Replaces a file as careful editors do: written beside it, then renamed.
fn replace(path: &Path, content: impl AsRef<[u8]>) {
    let beside = path.with_extension("new");
    std::fs::write(&beside, content).unwrap();
    std::fs::rename(beside, path).unwrap();
}

#[tokio::test]
async fn changes_are_used_and_told_once() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    assert_eq!(run(&host, "one").await.unwrap(), "1");
    assert_eq!(host.reload().await, None, "nothing changed");

    folder.write("two", 2, "");
    let change = host.reload().await.unwrap();
    assert_eq!((change.generation, &change.added[..]), (2, &["two".to_owned()][..]));
    assert_eq!(run(&host, "two").await.unwrap(), "2");

    replace(&folder.skill("one").join("plugin.wasm"), component(11));
    let change = host.reload().await.unwrap();
    assert_eq!(change.changed, ["one"]);
    assert!(change.added.is_empty() && change.removed.is_empty());
    assert_eq!(run(&host, "one").await.unwrap(), "11");

    std::fs::remove_dir_all(folder.skill("two")).unwrap();
    assert_eq!(host.reload().await.unwrap().removed, ["two"]);
    assert!(run(&host, "two").await.unwrap_err().contains("Unknown tool: two__run"));
    assert_eq!(host.registry().generation(), 4);
}

/// Only times changed: the skill is the same, and there is nothing to report.
#[tokio::test]
async fn a_rewritten_file_is_no_change() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    run(&host, "one").await.unwrap();
    let before = host.registry().skill("one").unwrap();
    std::thread::sleep(Duration::from_millis(20));
    replace(&folder.skill("one").join("plugin.wasm"), component(1));
    assert_eq!(host.reload().await, None);
    assert!(Arc::ptr_eq(&before, &host.registry().skill("one").unwrap()));
}

/// A reload touches only the changed skill.
#[tokio::test]
async fn what_did_not_change_is_not_loaded_again() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    folder.write("two", 2, "");
    let host = folder.host();
    let before = host.registry().skill("one").unwrap();
    folder.write("two", 22, "");
    host.reload().await.unwrap();
    assert!(Arc::ptr_eq(&before, &host.registry().skill("one").unwrap()));
}

#[tokio::test]
async fn a_bad_version_leaves_the_last_good_one() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    run(&host, "one").await.unwrap();
    let yaml = folder.skill("one").join("skill.yaml");
    for (content, problem) in [
        ("schema: 1\nname: one\nversion".to_owned(), "skill.yaml"),
        (manifest("one", "grans: [log]"), "unknown key `grans`"),
        (manifest("one", "tools: [{name: walk}]"), "exports no function `walk`"),
    ] {
        std::fs::write(&yaml, content).unwrap();
        let change = host.reload().await.unwrap();
        assert!(!change.changes_tools(), "{change:?}");
        assert!(change.problems[0].1.contains(problem), "{change:?}");
        assert_eq!(run(&host, "one").await.unwrap(), "1");
        assert_eq!(host.reload().await, None, "a problem is told once");
        assert_eq!(host.registry().problems().count(), 1);
    }
    std::fs::write(&yaml, manifest("one", "")).unwrap();
    std::fs::write(folder.skill("one").join("plugin.wasm"), &component(5)[..40]).unwrap();
    let change = host.reload().await.unwrap();
    assert!(change.problems[0].1.contains("component"), "{change:?}");
    assert_eq!(run(&host, "one").await.unwrap(), "1");
    std::fs::write(folder.skill("one").join("plugin.wasm"), component(5)).unwrap();
    assert_eq!(host.reload().await.unwrap().changed, ["one"]);
    assert_eq!(run(&host, "one").await.unwrap(), "5");
    assert_eq!(host.registry().problems().count(), 0);
}

#[tokio::test]
async fn a_skill_renamed_inside_its_file_is_another_skill() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    std::fs::write(folder.skill("one").join("skill.yaml"), manifest("uno", "")).unwrap();
    let change = host.reload().await.unwrap();
    assert_eq!(
        (&change.added[..], &change.removed[..]),
        (&["uno".to_owned()][..], &["one".to_owned()][..])
    );
    assert!(run(&host, "one").await.is_err());
    assert_eq!(run(&host, "uno").await.unwrap(), "1");
}

/// A skill that others depend on disappears and returns: meanwhile its dependants are blocked, with the reason.
#[tokio::test]
async fn dependants_are_blocked_while_what_they_need_is_not_there() {
    let folder = Folder::new();
    folder.write("base", 1, "");
    folder.write("top", 2, "depends_on: [{name: base, version: '^0.1'}]");
    let host = folder.host();
    assert_eq!(run(&host, "top").await.unwrap(), "2");
    std::fs::remove_dir_all(folder.skill("base")).unwrap();
    assert_eq!(host.reload().await.unwrap().removed, ["base", "top"]);
    let reason = host.registry().states()[0].blocked.clone().unwrap().to_string();
    assert_eq!(reason, "depends on `base`, which is not loaded");
    assert!(
        run(&host, "top")
            .await
            .unwrap_err()
            .contains("skill `top` depends on `base`, which is not loaded")
    );
    folder.write("base", 1, "depends_on: [top]");
    host.reload().await;
    let reasons: Vec<_> =
        host.registry().states().iter().map(|it| it.blocked.clone().unwrap().to_string()).collect();
    assert_eq!(reasons[0], "depends on itself: `base` -> `top` -> `base`");
    folder.write("base", 1, "");
    assert_eq!(host.reload().await.unwrap().added, ["base", "top"]);
    folder.write("base", 1, "enabled: false");
    host.reload().await.unwrap();
    let states = host.registry().states();
    assert_eq!(states[0].blocked.clone().unwrap().to_string(), "is disabled");
    assert_eq!(
        states[1].blocked.clone().unwrap().to_string(),
        "depends on `base`, which is disabled"
    );
}

/// A call ends with the generation in which it began.
#[tokio::test]
async fn calls_in_flight_finish_on_their_generation() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    let (before, tool) = (host.registry(), host.registry().tool("one__run").await.unwrap());
    folder.write("one", 2, "");
    host.reload().await.unwrap();
    assert_eq!(before.tool("one__run").await.unwrap().name, tool.name);
    assert!(tool.instantiate().await.is_ok());
    assert_eq!(run(&host, "one").await.unwrap(), "2");
}

#[test]
fn wrong_dependencies_are_refused_at_the_start() {
    let folder = Folder::new();
    folder.write("one", 1, "depends_on: [two, {name: three, version: '>=2'}]");
    folder.write("three", 1, "");
    folder.write("four", 1, "depends_on: [{name: three, version: '>=2'}]");
    let error = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(folder.root.path())
        .build()
        .unwrap_err();
    insta::assert_snapshot!(error.render(), @r##"
    2 skills cannot be used
    skill `four` depends on `three` of version `>=2`, and `0.1.0` is loaded
    skill `one` depends on `two`, which is not loaded
    hint: add or correct what it needs, or remove or disable the skill
    "##);
}

/// A manifest that disappears for a moment does not turn a skill with tools into one without.
#[tokio::test]
async fn a_missing_manifest_is_no_new_version() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    run(&host, "one").await.unwrap();
    let yaml = folder.skill("one").join("skill.yaml");
    std::fs::rename(&yaml, folder.root.path().join("elsewhere")).unwrap();
    std::fs::write(folder.skill("one").join("SKILL.md"), "---\nname: one\ndescription: x\n---\n")
        .unwrap();
    let change = host.reload().await.unwrap();
    assert!(!change.changes_tools() && change.problems[0].1.contains("is gone"), "{change:?}");
    assert_eq!(run(&host, "one").await.unwrap(), "1");
    std::fs::rename(folder.root.path().join("elsewhere"), &yaml).unwrap();
    host.reload().await;
    assert_eq!(host.registry().problems().count(), 0);
}

/// A problem that is fixed without a new version disappears from the registry, although there is no change to report.
#[tokio::test]
async fn mended_problems_and_hidden_versions_arrive() {
    let (folder, hiding) = (Folder::new(), Folder::new());
    folder.write("one", 1, "");
    hiding.write("one", 2, "");
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(folder.root.path())
        .skills(hiding.root.path())
        .build()
        .unwrap();
    run(&host, "one").await.unwrap();
    let yaml = hiding.skill("one").join("skill.yaml");
    let good = std::fs::read_to_string(&yaml).unwrap();
    std::fs::write(&yaml, "schema: 7").unwrap();
    host.reload().await.unwrap();
    assert_eq!(host.registry().problems().count(), 1);
    std::fs::write(&yaml, good).unwrap();
    assert_eq!(host.reload().await, None);
    assert_eq!(host.registry().problems().count(), 0);
    folder.write("one", 3, "");
    assert_eq!(host.reload().await, None, "it is hidden");
    std::fs::remove_dir_all(hiding.skill("one")).unwrap();
    host.reload().await.unwrap();
    assert_eq!(run(&host, "one").await.unwrap(), "3");
}

/// A skill adjusted by an overlay stays the same as long as nothing changes.
#[tokio::test]
async fn overlays_make_no_changes() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    folder.write("two", 2, "");
    let overlay =
        mitt::skill::Overlay::parse("{schema: 1, limits: {one: {time: 5s}}}", "o").unwrap();
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .skills(folder.root.path())
        .overlay(mitt::skill::Layer::User, overlay)
        .build()
        .unwrap();
    let before = host.registry().skill("one").unwrap();
    folder.write("two", 22, "");
    assert_eq!(host.reload().await.unwrap().changed, ["two"]);
    assert!(Arc::ptr_eq(&before, &host.registry().skill("one").unwrap()));
}

/// A skill that does not load does not affect the others.
#[tokio::test]
async fn a_broken_component_spares_the_others() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    folder.write("two", 2, "");
    std::fs::write(folder.skill("one").join("plugin.wasm"), "nothing").unwrap();
    let registry = folder.host().registry();
    let (tools, failures) = registry.listing().await;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, ["two__run"]);
    assert!(failures.len() == 1 && failures[0].to_string().contains("skill `one`"), "{failures:?}");
}

/// A second folder with the name of a skill in use does not replace it.
#[tokio::test]
async fn a_newcomer_does_not_take_a_name() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    run(&host, "one").await.unwrap();
    folder.write("a-copy", 7, "");
    std::fs::write(folder.skill("a-copy").join("skill.yaml"), manifest("one", "")).unwrap();
    let change = host.reload().await.unwrap();
    assert!(!change.changes_tools() && change.problems[0].0.ends_with("a-copy"), "{change:?}");
    assert_eq!(run(&host, "one").await.unwrap(), "1");
}

/// Pipes and devices are refused without being read.
#[cfg(unix)]
#[tokio::test]
async fn what_is_no_plain_file_is_refused() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    run(&host, "one").await.unwrap();
    for (name, target) in
        [("SKILL.md", "/dev/zero"), ("skill.yaml", "/dev/zero"), ("plugin.wasm", "/dev/zero")]
    {
        let path = folder.skill("one").join(name);
        let kept = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(target, &path).unwrap();
        let change = host.reload().await.unwrap();
        assert!(change.problems[0].1.contains("no plain file"), "{change:?}");
        assert_eq!(run(&host, "one").await.unwrap(), "1");
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, kept).unwrap();
        host.reload().await;
        assert_eq!(host.registry().problems().count(), 0);
    }
}

/// A folder that is removed and made again is watched again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_watch_outlives_its_root() {
    let parent = tempfile::tempdir().unwrap();
    let root = parent.path().join("skills");
    std::fs::create_dir(&root).unwrap();
    let host = Host::builder().no_cache().bundled_skills(false).skills(&root).build().unwrap();
    let _watch = host.watch().await.unwrap();
    std::fs::remove_dir(&root).unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    std::fs::create_dir(&root).unwrap();
    tokio::time::sleep(Duration::from_millis(800)).await;
    let skill = root.join("late");
    std::fs::create_dir(&skill).unwrap();
    std::fs::write(skill.join("plugin.wasm"), component(4)).unwrap();
    std::fs::write(skill.join("SKILL.md"), "").unwrap();
    std::fs::write(skill.join("skill.yaml"), manifest("late", "")).unwrap();
    eventually("the late skill", async || run(&host, "late").await.is_ok()).await;
}

/// Waits until `seen` holds, because the watcher needs a moment.
async fn eventually(what: &str, mut seen: impl AsyncFnMut() -> bool) {
    for _ in 0..200 {
        if seen().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} did not happen within 10 s");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watched_folder_reloads_by_itself() {
    let folder = Folder::new();
    folder.write("one", 1, "");
    let host = folder.host();
    let mut changes = host.changes();
    let watch = host.watch().await.unwrap();
    folder.write("two", 2, "");
    let change =
        tokio::time::timeout(Duration::from_secs(10), changes.next()).await.unwrap().unwrap();
    assert_eq!(change.added, ["two"], "one change, although several files were written");
    // A folder that was prepared elsewhere and moved here.
    std::fs::rename(folder.skill("two"), folder.skill("second")).unwrap();
    eventually("the second change", async || run(&host, "two").await.is_ok()).await;
    std::fs::remove_dir_all(folder.skill("second")).unwrap();
    eventually("the end of the skill", async || run(&host, "two").await.is_err()).await;
    drop(watch);
    folder.write("three", 3, "");
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(run(&host, "three").await.is_err(), "nobody watches any more");
}

/// Files are written, renamed, broken, deleted and made cyclic while eight clients call: `stable` always answers, every
/// answer belongs to one of the versions, and in the end everything is as on disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn torture() {
    let folder = Folder::new();
    folder.write("stable", 7, "");
    folder.write("moving", 1, "");
    let host = folder.host();
    let _watch = host.watch().await.unwrap();
    let (stop, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let (host, stop, calls) = (host.clone(), stop.clone(), calls.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(run(&host, "stable").await.unwrap(), "7");
                    // It always exists: every version on disk is complete, or broken in a way that keeps the last one.
                    let moving = run(&host, "moving").await.unwrap();
                    assert!(["1", "2", "3"].contains(&&*moving), "{moving}");
                    match run(&host, "coming").await {
                        Ok(number) => assert_eq!(number, "9"),
                        Err(error) => assert!(
                            error.contains("Unknown tool") || error.contains("skill `coming`"),
                            "{error}"
                        ),
                    }
                    calls.fetch_add(1, Ordering::Relaxed);
                    // Two cores must also do the writing and the reloading.
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            })
        })
        .collect();
    let yaml = folder.skill("moving").join("skill.yaml");
    let wasm = folder.skill("moving").join("plugin.wasm");
    for round in 0..25_u32 {
        match round % 9 {
            0 => replace(&wasm, component(2)),
            1 => std::fs::write(&yaml, "schema: 1\nname: mov").unwrap(),
            2 => replace(&yaml, manifest("moving", "tags: [again]")),
            3 => folder.write("coming", 9, ""),
            4 => std::fs::write(&wasm, &component(3)[..30]).unwrap(),
            5 => std::fs::write(&wasm, component(3)).unwrap(),
            6 => folder.write("coming", 9, "depends_on: [coming]"),
            7 => std::fs::rename(folder.skill("coming"), folder.skill("gone")).unwrap(),
            _ => {
                std::fs::remove_dir_all(folder.skill("gone")).unwrap();
                replace(&wasm, component(1));
            }
        }
        tokio::time::sleep(Duration::from_millis(u64::from(round * 37 % 200))).await;
    }
    replace(&yaml, manifest("moving", ""));
    replace(&wasm, component(3));
    folder.write("coming", 9, "");
    eventually("the last state", async || {
        run(&host, "moving").await.is_ok_and(|it| it == "3") && run(&host, "coming").await.is_ok()
    })
    .await;
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
    assert!(calls.load(Ordering::Relaxed) > 50);
    // The tools may be those of the last valid version while the last change is still to be read.
    eventually("no problems", async || host.registry().problems().count() == 0).await;
}
