//! The options of a run's start, kept in its log, so that they need not be repeated when it is resumed. Options of the
//! resuming command line take precedence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::agent_args::AgentArgs;
use crate::args::{Global, Planning};

const AGENTS: &str = "agents";
const MCP_CONFIG: &str = "mcp-config";

/// Options by name, each with its values.
pub(super) type StartOptions = BTreeMap<String, Vec<String>>;

/// Returns the options of a new run; `planning` is set for a run with a plan.
pub(super) fn of(
    global: &Global,
    agent_args: &AgentArgs,
    planning: Option<&Planning>,
) -> StartOptions {
    let mut options = StartOptions::new();
    let mut keep = |name: &str, paths: &[PathBuf]| {
        let paths: Vec<String> = paths.iter().filter_map(|path| wherever(path)).collect();
        if !paths.is_empty() {
            options.insert(name.to_owned(), paths);
        }
    };
    keep(AGENTS, &agent_args.agents.folders);
    keep(MCP_CONFIG, &global.mcp_configs);
    if let Some(planning) = planning {
        options.extend(planning.given().map(|(name, value)| (name.to_owned(), vec![value])));
    }
    options
}

/// Returns an absolute path if it exists, otherwise the path as it is, which may be a name.
fn wherever(path: &Path) -> Option<String> {
    let path = if path.exists() { std::path::absolute(path).ok()? } else { path.to_owned() };
    path.to_str().map(str::to_owned)
}

/// Restores the options of the start where the command line does not set them.
pub(super) fn restore(
    options: &StartOptions,
    global: &mut Global,
    agent_args: &mut AgentArgs,
    planning: Option<&mut Planning>,
) {
    let paths = |name: &str| options.get(name).into_iter().flatten().map(PathBuf::from);
    if agent_args.agents.folders.is_empty() {
        agent_args.agents.folders.extend(paths(AGENTS));
    }
    if global.mcp_configs.is_empty() {
        global.mcp_configs.extend(paths(MCP_CONFIG));
    }
    if let Some(planning) = planning {
        planning.restore(|name| options.get(name)?.first().map(String::as_str));
    }
}
