//! Finds the agents that a model can delegate to: folders of agent files, from the user, the project and the command line.

use std::path::{Path, PathBuf};

use super::model_args::ModelArgs;
use super::settings::{Key, Origin, Settings, Value, Whose};
use mitt::skill::{Tool, ToolFilter};
use mitt_agent::{DELEGATE, Roster, Team};
use mitt_base::Result;

/// Stands for the agents of this version, instead of a folder.
const BUILT_IN: &str = "built-in";

/// Folders that are used if they exist: beside the user's settings, and beside those of the project.
const OF_USER: &str = "agents";
const OF_PROJECT: &str = ".mitt/agents";

/// Tool names with which other products delegate to agents; they are not tools here.
const OTHERS: [&str; 3] = ["Agent", "Task", DELEGATE];

#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Agents {
    /// Let the model give work to agents: those of this folder, a file `<name>.md` each, and those that come with this version;
    /// `built-in` for these alone. May be given several times
    #[arg(long = "agents", value_name = "FOLDER")]
    pub(super) folders: Vec<PathBuf>,
}

impl Agents {
    /// Returns all agents; `None` if no folder was given. From the lowest precedence: built in, of the user, of the project,
    /// of the command line.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a folder that was given cannot be read.
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

    /// Returns the agents as a team, whose models are found in the same way as that of `model_args`.
    ///
    /// # Errors
    ///
    /// Those of [`Agents::roster`].
    pub(super) fn team(&self, model_args: &ModelArgs, settings: &Settings) -> Result<Option<Team>> {
        let roster = self.roster(settings)?;
        Ok(roster.map(|roster| {
            Team::new(roster, |model| model_args.open(model, settings))
                .limits(|limits| settings.limit_team(limits))
        }))
    }
}

/// Returns the folders that settings files name, and those beside these files, the user's first.
fn folders(settings: &Settings) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for whose in [Whose::User, Whose::Project] {
        let beside = if whose == Whose::User { OF_USER } else { OF_PROJECT };
        let files = settings.searched_files().iter().filter(|searched| searched.whose == whose);
        // For the user, the folder counts even if the file is missing; a project is one only by its file.
        let read = files.filter(|searched| whose == Whose::User || searched.is_read());
        let lie = read.filter_map(|searched| Some(searched.file.parent()?.join(beside)));
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

/// Returns names in agent files that no tool and no skill has: with a misspelling, an agent would lack a tool that it needs.
pub(super) fn unknown(team: &Team, tools: &[Tool]) -> Vec<String> {
    let mut unknown = Vec::new();
    for listed in team.agents() {
        let agent = listed.agent;
        let names = agent.tools.as_deref().unwrap_or_default();
        let wrong = ToolFilter::unknown(names, tools).into_iter();
        let wrong = wrong.chain(ToolFilter::unknown(&agent.disallowed, tools));
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
