//! Commands with a model: `mitt run`, `mitt chat`, and `mitt replay` for their logs.

use std::path::PathBuf;

use super::{Json, Out, Password, Planning};
use crate::agent_args::AgentArgs;
use crate::agents::Agents;

/// Options for the log.
#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// Keep no log of the run, so that it cannot be resumed or replayed. Logs hold the conversation and the results; they
    /// lie in the user's own folder
    #[arg(long)]
    pub(crate) no_log: bool,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt run examples/yoy\n  mitt run task.yaml --doc extra.xlsx -o results\n  mitt run --model ollama/qwen3 --doc sales.xlsx 'Total revenue by region, as an Excel file'\n  mitt run --plan --doc 2024.xlsx --doc 2025.xlsx 'Compare both years, as PDF'\n  mitt run --model ollama/qwen3 --doc sales.xlsx --output-schema total.schema.json 'Total revenue' | jq .total\n  mitt run --schema > task.schema.json"
)]
pub(crate) struct Run {
    /// A task file or a folder with a `task.yaml`, whose files lie in its folder; or an instruction for the model
    #[arg(required_unless_present_any = ["schema", "resume"], value_name = "TASK|INSTRUCTION")]
    pub(crate) task: Option<String>,
    /// Print the JSON Schema of task files instead, for editors
    #[arg(long, conflicts_with = "task")]
    pub(crate) schema: bool,
    /// A further document, wherever it lies. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(crate) docs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) password: Password,
    /// Resume a run that failed or whose process died, the last one if none is named; `mitt replay` lists them. Completed
    /// calls are not made again
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last", conflicts_with_all = ["task", "schema", "record"])]
    pub(crate) resume: Option<String>,
    /// JSON Schema that the answer must follow: standard output then gets this JSON value alone, and the paths of files go to standard
    /// error. A file, `-` for standard input, or the schema itself. A run that is resumed keeps its schema
    #[arg(long, value_name = "FILE|SCHEMA", conflicts_with = "schema")]
    pub(crate) output_schema: Option<String>,
    #[command(flatten)]
    pub(crate) planning: Planning,
    #[command(flatten)]
    pub(crate) log: Log,
    #[command(flatten)]
    pub(crate) agent_args: AgentArgs,
    #[command(flatten)]
    pub(crate) out: Out,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[cfg(feature = "models")]
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt chat --local\n  mitt chat --model ollama/qwen3 --doc 2025.xlsx\n  mitt chat --resume\n\nIn the conversation, `@FILE` gives the model a document, and `/help` tells more. Ctrl-C stops the model, Ctrl-D ends."
)]
pub(crate) struct Chat {
    /// Look for Ollama, LM Studio, llama.cpp and vLLM on this machine, ask which of their models, and try it. Without any model this is
    /// done anyway
    #[arg(long, conflicts_with_all = ["model", "resume"])]
    pub(crate) local: bool,
    /// A document for the model. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(crate) docs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) password: Password,
    /// Resume an earlier conversation or a run, the last one if none is named; `mitt replay` lists them
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last", conflicts_with = "record")]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) log: Log,
    #[command(flatten)]
    pub(crate) agent_args: AgentArgs,
    #[command(flatten)]
    pub(crate) out: Out,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mitt agents\n  mitt agents --agents agents --json")]
pub(crate) struct AgentList {
    #[command(flatten)]
    pub(crate) agents: Agents,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt replay\n  mitt replay last\n  mitt replay 20261123-093000 -o again\n  mitt replay run_K3nV9dQ2"
)]
pub(crate) struct Replay {
    /// The run, or `last`, or a run of the service on this machine, `run_…`; without one, the runs are listed
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// A document of the run that has another place now, under its own name. May be given several times
    #[arg(short, long = "doc", value_name = "FILE", requires = "run")]
    pub(crate) docs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) password: Password,
    /// Write the resulting files to this folder, instead of only comparing them
    #[arg(short, long, value_name = "FOLDER", requires = "run")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) json: Json,
}
