//! The command line as types: what the user may type, without any action.

mod compare;
mod config;
mod demo;
mod edit;
mod fill;
mod fonts;
mod from_settings;
mod ingest;
#[cfg(feature = "lambda")]
mod lambda;
mod model;
mod native;
pub(super) mod pdf;
mod plan;
pub(super) mod redact;
mod render;
mod run;
#[cfg(feature = "serve")]
mod serving;
#[cfg(not(feature = "serve"))]
#[path = "args/serving_disabled.rs"]
mod serving;
mod shells;
mod skill;
mod source;
mod sql;
mod tools;

use std::path::{Path, PathBuf};

use clap::ArgAction::Set;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::engine::ArgValueCompleter;

use super::complete;
use super::output::note;
use super::settings::{
    DEFAULT_OUT, FormulasMode, Key, OcrMode, Settings, WorkerMode, tenant_and_path,
};

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a tool or script reported an error, or a check found something, 2 wrong command line, 3 input missing or \
unreadable, 4 unknown tool or wrong arguments, 5 not granted, 6 limit reached, 7 plugin crashed, 8 skill cannot be loaded, \
9 model failed, 10 busy, 11 waiting for an approval, 12 blocked by a rule about content, 13 ended, but a wanted file or the result of a step is missing, 70 file system or host failed, 130 ended by Ctrl-C";

pub(super) use compare::Compare;
pub(super) use config::ConfigCommand;
pub(super) use demo::Demo;
pub(super) use edit::Edit;
pub(super) use fill::Fill;
pub(super) use fonts::{Fonts, FontsAdd, FontsCommand, FontsRemove};
pub(super) use ingest::{Alone, CsvFormulas, Ingest, Password};
#[cfg(feature = "lambda")]
pub(super) use lambda::Lambda;
#[cfg(feature = "lambda-s3")]
pub(super) use lambda::LambdaS3;
pub(super) use model::{ModelCommand, ModelList, ModelTest};
pub(super) use native::{Compile, Warm};
pub(super) use pdf::PdfCommand;
pub(super) use plan::{PlanCommand, PlanShow, Planning};
pub(super) use render::Render;
#[cfg(feature = "models")]
pub(super) use run::Chat;
pub(super) use run::{AgentList, Replay, Run};
pub(super) use serving::ServingCommand;
#[cfg(feature = "serve")]
pub(super) use serving::{MakeToken, Mcp, Serve, Serving};
#[cfg(feature = "service")]
pub(super) use serving::{Open, ServiceArgs};
pub(super) use shells::Completions;
#[cfg(feature = "man")]
pub(super) use shells::Man;
pub(super) use skill::{
    ExtismLanguage, SkillCheck, SkillCommand, SkillInstall, SkillNew, SkillPack, SkillRemove,
    SkillShow, SkillTrust,
};
#[cfg(feature = "sources")]
pub(super) use source::SourceApprove;
pub(super) use source::SourceCommand;
pub(super) use sql::Sql;
pub(super) use tools::Tools;

/// Hands for language models, with gloves on.
#[derive(Debug, Parser)]
#[command(name = "mitt", version, about, after_help = EXIT_CODES, max_term_width = 100)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

impl Args {
    /// The arguments of the process. Ends it if they make no sense.
    pub(super) fn of_process() -> Args {
        let mut command = Args::command();
        let parsed = command.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| {
            let mut args = Args::from_arg_matches(&matches)?;
            args.global.mark_given(&matches);
            Ok(args)
        });
        // Freeing the descriptions of all options takes a tenth of the instructions of a short command.
        std::mem::forget(command);
        let args = parsed.unwrap_or_else(|error| refuse(&error));
        if let Command::Call(call) = &args.command
            && call.is_wave()
            && call.arguments.is_some()
        {
            let message =
                "a call in WAVE holds its arguments; `--json` goes with the name of a tool alone";
            refuse(&Args::command().error(ErrorKind::ArgumentConflict, message));
        }
        args
    }
}

/// Prints the help or the error of the command line, which may quote untrusted file names, and exits.
fn refuse(error: &clap::Error) -> ! {
    if error.use_stderr() {
        note(error.render().to_string().trim_end());
        std::process::exit(error.exit_code());
    }
    error.exit()
}

