//! Shared helpers of the tests: a host with a warm cache, skills made on the spot, the program itself.

#[cfg(target_os = "linux")]
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use mitt::{CacheDir, CallReport, ErrorKind, Host, Session, SessionOptions};

/// Returns the root of the repository: the tests belong to the crate of the program, two folders below.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap())
}

/// Returns the cache, which all tests and `cargo run` in this checkout share: CPython takes seconds to compile.
pub(crate) fn cache() -> PathBuf {
    root().join("target/mitt-cache")
}

/// Returns the host of the bundled skills, which all tests share: calls must not affect each other.
pub(crate) fn host() -> Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| Host::builder().cache(CacheDir::new(cache())).build().unwrap()).clone()
}

/// Opens a session of the bundled skills, in memory.
pub(crate) fn session() -> Session {
    host().session(SessionOptions::default()).unwrap()
}

/// Returns the names of the installed Python engines.
pub(crate) fn engines() -> Vec<String> {
    let registry = host().registry();
    let skills = registry
        .skills()
        .filter(|skill| skill.manifest().script().is_some_and(|it| it.language == "python"));
    skills.map(|skill| skill.manifest().name.clone()).collect()
}

/// Runs a script in the engine with this name. The engine `python` is also the default for the language.
pub(crate) async fn script(session: &Session, engine: &str, code: &str) -> CallReport {
    session.run_script(engine, code, None).await.unwrap()
}

/// Runs [`script`] and returns only its answer.
pub(crate) async fn outcome(session: &Session, engine: &str, code: &str) -> serde_json::Value {
    let report = script(session, engine, code).await;
    report.result.unwrap_or_else(|error| panic!("{}", error.render())).into()
}

/// A folder with one skill, whose component is given as text.
pub(crate) struct TestSkill {
    folder: tempfile::TempDir,
}

impl TestSkill {
    /// Makes the skill. `manifest` is added to the entries that every `skill.yaml` has.
    pub(crate) fn new(name: &str, wat: &str, manifest: &str) -> TestSkill {
        TestSkill::from_bytes(name, &wat::parse_str(wat).unwrap(), manifest)
    }

    pub(crate) fn from_bytes(name: &str, component: &[u8], manifest: &str) -> TestSkill {
        let folder = tempfile::tempdir().unwrap();
        let skill = folder.path().join(name);
        std::fs::create_dir(&skill).unwrap();
        let base = format!(
            "schema: 1\nname: {name}\nversion: 0.1.0\ndescription: a test\ncomponent: {name}.wasm\n{manifest}\n"
        );
        std::fs::write(skill.join("skill.yaml"), base).unwrap();
        std::fs::write(
            skill.join("SKILL.md"),
            format!("---\nname: {name}\ndescription: a test\n---\n"),
        )
        .unwrap();
        std::fs::write(skill.join(format!("{name}.wasm")), component).unwrap();
        TestSkill { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn host(&self) -> Host {
        Host::builder().no_cache().bundled_skills(false).skills(self.path()).build().unwrap()
    }

    pub(crate) fn session(&self) -> Session {
        self.host().session(SessionOptions::default()).unwrap()
    }
}

/// Returns a component whose tool `run` returns `number`.
pub(crate) fn component(number: u32) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "run") (result i32) i32.const {number}))
            (core instance $i (instantiate $m))
            (func (export "run") (result u32) (canon lift (core func $i "run"))))"#
    );
    wat::parse_str(text).unwrap()
}

/// Returns a component that imports a function of `interface`, and whose tool `run` does nothing.
pub(crate) fn importing(interface: &str) -> String {
    format!(
        r#"(component
            (import "{interface}" (instance (export "f" (func))))
            (core module $m (func (export "run")))
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#
    )
}

/// Calls without arguments.
pub(crate) async fn call(session: &Session, tool: &str) -> CallReport {
    session.call(tool, "{}").await
}

/// Returns the kind of a failed call.
#[track_caller]
pub(crate) fn kind(report: &CallReport) -> ErrorKind {
    match &report.result {
        Ok(result) => panic!("expected a failure, got {result}"),
        Err(error) => error.kind().clone(),
    }
}

/// Runs the program with the tests' cache and a clean environment.
pub(crate) fn mitt(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mitt"));
    command
        .current_dir(folder)
        .args(args)
        .env_remove("SOURCE_DATE_EPOCH")
        // Installed skills, settings and variables of this machine's user must not affect the tests.
        .env("MITT_CONFIG", "")
        .env("HOME", folder.join("no-home"))
        .env_remove("MITT_MODEL")
        .env("MITT_SKILLS_DIR", folder.join("no-skills"))
        .env("MITT_TRUST_FILE", folder.join(".mitt-trust.json"))
        .env("MITT_STATE_DIR", folder.join(".state"))
        .env("MITT_CACHE_DIR", cache());
    command
}

