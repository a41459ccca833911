//! The settings: their names, their forms, and who may set them.
//!
//! One table defines all of it. The reader of files, `mitt config show` and (checked by a test) the JSON Schema follow it.

use mitt::CacheDir;
use mitt_agent::route::GuardrailMode;
use mitt_agent::{AgentLimits, TeamLimits, ToolMode};
use mitt_base::limits::{MemoryLimits, PartsLimits, SessionLimits};

use super::value::Value;

/// The default output folder.
pub(crate) const DEFAULT_OUT: &str = "out";

/// When a worker process does long work: the default first.
pub(super) const WORKERS: [&str; 3] = ["auto", "always", "never"];

/// When text in pictures is recognised: the default first.
pub(super) const OCR: [&str; 2] = ["auto", "never"];

/// How to treat CSV fields that a spreadsheet would calculate: the default first.
pub(super) const CSV_FORMULAS: [&str; 3] = ["harmless", "refuse", "keep"];

/// A setting. Settings in a table of the file come after those without one, as in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Model,
    Tools,
    /// `key-file`
    SecretFile,
    Out,
    Skills,
    Agents,
    Component,
    Overlay,
    Words,
    TenantWords,
    Signing,
    FetchHost,
    FetchNetwork,
    /// `mcp-config`
    McpConfig,
    /// `guardrail`: when a small model is asked before an action.
    Asked,
    /// `guardrail-model`
    AskedModel,
    Engine,
    ReplaceSkill,
    TrustSkills,
    NoBundledSkills,
    CacheDir,
    NoCache,
    /// `precompiled-key`
    Signer,
    TrustPrecompiled,
    Font,
    FontFolder,
    Worker,
    Ocr,
    CsvFormulas,
    Clock,
    FullJournal,
    Quiet,
    HostMemory,
    MaxTime,
    MaxFuel,
    MaxMemory,
    DocumentSize,
    DocumentsSize,
    PartsTime,
    PartsFuel,
    PartsSize,
    PartsFiles,
    RunTurns,
    RunCalls,
    RunTokens,
    RunTime,
    RunWrongTurns,
    RunContextCharacters,
    RunContextTokens,
    RunDocumentsTokens,
    RunDocumentsCharacters,
    RunDocumentTokens,
    RunDocumentCharacters,
    AgentsDepth,
    AgentsDelegations,
    AgentsAtOnce,
    AgentsFailures,
    AgentsTransfers,
    AgentsSummaryCharacters,
}

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The name of a model.
    Model,
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    Path,
    /// A tenant and a path, such as `alice=words.txt`.
    TenantPath,
    /// A name and a path, such as `office=office.p12`.
    NamedPath,
    /// The public key itself in hexadecimal digits, or a file with it.
    PublicKey,
    Switch,
    /// A whole number of at least 0.
    Seconds,
    /// A whole number of at least 1.
    Number,
    Size,
    Time,
}

/// What a project's file may set. The user's own file may set everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Everything that the user's file may set.
    Free,
    /// Files and folders in its own folder.
    Inside,
    /// A lower value than the one that applies without it.
    Lower,
    /// Nothing, for this reason.
    Own(&'static str),
}

/// How many values can be given; several add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    One,
    Many,
}

/// The modes of the guardrail.
const GUARDRAIL_MODES: &[&str] =
    &[GuardrailMode::ALL[0].name(), GuardrailMode::ALL[1].name(), GuardrailMode::ALL[2].name()];

const TOOL_MODES: &[&str] =
    &[ToolMode::ALL[0].name(), ToolMode::ALL[1].name(), ToolMode::ALL[2].name()];

impl Key {
    /// All keys, in the order of a file.
    pub(crate) const ALL: [Key; 59] = [
        Key::Model,
        Key::Tools,
        Key::SecretFile,
        Key::Out,
        Key::Skills,
        Key::Agents,
        Key::Component,
        Key::Overlay,
        Key::Words,
        Key::TenantWords,
        Key::Signing,
        Key::FetchHost,
        Key::FetchNetwork,
        Key::McpConfig,
        Key::Asked,
        Key::AskedModel,
        Key::Engine,
        Key::ReplaceSkill,
        Key::TrustSkills,
        Key::NoBundledSkills,
        Key::CacheDir,
        Key::NoCache,
        Key::Signer,
        Key::TrustPrecompiled,
        Key::Font,
        Key::FontFolder,
        Key::Worker,
        Key::Ocr,
        Key::CsvFormulas,
        Key::Clock,
        Key::FullJournal,
        Key::Quiet,
        Key::HostMemory,
        Key::MaxTime,
        Key::MaxFuel,
        Key::MaxMemory,
        Key::DocumentSize,
        Key::DocumentsSize,
        Key::PartsTime,
        Key::PartsFuel,
        Key::PartsSize,
        Key::PartsFiles,
        Key::RunTurns,
        Key::RunCalls,
        Key::RunTokens,
        Key::RunTime,
        Key::RunWrongTurns,
        Key::RunContextCharacters,
        Key::RunContextTokens,
        Key::RunDocumentsTokens,
        Key::RunDocumentsCharacters,
        Key::RunDocumentTokens,
        Key::RunDocumentCharacters,
        Key::AgentsDepth,
        Key::AgentsDelegations,
        Key::AgentsAtOnce,
        Key::AgentsFailures,
        Key::AgentsTransfers,
        Key::AgentsSummaryCharacters,
    ];

