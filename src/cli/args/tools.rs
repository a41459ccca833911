//! The arguments of `mitt tools`.

use clap_complete::engine::ArgValueCompleter;

use super::Json;
use crate::complete;
use mitt::schema::lower::Dialect;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt tools\n  mitt tools --tool table_tool__growth\n  mitt tools --for openai-strict > tools.json"
)]
pub(crate) struct Tools {
    /// Print the definitions as a provider or decoder wants them in a request: `openai-strict`, `anthropic-strict`,
    /// `gemini`, `ollama`, `llguidance`, `vllm` or `gbnf`; `portable` for clients of MCP
    #[arg(long = "for", value_name = "DIALECT", value_parser = dialect)]
    pub(crate) dialect: Option<Dialect>,
    /// Only this tool; for decoders that constrain the whole answer, its arguments instead of a call
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(complete::tools))]
    pub(crate) tool: Option<String>,
    /// A table that calls may name, such as `a.csv` or `t:1`: with `--for` they can name no other. May be given several times
    #[arg(long = "table", value_name = "NAME", requires = "dialect")]
    pub(crate) tables: Vec<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

impl Tools {
    /// Returns `true` for JSON. Only the list for people and the text of a grammar are no JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json.json || self.dialect.is_some_and(|dialect| dialect != Dialect::Gbnf)
    }
}

fn dialect(text: &str) -> Result<Dialect, String> {
    Dialect::from_name(text).ok_or_else(|| {
        let names: Vec<_> = Dialect::ALL.into_iter().map(Dialect::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}