/// Returns what a terminal shows of the program with the arguments `line`, in shell syntax; or prints why the test is
/// skipped.
#[cfg(target_os = "linux")]
pub(crate) fn on_terminal(folder: &Path, line: &str) -> Option<String> {
    let output = terminal(folder, line)?.stdin(Stdio::null()).output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

/// Does what [`on_terminal`] does while a person types `answer` to every question. Input before a question may be lost, as
/// on every terminal, so it is typed repeatedly until the program ends.
#[cfg(target_os = "linux")]
pub(crate) fn answering(folder: &Path, line: &str, answer: &str) -> Option<String> {
    let mut terminal = terminal(folder, line)?;
    let mut child = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut typed, mut shown) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let shown = std::thread::spawn(move || {
        let mut text = Vec::new();
        shown.read_to_end(&mut text).map(|_| text)
    });
    let patience = Instant::now() + Duration::from_secs(120);
    while !shown.is_finished() {
        assert!(Instant::now() < patience, "the program waits");
        std::thread::sleep(Duration::from_millis(500));
        // The program may have ended.
        let _ = typed.write_all(format!("{answer}\n").as_bytes());
    }
    let shown = shown.join().unwrap().unwrap();
    child.wait().unwrap();
    Some(String::from_utf8_lossy(&shown).replace("\r\n", "\n"))
}

/// Uses util-linux, the only terminal that a test can have without a library.
#[cfg(target_os = "linux")]
fn terminal(folder: &Path, line: &str) -> Option<Command> {
    if !Path::new("/usr/bin/script").exists() {
        eprintln!("skipped: no /usr/bin/script, which makes terminals");
        return None;
    }
    let line = format!("{} {line}", env!("CARGO_BIN_EXE_mitt"));
    let mut terminal = Command::new("/usr/bin/script");
    terminal.current_dir(folder).args(["-qec", &line, "/dev/null"]);
    let base = command(folder, &[]);
    terminal.envs(base.get_envs().filter_map(|(key, value)| Some((key, value?))));
    Some(terminal)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the shared corpora, or prints why the test is skipped.
pub(crate) fn corpora() -> Option<PathBuf> {
    let path = root().join("../shared/corpora");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: the folder ../shared/corpora is not there");
    None
}

/// Renders every page of a PDF as a grey picture at 72 pixels per inch.
pub(crate) fn rasterise(pdf: &[u8]) -> Vec<image::GrayImage> {
    let pdf = hayro::hayro_syntax::Pdf::new(pdf.to_vec()).unwrap();
    let pages = hayro::render_pdf(&pdf, 1.0, Default::default(), None).unwrap();
    pages
        .into_iter()
        .map(|page| image::load_from_memory(&page.into_png().unwrap()).unwrap().into_luma8())
        .collect()
}

/// Returns the peak memory of a process in bytes. `None` if the system does not report it, or the process has ended.
pub(crate) fn peak_memory(pid: u32) -> Option<u64> {
    status(pid, "VmHWM:").map(|kib| kib * 1024)
}

fn status(pid: u32, key: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Runs a program to its end, and returns its output and peak memory in bytes; 0 if the system does not report it.
pub(crate) fn measured(mut command: Command) -> (Output, u64) {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let watch = std::thread::spawn(move || {
        let mut most = 0;
        // The status of a process that has ended but was not waited for has no such line.
        while let Some(peak) = peak_memory(pid) {
            most = most.max(peak);
            std::thread::sleep(Duration::from_millis(2));
        }
        most
    });
    let output = child.wait_with_output().unwrap();
    (output, watch.join().unwrap())
}

/// Appends the content of a PDF's object streams to it, so that tests can search its dictionaries.
pub(crate) fn unpacked(pdf: &[u8]) -> Vec<u8> {
    use std::io::Read as _;

    let (mut all, mark) = (pdf.to_vec(), b"/Type/ObjStm");
    for (at, _) in pdf.windows(mark.len()).enumerate().filter(|(_, it)| it == mark) {
        let start = at + pdf[at..].windows(7).position(|it| it == b"stream\n").unwrap() + 7;
        flate2::read::ZlibDecoder::new(&pdf[start..]).read_to_end(&mut all).unwrap();
    }
    all
}
