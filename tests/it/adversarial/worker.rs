//! The worker process: what cannot be bounded in the host is ended there, and only there.
//!
//! Processes are looked for by a tag in their command line, as other tests run their own at the same time.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mitt::{
    BlockingLimits, CacheDir, CallLimits, CallReport, ErrorKind, Host, HostBuilder, Resource,
    Session, SessionOptions, WorkerOptions,
};
use serde_json::json;

use crate::support::{TestSkill, cache, call, command, kind};

/// Far more than anything here takes, on a machine that has other work to do.
const LONG: Duration = Duration::from_secs(120);

/// Workers of `mitt`, which can be found by this tag.
fn tagged() -> (WorkerOptions, String) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let tag = format!("test-{}-{number}", std::process::id());
    let options = WorkerOptions {
        program: Some(env!("CARGO_BIN_EXE_mitt").into()),
        arguments: vec!["worker".into(), OsString::from(&tag)],
        ..WorkerOptions::default()
    };
    (options, tag)
}

/// The processes with `tag` in their command line.
fn processes(tag: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let said = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if let Some(pid) = pid
            && said.split(|byte| *byte == 0).any(|part| part == tag.as_bytes())
        {
            found.push(pid);
        }
    }
    found
}

/// Wait until `is_so`, for a while.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < LONG, "still not: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn gone(tag: &str) {
    eventually("the worker is gone", || processes(tag).is_empty());
}

fn builder() -> HostBuilder {
    Host::builder().cache(Some(CacheDir::new(cache())))
}

fn open(host: &Host, tenant: &str) -> Session {
    host.session(SessionOptions { tenant: Some(tenant.into()), ..SessionOptions::default() })
        .unwrap()
}

/// Prose that takes about half a second for each hundred thousand characters, alone on a processor.
fn prose(characters: usize) -> String {
    let mut text = String::new();
    let mut number = 1_u32;
    while text.len() < characters {
        for _ in 0..12 {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(["lorem", "ipsum", "dolor", "sit"][(number >> 16) as usize % 4]);
            text.push_str(&format!("{} ", number >> 22));
        }
        text.push_str("\n\n");
    }
    text
}

async fn deliver(session: &Session, markdown: &str, name: &str) -> CallReport {
    let arguments = json!({ "markdown": markdown, "filename": name }).to_string();
    session.call("report__deliver", &arguments).await
}