// Headings for the options of all commands, which follow those of the command itself. `-h` hides most of them.
const OF_SKILLS: &str = "Skills, in all commands";
const OF_LIMITS: &str = "Limits, in all commands";
const OF_NATIVE_CODE: &str = "Native code, in all commands";
const OF_ALL: &str = "Others, in all commands";

/// Options of every command. [`Global::fill`] fills in the missing ones from [`Settings`].
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Global {
    /// The settings of files and variables, and the options that were given.
    #[arg(skip)]
    pub(super) settings: Settings,
    /// The options that have a default and were given on the command line.
    #[arg(skip)]
    given: Vec<&'static str>,
    /// Folder with further skills. One with the name of a bundled or approved skill is left out, unless `--replace-skill` names
    /// it. May be given several times
    #[arg(long, global = true, value_name = "FOLDER", help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) skills: Vec<PathBuf>,
    /// A component (`.wasm`) to take as a skill named after the file, without grants. May be given several times
    #[arg(long = "component", global = true, value_name = "FILE", help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) components: Vec<PathBuf>,
    /// Let a skill of this name from a folder replace the bundled or approved one. May be given several times
    #[arg(long = "replace-skill", global = true, value_name = "NAME", help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) replace_skills: Vec<String>,
    /// Leave out the skills inside the binary
    #[arg(long, global = true, value_name = "BOOL", action = Set, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) no_bundled_skills: bool,
    /// Memory that all sessions together may hold, such as `8GiB` [default: 4GiB]; a tenant gets half of it, a session a
    /// quarter
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) host_memory: Option<u64>,
    /// Keep messages in the journal unchanged, with values of arguments and texts of plugins, which may be personal data
    #[arg(long, global = true, value_name = "BOOL", action = Set, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = OF_ALL, hide_short_help = true)]
    pub(super) full_journal: bool,
    /// Compile plugins anew instead of keeping native code in the user's cache folder
    #[arg(long, global = true, help_heading = OF_NATIVE_CODE, hide_short_help = true)]
    pub(super) no_cache: bool,
    /// Folder for native code [default: MITT_CACHE_DIR, else `mitt` in the user's cache folder]
    #[arg(long, global = true, value_name = "FOLDER", conflicts_with = "no_cache", help_heading = OF_NATIVE_CODE, hide_short_help = true)]
    pub(super) cache_dir: Option<PathBuf>,
    /// Overlay that switches skills, pins versions, lowers limits or narrows tools. May be given several times; later ones
    /// go before
    #[arg(long = "overlay", global = true, value_name = "FILE", help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) overlays: Vec<PathBuf>,
    /// File with words that are blocked, redacted or flagged in documents, results, output, files and answers: a word a line,
    /// or rules in YAML. May be given several times
    #[arg(long = "words", global = true, value_name = "FILE", help_heading = OF_ALL, hide_short_help = true)]
    pub(super) words: Vec<PathBuf>,
    /// File with words for the sessions of one tenant of a server, as for `--words`: the tenant's name, `=`, and the file.
    /// May be given several times
    #[arg(long = "tenant-words", global = true, value_name = "TENANT=FILE", value_parser = tenant_words, help_heading = OF_ALL, hide_short_help = true)]
    pub(super) tenant_words: Vec<String>,
    /// A key that tools may sign with, such as `office=office.p12`; MITT_SIGNING_PASSWORD_OFFICE has its password
    #[arg(long = "signing-key", global = true, value_name = "NAME=FILE", value_parser = pdf::sign::signing_key, help_heading = OF_ALL, hide_short_help = true)]
    pub(super) signing_keys: Vec<String>,
    /// A host that documents may be fetched from, such as `example.com`, `*.example.com`, or `*` for all of the public
    /// internet; with a port if it is not 443, and with `http://` if the host has no TLS. An address that you type allows
    /// its own host. May be given several times
    #[arg(long = "fetch-host", global = true, value_name = "HOST", help_heading = OF_ALL, hide_short_help = true)]
    pub(super) fetch_hosts: Vec<String>,
    /// A network that is not public and that documents may be fetched from all the same, such as `10.1.0.0/16`; its hosts
    /// must also be allowed. May be given several times
    #[arg(long = "fetch-network", global = true, value_name = "NETWORK", help_heading = OF_ALL, hide_short_help = true)]
    pub(super) fetch_networks: Vec<String>,
    /// A file with MCP servers whose approved tools are offered (`mcpServers`, as other programs write it); see `mitt source`. May be
    /// given several times, later ones go before
    #[arg(long = "mcp-config", global = true, value_name = "FILE", help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) mcp_configs: Vec<PathBuf>,
    /// Engine for scripts, such as `python-lite` instead of the fullest one, or `javascript`. Models write scripts in its
    /// language; several engines, with commas between them, give them several languages
    #[arg(long, global = true, value_name = "NAME", help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) engine: Option<String>,
    /// Use the grants and Python files of all skills without approval; otherwise `mitt skill trust` approves a skill
    #[arg(long, global = true, value_name = "BOOL", action = Set, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = OF_SKILLS, hide_short_help = true)]
    pub(super) trust_skills: bool,
    /// Public key, as a file or in hexadecimal digits: native code in skill folders is loaded if its private key signed it
    /// (`mitt compile --sign-key`). Such code is not sandboxed. May be given several times
    #[arg(long = "precompiled-key", global = true, value_name = "FILE|KEY", help_heading = OF_NATIVE_CODE, hide_short_help = true)]
    pub(super) precompiled_keys: Vec<String>,
    /// Folder in which native code is trusted like this program: its record must be sealed or signed, but the code is not
    /// read at every start to compare it. Refused if other users can write to it. May be given several times
    #[arg(long = "trust-precompiled", global = true, value_name = "FOLDER", help_heading = OF_NATIVE_CODE, hide_short_help = true)]
    pub(super) trusted_folders: Vec<PathBuf>,
    /// Wall-clock limit of a call, such as `500ms` or `15s`; can only lower a skill's own limit
    #[arg(long, global = true, value_name = "DURATION", value_parser = duration, help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) max_time: Option<std::time::Duration>,
    /// Fuel limit of a call; can only lower a skill's own limit
    #[arg(long, global = true, value_name = "UNITS", help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) max_fuel: Option<u64>,
    /// Memory limit of a call, such as `64MiB`; can only lower a skill's own limit
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) max_memory: Option<u64>,
    /// Size of one input file, such as `500MiB` [default: 64MiB]; memory limits are raised with it, unless `--host-memory`
    /// sets them
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) document_size: Option<u64>,
    /// Memory of all documents of a session together, such as `2GiB` [default: 512MiB, or four times `--document-size`]
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) documents_size: Option<u64>,
    /// Time for reading one document with all nested files, such as `2m`; a warning names the files that were not read in it
    #[arg(long, global = true, value_name = "DURATION", value_parser = duration, help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) parts_time: Option<std::time::Duration>,
    /// Fuel for reading one document with all nested files
    #[arg(long, global = true, value_name = "UNITS", help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) parts_fuel: Option<u64>,
    /// Unpacked size of all files nested in one document, such as `256MiB`
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) parts_size: Option<u64>,
    /// Number of files nested in one document, at all levels
    #[arg(long, global = true, value_name = "NUMBER", help_heading = OF_LIMITS, hide_short_help = true)]
    pub(super) parts_files: Option<u64>,
    /// A font file (TTF, OTF, TTC) for characters that the bundled fonts lack in PDF, such as Korean, Thai, Hebrew or Hindi.
    /// May be given several times
    #[arg(long = "font", global = true, value_name = "FILE", help_heading = OF_ALL, hide_short_help = true)]
    pub(super) fonts: Vec<PathBuf>,
    /// A folder of font files, such as `/usr/share/fonts`: PDF uses those that have characters which the bundled fonts lack.
    /// May be given several times
    #[arg(long = "font-folder", global = true, value_name = "FOLDER", help_heading = OF_ALL, hide_short_help = true)]
    pub(super) font_folders: Vec<PathBuf>,
    /// When a worker process, which can be ended, typesets PDF and compiles components: `auto` works in this process if none
    /// can be started, `always` then fails, `never` starts none
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true, help_heading = OF_ALL, hide_short_help = true)]
    pub(super) worker: WorkerMode,
    /// When text in pictures and on scanned pages is recognised: `auto` does it if the program tesseract is installed
    /// (MITT_TESSERACT names another one), `never` does not
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true, help_heading = OF_ALL, hide_short_help = true)]
    pub(super) ocr: OcrMode,
    /// How texts of delivered CSV files are treated that a spreadsheet would calculate, such as `=1+1`: `harmless` puts an
    /// apostrophe in front of each, `refuse` refuses the file, `keep` leaves them as they are
    #[arg(long, global = true, value_name = "WHAT", default_value = "harmless", hide_possible_values = true, help_heading = OF_ALL, hide_short_help = true)]
    pub(super) csv_formulas: FormulasMode,
    /// Fix the clock at this many seconds since 1970-01-01 UTC, so that the same input makes the same bytes
    /// [default: SOURCE_DATE_EPOCH, else the system's clock]
    #[arg(long, global = true, value_name = "SECONDS", help_heading = OF_ALL, hide_short_help = true)]
    pub(super) clock: Option<u64>,
    /// Print no progress
    #[arg(short, long, global = true, value_name = "BOOL", action = Set, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = OF_ALL)]
    pub(super) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Let a model work with documents, as a task or an instruction says, and write the files
    Run(Run),
    /// Run the example inside of the program: two reports in, a workbook and a PDF out, without network and model
    Demo(Demo),
    /// Talk with a model that works with documents: a conversation at the terminal
    #[cfg(feature = "models")]
    Chat(Chat),
    /// List the agents that a model can give work to
    Agents(AgentList),
    /// List the runs with a model that are kept, or make the calls of one again and report where it differs
    Replay(Replay),
    /// Show the plan of a run
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Run a script in Python, JavaScript or TypeScript with documents and tools
    Exec(Exec),
    /// Call a tool
    Call(Call),
    /// List the tools
    Tools(Tools),
    /// Look into a component: exports, tools, imports, grants and lints
    Inspect(Inspect),
    /// Read a file and print it as text and tables
    Ingest(Ingest),
    /// Write a Markdown file as PDF, Word file or web page
    Render(Render),
    /// Ask the tables of files in SQL
    Sql(Sql),
    /// Fill a workbook or a Word file that is a template, or a PDF form; or append rows to a workbook
    Fill(Fill),
    /// Change a Word file, a workbook or a presentation, and write it as a new file
    Edit(Edit),
    /// List the differences of two documents of any type, and write those of Word files as tracked changes
    Compare(Compare),
    /// Work with PDF files: look into them, join, split, order, stamp, protect, compress, repair, attach, sign, verify
    #[command(subcommand)]
    Pdf(PdfCommand),
    /// Remove words from a PDF, a Word file, a workbook or a presentation for good, with proof
    Redact(redact::Redact),
    /// List the writing systems that PDF has fonts for, and what to install for the others; add and remove fonts
    Fonts(Fonts),
    /// List the services of models, and test a model
    #[command(subcommand)]
    Model(ModelCommand),
    /// Write, check, pack and install skills
    #[command(subcommand)]
    Skill(SkillCommand),
    /// Tools of other MCP servers: list, approve, revoke
    #[command(subcommand)]
    Source(SourceCommand),
    /// Compile skills to native code for builds without a compiler
    Compile(Compile),
    /// Compile what the skills need for this machine, before a call waits for it
    Warm(Warm),
    #[command(flatten)]
    Serving(ServingCommand),
    /// Run as a function of AWS Lambda: calls, scripts, files and instructions, by direct events, messages of SQS, objects of S3 and
    /// HTTP
    #[cfg(feature = "lambda")]
    Lambda(Lambda),
    /// Print the settings and their sources, or the format of their files
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print every limit
    Limits(Json),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages of the program and of each command
    #[cfg(feature = "man")]
    Man(Man),
}

