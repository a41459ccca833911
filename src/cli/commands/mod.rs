//! The commands, one function each.

#[cfg(feature = "fetch")]
mod addresses;
#[cfg(not(feature = "fetch"))]
#[path = "addresses_disabled.rs"]
mod addresses;
mod agents;
mod attachments;
#[cfg(feature = "models")]
mod chat;
mod compare;
#[cfg(feature = "compile")]
mod components;
#[cfg(not(feature = "compile"))]
#[path = "components_disabled.rs"]
mod components;
mod config;
mod conversation_log;
mod demo;
mod edit;
mod exec;
mod fill;
mod folders;
mod fonts;
mod ingest;
mod job;
#[cfg(feature = "man")]
mod man;
mod model;
mod new_file;
mod output_schema;
mod pdf;
mod pdf_file;
mod pictures;
mod plan;
mod redact;
mod redact_proof;
mod render;
mod render_deck;
mod replay;
mod run;
mod run_plan;
mod sibling_pictures;
mod skill;
#[cfg(feature = "sources")]
mod sources;
#[cfg(not(feature = "sources"))]
#[path = "sources_disabled.rs"]
mod sources;
mod sql;
mod start_options;
mod theme;
mod tools;
mod warm;
mod work;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::args::{Completions, Force, Global};
use super::complete;
use super::delivery::Delivery;
use super::output::{Output, note};
use super::remedies::OF_PROGRAM;
use super::settings::{FormulasMode, Key, OcrMode, WorkerMode, tenant_and_path};
use addresses::Addresses;
#[cfg(feature = "lambda")]
use mitt::Fetch;
use mitt::guard::{Guard, RuleSet};
use mitt::ocr::{OcrOptions, Tesseract};
use mitt::skill::author::{tidy, user_folder};
use mitt::skill::{Blocked, Layer, Overlay, Registry};
use mitt::{CacheDir, Environment, Host, HostBuilder, ProblemSink, PublicKey, WorkerOptions};
use mitt_base::formulas::Formulas;
use mitt_base::limits::{
    BlockingLimits, CallLimits, MIB, MemoryLimits, PartsLimits, SessionLimits,
};
use mitt_base::{Error, ErrorKind, Result, plain_file};

pub(super) use agents::agents;
#[cfg(feature = "models")]
pub(super) use chat::chat;
pub(super) use compare::compare;
pub(super) use components::{bounds, compile, inspect};
pub(super) use config::config;
pub(super) use demo::demo;
#[cfg(feature = "service")]
pub(super) use demo::recorded_example;
pub(super) use edit::edit;
pub(super) use exec::exec;
pub(super) use fill::fill;
#[cfg(feature = "lambda-s3")]
pub(super) use fill::fill_template;
pub(super) use fonts::command as fonts;
pub(super) use ingest::ingest;
#[cfg(feature = "lambda-s3")]
pub(super) use ingest::{check_formulas, write_csv, write_tables_json};
#[cfg(feature = "man")]
pub(super) use man::man;
pub(super) use model::model;
#[cfg(feature = "lambda")]
pub(super) use output_schema::read as output_schema;
pub(super) use pdf::pdf;
#[cfg(feature = "lambda")]
pub(super) use pictures::{MAX_PICTURE_BYTES, picture_of};
pub(super) use plan::plan;
pub(super) use redact::redact;
pub(super) use render::render;
#[cfg(feature = "lambda")]
pub(super) use render::{Rendered, render_text};
pub(super) use replay::run as replay;
#[cfg(feature = "lambda")]
pub(super) use run::ended_json;
pub(super) use run::run;
pub(super) use skill::skill;
pub(super) use sources::source;
pub(super) use sql::sql;
pub(super) use tools::tools;
pub(super) use warm::warm;
pub(super) use work::call;

/// Largest overlay, in bytes.
const MAX_OVERLAY_BYTES: u64 = MIB;

/// Makes the host from the options, and prints warnings about its skills.
fn host(global: &Global) -> Result<Host> {
    host_with_limits(global, SessionLimits::default(), &Addresses::of(global)?)
}

/// Does what [`host`] does, with these session limits and these addresses.
fn host_with_limits(global: &Global, limits: SessionLimits, addresses: &Addresses) -> Result<Host> {
    host_with_warnings(global, limits, addresses, warnings_to_stderr())
}

/// Does what [`host`] does; `cache_problems` receives the reasons why native code cannot be kept.
fn host_with_cache_problems(global: &Global, cache_problems: ProblemSink) -> Result<Host> {
    host_with_warnings(global, SessionLimits::default(), &Addresses::of(global)?, cache_problems)
}

