//! The first run, with nothing compiled yet. Lists, refusals and messages do not wait for compilation, waiting calls say so,
//! and `mitt warm` compiles ahead.
//!
//! The tests do not depend on the speed of the machine: [`Held`] holds the lock in the cache's folder, so that to every
//! process another one seems to be compiling, for as long as the test wants.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use mitt::{CacheDir, Event, Host, SessionOptions};
use serde_json::{Value, json};

use crate::support::{TestSkill, command, mitt, text};

const NUMBER: &str = r#"(component
    (core module $m (func (export "run") (param i32) (result i32) local.get 0))
    (core instance $i (instantiate $m))
    (func (export "run") (param "number" u32) (result u32) (canon lift (core func $i "run"))))"#;

/// Returns a skill `number` with one tool, which needs nothing.
pub(crate) fn number() -> TestSkill {
    TestSkill::new("number", NUMBER, "")
}

/// A cache in which something is always being compiled, until it is released.
pub(crate) struct Held {
    folder: tempfile::TempDir,
    turns: Vec<File>,
    /// The earlier files, which stand for the result of the compilation.
    compiled: Vec<(PathBuf, Vec<u8>)>,
}

impl Held {
    /// Holds what `mitt warm` compiles with `args`.
    pub(crate) fn new(args: &[&str]) -> Held {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let cache_dir = cache.display().to_string();
        let warm = [&["warm", "--cache-dir", &cache_dir], args].concat();
        let done = mitt(folder.path(), &warm);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let (mut turns, mut compiled) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&cache).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|it| it.to_str()) {
                Some("lock") => {
                    let turn = File::open(&path).unwrap();
                    turn.lock().unwrap();
                    turns.push(turn);
                }
                Some("cwasm" | "json") => {
                    compiled.push((path.clone(), fs::read(&path).unwrap()));
                    fs::remove_file(path).unwrap();
                }
                _ => {}
            }
        }
        assert!(!turns.is_empty() && !compiled.is_empty());
        Held { folder, turns, compiled }
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// Releases the lock without a result, as if the compiling process had ended.
    pub(crate) fn let_go(&mut self) {
        self.turns.clear();
    }

    /// Puts the result in place, as if the compiling process had finished. Returns the files.
    fn done(&mut self) -> Vec<PathBuf> {
        for (path, content) in &self.compiled {
            fs::write(path, content).unwrap();
        }
        self.turns.clear();
        self.compiled.iter().map(|(path, _)| path.clone()).collect()
    }
}

fn skills_of(skill: &TestSkill) -> String {
    skill.path().display().to_string()
}

/// Runs `mitt warm --json` for the skills in `folder`.
fn warm(cache: &Path, args: &[&str]) -> (Option<i32>, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache.display().to_string();
    let base = ["warm", "--json", "--no-bundled-skills", "--cache-dir", &cache];
    let output = mitt(folder.path(), &[&base, args].concat());
    let said = text(&output.stdout);
    let value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
    (output.status.code(), value, text(&output.stderr))
}

#[test]
fn warm_compiles_once_and_says_what_it_did() {
    let skill = number();
    let folder = tempfile::tempdir().unwrap();
    let (cache, skills) = (folder.path().join("cache"), skills_of(&skill));
    let (code, first, errors) = warm(&cache, &["--skills", &skills]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(first["cache"], json!(cache));
    let only = &first["skills"][0];
    assert_eq!((&only["skill"], &only["state"]), (&json!("number"), &json!("compiled")));
    assert!(only["native_bytes"].as_u64().unwrap() > 1_000 && only["seconds"].is_f64(), "{only}");
    let (code, again, _) = warm(&cache, &["--skills", &skills, "number"]);
    assert_eq!((code, &again["skills"][0]["state"]), (Some(0), &json!("cached")));
    assert_eq!(again["skills"][0]["native_bytes"], only["native_bytes"]);

    // For display.
    let cache = folder.path().join("other").display().to_string();
    let args = ["warm", "--no-bundled-skills", "--cache-dir", &cache, "--skills", &skills];
    let output = mitt(folder.path(), &args);
    let line = text(&output.stdout);
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        (words[0], words[1], words[3], words.len()),
        ("number", "compiled", "s", 6),
        "{line}"
    );
}

#[test]
fn warm_leaves_out_what_is_not_used_and_fails_for_what_does_not_load() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let off = TestSkill::new("off", NUMBER, "enabled: false");
    let (code, none, _) = warm(&cache, &["--skills", &skills_of(&off)]);
    assert_eq!((code, &none["skills"]), (Some(0), &json!([])));
    assert!(!cache.exists(), "nothing was compiled");

    let broken = TestSkill::from_bytes("broken", b"no component", "");
    let sound = number();
    let both = ["--skills", &skills_of(&broken), "--skills", &skills_of(&sound)];
    let (code, both, errors) = warm(&cache, &both);
    assert_eq!(code, Some(8), "{errors}");
    let states: Vec<_> = both["skills"].as_array().unwrap().iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["failed", "compiled"]);
    assert!(both["skills"][0]["error"]["message"].is_string(), "{both}");
    assert!(errors.contains("skill `broken`"), "{errors}");

    let (code, unknown, _) = warm(&cache, &["--skills", &skills_of(&sound), "nunber"]);
    assert_eq!(code, Some(8));
    assert!(unknown["error"].to_string().contains("did you mean `number`"), "{unknown}");
}