impl Command {
    /// Returns `true` if standard output is for a machine.
    pub(super) fn wants_json(&self) -> bool {
        match self {
            Command::Run(command) => command.json.json,
            Command::Demo(command) => command.json.json,
            #[cfg(feature = "models")]
            Command::Chat(_) => false,
            Command::Agents(command) => command.json.json,
            Command::Replay(command) => command.json.json,
            Command::Plan(command) => command.wants_json(),
            Command::Exec(command) => command.json.json,
            Command::Call(command) => !command.wave,
            Command::Inspect(command) => command.json.json,
            Command::Ingest(command) => command.json.json,
            Command::Render(command) => command.json.json,
            Command::Sql(command) => command.json.json,
            Command::Fill(command) => command.json.json,
            Command::Edit(command) => command.json.json,
            Command::Compare(command) => command.json.json,
            Command::Pdf(command) => command.wants_json(),
            Command::Redact(command) => command.json.json,
            Command::Fonts(command) => command.wants_json(),
            Command::Model(command) => command.wants_json(),
            Command::Skill(command) => command.wants_json(),
            Command::Source(command) => command.wants_json(),
            Command::Compile(command) => command.json.json,
            Command::Warm(command) => command.json.json,
            Command::Tools(command) => command.is_json(),
            Command::Config(command) => command.wants_json(),
            Command::Limits(json) => json.json,
            Command::Completions(_) | Command::Serving(_) => false,
            #[cfg(feature = "man")]
            Command::Man(_) => false,
            #[cfg(feature = "lambda")]
            Command::Lambda(_) => false,
        }
    }

