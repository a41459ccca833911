//! The worker as a process: how it starts, what it can access, how it dies, and what is reported.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::*;
use crate::support::command;

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
    // Also while it is idle.
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

/// The host is gone without a chance to clean up, while its worker is busy or idle.
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

/// Returns `false` for a process that has ended but was not waited for by its new parent.
fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != 'Z')
}

fn children(parent: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(_, of)| of == parent)).collect()
}

/// The limits and open files of a worker, as reported by the system.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_has_limits_and_nothing_of_its_host() {
    let (options, tag) = tagged();
    let host = builder().worker(WorkerOptions { ahead: 1, ..options }).build().unwrap();
    eventually("it is started ahead", || !processes(&tag).is_empty());
    serves_on(&open(&host, "a")).await;
    // With an empty cache there was another worker, which compiled the component that requests the file.
    eventually("the one that was there did the job", || processes(&tag).len() == 1);
    let pids = processes(&tag);
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
    // Besides its three pipes, it has only the descriptors that every program started from here inherits from the
    // environment of this test. Nothing that was opened here.
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

/// The same number as in `src/mitt/worker/message.rs`.
const PROTOCOL: u32 = 7;

/// Returns a shell command that says hello like a worker of this version.
fn says_hello(mitt: &str, protocol: u32) -> String {
    let head = json!({
        "mitt": mitt, "protocol": protocol, "wasmtime": mitt::internal::WASMTIME_VERSION,
        "target": format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
    });
    says(&head.to_string())
}

/// Returns a shell command that writes a frame without a body.
fn says(head: &str) -> String {
    let length: String =
        (head.len() as u64).to_le_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
    format!("printf '{length}{}'; printf '%s' '{head}'", "\\000".repeat(8))
}

/// Compiles the skill of these tests in this process, unless it is in the cache. A worker that is a shell script cannot do it.
async fn compile_skill() {
    serves_on(&open(&builder().build().unwrap(), "first")).await;
}

/// However a worker dies during a job, and whatever it says instead of an answer: the error reports it, as a limit if one
/// was reached.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_death_of_a_worker_is_told_for_what_it_is() {
    compile_skill().await;
    let hello = says_hello(env!("CARGO_PKG_VERSION"), PROTOCOL);
    let abort = "kill -ABRT $$";
    let made = r#"{"result":{"Ok":{"pages":1,"warnings":[]}},"kept_bytes":0,"panicked":false}"#;
    let made_of_a_panic =
        r#"{"result":{"Ok":{"pages":1,"warnings":[]}},"kept_bytes":0,"panicked":true}"#;
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
        (format!("echo why >&2; {abort}"), "host", "the worker crashed: signal: 6"),
        // Words of a document are not words of the runtime.
        (
            format!("echo 'the memory allocation of 16 bytes failed us' >&2; {abort}"),
            "host",
            "the worker crashed: signal: 6",
        ),
        (says(made_of_a_panic), "host", "typesetting the document ended by an internal error"),
        ("kill -SEGV $$".into(), "host", "the worker crashed: signal: 11"),
        ("exit 4".into(), "host", "the worker crashed: exit status: 4"),
        ("kill -KILL $$".into(), "host", "ended from outside twice"),
        (says("{}"), "host", "typesetting the document"),
        (says(&made.replace("pages", "sheets")), "host", "typesetting the document"),
        (huge, "host", "typesetting the document"),
        ("head -c 100000 /dev/zero | tr '\\0' y >&2; exit 1".into(), "host", "exit status: 1"),
    ] {
        // It reads a part of the job first, so that writing the job does not fail.
        let script = format!("{hello}; head -c 40 >/dev/null; {ends}; exec cat >/dev/null");
        let (options, told) = told_of_crashes(&script);
        let session = open(&builder().worker(options).build().unwrap(), "a");
        let report = deliver(&session, "# Text", "a.pdf").await;
        let (kind, message) = report.failure().unwrap();
        assert_eq!(kind, kind_name, "{ends}: {message}");
        assert!(message.contains(said) && message.len() < 8_000, "{ends}: {message}");
        // The operator sees what it wrote; answers do not show it.
        assert!(!["it said", "why", "failed us", "yyyy"].iter().any(|it| message.contains(it)));
        let told = told.lock().unwrap().join("\n");
        assert_eq!(told.contains("it said: "), message.contains("the worker crashed"), "{told}");
        assert!(!ends.contains("why") || told.ends_with("it said: why"), "{told}");
    }
}

/// Returns options for a worker that is this script, and what its host reports of crashes.
fn told_of_crashes(script: &str) -> (WorkerOptions, Arc<Mutex<Vec<String>>>) {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let sink = told.clone();
    let crashes = Arc::new(move |error: &mitt::Error| sink.lock().unwrap().push(error.render()));
    (WorkerOptions { crashes: Some(crashes), ..shell(script) }, told)
}

/// Returns options for a shell as the worker, which is required.
fn shell(script: &str) -> WorkerOptions {
    WorkerOptions {
        program: Some("/bin/sh".into()),
        arguments: vec!["-c".into(), OsString::from(script)],
        required: true,
        ..WorkerOptions::default()
    }
}