/// Prints problems as warnings on standard error.
fn warnings_to_stderr() -> ProblemSink {
    Arc::new(|error| note(&format!("warning: {}", error.render())))
}

fn host_with_warnings(
    global: &Global,
    limits: SessionLimits,
    addresses: &Addresses,
    cache_problems: ProblemSink,
) -> Result<Host> {
    // After the command has ended, nothing continues the compilation.
    let blocking = BlockingLimits::default();
    let blocking = BlockingLimits { load_wait: blocking.compile_time, ..blocking };
    let limits = session_limits(global, limits);
    let builder = host_builder(global, worker(global), blocking)?.session_limits(limits);
    let builder = with_skills(global, builder.cache_problems(cache_problems), addresses)?;
    let host = builder.build()?;
    if !global.quiet {
        warn(&host.registry());
    }
    Ok(host)
}

/// Returns the memory limits: shares of the host's memory if the options set it, otherwise what the largest file needs.
fn memory(global: &Global) -> MemoryLimits {
    match global.host_memory {
        Some(bytes) => MemoryLimits::of_host(bytes),
        None => MemoryLimits::default().for_files(global.document_size.unwrap_or_default()),
    }
}

/// Returns the limits on a document with its nested files, from the options.
fn parts(global: &Global) -> PartsLimits {
    let default = PartsLimits::default();
    PartsLimits {
        time: global.parts_time.unwrap_or(default.time),
        fuel: global.parts_fuel.unwrap_or(default.fuel),
        bytes: global.parts_size.unwrap_or(default.bytes),
        files: global.parts_files.unwrap_or(default.files),
    }
}

/// Does what [`host`] does for commands that list things: an unreadable skill is left out, and the registry reports it.
fn tolerant_host(global: &Global) -> Result<Host> {
    let mut builder = host_builder(global, worker(global), BlockingLimits::default())?
        .cache_problems(warnings_to_stderr());
    for folder in &global.skills {
        builder = builder.installed_skills(folder);
    }
    with_skill_options(builder, global, &Addresses::of(global)?)?.build()
}

/// Returns the options for worker processes. If none can be started, the reason goes to standard error.
pub(super) fn worker(global: &Global) -> Option<WorkerOptions> {
    let problems: ProblemSink = Arc::new(|error| {
        note(&format!("warning: no worker process, the work is done without: {}", error.render()));
    });
    let required = global.worker == WorkerMode::Always;
    (global.worker != WorkerMode::Never).then(|| WorkerOptions {
        arguments: vec!["worker".into(), OF_PROGRAM.into()],
        required,
        // Full priority, because the user waits for it.
        nice: 0,
        // If it is required, an error reports the problem.
        problems: (!required).then_some(problems),
        crashes: Some(warnings_to_stderr()),
        ..WorkerOptions::default()
    })
}

/// Returns a builder of a host from the options. No warnings about its skills are printed.
pub(super) fn builder_without_warnings(
    global: &Global,
    worker: Option<WorkerOptions>,
    blocking: BlockingLimits,
    cache_problems: ProblemSink,
) -> Result<HostBuilder> {
    let builder = host_builder(global, worker, blocking)?.cache_problems(cache_problems);
    with_skills(global, builder, &Addresses::of(global)?)
}

/// Makes the host of a function, with these memory limits instead of those of the options. If it has whole texts, those of documents
/// are not cut to what a model reads. `fetcher` returns what fetches documents, and is given what the options allow. Warnings about
/// its skills are left to the caller.
#[cfg(feature = "lambda")]
pub(super) fn host_of_function(
    global: &Global,
    (memory, has_whole_texts): (Option<MemoryLimits>, bool),
    problems: ProblemSink,
    fetcher: impl FnOnce(Option<Arc<dyn Fetch>>) -> Option<Arc<dyn Fetch>>,
) -> Result<Host> {
    let addresses = Addresses::of(global)?;
    let mut limits = session_limits(global, SessionLimits::default());
    if has_whole_texts {
        limits.document_characters = u64::MAX;
        limits.table_characters = u64::MAX;
    }
    let builder = host_builder(global, worker(global), BlockingLimits::default())?;
    let mut builder = builder.session_limits(limits);
    if let Some(memory) = memory {
        builder = builder.memory(memory);
    }
    let mut builder = with_skills(global, builder.cache_problems(problems), &addresses)?;
    if let Some(fetcher) = fetcher(addresses.fetcher()) {
        builder = builder.fetch(fetcher);
    }
    builder.build()
}

/// Returns the limits of a session with what the options say of documents.
fn session_limits(global: &Global, limits: SessionLimits) -> SessionLimits {
    let size = global.document_size.unwrap_or(limits.document_bytes);
    let documents = limits.documents_bytes.max(size.saturating_mul(4));
    SessionLimits {
        document_bytes: size,
        documents_bytes: global.documents_size.unwrap_or(documents),
        parts: parts(global),
        ..limits
    }
}