    /// Returns `true` if the user asked for JSON. `mitt call` prints JSON in any case.
    pub(super) fn asks_for_json(&self) -> bool {
        self.wants_json() && !matches!(self, Command::Call(_))
    }

    /// Returns `true` if the command depends on settings. A command that prints only built-in data also works beside a
    /// damaged file.
    pub(super) fn reads_settings(&self) -> bool {
        match self {
            Command::Run(command) => !command.schema,
            Command::Config(command) => matches!(command, ConfigCommand::Show(_)),
            Command::Limits(_) | Command::Completions(_) => false,
            #[cfg(feature = "man")]
            Command::Man(_) => false,
            Command::Serving(command) => command.serves(),
            _ => true,
        }
    }

    /// Returns `true` if the command is a server, which runs until a signal ends it.
    pub(super) fn serves(&self) -> bool {
        match self {
            Command::Serving(command) => command.serves(),
            #[cfg(feature = "lambda")]
            Command::Lambda(_) => true,
            _ => false,
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
pub(super) struct Force {
    /// Replace files that are there already, even if they were not written by mitt or were changed since
    #[arg(long)]
    pub(super) force: bool,
}

/// Where a command writes to.
#[derive(Debug, clap::Args)]
pub(super) struct Out {
    /// Where to write the files and the journal [default: `out`, which must not be a link then]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Out {
    /// The folder, if the user named one on the command line.
    pub(super) fn named(&self) -> Option<PathBuf> {
        // A link that the user named is followed. For `out/` the system would not say that it is a link.
        let named = self.out.as_ref()?;
        let plain: PathBuf = named.components().collect();
        Some(if plain.is_symlink() { plain.canonicalize().unwrap_or(plain) } else { named.clone() })
    }

    /// Returns the folder. A link with the default name, or with one of the settings, is not followed, because it could have
    /// come with a repository of another author.
    pub(super) fn folder(&self, settings: &Settings) -> PathBuf {
        let set = || settings.path(Key::Out).unwrap_or(Path::new(DEFAULT_OUT)).to_owned();
        self.named().unwrap_or_else(set)
    }
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt exec script.py --doc report.xlsx\n  mitt exec -c 'len(documents)' --doc a.xlsx --doc b.xlsx\n  mitt exec script.py 2025 -- --verbose    what the script finds in sys.argv\n  mitt exec script.js --doc report.xlsx    JavaScript, by its name\n  mitt exec --language javascript -c '[1, 2].map(it => it * 2)'\n  generate | mitt exec -"
)]
pub(super) struct Exec {
    /// The script, or `-` for standard input
    #[arg(required_unless_present_any = ["stubs", "code"])]
    pub(super) script: Option<PathBuf>,
    /// The arguments of the script, `sys.argv[1:]`; put `--` before them if one begins with `-`
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<String>,
    /// Run this text instead of a file
    #[arg(short, long, value_name = "CODE", conflicts_with = "stubs")]
    pub(super) code: Option<String>,
    /// A document for the script. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(super) docs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) password: Password,
    /// Variables of the script, as a JSON object, or `@FILE` to read it from a file
    #[arg(short, long, value_name = "JSON")]
    pub(super) inputs: Option<String>,
    /// Wall-clock limit of the script, such as `5s`, `500ms`, or seconds as `5`; can only lower its engine's limit
    #[arg(long, value_name = "DURATION", value_parser = duration_or_seconds)]
    pub(super) timeout: Option<std::time::Duration>,
    /// A module that the script may import, and no other. May be given several times
    #[arg(long = "allow-module", value_name = "NAME")]
    pub(super) allowed_modules: Vec<String>,
    /// Keep the script's variables in this file, for the next script that names it; not every engine can
    #[arg(long, value_name = "FILE")]
    pub(super) state: Option<PathBuf>,
    /// Ask on the terminal before a destructive tool is called
    #[arg(long)]
    pub(super) ask: bool,
    /// Print the types of the tools for editors instead, or write a file for each module to a folder
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, conflicts_with = "script")]
    pub(super) stubs: Option<Option<PathBuf>>,
    /// The language of the script, if the name of its file does not say it, or of `--stubs`
    #[arg(long, value_enum)]
    pub(super) language: Option<ScriptLanguage>,
    #[command(flatten)]
    pub(super) force: Force,
    #[command(flatten)]
    pub(super) out: Out,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt call table_tool__describe --json '{\"data\": [{\"n\": 1}, {\"n\": 3}]}'\n  mitt call excel_tool__create_excel --json @rows.json -o results\n  mitt call 'excel-tool/create-excel([{month: \"Jan\", dau: 12}], \"r.xlsx\")'"
)]
pub(super) struct Call {
    /// Name of the tool, such as `excel_tool__create_excel`, with its arguments in `--json`; or a call in WAVE, such as
    /// 'excel-tool/create-excel([{month: "Jan", dau: 12}], "r.xlsx")', best in single quotes; `@FILE` to read
    /// such a call from a file, or `-` from standard input
    #[arg(add = ArgValueCompleter::new(complete::tools))]
    pub(super) tool: String,
    /// Arguments as a JSON object, `@FILE` to read them from a file, or `-` for standard input [default: {}]
    #[arg(short = 'j', long = "json", value_name = "JSON")]
    pub(super) arguments: Option<String>,
    /// Print the result in WAVE, on one line, instead of JSON
    #[arg(long)]
    pub(super) wave: bool,
    /// A document for the tool. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(super) docs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) password: Password,
    #[command(flatten)]
    pub(super) out: Out,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt inspect adder.wasm\n  mitt inspect excel-tool --schemas --json"
)]
pub(super) struct Inspect {
    /// A component (`.wasm` or `.wasm.zst`), the folder of a skill, or the name of a skill
    pub(super) component: PathBuf,
    /// Print the JSON Schemas of arguments and results too
    #[arg(long)]
    pub(super) schemas: bool,
    /// Exit with 1 if there are lints, or if it cannot be loaded
    #[arg(long)]
    pub(super) strict: bool,
    #[command(flatten)]
    pub(super) json: Json,
}