/// A worker answers one job and dies of the second. Its host reads the messages of the first job only after the second job was
/// sent: they are not attributed to the second. A worker that panicked gets no second job.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_one_job_are_not_attributed_to_the_next() {
    compile_skill().await;
    let hello = says_hello(env!("CARGO_PKG_VERSION"), PROTOCOL);
    for (panicked, n_started) in [(false, 1), (true, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let answer = format!(
            r#"{{"result":{{"Ok":{{"pages":1,"warnings":[]}}}},"kept_bytes":0,"panicked":{panicked}}}"#
        );
        // What it reads goes into a file, where the second job is found.
        let script = format!(
            "cd '{}'; echo x >>started; {hello}; exec 3<&0; cat <&3 >read & \
             until grep -qa One read || grep -qa Two read; do sleep 0.02; done; {}; \
             until grep -qa Two read; do sleep 0.02; done; \
             echo 'memory allocation of 7 bytes failed' >&2; echo 'secret of alice' >&2; \
             printf '\\000why' >&2; kill -ABRT $$",
            folder.path().display(),
            says(&answer)
        );
        let (options, told) = told_of_crashes(&script);
        let host = builder().worker(options).build().unwrap();
        let first = deliver(&open(&host, "alice"), "# One", "one.pdf").await;
        assert_eq!(first.result.is_err(), panicked, "{:?}", first.result);
        let second = deliver(&open(&host, "mallory"), "# Two", "two.pdf").await;
        let started = std::fs::read_to_string(folder.path().join("started")).unwrap();
        assert_eq!(started.lines().count(), n_started, "{:?}", second.result);
        if !panicked {
            let (kind, message) = second.failure().unwrap();
            assert_eq!(kind, "host", "{message}");
            let told = told.lock().unwrap().join("\n");
            assert!(told.ends_with("it said: why") && !message.contains("secret"), "{told}");
        }
    }
}

/// A running host keeps using its own program, even if the file is replaced or removed.
#[test]
fn an_upgrade_in_the_middle_changes_nothing() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("mitt-before");
    std::fs::hard_link(env!("CARGO_BIN_EXE_mitt"), &program).unwrap();
    let mut host = Command::new(&program)
        .current_dir(folder.path())
        .args(["render", "-", "-o", "a.pdf", "--worker", "always"])
        .env("MITT_CONFIG", "")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::write(folder.path().join("other"), "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::rename(folder.path().join("other"), &program).unwrap();
    // The worker starts only when there is text.
    std::io::Write::write_all(&mut host.stdin.take().unwrap(), b"# Text").unwrap();
    let output = host.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", crate::support::text(&output.stderr));
    assert!(folder.path().join("a.pdf").is_file());
}

/// The program as a user has it: if no process can be started, the work is done in the host with a warning, or refused.
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
    // If the program cannot be started again.
    for (worker, code) in [("auto", 0), ("always", 70), ("never", 0)] {
        let _ = std::fs::remove_file(folder.path().join("a.pdf"));
        let Some(mut command) = no_more_processes(&render(worker)) else {
            eprintln!("skipped: this system has no such loader");
            break;
        };
        let output = command.output().unwrap();
        let stderr = crate::support::text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{worker}: {stderr}");
        assert_eq!(folder.path().join("a.pdf").is_file(), code == 0, "{worker}");
        assert_eq!(stderr.contains("warning: no worker process"), worker == "auto", "{stderr}");
        assert_eq!(stderr.contains("hint: the operator has asked"), worker == "always", "{stderr}");
    }
    let output = command(folder.path(), &["limits", "--worker", "sometimes"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    // Typing it at a pipe gives a hello and nothing more; the help does not list it.
    let help = crate::support::mitt(folder.path(), &["--help"]);
    let help = crate::support::text(&help.stdout);
    assert!(!help.lines().any(|line| line.trim_start().starts_with("worker ")), "{help}");
}

/// Returns the command in a form that cannot be started again: the running file is read by a loader, which the system takes
/// for the program.
fn no_more_processes(command: &Command) -> Option<Command> {
    let loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let loader = loader.iter().find(|path| std::path::Path::new(path).exists())?;
    let mut started = Command::new(loader);
    started.arg(command.get_program()).args(command.get_args());
    started.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => started.env(name, value),
            None => started.env_remove(name),
        };
    }
    Some(started)
}

/// Programs that are not workers, workers of another version, and a missing program.
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
        shell(hello("0.0.1", PROTOCOL)),
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
        // Done in the host, with one warning.
        let session = open(&builder().worker(options.clone()).build().unwrap(), "a");
        serves_on(&session).await;
        serves_on(&session).await;
        let said = told.lock().unwrap().clone();
        assert_eq!(said.len(), 1, "{program} {arguments:?}: {said:?}");
        assert!(said[0].contains("worker"), "{said:?}");
        // Refused if the operator requires a worker.
        let options = WorkerOptions { required: true, ..options };
        let session = open(&builder().worker(options).build().unwrap(), "a");
        let report = deliver(&session, "# No", "no.pdf").await;
        assert_eq!(kind(&report), ErrorKind::Host, "{arguments:?}");
        let error = report.result.unwrap_err();
        assert!(error.remedies().eq([&mitt::Remedy::OptionalWorker]), "{error:?}");
    }
    // The error names the version.
    let (program, arguments) = shell(hello("0.0.1", PROTOCOL));
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

/// A program that starts and stays silent blocks a job for as long as the job may take, and no longer.
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