/// Adds the folders of skills and the other options about skills and addresses.
fn with_skills(
    global: &Global,
    mut host: HostBuilder,
    addresses: &Addresses,
) -> Result<HostBuilder> {
    for folder in &global.skills {
        host = host.skills(folder);
    }
    with_skill_options(host, global, addresses)
}

/// Finds the program that recognises text in pictures: from the environment, otherwise an installed one.
fn tesseract(global: &Global) -> Option<Tesseract> {
    let from_env = || std::env::var_os("MITT_TESSERACT").filter(|program| !program.is_empty());
    if global.ocr == OcrMode::Never {
        None
    } else {
        from_env().map(Tesseract::at).or_else(Tesseract::find)
    }
}

/// Returns a builder without the skills of the command line and the options that refer to skills.
fn host_builder(
    global: &Global,
    worker: Option<WorkerOptions>,
    blocking: BlockingLimits,
) -> Result<HostBuilder> {
    // An upper bound: lower limits of a skill stay.
    let most = CallLimits {
        time: global.max_time.unwrap_or(Duration::MAX),
        fuel: global.max_fuel.unwrap_or(u64::MAX),
        memory_bytes: global.max_memory.unwrap_or(u64::MAX),
        table_elements: u64::MAX,
        instances: u64::MAX,
        handles: u64::MAX,
        output_bytes: u64::MAX,
        transfer_bytes: u64::MAX,
    };
    let mut host = Host::builder()
        .cache(cache(global))
        .bundled_skills(!global.no_bundled_skills)
        .call_limits(most)
        .blocking(blocking)
        .memory(memory(global))
        .full_journals(global.full_journal)
        .environment(environment(global)?);
    if let Some(worker) = worker {
        host = host.worker(worker);
    }
    host = host.csv_formulas(csv_formulas(global));
    if let Some(tesseract) = tesseract(global) {
        host = host.ocr(OcrOptions::new(Arc::new(tesseract)));
    }
    host = host.more_fonts(fonts::fonts(global)?);
    for key in &global.precompiled_keys {
        host = host.precompiled_key(precompiled_key(key)?);
    }
    for folder in &global.trusted_folders {
        host = host.trusted_folder(folder);
    }
    // Skills on the command line hide installed ones.
    if let Some(folder) = user_folder().filter(|folder| folder.is_dir()) {
        tidy(&folder);
        host = host.installed_skills(folder);
    }
    Ok(host)
}

/// Returns how texts of delivered CSV files are treated that a spreadsheet would calculate.
pub(super) fn csv_formulas(global: &Global) -> Formulas {
    match global.csv_formulas {
        FormulasMode::Harmless => Formulas::Harmless,
        FormulasMode::Refuse => Formulas::Refused,
        FormulasMode::Keep => Formulas::Kept,
    }
}

/// Adds single components, overlays, word lists, and the other options that refer to skills.
fn with_skill_options(
    mut host: HostBuilder,
    global: &Global,
    addresses: &Addresses,
) -> Result<HostBuilder> {
    for file in &global.components {
        host = host.component(file);
    }
    for file in &global.overlays {
        let overlay = overlay(file)?;
        if global.settings.brings(Key::Overlay, file) {
            only_narrows(&overlay, file)?;
        }
        host = host.overlay(Layer::Project, overlay);
    }
    for file in &global.words {
        host = host.guard(file.as_path());
    }
    for (tenant, file) in global.tenant_words.iter().filter_map(|text| tenant_and_path(text)) {
        host = host.tenant_guard(tenant, Path::new(file));
    }
    if let Some(fetcher) = addresses.fetcher() {
        host = host.fetch(fetcher);
    }
    for name in &global.replace_skills {
        host = host.replace_skill(name.replace('_', "-"));
    }
    let engines = global.engine.iter().flat_map(|names| names.split(','));
    for engine in engines.map(str::trim).filter(|name| !name.is_empty()) {
        host = host.script_engine(engine);
    }
    if !global.trust_skills {
        // Without a file of approvals, nothing is approved.
        host = host.trust(approvals().unwrap_or_default());
    }
    sources::with_sources(host, global)
}

/// Makes the guard of `--words` for a command without a session.
fn guard(global: &Global) -> Result<Guard> {
    Guard::new(rule_sets(global)?)
}

/// Reads the files of `--words`.
fn rule_sets(global: &Global) -> Result<Vec<RuleSet>> {
    let set = |file: &PathBuf| RuleSet::parse(&file.display().to_string(), &read_text(file)?);
    global.words.iter().map(set).collect()
}