/// Languages of scripts.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum ScriptLanguage {
    /// Python; stubs are `.pyi`
    #[value(alias = "py")]
    Python,
    /// JavaScript, also with types; stubs are `.d.ts`
    #[value(name = "javascript", aliases = ["js", "ts", "typescript"])]
    JavaScript,
}

impl Exec {
    /// Returns `sys.argv[1:]`. After `--code` no file is named, so the first word is already an argument.
    pub(super) fn script_arguments(&self) -> Vec<String> {
        let first = self.script.as_ref().filter(|_| self.code.is_some());
        let first = first.map(|word| word.to_string_lossy().into_owned());
        first.into_iter().chain(self.arguments.iter().cloned()).collect()
    }
}

impl Call {
    /// Returns `true` if the call is in WAVE, or in a file with a call in WAVE.
    pub(super) fn is_wave(&self) -> bool {
        self.tool.contains('(') || self.tool.starts_with('@') || self.tool == "-"
    }
}

fn tenant_words(text: &str) -> Result<String, String> {
    match tenant_and_path(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("expected a tenant and a file such as `alice=words.txt`".into()),
    }
}

pub(super) fn duration(text: &str) -> Result<std::time::Duration, String> {
    match mitt::skill::parse_duration(text) {
        Some(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("expected a duration such as `500ms`, `15s` or `1m30s`".into()),
    }
}

/// Parses a [`duration`], or a number of seconds.
fn duration_or_seconds(text: &str) -> Result<std::time::Duration, String> {
    match text.parse::<u32>() {
        Ok(seconds) => duration(&format!("{seconds}s")),
        Err(_) => duration(text),
    }
}

pub(super) fn size(text: &str) -> Result<u64, String> {
    match mitt::skill::parse_size(text) {
        Some(size) if size > 0 => Ok(size),
        _ => Err("expected a size such as `64MiB` or a number of bytes".into()),
    }
}
