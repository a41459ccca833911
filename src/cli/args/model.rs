//! `mitt model`.

use clap::Subcommand;

use crate::model_args::ModelArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// List the services that models can be named by, and where Mitt looks for each key
    List(ModelList),
    /// Ask a model four short things: whether it answers, piece by piece, calls tools, keeps to a schema
    Test(ModelTest),
}

impl ModelCommand {
    pub(super) fn wants_json(&self) -> bool {
        match self {
            ModelCommand::List(command) => command.json.json,
            ModelCommand::Test(command) => command.json.json,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct ModelList {
    #[command(flatten)]
    pub(crate) json: super::Json,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt model test ollama/qwen3\n  mitt model test http://127.0.0.1:8080/v1#name"
)]
pub(crate) struct ModelTest {
    /// The model, in place of `--model`
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) model_args: ModelArgs,
    #[command(flatten)]
    pub(crate) json: super::Json,
}