#[test]
fn a_cache_that_cannot_be_written_is_told_once_with_the_way_out() {
    let skill = number();
    let skills = skills_of(&skill);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let below = file.join("cache");
    let (code, said, errors) = warm(&below, &["--skills", &skills]);
    assert_eq!(code, Some(70));
    let error = said["error"].to_string();
    assert!(
        error.contains(&below.display().to_string()) && error.contains("--cache-dir"),
        "{error}"
    );
    assert!(errors.contains("cannot be kept in"), "{errors}");

    // Calls work anyway, with one warning.
    let below = below.display().to_string();
    let args = ["--no-bundled-skills", "--cache-dir", &below, "--skills", &skills];
    let called = ["call", "number__run", "--json", r#"{"number": 3}"#];
    let output = mitt(folder.path(), &[&called[..], &args[..]].concat());
    assert_eq!(text(&output.stdout).trim(), "3");
    let errors = text(&output.stderr);
    assert_eq!(
        errors.matches("warning: compiled components cannot be kept in").count(),
        1,
        "{errors}"
    );
    assert!(errors.contains("MITT_CACHE_DIR"), "{errors}");
    let (code, refused, _) = warm_without_cache(&skills);
    assert_eq!(code, Some(3));
    assert!(refused["error"].to_string().contains("--no-cache"), "{refused}");
}

fn warm_without_cache(skills: &str) -> (Option<i32>, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let args = ["warm", "--json", "--no-bundled-skills", "--no-cache", "--skills", skills];
    let output = mitt(folder.path(), &args);
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap(), text(&output.stderr))
}

/// Two clients often start the server at the same moment.
#[test]
fn what_another_process_compiles_is_waited_for_and_not_compiled_again() {
    let skill = number();
    let skills = skills_of(&skill);
    let args = ["--no-bundled-skills", "--skills", &skills];
    let mut held = Held::new(&args);
    let cache = held.cache().display().to_string();
    let all = [&["warm", "--json", "--cache-dir", &cache], &args[..]].concat();
    let folder = tempfile::tempdir().unwrap();
    let mut child =
        command(folder.path(), &all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Without a terminal it says so after a while.
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut said).unwrap();
    assert!(said.starts_with("compiling number for this machine, once"), "{said}");
    let before: Vec<_> = held.done().iter().map(|it| modified(it)).collect();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["skills"][0]["state"], "cached", "{out}");
    let after: Vec<_> = held.compiled.iter().map(|(path, _)| modified(path)).collect();
    assert_eq!(before, after, "it was compiled again");
}

fn modified(path: &Path) -> std::time::SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn a_call_without_a_terminal_says_after_a_while_that_it_waits_for_the_compiler() {
    let skill = number();
    let skills = skills_of(&skill);
    let args = ["--no-bundled-skills", "--skills", &skills];
    let mut held = Held::new(&args);
    let cache = held.cache().display().to_string();
    let call = ["call", "number__run", "--cache-dir", &cache, "--json", r#"{"number": 4}"#];
    let folder = tempfile::tempdir().unwrap();
    let mut child = command(folder.path(), &[&call[..], &args[..]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    errors.read_line(&mut said).unwrap();
    assert!(said.starts_with("compiling number for this machine, once"), "{said}");
    held.let_go();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(out.trim(), "4");
    errors.read_to_string(&mut said).unwrap();
    assert!(said.contains("\ncompile number  ("), "{said}");
    assert_eq!(said.matches("compiling number").count(), 1, "{said}");
    assert!(child.wait().unwrap().success());
}

fn held_host(skill: &TestSkill, held: &Held) -> Host {
    let builder = Host::builder().bundled_skills(false).skills(skill.path());
    builder.cache(CacheDir::new(held.cache())).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_and_refusals_do_not_wait_for_the_compiler_and_calls_that_do_say_so() {
    let skill = number();
    let mut held = Held::new(&["--no-bundled-skills", "--skills", &skills_of(&skill)]);
    let host = held_host(&skill, &held);
    let (tools, failures) = host.registry().listing().await;
    assert!(failures.is_empty() && tools[0].name.as_str() == "number__run");
    let told = Arc::<Mutex<Vec<Event>>>::default();
    let sink = told.clone();
    let events: mitt::EventSink =
        Arc::new(move |event: &Event| sink.lock().unwrap().push(event.clone()));
    let options = SessionOptions { events: Some(events), ..SessionOptions::default() };
    let session = host.session(options).unwrap();
    let wrong = session.call("number__run", r#"{"nunber": 1}"#).await;
    assert!(wrong.result.unwrap_err().render().contains("did you mean `number`?"));
    let unknown = session.call("number__walk", "{}").await;
    assert!(unknown.result.unwrap_err().render().contains("number__run"));
    assert!(!told.lock().unwrap().iter().any(|it| matches!(it, Event::Compiling { .. })));

    // One that waits longer than a call may.
    let (caller, arguments) = (session.clone(), r#"{"number": 5}"#);
    let call = tokio::spawn(async move { caller.call("number__run", arguments).await });
    let is_waiting = || {
        let told = told.lock().unwrap();
        told.iter().any(
            |it| matches!(it, Event::Compiling { call: Some(_), skill, .. } if skill == "number"),
        )
    };
    while !is_waiting() {
        tokio::task::yield_now().await;
    }
    assert!(!call.is_finished());
    held.let_go();
    assert_eq!(call.await.unwrap().result.unwrap().to_string(), "5");
    let told = told.lock().unwrap();
    let of = |is: fn(&Event) -> bool| told.iter().position(is).unwrap();
    let compiled = of(|it| matches!(it, Event::Compiled { skill, .. } if skill == "number"));
    assert!(of(|it| matches!(it, Event::Compiling { .. })) < compiled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_granted_is_still_left_out_of_the_list() {
    let wat = crate::support::importing("mitt:host/log@0.1.0");
    let skill = TestSkill::new("talks", &wat, "");
    let host = skill.host();
    let (tools, failures) = host.registry().listing().await;
    assert!(tools.is_empty());
    assert!(failures[0].render().contains("does not grant `log`"), "{}", failures[0].render());
}
