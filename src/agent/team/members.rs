//! Team: the agents of a roster with their models, their limits, and their description for a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::agent_md::AgentMd;
use super::limits::TeamLimits;
use super::roster::{AgentSource, Roster};
use crate::instructions::body;
use crate::model::{ChatModel, ToolSpec};
use mitt::skill::Registry;
use mitt_base::{Error, ErrorKind, Result, text};

/// Name of the tool that delegates a task to an agent.
pub const DELEGATE: &str = "delegate";

/// Name of the tool that transfers the conversation to an agent.
pub const TRANSFER: &str = "transfer_to_agent";

/// Name of the session's own model among agents.
pub(crate) const MAIN: &str = "main";

/// A vendor's generic names of models; another model can replace them.
const ALIASES: [&str; 3] = ["haiku", "opus", "sonnet"];

/// Most characters of an agent's description, and most bytes of all of them.
const SUMMARY: usize = 240;
const LIST_BYTES: usize = 6_000;

/// Agent with its model, or with `None` if it uses that of its caller.
pub(crate) type AgentAndModel = (Arc<AgentMd>, Option<Arc<dyn ChatModel>>);

/// Agents that a model can delegate to, and their limits.
#[derive(Clone, Default)]
pub struct Team {
    members: BTreeMap<String, Member>,
    limits: TeamLimits,
    problems: Vec<String>,
    notes: Vec<String>,
}

#[derive(Clone)]
struct Member {
    agent: Arc<AgentMd>,
    source: AgentSource,
    /// `None` for the model of the agent that delegates to it.
    model: Option<Arc<dyn ChatModel>>,
}

/// Agent of a team, as it is shown to people.
#[derive(Clone, Debug)]
pub struct Listed<'a> {
    /// Parsed file of the agent.
    pub agent: &'a AgentMd,
    /// Source of the file.
    pub source: &'a AgentSource,
    /// Name of its model; `None` for the model of the agent that delegates to it.
    pub model: Option<&'a str>,
}

impl Team {
    /// Returns a team of a roster's agents. They use the model of the agent that delegates to them, unless their files name
    /// another one, which `model` returns. An agent whose model is not available is left out, which is reported; if its file only
    /// says `haiku`, `sonnet` or `opus`, it uses the model of the agent that delegates to it.
    pub fn new(roster: Roster, mut model: impl FnMut(&str) -> Result<Arc<dyn ChatModel>>) -> Team {
        let mut team = Team {
            problems: roster.problems().to_vec(),
            notes: roster.notes().to_vec(),
            ..Team::default()
        };
        for (agent, source) in roster.agents() {
            let name = &agent.name;
            let own = match agent.model.as_deref().map(|it| (it, model(it))) {
                None => None,
                Some((_, Ok(model))) => Some(model),
                Some((wanted, Err(_))) if ALIASES.contains(&wanted) => {
                    team.notes.push(format!(
                        "agent `{name}`: the model `{wanted}` is not available; the agent uses the model of the one that delegates to it"
                    ));
                    None
                }
                Some((wanted, Err(error))) => {
                    let wanted = text::one_line(text::cut_bytes(wanted, 128));
                    let why = text::one_line(&error.to_string());
                    team.problems.push(format!(
                        "agent `{name}` of {source} is left out: the model `{wanted}` is not available: {why}"
                    ));
                    continue;
                }
            };
            if name == MAIN {
                team.problems.push(format!(
                    "agent `{name}` of {source} is left out: the name is that of the session's own model"
                ));
                continue;
            }
            let (agent, source) = (Arc::new(agent.clone()), source.clone());
            team.members.insert(name.clone(), Member { agent, source, model: own });
        }
        team
    }