    /// The tables of a file.
    pub(super) const TABLES: [&str; 3] = ["limits", "limits.run", "limits.agents"];

    /// Returns the name in a file, with its tables. It is also the name of the option, if there is one.
    pub(crate) fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the key with this name.
    pub(super) fn from_name(name: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| key.name() == name)
    }

    /// Returns the name without its tables, which is that of the option if there is one.
    pub(crate) fn last_name(self) -> &'static str {
        self.name().rsplit('.').next().unwrap_or_default()
    }

    /// Returns the name of its table; empty if it has none.
    pub(crate) fn table(self) -> &'static str {
        self.name().rsplit_once('.').map_or("", |(table, _)| table)
    }

    pub(super) fn form(self) -> Form {
        self.facts().1
    }

    pub(super) fn count(self) -> Count {
        self.facts().2
    }

    pub(super) fn reach(self) -> Reach {
        self.facts().3
    }

    /// Returns `true` for a list.
    pub(crate) fn is_list(self) -> bool {
        self.count() == Count::Many
    }

    /// Returns the default. `None` if other code decides, such as the limits of each skill.
    pub(crate) fn built_in(self) -> Option<Value> {
        let run = AgentLimits::default();
        let team = TeamLimits::default();
        let number = |number| Some(Value::Number(number));
        match self {
            Key::Tools => Some(Value::Text(ToolMode::default().name().to_owned())),
            Key::Out => Some(Value::Path(DEFAULT_OUT.into())),
            Key::CacheDir => {
                CacheDir::of_user().map(|folder| Value::Path(folder.path().to_owned()))
            }
            Key::Worker => Some(Value::Text(WORKERS[0].to_owned())),
            Key::Ocr => Some(Value::Text(OCR[0].to_owned())),
            Key::CsvFormulas => Some(Value::Text(CSV_FORMULAS[0].to_owned())),
            Key::TrustSkills
            | Key::NoBundledSkills
            | Key::NoCache
            | Key::FullJournal
            | Key::Quiet => Some(Value::Switch(false)),
            Key::HostMemory => Some(Value::Size(MemoryLimits::default().host)),
            Key::DocumentSize => Some(Value::Size(SessionLimits::default().document_bytes)),
            Key::DocumentsSize => Some(Value::Size(SessionLimits::default().documents_bytes)),
            Key::PartsTime => Some(Value::Time(PartsLimits::default().time)),
            Key::PartsFuel => number(PartsLimits::default().fuel),
            Key::PartsSize => Some(Value::Size(PartsLimits::default().bytes)),
            Key::PartsFiles => number(PartsLimits::default().files),
            Key::RunTurns => number(run.turns.unwrap_or(SessionLimits::default().model_turns)),
            Key::RunCalls => number(run.calls),
            Key::RunTokens => number(run.tokens),
            Key::RunTime => Some(Value::Time(run.time)),
            Key::RunWrongTurns => number(run.wrong_turns),
            Key::RunContextCharacters => number(run.context_characters as u64),
            Key::RunContextTokens => number(run.context_tokens),
            Key::Asked => Some(Value::Text(GuardrailMode::default().name().to_owned())),
            Key::AgentsDepth => number(team.depth),
            Key::AgentsDelegations => number(team.delegations),
            Key::AgentsAtOnce => number(team.at_once as u64),
            Key::AgentsFailures => number(team.failures),
            Key::AgentsTransfers => number(team.transfers),
            Key::AgentsSummaryCharacters => number(team.summary_characters),
            _ => None,
        }
    }

    fn facts(self) -> (&'static str, Form, Count, Reach) {
        use Count::{Many, One};
        use Form::{
            Model, NamedPath, Number, Path, PublicKey, Seconds, Size, Switch, TenantPath, Text,
            Time, Word,
        };
        use Reach::{Free, Inside, Lower, Own};

        // The reasons, as the end of a sentence in a refusal.
        const KEYS: Reach = Own("it says which secret is read");
        const CALCULATED: Reach = Own("it says what files may calculate in a spreadsheet");
        const APPROVALS: Reach = Own("it gives skills what you did not approve");
        const BUNDLED: Reach = Own("a skill of the project could take the place of a bundled one");
        const NATIVE: Reach = Own("native code is not sandboxed");
        const NETWORK: Reach = Own("it says what leaves this machine");
        const PARSED: Reach = Own("fonts are read outside of the sandbox");
        const PROCESS: Reach = Own("it says what can be ended when it takes too long");
        const PROGRAM: Reach = Own("it says whether a program is started");
        const PERSONAL: Reach = Own("it keeps what may be personal data");
        const SIGNED: Reach = Own("it says with which keys files are signed");
        const STARTS: Reach = Own("it says which programs are started");
        const SILENT: Reach = Own("it hides warnings");
        const WATCHED: Reach = Own("it says what is started without a question");

        match self {
            Key::Model => ("model", Model, One, Free),
            Key::Tools => ("tools", Word(TOOL_MODES), One, Free),
            Key::SecretFile => ("key-file", Path, One, KEYS),
            Key::Out => ("out", Path, One, Inside),
            Key::Skills => ("skills", Path, Many, Inside),
            Key::Agents => ("agents", Path, Many, Inside),
            Key::Component => ("component", Path, Many, Inside),
            Key::Overlay => ("overlay", Path, Many, Inside),
            Key::Words => ("words", Path, Many, Inside),
            Key::TenantWords => ("tenant-words", TenantPath, Many, Inside),
            Key::Signing => ("signing-key", NamedPath, Many, SIGNED),
            Key::FetchHost => ("fetch-host", Text, Many, NETWORK),
            Key::FetchNetwork => ("fetch-network", Text, Many, NETWORK),
            Key::McpConfig => ("mcp-config", Path, Many, STARTS),
            Key::Asked => ("guardrail", Word(GUARDRAIL_MODES), One, WATCHED),
            Key::AskedModel => ("guardrail-model", Text, One, WATCHED),
            Key::Engine => ("engine", Text, One, Free),
            Key::ReplaceSkill => ("replace-skill", Text, Many, BUNDLED),
            Key::TrustSkills => ("trust-skills", Switch, One, APPROVALS),
            Key::NoBundledSkills => ("no-bundled-skills", Switch, One, BUNDLED),
            Key::CacheDir => ("cache-dir", Path, One, NATIVE),
            Key::NoCache => ("no-cache", Switch, One, NATIVE),
            Key::Signer => ("precompiled-key", PublicKey, Many, NATIVE),
            Key::TrustPrecompiled => ("trust-precompiled", Path, Many, NATIVE),
            Key::Font => ("font", Path, Many, PARSED),
            Key::FontFolder => ("font-folder", Path, Many, PARSED),
            Key::Worker => ("worker", Word(&WORKERS), One, PROCESS),
            Key::Ocr => ("ocr", Word(&OCR), One, PROGRAM),
            Key::CsvFormulas => ("csv-formulas", Word(&CSV_FORMULAS), One, CALCULATED),
            Key::Clock => ("clock", Seconds, One, Free),
            Key::FullJournal => ("full-journal", Switch, One, PERSONAL),
            Key::Quiet => ("quiet", Switch, One, SILENT),
            Key::HostMemory => ("limits.host-memory", Size, One, Lower),
            Key::MaxTime => ("limits.max-time", Time, One, Lower),
            Key::MaxFuel => ("limits.max-fuel", Number, One, Lower),
            Key::MaxMemory => ("limits.max-memory", Size, One, Lower),
            Key::DocumentSize => ("limits.document-size", Size, One, Lower),
            Key::DocumentsSize => ("limits.documents-size", Size, One, Lower),
            Key::PartsTime => ("limits.parts-time", Time, One, Lower),
            Key::PartsFuel => ("limits.parts-fuel", Number, One, Lower),
            Key::PartsSize => ("limits.parts-size", Size, One, Lower),
            Key::PartsFiles => ("limits.parts-files", Number, One, Lower),
            Key::RunTurns => ("limits.run.turns", Number, One, Lower),
            Key::RunCalls => ("limits.run.calls", Number, One, Lower),
            Key::RunTokens => ("limits.run.tokens", Number, One, Lower),
            Key::RunTime => ("limits.run.time", Time, One, Lower),
            Key::RunWrongTurns => ("limits.run.wrong-turns", Number, One, Lower),
            Key::RunContextCharacters => ("limits.run.context-characters", Number, One, Lower),
            Key::RunContextTokens => ("limits.run.context-tokens", Number, One, Lower),
            Key::RunDocumentsTokens => ("limits.run.documents-tokens", Number, One, Lower),
            Key::RunDocumentsCharacters => ("limits.run.documents-characters", Number, One, Lower),
            Key::RunDocumentTokens => ("limits.run.document-tokens", Number, One, Lower),
            Key::RunDocumentCharacters => ("limits.run.document-characters", Number, One, Lower),
            Key::AgentsDepth => ("limits.agents.depth", Number, One, Lower),
            Key::AgentsDelegations => ("limits.agents.delegations", Number, One, Lower),
            Key::AgentsAtOnce => ("limits.agents.at-once", Number, One, Lower),
            Key::AgentsFailures => ("limits.agents.failures", Number, One, Lower),
            Key::AgentsTransfers => ("limits.agents.transfers", Number, One, Lower),
            Key::AgentsSummaryCharacters => {
                ("limits.agents.summary-characters", Number, One, Lower)
            }
        }
    }
}
