//! Which agents a model can give work to: folders of their files, from the user, the project and the command line.

use std::path::{Path, PathBuf};

use super::asking::Named;
use super::settings::{Key, Origin, Settings, Value, Whose};
use mitt::skill::{Narrowing, Tool};
use mitt_agent::{DELEGATE, Roster, Team};
use mitt_base::Result;

/// What stands for the agents that come with this version, in place of a folder.
const BUILT_IN: &str = "built-in";

/// Folders that count where they are there: beside the user's settings, and beside those of the project.
const OF_USER: &str = "agents";
const OF_PROJECT: &str = ".mitt/agents";

/// Names by which other products give work to agents, which are no tools here.
const OTHERS: [&str; 3] = ["Agent", "Task", DELEGATE];

#[derive(Debug, Default, clap::Args)]
pub(super) struct Agents {
    /// Let the model give work to agents: those of this folder, a file `<name>.md` each, and those that come with this version;
    /// `built-in` for these alone. May be given several times
    #[arg(long = "agents", value_name = "FOLDER")]
    pub(super) folders: Vec<PathBuf>,
}

impl Agents {
    /// The agents that there are; none where nobody named any. From the lowest: built in, the user's, those of the project, those of
    /// the command line.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a folder that was named cannot be read.
    pub(super) fn roster(&self, settings: &Settings) -> Result<Option<Roster>> {
        let folders = folders(settings);
        if folders.is_empty() && self.folders.is_empty() {
            return Ok(None);
        }
        let mut roster = Roster::built_in();
        for folder in &folders {
            roster.add_folder(folder)?;
        }
        for folder in self.folders.iter().filter(|folder| *folder != Path::new(BUILT_IN)) {
            roster.add_folder(folder)?;
        }
        Ok(Some(roster))
    }

    /// The same as a team; their models are found as that of `named` is.
    ///
    /// # Errors
    ///
    /// As [`Agents::roster`].
    pub(super) fn team(&self, named: &Named, settings: &Settings) -> Result<Option<Team>> {
        let roster = self.roster(settings)?;
        Ok(roster.map(|roster| {
            Team::new(roster, |model| named.open(model, settings))
                .limits(|limits| settings.limit_team(limits))
        }))
    }
}

/// The folders that files of settings name, and those that lie beside them, the user's first.
fn folders(settings: &Settings) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for whose in [Whose::User, Whose::Project] {
        let beside = if whose == Whose::User { OF_USER } else { OF_PROJECT };
        let files = settings.looked().iter().filter(|looked| looked.whose == whose);
        // Beside a file of the user that is not there, too; a project is one only by its file.
        let read = files.filter(|looked| whose == Whose::User || looked.is_read());
        let lie = read.filter_map(|looked| Some(looked.file.parent()?.join(beside)));
        folders.extend(lie.filter(|folder| folder.is_dir()));
        for found in settings.all(Key::Agents) {
            let is_of = match found.origin {
                Origin::Project { .. } => whose == Whose::Project,
                _ => whose == Whose::User,
            };
            if let (true, Value::Path(path)) = (is_of, &found.value) {
                folders.push(path.clone());
            }
        }
    }
    folders
}

/// Names in files of agents that no tool and no skill has: a slip there leaves an agent without what it needs.
pub(super) fn unknown(team: &Team, tools: &[Tool]) -> Vec<String> {
    let mut unknown = Vec::new();
    for listed in team.agents() {
        let agent = listed.agent;
        let names = agent.tools.as_deref().unwrap_or_default();
        let wrong = Narrowing::unknown(names, tools).into_iter();
        let wrong = wrong.chain(Narrowing::unknown(&agent.disallowed, tools));
        let wrong: Vec<&str> = wrong.filter(|name| !OTHERS.contains(name)).collect();
        let servers = agent.servers.iter().flatten();
        let missing: Vec<&str> = servers
            .map(String::as_str)
            .filter(|server| !tools.iter().any(|tool| tool.server() == Some(server)))
            .collect();
        if !missing.is_empty() {
            unknown.push(format!(
                "agent `{}` of {}: there is no MCP server `{}` with approved tools",
                agent.name,
                listed.source,
                missing.join("`, `")
            ));
        }
        if !wrong.is_empty() {
            unknown.push(format!(
                "agent `{}` of {}: there is no tool or skill `{}`",
                agent.name,
                listed.source,
                wrong.join("`, `")
            ));
        }
    }
    unknown
}