    /// Changes the limits.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut TeamLimits)) -> Team {
        change(&mut self.limits);
        self.limits = self.limits.bounded();
        self
    }

    /// Returns the limits.
    pub(crate) fn bounds(&self) -> TeamLimits {
        self.limits
    }

    /// Returns the agents, sorted by name.
    pub fn agents(&self) -> impl Iterator<Item = Listed<'_>> {
        self.members.values().map(|member| Listed {
            agent: &member.agent,
            source: &member.source,
            model: member.model.as_ref().map(|model| model.name()),
        })
    }

    /// Returns what was left out, and why, a line each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Returns keys without effect, and replacements, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns an agent of the team, also a skill that runs as one; with its model, or `None` for that of its caller.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is no such agent; the error lists the existing ones.
    pub(crate) fn find(&self, name: &str, registry: &Registry) -> Result<AgentAndModel> {
        if let Some(member) = self.members.get(name) {
            return Ok((member.agent.clone(), member.model.clone()));
        }
        let kebab = name.replace('_', "-");
        let skill = registry.skills().find(|skill| skill.manifest().name == kebab);
        if let Some((skill, by)) = skill.and_then(|skill| Some((skill, skill.forked_agent()?))) {
            let base = self.members.get(&by).ok_or_else(|| {
                let message = format!("skill `{kebab}`: its `agent` is `{by}`, which is not there");
                Error::new(ErrorKind::Arguments, message).hint("do it without the skill")
            })?;
            let agent = AgentMd {
                name: kebab,
                instructions: format!(
                    "{}\n\n{}",
                    base.agent.instructions,
                    body(skill.instructions()).trim()
                ),
                ..AgentMd::clone(&base.agent)
            };
            return Ok((Arc::new(agent), base.model.clone()));
        }
        let names = self.names(registry);
        let shown = text::one_line(text::cut_bytes(name, 128));
        let error = Error::new(ErrorKind::Arguments, format!("agent: there is no `{shown}`"));
        Err(match text::nearest(name, names.iter().map(String::as_str)).first() {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint(format!("there are {}", names.join(", "))),
        })
    }

    /// Returns the parsed file of an agent.
    pub(crate) fn file(&self, name: &str) -> Option<&AgentMd> {
        self.members.get(name).map(|member| &*member.agent)
    }

    /// Returns the agents that can take a conversation over.
    pub(crate) fn members(
        &self,
    ) -> impl Iterator<Item = (&str, &AgentMd, Option<&Arc<dyn ChatModel>>)> {
        self.members
            .iter()
            .map(|(name, member)| (name.as_str(), &*member.agent, member.model.as_ref()))
    }

    /// Returns the names of all that can be given a task: agents, and skills that run as one and have no agent of their name.
    fn names(&self, registry: &Registry) -> Vec<String> {
        let mut names: Vec<String> = self.members.keys().cloned().collect();
        for skill in registry.skills() {
            let name = &skill.manifest().name;
            if !self.members.contains_key(name) && skill.forked_agent().is_some() {
                names.push(name.clone());
            }
        }
        names
    }

    /// Returns whether a model with `depth` agents above it may delegate tasks.
    pub(crate) fn delegates_at(&self, depth: u64) -> bool {
        depth < self.limits.depth && !self.members.is_empty()
    }

    /// Returns whether `name`, as a model activates a skill, is a skill that runs as an agent.
    pub(crate) fn forks(&self, name: &str, registry: &Registry) -> bool {
        let kebab = name.replace('_', "-");
        !self.members.contains_key(&kebab)
            && registry
                .skills()
                .any(|skill| skill.manifest().name == kebab && skill.forked_agent().is_some())
    }

    /// Returns the tools by which a model with `depth` agents above it delegates to these agents.
    pub(crate) fn specs(&self, depth: u64, registry: &Registry) -> Vec<ToolSpec> {
        let mut specs = Vec::new();
        if !self.delegates_at(depth) {
            return specs;
        }
        specs.push(ToolSpec {
            name: DELEGATE.to_owned(),
            description: format!(
                "Give a task to an agent that works in a context of its own: it sees the task and the named inputs, not this \
                 conversation. Its summary and its files come back. Calls in one turn run at the same time.\n{}",
                self.list(registry)
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "agent": { "type": "string", "enum": self.names(registry) },
                    "task": { "type": "string", "description": "All that it needs to know." },
                    "inputs": {
                        "type": "array",
                        "items": { "type": "string" },
                        "description": "Documents, tables such as `t:3`, delivered files.",
                    },
                },
                "required": ["agent", "task", "inputs"],
                "additionalProperties": false,
            }),
            is_strict: true,
        });
        if depth == 0 && self.limits.transfers > 0 {
            let mut names: Vec<&str> = self.members.keys().map(String::as_str).collect();
            names.push(MAIN);
            specs.push(ToolSpec {
                name: TRANSFER.to_owned(),
                description: format!(
                    "Hand the rest of the conversation over to an agent, which talks to the user from then on; `{MAIN}` gives it \
                     back. For a single task use `{DELEGATE}`."
                ),
                parameters: json!({
                    "type": "object",
                    "properties": { "agent": { "type": "string", "enum": names } },
                    "required": ["agent"],
                    "additionalProperties": false,
                }),
                is_strict: true,
            });
        }
        specs
    }

    /// Returns a line for each agent. The lines are shorter if there are many.
    fn list(&self, registry: &Registry) -> String {
        let described = |name: &String| -> String {
            let agent = self.members.get(name).map(|member| member.agent.description.clone());
            let skill = || registry.skill(name).map(|skill| skill.manifest().description.clone());
            agent.or_else(|| skill().ok()).unwrap_or_default()
        };
        let names = self.names(registry);
        for summary in [SUMMARY, SUMMARY / 3] {
            let line = |name: &String| {
                let short = text::shortened(described(name).trim(), summary);
                format!("- {name}: {}", text::one_line(&short))
            };
            let lines: Vec<String> = names.iter().map(line).collect();
            let lines = lines.join("\n");
            if lines.len() <= LIST_BYTES {
                return lines;
            }
        }
        names.join(", ")
    }
}
