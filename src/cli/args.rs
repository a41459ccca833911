//! What the user typed, and nothing more.

mod skill;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a tool or script reported an error or a skill did not pass its check, 2 wrong command line, 3 input missing or \
unreadable, 4 unknown tool or wrong arguments, 5 not granted, 6 limit reached, 7 plugin crashed, 8 skill cannot be loaded, \
9 model failed, 70 file system or host failed";

pub(super) use skill::{SkillCheck, SkillCommand, SkillInstall, SkillNew, SkillPack};

/// Hands for language models, with gloves on.
#[derive(Debug, Parser)]
#[command(name = "mitt", version, about, after_help = EXIT_CODES, max_term_width = 100)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// Options of every command.
#[derive(Debug, clap::Args)]
pub(super) struct Global {
    /// Folder with further skills; its skills hide bundled ones of the same name. May be given several times
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(super) skills: Vec<PathBuf>,
    /// Leave out the skills inside the binary
    #[arg(long, global = true)]
    pub(super) no_bundled_skills: bool,
    /// Compile plugins anew instead of keeping native code in the user's cache folder
    #[arg(long, global = true)]
    pub(super) no_cache: bool,
    /// Folder for native code [default: MITT_CACHE_DIR, else `mitt` in the user's cache folder]
    #[arg(long, global = true, value_name = "FOLDER", conflicts_with = "no_cache")]
    pub(super) cache_dir: Option<PathBuf>,
    /// Load native code made by `mitt compile` from skill folders; only for folders that you filled yourself
    #[arg(long, global = true)]
    pub(super) allow_precompiled: bool,
    /// Most wall clock of a call, such as `500ms` or `15s`; can only lower a skill's own limit
    #[arg(long, global = true, value_name = "DURATION", value_parser = duration)]
    pub(super) max_time: Option<std::time::Duration>,
    /// Most fuel of a call; can only lower a skill's own limit
    #[arg(long, global = true, value_name = "UNITS")]
    pub(super) max_fuel: Option<u64>,
    /// Most memory of a call, such as `64MiB`; can only lower a skill's own limit
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    pub(super) max_memory: Option<u64>,
    /// Fix the clock at this many seconds since 1970-01-01 UTC, so that the same input makes the same bytes
    /// [default: SOURCE_DATE_EPOCH, else the system's clock]
    #[arg(long, global = true, value_name = "SECONDS")]
    pub(super) clock: Option<u64>,
    /// Print no progress
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Follow a task: read its documents, let a model work, write the files
    Run(Run),
    /// Run a Python script with documents and tools
    Exec(Exec),
    /// Call a tool
    Call(Call),
    /// List the tools
    Tools(Json),
    /// Read a file and print it as text and tables
    Ingest(Ingest),
    /// Typeset a Markdown file as PDF
    Render(Render),
    /// Write, check, pack and install skills
    #[command(subcommand)]
    Skill(SkillCommand),
    /// Compile skills to native code for builds without a compiler
    Compile(Compile),
    /// Print every limit
    Limits(Json),
    /// Print a completion script for a shell
    Completions(Completions),
}

impl Command {
    /// Whether standard output is for a machine.
    pub(super) fn wants_json(&self) -> bool {
        match self {
            Command::Run(command) => command.json.json,
            Command::Exec(command) => command.json.json,
            Command::Call(_) => true,
            Command::Ingest(command) => command.json.json,
            Command::Render(command) => command.json.json,
            Command::Skill(command) => command.wants_json(),
            Command::Compile(command) => command.json.json,
            Command::Tools(json) | Command::Limits(json) => json.json,
            Command::Completions(_) => false,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct Json {
    /// Print JSON on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Run {
    /// A task file, or a folder with a `task.yaml`
    pub(super) task: PathBuf,
    /// Where to write the files and the journal
    #[arg(short, long, default_value = "out", value_name = "FOLDER")]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct Exec {
    /// The script, or `-` for standard input
    pub(super) script: PathBuf,
    /// A document for the script. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(super) docs: Vec<PathBuf>,
    /// Variables of the script, as a JSON object
    #[arg(short, long, value_name = "JSON")]
    pub(super) inputs: Option<String>,
    /// Where to write the files and the journal
    #[arg(short, long, default_value = "out", value_name = "FOLDER")]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct Call {
    /// Name of the tool, such as `excel_tool__create_excel`
    pub(super) tool: String,
    /// Arguments as a JSON object, `@FILE` to read them from a file, or `-` for standard input
    #[arg(short = 'j', long = "json", value_name = "JSON", default_value = "{}")]
    pub(super) arguments: String,
    /// A document for the tool. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(super) docs: Vec<PathBuf>,
    /// Where to write the files and the journal
    #[arg(short, long, default_value = "out", value_name = "FOLDER")]
    pub(super) out: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(super) struct Ingest {
    /// The file
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct Render {
    /// The Markdown file, or `-` for standard input
    pub(super) file: PathBuf,
    /// The PDF to write
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Title in the file's properties and in the running header [default: the first heading]
    #[arg(long)]
    pub(super) title: Option<String>,
    /// Language as a BCP 47 tag such as `zh-CN` or `en` [default: found from the text]
    #[arg(long, value_name = "TAG")]
    pub(super) language: Option<String>,
    /// Paper: `a4` or `letter`
    #[arg(long, default_value = "a4", value_parser = ["a4", "letter"])]
    pub(super) paper: String,
    /// Print a table of contents before the text
    #[arg(long)]
    pub(super) contents: bool,
    /// A font file for characters that the bundled fonts lack. May be given several times
    #[arg(long = "font", value_name = "FILE")]
    pub(super) fonts: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct Compile {
    /// Names of the skills; all of them when none is given
    #[arg(value_name = "SKILL")]
    pub(super) names: Vec<String>,
    /// Folder to write the compiled skills to, one subfolder each
    #[arg(short, long, value_name = "FOLDER")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell
    pub(super) shell: Shell,
}

fn duration(text: &str) -> Result<std::time::Duration, String> {
    match crate::skill::parse_duration(text) {
        Some(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a duration such as `500ms`, `15s` or `1m30s` expected".into()),
    }
}

fn size(text: &str) -> Result<u64, String> {
    match crate::skill::parse_size(text) {
        Some(size) if size > 0 => Ok(size),
        _ => Err("a size such as `64MiB` or a number of bytes expected".into()),
    }
}
