//! The options of a run's start, kept in its log, so that they need not be repeated when it is resumed. Options of the
//! resuming command line take precedence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::args::{Global, Planning};
use crate::asking::Asking;

const AGENTS: &str = "agents";
const MCP_CONFIG: &str = "mcp-config";

/// Options by name, each with its values.
pub(super) type Started = BTreeMap<String, Vec<String>>;

/// Returns the options of a new run; `planning` is set for a run with a plan.
pub(super) fn of(global: &Global, asking: &Asking, planning: Option<&Planning>) -> Started {
    let mut started = Started::new();
    let mut keep = |name: &str, paths: &[PathBuf]| {
        let paths: Vec<String> = paths.iter().filter_map(|path| wherever(path)).collect();
        if !paths.is_empty() {
            started.insert(name.to_owned(), paths);
        }
    };
    keep(AGENTS, &asking.agents.folders);
    keep(MCP_CONFIG, &global.mcp_configs);
    if let Some(planning) = planning {
        started.extend(planning.given().map(|(name, value)| (name.to_owned(), vec![value])));
    }
    started
}

/// Returns an absolute path if it exists, otherwise the path as it is, which may be a name.
fn wherever(path: &Path) -> Option<String> {
    let path = if path.exists() { std::path::absolute(path).ok()? } else { path.to_owned() };
    path.to_str().map(str::to_owned)
}

/// Restores the options of the start where the command line does not set them.
pub(super) fn restore(
    started: &Started,
    global: &mut Global,
    asking: &mut Asking,
    planning: Option<&mut Planning>,
) {
    let paths = |name: &str| started.get(name).into_iter().flatten().map(PathBuf::from);
    if asking.agents.folders.is_empty() {
        asking.agents.folders.extend(paths(AGENTS));
    }
    if global.mcp_configs.is_empty() {
        global.mcp_configs.extend(paths(MCP_CONFIG));
    }
    if let Some(planning) = planning {
        planning.restore(|name| started.get(name)?.first().map(String::as_str));
    }
}
