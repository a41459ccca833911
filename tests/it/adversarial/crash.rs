//! A process that is killed at any moment leaves no partial file, loses no finished work, and is cleaned up after.
//!
//! Each test kills 20 times, at random moments and while files are written; `MITT_KILLS=200` kills more often.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{TestSkill, command, root, text};

/// Longest wait for anything that must happen.
const PATIENCE: Duration = Duration::from_secs(300);

/// A component whose tool `run` does nothing.
const EMPTY: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

fn kills() -> u32 {
    std::env::var("MITT_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// Returns a random part of `most`.
fn random(most: Duration) -> Duration {
    let hash = RandomState::new().hash_one(0);
    most.mul_f64((hash >> 11) as f64 / (1_u64 << 53) as f64)
}

/// Kills `child` during its life, which lasts about `life`: at any moment or, in every second round, soon after a temporary
/// file appears in `folder`. Checks that nothing that it started outlives it.
fn kill(mut child: Child, round: u32, life: Duration, folder: &Path) {
    match round % 2 {
        0 => std::thread::sleep(random(life)),
        _ => {
            let end = Instant::now() + life * 4;
            while Instant::now() < end && child.try_wait().unwrap().is_none() {
                if names(folder).iter().any(|name| is_temporary(name)) {
                    std::thread::sleep(random(Duration::from_millis(4)));
                    break;
                }
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    }
    let children = children(child.id());
    let _ = child.kill();
    child.wait().unwrap();
    let start = Instant::now();
    for id in children {
        while is_running(id) {
            assert!(start.elapsed() < PATIENCE, "process {id} outlives the one that started it");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Returns the child processes of a process, if the system reports them.
fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn is_running(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // A process that has ended but was not waited for is a zombie.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".mitt-") || name.starts_with(".tmp")
}

fn sha256(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().unwrap();
    text(&output.stdout).split_whitespace().next().unwrap_or_default().to_owned()
}

/// Returns the entries of a journal. Only its last line may be incomplete; an incomplete line inside is followed by the next
/// session's.
fn journal(folder: &Path) -> Vec<Value> {
    let content = fs::read(folder.join("journal.jsonl")).unwrap_or_default();
    let mut entries = Vec::new();
    let lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
    for (number, line) in lines.iter().enumerate() {
        match serde_json::from_slice::<Value>(line) {
            Ok(entry) => entries.push(entry),
            Err(_) if line.is_empty() || number == lines.len() - 1 => {}
            Err(error) => {
                let next: Value = serde_json::from_slice(lines[number + 1]).unwrap_or_default();
                let line = String::from_utf8_lossy(line);
                assert_eq!(next["kind"], "session", "{error}: {line}");
            }
        }
    }
    entries
}

/// Checks that every delivered file in the journal is complete, and that there are no others besides `known`.
fn check(folder: &Path, known: &BTreeMap<String, String>) {
    for entry in journal(folder).iter().filter(|entry| entry["kind"] == "artifact") {
        let name = entry["name"].as_str().unwrap();
        assert_eq!(entry["sha256"], sha256(&folder.join(name)), "{name} was delivered");
    }
    for name in names(folder) {
        if name != "journal.jsonl" && !is_temporary(&name) {
            assert_eq!(
                known.get(&name),
                Some(&sha256(&folder.join(&name))),
                "{name} is half a file"
            );
        }
    }
}

/// Runs to the end, and returns the time that it took.
fn run(mut command: Command) -> Duration {
    let start = Instant::now();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    start.elapsed()
}

fn start(mut command: Command) -> Child {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().unwrap()
}

/// Prints how many kills left something to clean up.
fn told(hits: usize) {
    eprintln!("{} kills, {hits} of them left temporary files", kills());
}

/// Starts the program briefly in the folder `out`.
fn next_start(folder: &Path) {
    let arguments = json!({ "markdown": "text", "filename": "next.md" }).to_string();
    run(command(folder, &["call", "report__deliver", "--json", &arguments]));
}

#[test]
fn the_example_is_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let example = root().join("examples/yoy");
    let example =
        || command(folder.path(), &["run", example.to_str().unwrap(), "--clock", "1700000000"]);
    run(example());
    let life = run(example());
    next_start(folder.path());
    let finished: BTreeMap<_, _> =
        names(&out).into_iter().map(|name| (name.clone(), sha256(&out.join(name)))).collect();
    let mut hits = 0;
    for round in 0..kills() {
        if round % 5 == 4 {
            // New files are written in another way than files that are replaced.
            fs::remove_dir_all(&out).unwrap();
        }
        kill(start(example()), round, life, &out);
        check(&out, &finished);
        hits += usize::from(names(&out).iter().any(|name| is_temporary(name)));
        next_start(folder.path());
        check(&out, &finished);
        let names = names(&out);
        assert!(!names.iter().any(|name| is_temporary(name)), "{names:?}");
    }
    told(hits);
    // Files that were left behind are not in the way.
    run(example());
    check(&out, &finished);
    assert_eq!(names(&out).len(), finished.len());
}

/// The answers to the client of a server in `folder`: texts by name, each name several times.
struct Deliveries {
    /// The numbers of the last one sent and of the last one answered, for each name.
    numbers: BTreeMap<String, (u64, u64)>,
}

impl Deliveries {
    fn content(name: &str, number: u64) -> String {
        // Longer than a page and a buffer, so that a partial file can be detected.
        format!("{number}\n{}end of {name} {number}", "a line of text\n".repeat(2_000))
    }

    /// Checks that each file is complete, and is the last one answered or one sent later.
    fn check(&self, out: &Path) {
        for (name, (sent, answered)) in &self.numbers {
            let Ok(found) = fs::read_to_string(out.join(name)) else {
                assert_eq!(*answered, 0, "{name} was delivered and is gone");
                continue;
            };
            let number: u64 = found.lines().next().unwrap().parse().unwrap();
            assert_eq!(found, Deliveries::content(name, number), "{name} is half a file");
            assert!(
                (*answered..=*sent).contains(&number),
                "{name}: {number} of {answered}..{sent}"
            );
        }
        let known = |name: &String| {
            self.numbers.contains_key(name) || name == "journal.jsonl" || name == "next.md"
        };
        assert!(names(out).iter().all(|name| known(name) || is_temporary(name)));
    }
}

/// Lets a server deliver files until it is killed, while some calls are answered and others run.
fn serve_and_kill(folder: &Path, round: u32, deliveries: &mut Deliveries) {
    let mut server = command(folder, &["mcp", "--out", "out"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut send = |message: Value| writeln!(input, "{message}");
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello })).unwrap();
    output.next().unwrap().unwrap();
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    let mut wanted = Vec::new();
    for id in 1..=40_u64 {
        let name = format!("{}.md", id % 6);
        let (sent, _) = deliveries.numbers.entry(name.clone()).or_default();
        *sent += 1;
        let arguments = json!({ "markdown": Deliveries::content(&name, *sent), "filename": name });
        wanted.push((name, *sent));
        let params = json!({ "name": "report__deliver", "arguments": arguments });
        send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .unwrap();
    }
    // Calls run concurrently, so an answer means that its file was delivered, not that it was the last.
    let answers = std::thread::spawn(move || {
        let lines = output.map_while(Result::ok);
        let answers = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let whole = answers.filter(|answer| answer["result"]["isError"] != true);
        whole.filter_map(|answer| answer["id"].as_u64()).collect::<Vec<_>>()
    });
    kill(
        server,
        round,
        Duration::from_millis(100 + 200 * u64::from(round % 5)),
        &folder.join("out"),
    );
    for id in answers.join().unwrap() {
        let (name, number) = &wanted[usize::try_from(id).unwrap() - 1];
        let (_, answered) = deliveries.numbers.get_mut(name).unwrap();
        // Of several at once, the first may be renamed last: any file of this server is newer than those of the one before.
        *answered = (*answered).max(wanted.iter().find(|it| it.0 == *name).unwrap().1.min(*number));
    }
}

#[test]
fn a_serving_host_is_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    next_start(folder.path());
    let mut deliveries = Deliveries { numbers: BTreeMap::new() };
    let mut hits = 0;
    for round in 0..kills() {
        serve_and_kill(folder.path(), round, &mut deliveries);
        deliveries.check(&out);
        hits += usize::from(names(&out).iter().any(|name| is_temporary(name)));
        next_start(folder.path());
        deliveries.check(&out);
        journal(&out);
        let names = names(&out);
        assert!(!names.iter().any(|name| is_temporary(name)), "{names:?}");
    }
    told(hits);
    let answered: u64 = deliveries.numbers.values().map(|(_, answered)| *answered).sum();
    assert!(answered > 0, "every server was killed before it answered");
}

#[test]
fn a_cache_that_is_written_to_is_killed_at_any_moment() {
    let skill = TestSkill::new("test-cache", EMPTY, "");
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let [skills, cache_dir] = [skill.path(), &cache].map(|path| path.to_str().unwrap());
    let base = ["--skills", skills, "--no-bundled-skills", "--cache-dir", cache_dir];
    let call = || {
        let mut command = command(folder.path(), &["call", "test_cache__run"]);
        command.args(base);
        command
    };
    let life = run(call());
    let mut hits = 0;
    for round in 0..kills() {
        if round % 4 != 3 {
            fs::remove_dir_all(&cache).unwrap();
        }
        kill(start(call()), round, life, &cache);
        hits += usize::from(names(&cache).iter().any(|name| is_temporary(name)));
        run(call());
        let names = names(&cache);
        // The lock file of a compilation stays; the system releases the lock itself.
        let is_known = |name: &String| {
            name == "secret" || [".json", ".cwasm", ".lock"].iter().any(|end| name.ends_with(end))
        };
        assert!(names.iter().all(is_known), "{names:?}");
        assert!((3..=4).contains(&names.len()), "{names:?}");
    }
    told(hits);
}

#[test]
fn an_installation_is_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("test-install");
    fs::create_dir_all(source.join("references")).unwrap();
    let text = "---\nname: test-install\ndescription: Reads files for you.\n---\nDo it.\n";
    fs::write(source.join("SKILL.md"), text).unwrap();
    for number in 0..40 {
        fs::write(source.join(format!("references/{number}.md")), "text").unwrap();
    }
    run(command(folder.path(), &["skill", "pack", source.to_str().unwrap(), "-o", "packed"]));
    let install =
        || command(folder.path(), &["skill", "install", "packed", "--to", "skills", "--force"]);
    let skills = folder.path().join("skills");
    let life = run(install());
    let mut hits = 0;
    let all =
        || [names(&skills.join("test-install")), names(&skills.join("test-install/references"))];
    let whole = all();
    assert_eq!(whole[1].len(), 40);
    for round in 0..kills() {
        let is_new = round % 3 == 2;
        if is_new {
            fs::remove_dir_all(skills.join("test-install")).unwrap();
        }
        kill(start(install()), round, life, &skills);
        let found = all();
        assert!(found == whole || (is_new && found[0].is_empty()), "{found:?}");
        hits += usize::from(names(&skills).iter().any(|name| is_temporary(name)));
        run(install());
        assert_eq!(names(&skills), ["test-install"]);
        assert_eq!(all(), whole);
    }
    told(hits);
}

/// A session in the same folder begins with a sweep, which takes nothing from a live session.
#[test]
fn what_a_living_process_writes_is_not_taken_from_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    let arguments = |file: String| json!({ "markdown": "text\n".repeat(20_000), "filename": file });
    let code = r#"
import report
for number in range(60):
    report.deliver(markdown="text\n" * 20000, filename=f"{number}.md")
"#;
    fs::write(folder.path().join("script.py"), code).unwrap();
    let mut writer = command(folder.path(), &["exec", "script.py", "--engine", "python-lite"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut sweeps = 0;
    while writer.try_wait().unwrap().is_none() || sweeps < 3 {
        let arguments = arguments(format!("other-{sweeps}.md")).to_string();
        run(command(folder.path(), &["call", "report__deliver", "--json", &arguments]));
        sweeps += 1;
    }
    let output = writer.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let names = names(&folder.path().join("out"));
    assert_eq!(names.len(), 60 + sweeps + 1, "{names:?}");
}

/// If a repository brings a folder instead of the journal, the session is refused, and nothing waits forever.
#[test]
fn a_folder_in_the_place_of_the_journal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("out/journal.jsonl")).unwrap();
    let mut child = start(command(folder.path(), &["call", "report__deliver", "--json", "{}"]));
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it reads a folder for ever");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(!status.success());
}
