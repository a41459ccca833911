//! The tool `<language>__run`: its name, parameters, result and documentation, as if a component exported it.
//!
//! The host itself provides the tool. The engine is a parameter, so that a model knows one tool whatever engines are installed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use wasmtime::component::Val;

use mitt_base::{Error, Result};
use mitt_wit::value::{EnumType, Field, Function, Label, RecordType, Type};

/// Name of the tool's function.
pub const RUN: &str = "run";

/// Most names in `allowed_modules`.
const MAX_MODULES: u64 = 256;

/// Script engine, as described in the tool's documentation.
pub(crate) struct EngineName<'a> {
    /// Name of its skill in kebab case.
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
}

/// Returns the tool's title for people.
pub(crate) fn policy_title(language: &str) -> String {
    let mut letters = language.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    format!("Run a {}{} script", first.into_iter().collect::<String>(), letters.as_str())
}

/// Returns the function of the tool for scripts in `language`. `engines` are the installed engines, with the default one first.
/// `time` is the longest time that one of them grants a script.
///
/// # Errors
///
/// Only if this file has a mistake.
pub(crate) fn function(
    language: &str,
    engines: &[EngineName<'_>],
    time: Duration,
) -> Result<Function> {
    let function = Function {
        instance: None,
        name: RUN.to_owned(),
        docs: docs(language, engines),
        params: params(language, engines),
        result: Some(result()),
    };
    let most = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    function
        .narrowed(&json!({ "properties": {
            "language": { "default": language },
            "timeout_seconds": { "minimum": 1, "maximum": most.max(1) },
            "allowed_modules": { "maxItems": MAX_MODULES },
            "network_access": { "default": "none" },
            "state": { "default": "one-shot" },
        } }))
        .map_err(Error::bug)
}

/// How a script in Python uses tools and documents.
const PYTHON_USAGE: &str = "The session's skills are modules of it: `import table_tool`, then `table_tool.growth(...)` with positional or keyword \
     arguments; `help(table_tool)` tells what there is. `documents` holds the documents: `documents[\"a.xlsx\"].tables[0]`. \
     `open` sees the session's workspace and documents and nothing else. There is no network.";

/// How a script in JavaScript uses tools and documents.
const JAVASCRIPT_USAGE: &str = "The session's skills are objects in `tools`: `await tools.table_tool.growth({ ... })` with one object of arguments, or \
     `import { growth } from \"table-tool\"`; `help(tools.table_tool)` tells what there is. `documents` holds the documents: \
     `documents[\"a.xlsx\"].tables[0]`. `mitt.read` and `mitt.write` reach the session's workspace. There is no network.";

fn docs(language: &str, engines: &[EngineName<'_>]) -> String {
    let engine = engines.first().map_or("", |engine| engine.description.trim());
    let usage = match language {
        "javascript" => JAVASCRIPT_USAGE,
        _ => PYTHON_USAGE,
    };
    format!(
        "Run a {language} script in a sandbox. {engine}\n\n{usage}\n\n\
         The result is the value of the last line if that is an expression. `status` is `success`, `error` (an exception: \
         `error_message` is the traceback), `timeout` or `sandbox_error` (a limit, a refusal or a crash); what the script wrote \
         before is there in each case. Many calls of tools belong into one script, instead of one call each."
    )
}

fn params(language: &str, engines: &[EngineName<'_>]) -> Vec<Field> {
    let label =
        |name: &str, docs: &str| Label { name: name.to_owned(), docs: Some(docs.to_owned()) };
    let choice = |name: &str, cases: Vec<Label>| {
        Type::Enum(Arc::new(EnumType { name: name.to_owned(), docs: None, cases }))
    };
    let field = |name: &str, ty: Type, docs: &str| Field::new(name, ty, Some(docs.to_owned()));
    let optional = |ty: Type| Type::Option(Arc::new(ty));
    let first = engines.first().map_or(language, |engine| engine.name);
    let mut languages = vec![label(language, &format!("the engine `{first}`"))];
    let others = engines.iter().filter(|engine| engine.name != language);
    languages.extend(others.map(|engine| label(engine.name, engine.description.trim())));
    vec![
        field("code", Type::String, "The script."),
        field("language", choice("language", languages), "Which engine runs it."),
        field(
            "timeout-seconds",
            optional(Type::U32),
            "Most seconds of wall clock. Can only lower the limit of the engine, which holds without it.",
        ),
        field(
            "allowed-modules",
            optional(Type::List(Arc::new(Type::String))),
            "The only modules that the script may import, skills by their names as modules among them. All if left out. A tool of \
             another skill cannot be called then.",
        ),
        field(
            "network-access",
            choice("network-access", vec![label("none", "no network; nothing else exists")]),
            "Access to a network.",
        ),
        field("inputs", optional(Type::Object), "Variables of the script by name."),
        field(
            "state",
            choice(
                "state",
                vec![
                    label("one-shot", "nothing of the script is left after it"),
                    label(
                        "session",
                        "variables stay for the next script of the session that says so too",
                    ),
                ],
            ),
            "Whether the script sees the variables of earlier ones, and leaves its own.",
        ),
    ]
}

fn record(name: &str, fields: Vec<(&str, Type, &str)>) -> Type {
    let fields = fields
        .into_iter()
        .map(|(name, ty, docs)| Field::new(name, ty, (!docs.is_empty()).then(|| docs.to_owned())));
    Type::Record(Arc::new(RecordType {
        name: name.to_owned(),
        docs: None,
        fields: fields.collect(),
    }))
}

/// Returns the type of the result that `script/outcome.rs` of `mitt` makes.
fn result() -> Type {
    let text = || Type::String;
    let optional = |ty: Type| Type::Option(Arc::new(ty));
    let list = |ty: Type| Type::List(Arc::new(ty));
    let labels = ["success", "error", "timeout", "sandbox-error"];
    let cases = labels.map(|name| Label { name: name.replace('-', "_"), docs: None });
    let status = EnumType { name: "status".to_owned(), docs: None, cases: cases.into() };
    let artifact = record(
        "artifact",
        vec![
            ("name", text(), ""),
            ("media-type", text(), ""),
            ("size", Type::U64, "In bytes."),
            ("sha256", text(), ""),
        ],
    );
    let call = record(
        "call",
        vec![
            ("tool", text(), ""),
            ("ok", Type::Bool, ""),
            ("kind", optional(text()), "Class of the failure."),
            ("duration-ms", Type::F64, ""),
            ("fuel", Type::U64, ""),
        ],
    );
    let approval = record(
        "approval",
        vec![
            ("id", text(), "What `resume` wants."),
            ("tool", text(), "The tool that was about to be called."),
            ("title", optional(text()), ""),
            ("version", text(), "Version of its skill."),
            ("arguments", text(), "Its arguments as JSON text."),
            ("arguments-sha256", text(), ""),
        ],
    );
    record(
        "outcome",
        vec![
            ("status", Type::Enum(Arc::new(status)), "How the script ended."),
            ("stdout", text(), "What it printed, at most 32768 characters."),
            ("stderr", text(), "What it wrote to standard error, at most 32768 characters."),
            ("result", Type::Json, "Value of the last line if it is an expression, else null."),
            (
                "result-is-repr",
                Type::Bool,
                "Whether JSON has no form for the value, and `result` is its `repr`.",
            ),
            (
                "execution-time-ms",
                Type::F64,
                "Wall clock without loading plugins and without decisions of people.",
            ),
            ("error-message", optional(text()), "What went wrong: a traceback for an exception."),
            (
                "error-kind",
                optional(text()),
                "Class of the exception, `limit:` and the resource, `denied`, `paused`, `trap`, `busy`, `load` or `host`.",
            ),
            ("line", optional(Type::U32), "Line of the script, from 1."),
            ("column", optional(Type::U32), "Column in characters, from 1."),
            ("fuel-used", Type::U64, "Without that of the tools it called."),
            ("peak-memory-bytes", Type::U64, ""),
            ("truncated", Type::Bool, "Whether a part of the output was cut."),
            (
                "stdout-file",
                optional(text()),
                "File of the workspace with the whole output, where it was cut and fits there.",
            ),
            ("stderr-file", optional(text()), ""),
            ("artifacts", list(artifact), "Files that were delivered."),
            ("calls", list(call), "Tools that it called, in order."),
            ("approval", optional(approval), "What the paused script waits for."),
        ],
    )
}

/// Checked arguments of a script call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptArguments {
    /// The script.
    pub code: String,
    /// The language itself, or the name of an engine.
    pub engine: String,
    /// Most time that the caller allows; `None` leaves it to the engine.
    pub timeout: Option<Duration>,
    /// The only modules that the script may import; `None` allows all.
    pub allowed_modules: Option<Vec<String>>,
    /// JSON object as text.
    pub inputs: Option<String>,
    /// `true` if variables stay for the next script.
    pub keeps_state: bool,
}

impl ScriptArguments {
    /// Converts values that were checked against [`function`].
    ///
    /// # Errors
    ///
    /// Only if this file has a mistake.
    pub fn of(args: Vec<Val>) -> Result<ScriptArguments> {
        let wrong = || Error::bug("the arguments of a script are not of its types");
        let [code, engine, timeout, allowed, _, inputs, state] =
            <[Val; 7]>::try_from(args).map_err(|_| wrong())?;
        let text = |value: Val| match value {
            Val::String(text) | Val::Enum(text) => Ok(text),
            _ => Err(wrong()),
        };
        let given = |value: Val| match value {
            Val::Option(value) => Ok(value.map(|value| *value)),
            _ => Err(wrong()),
        };
        let timeout = match given(timeout)? {
            None => None,
            Some(Val::U32(seconds)) => Some(Duration::from_secs(seconds.into())),
            Some(_) => return Err(wrong()),
        };
        let allowed_modules = match given(allowed)? {
            None => None,
            Some(Val::List(names)) => Some(names.into_iter().map(text).collect::<Result<_>>()?),
            Some(_) => return Err(wrong()),
        };
        Ok(ScriptArguments {
            code: text(code)?,
            engine: text(engine)?,
            timeout,
            allowed_modules,
            inputs: given(inputs)?.map(text).transpose()?,
            keeps_state: text(state)? == "session",
        })
    }
}
