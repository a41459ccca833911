//! Roster: the available agents, from folders of files and those that come with this version.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::agent_md::AgentMd;
use super::foreign::{self, Mapped};
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Largest file of an agent, in bytes; one byte more is read to recognise a larger one.
const MAX_BYTES: u64 = 64 * 1024;

/// Most agents of a folder, and most entries that are read.
const MAX_AGENTS: usize = 200;
const MAX_ENTRIES: usize = 2_000;

const BUILT_IN: [(&str, &str); 2] = [
    ("general-purpose.md", include_str!("built_in/general-purpose.md")),
    ("explorer.md", include_str!("built_in/explorer.md")),
];

/// Source of an agent. A later one replaces an earlier one of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentSource {
    /// It comes with this version.
    BuiltIn,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for AgentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentSource::BuiltIn => f.write_str("built in"),
            AgentSource::File(path) => path.display().fmt(f),
        }
    }
}

/// Available agents, by name.
///
/// ```
/// let roster = mitt_agent::Roster::built_in();
/// let names: Vec<&str> = roster.agents().map(|(agent, _)| &*agent.name).collect();
/// assert_eq!(names, ["explorer", "general-purpose"]);
/// assert!(roster.get("explorer").unwrap().read_only);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Roster {
    agents: BTreeMap<String, (AgentMd, AgentSource)>,
    problems: Vec<String>,
    notes: Vec<String>,
}

impl Roster {
    /// Returns a roster without agents.
    pub fn new() -> Roster {
        Roster::default()
    }

    /// Returns `general-purpose`, which has all tools, and `explorer`, which is read-only.
    pub fn built_in() -> Roster {
        let mut roster = Roster::new();
        for (file, content) in BUILT_IN {
            roster.add_file(file, content.as_bytes(), AgentSource::BuiltIn);
        }
        roster
    }

    /// Adds the agents of a folder: each file `<name>.md` in it. They replace earlier ones of the same name, which is reported;
    /// invalid files are left out, which is reported, too. Links are not followed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the folder cannot be read.
    pub fn add_folder(&mut self, folder: &Path) -> Result<()> {
        let unreadable = |error: std::io::Error| {
            let message = format!("cannot read the folder of agents {}", folder.display());
            Error::new(ErrorKind::Load, message).caused_by(error)
        };
        let mut files = Vec::new();
        for (at, entry) in std::fs::read_dir(folder).map_err(unreadable)?.enumerate() {
            let entry = entry.map_err(unreadable)?;
            if at >= MAX_ENTRIES {
                self.problems.push(format!(
                    "{}: only the first {MAX_ENTRIES} entries were looked at",
                    folder.display()
                ));
                break;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            // Files that explain the agents in a folder.
            if name.ends_with(".md") && !name.starts_with('.') && !is_readme(&name) {
                files.push((name, entry.path()));
            }
        }
        files.sort();
        if files.len() > MAX_AGENTS {
            let left = files.len() - MAX_AGENTS;
            self.problems.push(format!(
                "{}: expected at most {MAX_AGENTS} agents, {left} are left out",
                folder.display()
            ));
            files.truncate(MAX_AGENTS);
        }
        for (name, path) in files {
            match plain_file::read(&path, MAX_BYTES + 1) {
                Ok(content) => self.add_file(&name, &content, AgentSource::File(path)),
                Err(error) => {
                    let error = text::one_line(&error.to_string());
                    self.problems.push(format!("{}: cannot be read: {error}", path.display()));
                }
            }
        }
        Ok(())
    }

    /// Adds an agent, which replaces an earlier one of the same name.
    pub fn add(&mut self, agent: AgentMd, source: AgentSource) {
        if let Some((_, before)) = self.agents.get(&agent.name) {
            let name = &agent.name;
            self.notes
                .push(format!("agent `{name}` of {source} takes the place of that of {before}"));
        }
        self.agents.insert(agent.name.clone(), (agent, source));
    }

    fn add_file(&mut self, file: &str, content: &[u8], source: AgentSource) {
        let (agent, findings) = AgentMd::read(content, file);
        let at = match &source {
            AgentSource::BuiltIn => String::new(),
            AgentSource::File(path) => path.parent().map_or_else(String::new, |folder| {
                format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR)
            }),
        };
        let Some(mut agent) = agent else {
            let wrong = findings.iter().map(|finding| format!("{at}{finding}"));
            self.problems.extend(wrong);
            return;
        };
        self.notes.extend(findings.iter().map(|finding| format!("{at}{finding}")));
        match foreign::map(&mut agent) {
            Mapped::Own => {}
            Mapped::Note(note) => self.notes.push(format!("{at}{file}: {note}")),
            Mapped::Nothing(why) => {
                self.problems.push(format!("{at}{file}: left out: {why}"));
                return;
            }
        }
        let same_folder = match (self.agents.get(&agent.name), &source) {
            (Some((_, AgentSource::File(other))), AgentSource::File(path)) => {
                other.parent() == path.parent()
            }
            _ => false,
        };
        if same_folder {
            self.problems.push(format!(
                "{at}{file}: left out: another file of the folder describes `{}` too",
                agent.name
            ))
        } else {
            self.add(agent, source)
        }
    }

    /// Removes all agents but those of these names.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no agent of a name.
    pub fn keep(&mut self, names: &[String]) -> Result<()> {
        if let Some(missing) = names.iter().find(|name| !self.agents.contains_key(*name)) {
            let known: Vec<&str> = self.agents.keys().map(String::as_str).collect();
            let missing = text::one_line(text::cut_bytes(missing, 100));
            return Err(Error::new(ErrorKind::Input, format!("there is no agent `{missing}`"))
                .hint(format!("the agents are {}", known.join(", "))));
        }
        self.agents.retain(|name, _| names.contains(name));
        Ok(())
    }

    /// Returns the agents, sorted by name.
    pub fn agents(&self) -> impl Iterator<Item = (&AgentMd, &AgentSource)> {
        self.agents.values().map(|(agent, source)| (agent, source))
    }

    /// Returns the agent of this name.
    pub fn get(&self, name: &str) -> Option<&AgentMd> {
        self.agents.get(name).map(|(agent, _)| agent)
    }

    /// Returns files that were left out, and why, a line each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Returns keys without effect, problems that were worked around, and replaced agents, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

fn is_readme(name: &str) -> bool {
    name.to_lowercase().starts_with("readme")
}
