//! The tools that exist now, with names, words and schemas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schemas;
use crate::problem::Problem;
use mitt::skill::{Registry, Tool};
use mitt::{Host, SessionOptions};
use mitt_base::text::one_line;

/// Most characters of a summary. ChatGPT refuses longer ones.
pub(super) const SUMMARY_CHARACTERS: usize = 300;

/// A tool.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(crate) struct ListedTool {
    /// Name, as in `POST /v1/tools/{tool}`.
    pub(crate) name: String,
    /// Skill that the tool belongs to.
    pub(crate) skill: String,
    /// Title for people.
    pub(crate) title: String,
    /// What it does, in one line of at most 300 characters.
    pub(crate) summary: String,
    /// What it does, in full.
    pub(crate) description: String,
    /// JSON Schema of its arguments, the body of a request.
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    pub(crate) input_schema: Value,
    /// JSON Schema of the response.
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    pub(crate) output_schema: Value,
    /// `true` if a call changes nothing.
    pub(crate) reads_only: bool,
    /// `true` if a call may replace or remove existing data. It needs the header `X-Mitt-Approve: true`.
    pub(crate) is_destructive: bool,
    /// `true` if a second call with the same arguments has no further effect.
    pub(crate) is_idempotent: bool,
    /// What its plugin may use beside its arguments, such as `documents` or `workspace (reading only)`. Empty for a tool of the
    /// operator, which is part of the program.
    #[serde(default)]
    pub(crate) grants: Vec<String>,
    /// Upper bounds of one call.
    #[serde(default)]
    pub(crate) limits: ToolLimits,
}

/// Upper bounds of one call of a tool.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub(crate) struct ToolLimits {
    /// Seconds of wall-clock time, rounded up.
    pub(crate) seconds: u64,
    /// Memory of the sandbox in bytes.
    pub(crate) memory_bytes: u64,
}

/// The tools that exist now.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(crate) struct ToolList {
    /// Tools in the order of their names.
    pub(crate) tools: Vec<ListedTool>,
}

/// Returns the skills that a tenant sees: overlays may give it others.
///
/// # Errors
///
/// The host cannot open a session.
pub(super) fn registry(host: &Host, tenant: &str) -> Result<Registry, Problem> {
    let options = SessionOptions { tenant: Some(tenant.to_owned()), ..SessionOptions::default() };
    Ok(host.session(options)?.registry())
}

/// Returns the tools of a registry in the order of their names. A skill that does not load is left out.
pub(super) async fn listed(registry: &Registry) -> Vec<ListedTool> {
    let (tools, failures) = registry.listing().await;
    for failure in failures {
        tracing::warn!(error = %failure.render(), "a skill does not load");
    }
    tools.iter().map(of).collect()
}

/// Returns what a tool may use, in words for people.
fn grants(tool: &Tool) -> Vec<String> {
    let Some(skill) = tool.skill() else { return Vec::new() };
    let manifest = skill.manifest();
    manifest.grants.iter().map(|grant| manifest.bounds.describe(grant)).collect()
}

fn of(tool: &Tool) -> ListedTool {
    let policy = tool.policy();
    let limits = policy.attempt_limits(tool.limits());
    let description = match tool.function.docs.trim() {
        "" => tool.skill().map_or_else(String::new, |skill| skill.manifest().description.clone()),
        docs => docs.to_owned(),
    };
    let reads_only = policy.read_only || !tool.can_change();
    ListedTool {
        name: tool.name.to_string(),
        skill: tool.owner().to_owned(),
        title: policy.title.clone().unwrap_or_else(|| title(tool.name.function())),
        summary: summary(&description),
        description,
        input_schema: schemas::arguments(&tool.function),
        output_schema: schemas::response(&tool.function, tool.can_change()),
        reads_only,
        is_destructive: policy.destructive && !reads_only,
        is_idempotent: policy.idempotent || reads_only,
        grants: grants(tool),
        limits: ToolLimits {
            seconds: limits.time.as_secs() + u64::from(limits.time.subsec_nanos() > 0),
            memory_bytes: limits.memory_bytes,
        },
    }
}

/// Returns the first paragraph as one line, cut at the end of a sentence or of a word.
fn summary(description: &str) -> String {
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    let line = one_line(&paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    if line.chars().count() <= SUMMARY_CHARACTERS {
        return line;
    }
    let most: String = line.chars().take(SUMMARY_CHARACTERS - 1).collect();
    if let Some(end) = most.rfind(". ") {
        return most[..=end].to_owned();
    }
    let end = most.rfind(' ').unwrap_or(most.len());
    format!("{}…", &most[..end])
}

/// Returns `create_excel` in a form for people.
fn title(name: &str) -> String {
    let words = name.replace("__", ": ").replace('_', " ");
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_one_short_line() {
        assert_eq!(summary("Sorts\n  a table.\n\nMore."), "Sorts a table.");
        assert_eq!(summary(""), "");
        let sentences = format!("Sorts a table. {}. End.", "x".repeat(SUMMARY_CHARACTERS));
        assert_eq!(summary(&sentences), "Sorts a table.");
        let words = summary(&"表 ab ".repeat(100));
        assert!(words.chars().count() <= SUMMARY_CHARACTERS, "{words}");
        assert!(words.ends_with("ab…") || words.ends_with("表…"), "{words}");
        assert_eq!(summary(&"x".repeat(400)).chars().count(), SUMMARY_CHARACTERS);
    }

    #[tokio::test]
    async fn tools_of_the_host_are_listed_with_schemas() {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let registry = registry(&host, "alice").unwrap();
        for tool in listed(&registry).await {
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            assert_eq!(tool.output_schema["type"], "object", "{}", tool.name);
            assert!(!tool.title.is_empty() && tool.summary.chars().count() <= SUMMARY_CHARACTERS);
        }
    }

    #[tokio::test]
    async fn a_tool_says_what_it_may_use_and_how_much() {
        let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mitt-cache");
        let host = Host::builder().cache(mitt::CacheDir::new(cache)).build().unwrap();
        let tools = listed(&registry(&host, "alice").unwrap()).await;
        let read = tools.iter().find(|tool| tool.name == "document_tool__read_table").unwrap();
        assert!(read.grants.iter().any(|grant| grant == "documents"), "{:?}", read.grants);
        assert!(read.limits.seconds > 0 && read.limits.memory_bytes > 1_000_000);
    }
}