/// A document that anybody may want still comes out, and soon.
async fn serves_on(session: &Session) {
    let report = deliver(session, "# Still here", "still.pdf").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

#[track_caller]
fn limit(report: &CallReport, what: Resource) {
    match kind(report) {
        ErrorKind::Limit(limit) if limit.what == what => {}
        other => panic!("a limit on {what:?} expected, got {other:?}: {:?}", report.result),
    }
}

/// Time and memory for a component whose compilation takes many seconds in all, and no function very long.
fn slow_component(functions: usize) -> TestSkill {
    let mut body = String::new();
    for number in 0..functions {
        body.push_str(&format!("(func (param i64 i64) (result i64) (local i64)"));
        for step in 0..400 {
            body.push_str(&format!(
                "(local.set 2 (i64.add (i64.mul (local.get 0) (i64.const {})) (i64.xor (local.get 1) (local.get 2))))\
                 (if (i64.eqz (local.get 2)) (then (local.set 0 (i64.rotl (local.get 1) (i64.const {})))))",
                number * 1_000 + step,
                step % 60 + 1
            ));
        }
        body.push_str("(local.get 2))");
    }
    let wat = format!(
        r#"(component
            (core module $m {body} (func (export "run")))
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#
    );
    TestSkill::new("slow", &wat, "")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_makes_the_same_files_and_the_same_errors() {
    let (options, tag) = tagged();
    let clock = mitt::Environment { clock: Some(Duration::from_secs(86_400)), seed: None };
    let host = builder().environment(clock);
    let with = open(&host.clone().worker(options).build().unwrap(), "a");
    let without = open(&host.build().unwrap(), "a");
    let documents = [
        "# 报告\n\n**增长** 12.5% `code`\n\n| a | b |\n|--|--|\n| 1 | 2 |\n",
        "",
        "見附錄 한국어 部分",
        "text with \u{E123} and 👨",
        &"x ".repeat(70_000).replace(' ', "\n\n"),
    ];
    for markdown in documents {
        let [one, other] = [&with, &without].map(|session| async move {
            let report = deliver(session, markdown, "a.pdf").await;
            let shown = report.result.as_ref().map(ToString::to_string);
            (report.failure(), shown.map_err(|error| (error.render(), error.kind().clone())))
        });
        let (one, other) = (one.await, other.await);
        assert_eq!(one, other);
        if one.0.is_none() {
            assert_eq!(
                with.artifact_content("a.pdf").unwrap(),
                without.artifact_content("a.pdf").unwrap()
            );
        }
    }
    assert!(!processes(&tag).is_empty(), "nobody was asked");
    // With the host its processes end.
    drop(with);
    gone(&tag);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_that_a_worker_compiled_runs() {
    let (options, tag) = tagged();
    let skill = TestSkill::new(
        "small",
        r#"(component
            (core module $m (func (export "run") (result i32) i32.const 42))
            (core instance $i (instantiate $m))
            (func (export "run") (result u32) (canon lift (core func $i "run"))))"#,
        "",
    );
    let required = WorkerOptions { required: true, ..options };
    let host = Host::builder().bundled_skills(false).skills(skill.path()).worker(required);
    let session = open(&host.build().unwrap(), "a");
    let report = call(&session, "small__run").await;
    assert_eq!(report.result.unwrap().to_string(), "42");
    assert_eq!(processes(&tag).len(), 1);
    // What cannot be compiled is said in the same words.
    let asynchronous = r#"(component
        (core module $m (func (export "run") (param i32) (result i32) i32.const 0))
        (core instance $i (instantiate $m))
        (type $s (stream u8))
        (func (export "run") (param "x" $s) (result u32) (canon lift (core func $i "run"))))"#;
    let skill = TestSkill::new("strange", asynchronous, "");
    let host = Host::builder().bundled_skills(false).skills(skill.path());
    let with = open(&host.clone().worker(tagged().0).build().unwrap(), "a");
    let without = open(&host.build().unwrap(), "a");
    let error = |report: CallReport| report.result.unwrap_err().render();
    assert_eq!(
        error(call(&with, "strange__run").await),
        error(call(&without, "strange__run").await)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_takes_long_is_killed_at_the_deadline_of_its_call() {
    let (options, tag) = tagged();
    let most = CallLimits { time: Duration::from_millis(1_500), ..unlimited() };
    let host = builder().call_limits(most).worker(options).build().unwrap();
    let session = open(&host, "a");
    // Loaded before, so that the clock runs for the document alone.
    let _ = host.registry().tool("report__deliver").await.unwrap();
    let long = prose(900_000);
    for shape in [long.as_str(), &format!("> {long}"), &long.replace("\n\n", "\n\n- ")] {
        let report = deliver(&session, shape, "long.pdf").await;
        limit(&report, Resource::Time);
        // Not one goes on with what nobody waits for.
        gone(&tag);
    }
    assert!(session.artifacts().is_empty());
}

fn unlimited() -> CallLimits {
    CallLimits {
        time: Duration::MAX,
        fuel: u64::MAX,
        memory_bytes: u64::MAX,
        table_elements: u64::MAX,
        instances: u64::MAX,
        handles: u64::MAX,
        output_bytes: u64::MAX,
        transfer_bytes: u64::MAX,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rendering_has_a_time_of_its_own() {
    let limits =
        BlockingLimits { render_time: Duration::from_millis(700), ..BlockingLimits::default() };
    let (options, tag) = tagged();
    let session = open(&builder().blocking(limits).worker(options).build().unwrap(), "a");
    let report = deliver(&session, &prose(900_000), "long.pdf").await;
    limit(&report, Resource::Time);
    let message = report.result.unwrap_err().to_string();
    assert!(message.starts_with("typesetting the document: time limit of 700 ms"), "{message}");
    gone(&tag);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_needs_too_much_memory_ends_its_worker_and_nothing_else() {
    let (options, tag) = tagged();
    let limits =
        BlockingLimits { render_memory_bytes: 160 * 1024 * 1024, ..BlockingLimits::default() };
    let session = open(&builder().blocking(limits).worker(options).build().unwrap(), "a");
    for shape in [prose(900_000), table(4_000)] {
        let report = deliver(&session, &shape, "large.pdf").await;
        limit(&report, Resource::Memory);
        let message = report.result.unwrap_err().to_string();
        assert!(
            message.starts_with("typesetting the document: memory limit of 167772160"),
            "{message}"
        );
        serves_on(&session).await;
    }
    assert_eq!(processes(&tag).len(), 1);
}

fn table(rows: usize) -> String {
    let mut table = "| a | b | c | d | e | f |\n|--|--|--|--|--|--|\n".to_owned();
    for row in 0..rows {
        let cells: Vec<_> = (0..6).map(|cell| (row * 7_919 + cell * 104_729).to_string()).collect();
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    table
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_cancelled_renderings_leave_no_process() {
    let (options, tag) = tagged();
    let limits = BlockingLimits { places: 2, per_tenant: 2, ..BlockingLimits::default() };
    let host = builder().blocking(limits).worker(options).build().unwrap();
    let long: Arc<str> = prose(900_000).into();
    let mut most = 0;
    for round in 0..40 {
        let session = open(&host, "a");
        let long = long.clone();
        let task = tokio::spawn(async move { deliver(&session, &long, "long.pdf").await });
        tokio::time::sleep(Duration::from_millis(60 + round % 7 * 30)).await;
        most = most.max(processes(&tag).len());
        task.abort();
    }
    assert!((1..=2).contains(&most), "{most} processes for 2 places");
    serves_on(&open(&host, "a")).await;
    // The one that answered is kept for a while, and it is idle.
    eventually("at most one is left", || processes(&tag).len() <= 1);
    drop(host);
    gone(&tag);
}

/// Where no process can be killed, threads go on until they notice; but there are never more than places, and each gives its
/// place back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_cancelled_renderings_have_few_threads_without_a_worker() {
    let limits = BlockingLimits { places: 2, per_tenant: 2, ..BlockingLimits::default() };
    let host = builder().blocking(limits).build().unwrap();
    let long: Arc<str> = prose(500_000).into();
    let mut most = 0;
    for _ in 0..40 {
        let session = open(&host, "a");
        let long = long.clone();
        let task = tokio::spawn(async move { deliver(&session, &long, "long.pdf").await });
        tokio::time::sleep(Duration::from_millis(80)).await;
        most = most.max(threads_named("mitt-pdf"));
        task.abort();
    }
    // Other tests render at the same time, few of them.
    assert!((1..20).contains(&most), "{most} threads for 2 places");
    let report = deliver(&open(&host, "a"), "# Still here", "still.pdf").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
}

/// Threads of this process that are called so.
fn threads_named(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks
        .filter(|task| {
            std::fs::read_to_string(task.path().join("comm")).is_ok_and(|it| it.trim() == name)
        })
        .count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_ended_from_outside_is_replaced_once() {
    let (options, tag) = tagged();
    let session = open(&builder().worker(options).build().unwrap(), "a");
    let long = prose(300_000);
    for signal in ["-KILL", "-TERM"] {
        let killer = tokio::task::spawn_blocking({
            let tag = tag.clone();
            move || {
                eventually("there is a worker", || !processes(&tag).is_empty());
                std::thread::sleep(Duration::from_millis(150));
                end(&processes(&tag), signal);
            }
        });
        let report = deliver(&session, &long, "long.pdf").await;
        assert!(report.result.is_ok(), "{signal}: {:?}", report.result);
        killer.await.unwrap();
    }
    // While it has nothing to do, too.
    end(&processes(&tag), "-KILL");
    serves_on(&session).await;
    // Again and again: the error says so, and the next one works.
    let is_over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let killer = tokio::task::spawn_blocking({
        let (tag, is_over) = (tag.clone(), is_over.clone());
        move || {
            while !is_over.load(Ordering::Relaxed) {
                end(&processes(&tag), "-KILL");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    });
    let report = deliver(&session, &long, "long.pdf").await;
    is_over.store(true, Ordering::Relaxed);
    killer.await.unwrap();
    assert_eq!(kind(&report), ErrorKind::Host);
    let error = report.result.unwrap_err();
    assert!(error.to_string().contains("ended from outside twice"), "{error}");
    serves_on(&session).await;
}

fn end(pids: &[u32], signal: &str) {
    for pid in pids {
        let _ =
            Command::new("kill").args([signal, &pid.to_string()]).stderr(Stdio::null()).status();
    }
}

/// The host is gone without a chance to clean up; its worker is in the middle of a job, or idle.
#[test]
fn no_worker_survives_its_host() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("long.md"), prose(1_400_000)).unwrap();
    let one_shot: &[&str] = &["render", "long.md", "-o", "long.pdf"];
    for (args, wait) in [(one_shot, 400), (one_shot, 20), (&["mcp"][..], 400)] {
        let mut host = command(folder.path(), args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let workers = || children(host.id());
        eventually("there is a worker", || !workers().is_empty());
        let pids = workers();
        std::thread::sleep(Duration::from_millis(wait));
        host.kill().unwrap();
        host.wait().unwrap();
        eventually("it is gone", || pids.iter().all(|pid| !is_alive(*pid)));
    }
}

fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// What has ended and was not waited for by its new parent does not count.
fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != 'Z')
}

fn children(parent: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(_, of)| of == parent)).collect()
}

/// What a worker may and has, as the system tells it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_has_limits_and_nothing_of_its_host() {
    let (options, tag) = tagged();
    let host = builder().worker(WorkerOptions { ahead: 1, ..options }).build().unwrap();
    eventually("it is started ahead", || !processes(&tag).is_empty());
    serves_on(&open(&host, "a")).await;
    let pids = processes(&tag);
    assert_eq!(pids.len(), 1, "the one that was there did the job");
    let proc = PathBuf::from(format!("/proc/{}", pids[0]));
    let limits = std::fs::read_to_string(proc.join("limits")).unwrap();
    let soft_and_hard = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let values: Vec<_> = line.split_whitespace().take(2).map(str::to_owned).collect();
        values
    };
    assert_eq!(soft_and_hard("Max core file size"), ["0", "0"]);
    assert_eq!(soft_and_hard("Max file size"), ["0", "0"]);
    assert_eq!(soft_and_hard("Max open files"), ["16", "16"]);
    let memory = BlockingLimits::default().render_memory_bytes.to_string();
    assert_eq!(soft_and_hard("Max data size")[0], memory);
    assert_ne!(soft_and_hard("Max address space")[0], "unlimited");
    // Besides its three pipes only what every program gets that is started from here: what whoever started this one left
    // open for all. Nothing that was opened here.
    let files: Vec<i32> = std::fs::read_dir(proc.join("fd"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_str().unwrap().parse().unwrap())
        .collect();
    for file in files {
        let open = std::fs::read_link(proc.join(format!("fd/{file}"))).unwrap();
        if file <= 2 {
            assert!(open.to_str().unwrap().starts_with("pipe:"), "{file}: {open:?}");
            continue;
        }
        let ours = std::fs::read_to_string(format!("/proc/self/fdinfo/{file}")).unwrap();
        let flags = ours.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
        let flags = u64::from_str_radix(flags.trim(), 8).unwrap();
        assert_eq!(flags & 0o2_000_000, 0, "{file}: {open:?} is closed where a program starts");
    }
    let environment = std::fs::read(proc.join("environ")).unwrap();
    let names: Vec<_> = String::from_utf8(environment)
        .unwrap()
        .split_terminator('\0')
        .map(|entry| entry.split('=').next().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["MITT_IS_WORKER", "RAYON_NUM_THREADS"]);
    assert_eq!(std::fs::read_link(proc.join("cwd")).unwrap(), PathBuf::from("/"));
    let stat = std::fs::read_to_string(proc.join("stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let nice: i64 = fields.split_whitespace().nth(16).unwrap().parse().unwrap();
    assert!(nice >= 5, "{stat}");
}

/// A shell command that says hello as a worker of this version does.
fn says_hello(mitt: &str, protocol: u32) -> String {
    let head = json!({
        "mitt": mitt, "protocol": protocol, "wasmtime": mitt::engine::WASMTIME_VERSION,
        "target": format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
    });
    says(&head.to_string())
}

/// A shell command that writes a frame without a body.
fn says(head: &str) -> String {
    let length: String =
        (head.len() as u64).to_le_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
    format!("printf '{length}{}'; printf '%s' '{head}'", "\\000".repeat(8))
}

/// However a worker dies in the middle of a job, and whatever it says instead of an answer: the error tells it, as a limit
/// where one was reached.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_death_of_a_worker_is_told_for_what_it_is() {
    let hello = says_hello(env!("CARGO_PKG_VERSION"), 1);
    let abort = "kill -ABRT $$";
    let made = r#"{"result":{"Ok":{"pages":1,"warnings":[]}},"kept_bytes":0}"#;
    let huge = format!("printf '{}'", "\\377".repeat(16));
    for (ends, kind_name, said) in [
        (
            format!("echo 'memory allocation of 16 bytes failed' >&2; {abort}"),
            "limit",
            "typesetting the document: memory limit of",
        ),
        (
            format!("echo \"thread 'x' has overflowed its stack\" >&2; {abort}"),
            "limit",
            "nested too deeply",
        ),
        (format!("echo why >&2; {abort}"), "host", "it said: why"),
        ("kill -SEGV $$".into(), "host", "the worker crashed: signal: 11"),
        ("exit 4".into(), "host", "the worker crashed: exit status: 4"),
        ("kill -KILL $$".into(), "host", "ended from outside twice"),
        (says("{}"), "host", "typesetting the document"),
        (says(&made.replace("pages", "sheets")), "host", "typesetting the document"),
        (huge, "host", "typesetting the document"),
        ("head -c 100000 /dev/zero | tr '\\0' y >&2; exit 1".into(), "host", "yyyy"),
    ] {
        // Some of the job is read before, so that nothing fails while it is written.
        let script = format!("{hello}; head -c 40 >/dev/null; {ends}; exec cat >/dev/null");
        let options = WorkerOptions {
            program: Some("/bin/sh".into()),
            arguments: vec!["-c".into(), OsString::from(&script)],
            required: true,
            ..WorkerOptions::default()
        };
        let session = open(&builder().worker(options).build().unwrap(), "a");
        let report = deliver(&session, "# Text", "a.pdf").await;
        let (kind, message) = report.failure().unwrap();
        assert_eq!(kind, kind_name, "{ends}: {message}");
        assert!(message.contains(said) && message.len() < 8_000, "{ends}: {message}");
    }
}

/// What runs goes on with its own program, also after another one, or none, lies in its place.
#[test]
fn an_upgrade_in_the_middle_changes_nothing() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("mitt-before");
    std::fs::hard_link(env!("CARGO_BIN_EXE_mitt"), &program).unwrap();
    let mut host = Command::new(&program)
        .current_dir(folder.path())
        .args(["render", "-", "-o", "a.pdf", "--worker", "always"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::write(folder.path().join("other"), "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::rename(folder.path().join("other"), &program).unwrap();
    // The worker is not started before the text is there.
    std::io::Write::write_all(&mut host.stdin.take().unwrap(), b"# Text").unwrap();
    let output = host.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", crate::support::text(&output.stderr));
    assert!(folder.path().join("a.pdf").is_file());
}

/// The program as a user has it: where no process can be started for the work it is done here, with a word, or refused.
#[test]
fn the_command_line_says_whether_a_worker_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "# Text").unwrap();
    let render = |worker: &str| {
        let args = ["render", "a.md", "-o", "a.pdf", "--clock", "0", "--worker", worker];
        command(folder.path(), &args)
    };
    let files = ["auto", "always", "never"].map(|worker| {
        let output = render(worker).output().unwrap();
        assert!(output.status.success(), "{worker}: {}", crate::support::text(&output.stderr));
        std::fs::read(folder.path().join("a.pdf")).unwrap()
    });
    assert!(files[0] == files[1] && files[1] == files[2]);
    // Where it cannot be started once more.
    for (worker, code) in [("auto", 0), ("always", 70), ("never", 0)] {
        let _ = std::fs::remove_file(folder.path().join("a.pdf"));
        let output = no_more_processes(render(worker)).output().unwrap();
        let stderr = crate::support::text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{worker}: {stderr}");
        assert_eq!(folder.path().join("a.pdf").is_file(), code == 0, "{worker}");
        assert_eq!(stderr.contains("warning: no worker process"), worker == "auto", "{stderr}");
        assert_eq!(stderr.contains("hint: the operator has asked"), worker == "always", "{stderr}");
    }
    let output = command(folder.path(), &["limits", "--worker", "sometimes"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    // Who types it at a pipe gets a hello and no more; in the help it is not.
    let help = crate::support::mitt(folder.path(), &["--help"]);
    let help = crate::support::text(&help.stdout);
    assert!(!help.lines().any(|line| line.trim_start().starts_with("worker ")), "{help}");
}

/// The same command where the program cannot be started once more: the file that runs is one that a loader reads, which the
/// system takes for the program.
fn no_more_processes(command: Command) -> Command {
    let loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let loader = loader.iter().find(|path| std::path::Path::new(path).exists()).unwrap();
    let mut started = Command::new(loader);
    started.arg(command.get_program()).args(command.get_args());
    started.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => started.env(name, value),
            None => started.env_remove(name),
        };
    }
    started
}

/// Programs that are no workers, workers of another version, and no program at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_is_no_worker_of_this_version_is_refused() {
    let hello =
        |mitt: &str, protocol: u32| format!("{}; exec cat >/dev/null", says_hello(mitt, protocol));
    let shell = |script: String| ("/bin/sh", vec!["-c".to_owned(), script]);
    let version = env!("CARGO_PKG_VERSION");
    let programs = [
        ("/no/such/program", vec![]),
        shell("exit 3".into()),
        shell("echo hello; sleep 0.1; echo something else".into()),
        shell("yes".into()),
        shell("echo no more memory >&2; exit 1".into()),
        shell(hello("0.0.1", 1)),
        shell(hello(version, 1_000)),
    ];
    for (program, arguments) in programs {
        let told = Arc::<Mutex<Vec<String>>>::default();
        let sink = told.clone();
        let options = WorkerOptions {
            program: Some(program.into()),
            arguments: arguments.iter().map(OsString::from).collect(),
            problems: Some(Arc::new(move |error: &mitt::Error| {
                sink.lock().unwrap().push(error.render());
            })),
            ..WorkerOptions::default()
        };
        // Done here, and told once.
        let session = open(&builder().worker(options.clone()).build().unwrap(), "a");
        serves_on(&session).await;
        serves_on(&session).await;
        let said = told.lock().unwrap().clone();
        assert_eq!(said.len(), 1, "{program} {arguments:?}: {said:?}");
        assert!(said[0].contains("worker"), "{said:?}");
        // Refused where the operator wants it so.
        let options = WorkerOptions { required: true, ..options };
        let session = open(&builder().worker(options).build().unwrap(), "a");
        let report = deliver(&session, "# No", "no.pdf").await;
        assert_eq!(kind(&report), ErrorKind::Host, "{arguments:?}");
        let error = report.result.unwrap_err().render();
        assert!(error.contains("--worker"), "{error}");
    }
    // The version is named.
    let (program, arguments) = shell(hello("0.0.1", 1));
    let options = WorkerOptions {
        program: Some(program.into()),
        arguments: arguments.iter().map(OsString::from).collect(),
        required: true,
        ..WorkerOptions::default()
    };
    let session = open(&builder().worker(options).build().unwrap(), "a");
    let error = deliver(&session, "# No", "no.pdf").await.result.unwrap_err().to_string();
    assert!(error.contains("mitt 0.0.1") && error.contains(version), "{error}");
}

/// A program that starts and says nothing holds a job for as long as the job may take, and no longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_program_is_ended_with_its_job() {
    let limits =
        BlockingLimits { render_time: Duration::from_millis(500), ..BlockingLimits::default() };
    let tag = format!("31{:05}", std::process::id());
    let options = WorkerOptions {
        program: Some("/bin/sleep".into()),
        arguments: vec![OsString::from(&tag)],
        ..WorkerOptions::default()
    };
    let session = open(&builder().blocking(limits).worker(options).build().unwrap(), "a");
    let report = deliver(&session, "# Yes", "yes.pdf").await;
    limit(&report, Resource::Time);
    gone(&tag);
}

/// Fonts of the host are in its workers too, and a file that is none is found by them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_has_the_fonts_of_its_host() {
    // The last of Typst's own: the bundled set leaves it out.
    let font: Vec<Arc<[u8]>> = typst_assets::fonts().map(Arc::from).collect();
    for (fonts, is_good) in [(font, true), (vec![Arc::from(&b"no font"[..])], false)] {
        let (options, tag) = tagged();
        let clock = mitt::Environment { clock: Some(Duration::ZERO), seed: None };
        let mut host = builder().environment(clock);
        for font in fonts {
            host = host.font(font);
        }
        let with = open(&host.clone().worker(options).build().unwrap(), "a");
        let without = open(&host.build().unwrap(), "a");
        for text in ["# Signs\n\n∑ ⊕ ℵ", "# Again"] {
            let (one, other) =
                (deliver(&with, text, "a.pdf").await, deliver(&without, text, "a.pdf").await);
            assert_eq!(one.result.is_ok(), is_good, "{:?}", one.result);
            assert_eq!(one.failure(), other.failure());
            if is_good {
                let content = |session: &Session| session.artifact_content("a.pdf").unwrap();
                assert_eq!(content(&with), content(&without));
            }
        }
        assert_eq!(processes(&tag).len(), 1);
    }
}

/// A session that ends does not wait for a component.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_a_session_bounds_its_waiting_for_a_component() {
    let skill = slow_component(120);
    let host = Host::builder().bundled_skills(false).skills(skill.path());
    let host = host.worker(tagged().0).build().unwrap();
    let time = Some(Duration::from_millis(250));
    let session = host.session(SessionOptions { time, ..SessionOptions::default() }).unwrap();
    limit(&call(&session, "slow__run").await, Resource::SessionTime);
}

/// What compiles for long holds up whoever needs it, for as long as he wants to wait, and nobody else. It is compiled once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_compilation_ends_its_callers_waiting_and_goes_on() {
    let skill = slow_component(120);
    let (options, tag) = tagged();
    let limits =
        BlockingLimits { load_wait: Duration::from_millis(200), ..BlockingLimits::default() };
    for worker in [Some(options), None] {
        let has_worker = worker.is_some();
        let mut host = builder().cache(None).skills(skill.path()).blocking(limits.clone());
        if let Some(worker) = worker {
            host = host.worker(worker);
        }
        let session = open(&host.build().unwrap(), "a");
        // Compiled first, as this test has no cache.
        eventually_async("another tool", || async {
            let report = deliver(&session, "text", "a.md").await;
            report.result.is_ok()
        })
        .await;
        let calls: Vec<_> = (0..4)
            .map(|_| {
                let session = session.clone();
                tokio::spawn(async move { call(&session, "slow__run").await })
            })
            .collect();
        for one in calls {
            let report = one.await.unwrap();
            assert!(matches!(kind(&report), ErrorKind::Busy { .. }), "{:?}", report.result);
            let error = report.result.unwrap_err();
            assert!(error.to_string().contains("still being compiled"), "{error}");
            assert!(error.may_pass());
        }
        if has_worker {
            assert_eq!(processes(&tag).len(), 1, "compiled once for all");
        }
        // Others are not held up.
        let report = deliver(&session, "text", "a.md").await;
        assert!(report.result.is_ok(), "{:?}", report.result);
        // It went on without anybody who waits.
        eventually_async("it is compiled", || async {
            call(&session, "slow__run").await.result.is_ok()
        })
        .await;
    }
}

