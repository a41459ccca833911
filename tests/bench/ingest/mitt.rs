//! Files by Mitt, in a process of its own: a host, and as many sessions at a time as there are processors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures_util::{StreamExt as _, stream};
use mitt::{CacheDir, Document, Event, EventSink, Host, SessionLimits, SessionOptions};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::process::{Memory, cpu_time, memory};
use super::{ROLE, root, seconds};

/// What came of a file.
#[derive(Serialize, Deserialize)]
pub(crate) struct Read {
    pub(crate) path: PathBuf,
    /// `read`, the name of an outcome such as `encrypted`, or else the kind of the error.
    pub(crate) outcome: String,
    /// From its bytes to the document.
    pub(crate) seconds: f64,
    /// Of that in the sandbox. 0 where no plugin was needed or no document came of it.
    pub(crate) in_reader: f64,
    /// The most memory of its reader in bytes; 0 as above.
    pub(crate) memory: u64,
}

/// What came of all.
#[derive(Serialize, Deserialize)]
pub(crate) struct Whole {
    pub(crate) files: Vec<Read>,
    /// All of the reading, the start of the process left out; in seconds.
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    /// The most memory of the process, in bytes.
    pub(crate) memory: u64,
    /// What it still has when all is done; 0 of those that do not say.
    #[serde(default)]
    pub(crate) memory_after: u64,
}

/// Read the files in a new process whose components were compiled before. The text of number 7 goes to `7.md` in the folder.
pub(crate) fn warmed(paths: &[PathBuf], texts: Option<&Path>) -> Whole {
    let list = list(paths);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(ROLE, "mitt").arg(list.path()).args(texts);
    finished(command)
}

/// The names of files, one a line.
pub(crate) fn list(paths: &[PathBuf]) -> tempfile::NamedTempFile {
    let list = tempfile::NamedTempFile::new().unwrap();
    let lines: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    fs::write(list.path(), lines).unwrap();
    list
}

/// What a process says in JSON when it has read its files.
pub(crate) fn finished(mut command: Command) -> Whole {
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    // No file may bring the process down.
    assert!(output.status.success(), "{:?}: {told}", output.status);
    // Libraries may print before.
    let said = String::from_utf8_lossy(&output.stdout);
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {last}"))
}

/// Returns `mitt ingest FILE`. With `one_processor`, Linux's `taskset` gives it the first processor alone.
pub(crate) fn program(path: &Path, one_processor: bool) -> Command {
    let program = env!("CARGO_BIN_EXE_mitt");
    let mut command = Command::new(if one_processor { "taskset" } else { program });
    if one_processor {
        command.args(["-c", "0", program]);
    }
    command.env("MITT_CACHE_DIR", cache()).arg("ingest").arg(path);
    command
}

/// What the process does that reads: arguments are the list, and the folder of texts.
pub(crate) fn child() {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let list = fs::read_to_string(&arguments[0]).unwrap();
    let texts = arguments.get(1).map(PathBuf::from);
    let paths: Vec<_> = list.lines().map(PathBuf::from).collect();
    if let Some(folder) = &texts {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("files.txt"), &list).unwrap();
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let whole = runtime.block_on(read_all(&paths, texts.as_deref()));
    println!("{}", serde_json::to_string(&whole).unwrap());
}

async fn read_all(paths: &[PathBuf], texts: Option<&Path>) -> Whole {
    let limits = SessionLimits {
        document_characters: u64::MAX,
        table_characters: u64::MAX,
        ..SessionLimits::default()
    };
    let cache = CacheDir::new(cache());
    let host = Host::builder().cache(Some(cache)).session_limits(limits).build().unwrap();
    // Components are compiled once for a machine, and mapped once for a process.
    host.load_ahead(|_| ()).await;
    let id = std::process::id();
    let (begun, cpu) = (Instant::now(), cpu_time(id).unwrap_or_default());
    let n_at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let places = Arc::new(Semaphore::new(n_at_once));
    let reading = paths.iter().enumerate().map(|(at, path)| {
        let (host, path, places) = (host.clone(), path.clone(), places.clone());
        let text = texts.map(|folder| folder.join(format!("{at}.md")));
        let reading = async move {
            let _place = places.acquire().await;
            read(&host, path, text.as_deref()).await
        };
        async move { tokio::spawn(reading).await }
    });
    // As the program does: a long one does not keep the others waiting.
    let files = stream::iter(reading).buffered(n_at_once + 6).map(Result::unwrap).collect().await;
    let (wall, cpu) = (begun.elapsed(), cpu_time(id).unwrap_or_default() - cpu);
    let Memory { now, peak } = memory(id).unwrap_or_default();
    Whole { files, wall: seconds(wall), cpu: seconds(cpu), memory: peak, memory_after: now }
}

async fn read(host: &Host, path: PathBuf, text: Option<&Path>) -> Read {
    let used = Arc::new(Mutex::new((0.0, 0)));
    let events: EventSink = Arc::new({
        let used = used.clone();
        move |event: &Event| {
            if let Event::DocumentReady { usage: Some(usage), .. } = event {
                let mut used = used.lock().unwrap();
                *used = (used.0 + seconds(usage.duration), usage.peak_memory_bytes.max(used.1));
            }
        }
    });
    let options = SessionOptions { events: Some(events), ..SessionOptions::default() };
    let session = host.session(options).unwrap();
    let begun = Instant::now();
    let done = session.add_document(&path).await;
    let seconds = seconds(begun.elapsed());
    let outcome = match done {
        Ok(document) => {
            if let Some(text) = text {
                fs::write(text, &document.text).unwrap();
                fs::write(text.with_extension("cells"), cells(&document)).unwrap();
            }
            "read".to_owned()
        }
        Err(error) => error.input_problem().unwrap_or(error.kind().name()).to_owned(),
    };
    let (in_reader, memory) = *used.lock().unwrap();
    Read { path, outcome, seconds, in_reader, memory }
}

/// Names and cells of all tables as JSON, row by row.
fn cells(document: &Document) -> Vec<u8> {
    let rows = document.tables.iter().flat_map(|table| {
        let names: Vec<String> = table.data.names().map(str::to_owned).collect();
        let cells = table.data.cells(0, usize::MAX);
        let rows = cells.map(|row| row.iter().map(|cell| cell.as_str().to_owned()).collect());
        std::iter::once(names).chain(rows)
    });
    serde_json::to_vec(&rows.collect::<Vec<_>>()).unwrap()
}

fn cache() -> PathBuf {
    root().join("target/mitt-cache")
}
