//! What a run was started with, kept in its log, so that whoever goes on with it need not say it again. What is said then goes
//! before it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::args::{Global, Planning};
use crate::asking::Asking;

const AGENTS: &str = "agents";
const MCP_CONFIG: &str = "mcp-config";

/// Options by their names, each with its values.
pub(super) type Started = BTreeMap<String, Vec<String>>;

/// The options of a run that begins; `planning` is that of one with a plan.
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

/// A path that leads to the same place from any folder. What is no file has a name only.
fn wherever(path: &Path) -> Option<String> {
    let path = match path.exists() {
        true => std::path::absolute(path).ok()?,
        false => path.to_owned(),
    };
    path.to_str().map(str::to_owned)
}

/// Take the options that a run was started with where nothing else is said.
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