async fn eventually_async<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) {
    let since = Instant::now();
    while !is_so().await {
        assert!(since.elapsed() < 2 * LONG, "still not: {what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compilation_that_reaches_a_limit_is_not_tried_again() {
    let skill = slow_component(120);
    for (limits, what) in [
        (
            BlockingLimits {
                compile_time: Duration::from_millis(300),
                ..BlockingLimits::default()
            },
            Resource::Time,
        ),
        (
            BlockingLimits { compile_memory_bytes: 36 * 1024 * 1024, ..BlockingLimits::default() },
            Resource::Memory,
        ),
    ] {
        let (options, tag) = tagged();
        let host = Host::builder().bundled_skills(false).skills(skill.path()).blocking(limits);
        let session = open(&host.worker(options).build().unwrap(), "a");
        let report = call(&session, "slow__run").await;
        limit(&report, what);
        let first = report.result.unwrap_err().render();
        assert!(first.starts_with("skill `slow`: compiling the component: "), "{first}");
        gone(&tag);
        // The same answer from memory: no process is started for it.
        for _ in 0..20 {
            let report = call(&session, "slow__run").await;
            assert_eq!(report.result.unwrap_err().render(), first);
            assert!(processes(&tag).is_empty());
        }
        // A reload without a change is no reason either.
        session.host().reload().await;
        limit(&call(&session, "slow__run").await, what);
        assert!(processes(&tag).is_empty());
    }
}

/// One tenant has all its renderings waiting; another's comes after one of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_waiting_renderings_delay_another_tenant_by_one() {
    let limits = BlockingLimits { places: 1, per_tenant: 1, ..BlockingLimits::default() };
    for worker in [Some(tagged().0), None] {
        let mut host = builder().blocking(limits.clone());
        if let Some(worker) = worker {
            host = host.worker(worker);
        }
        let host = host.build().unwrap();
        serves_on(&open(&host, "c")).await;
        let long: Arc<str> = prose(60_000).into();
        let done = Arc::new(AtomicU64::new(0));
        let many: Vec<_> = (0..16)
            .map(|_| {
                let (session, long, done) = (open(&host, "a"), long.clone(), done.clone());
                tokio::spawn(async move {
                    let report = deliver(&session, &long, "a.pdf").await;
                    done.fetch_add(1, Ordering::SeqCst);
                    report.result.map(drop)
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let before = done.load(Ordering::SeqCst);
        let report = deliver(&open(&host, "b"), "# B", "b.pdf").await;
        assert!(report.result.is_ok(), "{:?}", report.result);
        let between = done.load(Ordering::SeqCst) - before;
        // The one that runs, one that was granted the place in the same moment, and one for the counting itself.
        assert!(before < 12 && between <= 3, "{between} came before, after {before}");
        for one in many {
            one.await.unwrap().unwrap();
        }
    }
}

/// Who waits for a place waits in his own time, not in that of his call, and not for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_a_place_ends_as_busy() {
    let wait = Duration::from_millis(300);
    let limits = BlockingLimits { places: 1, per_tenant: 1, wait, ..BlockingLimits::default() };
    let (options, _) = tagged();
    let host = builder().blocking(limits).worker(options).build().unwrap();
    let (one, other) = (open(&host, "a"), open(&host, "b"));
    let _ = host.registry().tool("report__deliver").await.unwrap();
    let long = prose(900_000);
    let (first, second) = tokio::join!(deliver(&one, &long, "long.pdf"), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        deliver(&other, "# B", "b.pdf").await
    });
    drop(first);
    assert!(matches!(kind(&second), ErrorKind::Busy { .. }), "{:?}", second.result);
    let error = second.result.unwrap_err().to_string();
    assert!(error.contains("too many files to render and components to compile"), "{error}");
}