/// Reads a public key: the digits themselves, or a file with them.
fn precompiled_key(text: &str) -> Result<PublicKey> {
    match text.parse() {
        Ok(key) => Ok(key),
        Err(error) if !Path::new(text).exists() => Err(error.at("--precompiled-key")),
        Err(_) => PublicKey::read(Path::new(text)),
    }
}

/// Prints problems of the skills, and which requested ones cannot be used.
fn warn(registry: &Registry) {
    for (place, problem) in registry.problems() {
        note(&format!("warning: {place}: {problem}"));
    }
    for hidden in registry.hidden() {
        note(&format!("warning: skill `{}` {hidden}; {}", hidden.name, hidden.way_out()));
    }
    for state in registry.states() {
        if let Some(blocked @ (Blocked::Unapproved { .. } | Blocked::Alike { .. })) = &state.blocked
        {
            note(&format!("warning: skill `{}` {blocked}", state.name));
        }
        for warning in registry.found(&state.name).iter().flat_map(|skill| skill.warnings()) {
            note(&format!("warning: skill `{}`: {warning}", state.name));
        }
    }
}

fn overlay(file: &Path) -> Result<Overlay> {
    let unreadable = || {
        Error::new(ErrorKind::Load, format!("cannot read the overlay {}", file.display())).hint(
            format!(
                "name an existing text file of at most {MAX_OVERLAY_BYTES} bytes that you may read"
            ),
        )
    };
    let bytes =
        plain_file::read(file, MAX_OVERLAY_BYTES).map_err(|error| unreadable().caused_by(error))?;
    if bytes.len() as u64 > MAX_OVERLAY_BYTES {
        return Err(unreadable());
    }
    let text = String::from_utf8(bytes).map_err(|error| unreadable().caused_by(error))?;
    Overlay::parse(&text, &file.display().to_string())
}

/// Refuses an overlay of a project's file that replaces or enables skills.
fn only_narrows(overlay: &Overlay, file: &Path) -> Result<()> {
    for (key, names) in [("replace", &overlay.replace), ("enable", &overlay.enable)] {
        if !names.is_empty() {
            let message = format!(
                "{}: {key}: an overlay of a project's file cannot say it: it would undo what you decided",
                file.display()
            );
            return Err(Error::new(ErrorKind::Load, message).hint(
                "name an overlay that says it in your own file of settings, or with `--overlay`",
            ));
        }
    }
    Ok(())
}

/// Returns the user's file of approvals. `None` if the system has no place for it, as for a user without a home: a relative
/// path would be trusted in whatever folder the command runs.
fn approvals() -> Option<PathBuf> {
    match std::env::var_os("MITT_TRUST_FILE").filter(|file| !file.is_empty()) {
        Some(file) => Some(file.into()),
        None => Some(dirs::config_dir()?.join("mitt").join("trust.json")),
    }
}

/// Returns the folder for native code.
pub(super) fn cache(global: &Global) -> Option<CacheDir> {
    match (global.no_cache, &global.cache_dir) {
        (true, _) => None,
        (false, Some(path)) => Some(CacheDir::new(path)),
        (false, None) => CacheDir::of_user(),
    }
}

/// Makes the writer for files that the user named.
fn delivery(global: &Global, force: &Force) -> Delivery {
    Delivery::new(cache(global).as_ref().map(CacheDir::path), force.force)
}

/// Returns the clock: fixed by an option, otherwise by the variable for reproducible builds.
fn environment(global: &Global) -> Result<Environment> {
    const VARIABLE: &str = "SOURCE_DATE_EPOCH";
    let fixed = match (global.clock, std::env::var(VARIABLE)) {
        (Some(seconds), _) => Some(seconds),
        (None, Ok(text)) => Some(text.parse().map_err(|_| {
            let message = format!("{VARIABLE}: expected a number of seconds, got `{text}`");
            Error::new(ErrorKind::Input, message).hint("correct the variable, or give `--clock`")
        })?),
        (None, Err(_)) => None,
    };
    Ok(Environment { clock: fixed.map(Duration::from_secs), seed: None })
}

/// Prints a completion script.
pub(super) fn completions(command: Completions, output: &Output) -> Result<ExitCode> {
    let script = complete::registration(&command.shell.to_string())?;
    output.data(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a text file that the user named, or standard input for `-`.
fn read_text(path: &Path) -> Result<String> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read {}", path.display()))
            .hint("name an existing text file in UTF-8, or `-` for standard input")
            .caused_by(error)
    };
    if path == Path::new("-") {
        return std::io::read_to_string(std::io::stdin()).map_err(unreadable);
    }
    std::fs::read_to_string(path).map_err(unreadable)
}
