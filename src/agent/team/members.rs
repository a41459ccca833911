//! A team: the agents of a roster with their models, how far they may go, and how a model is told of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::limits::TeamLimits;
use super::roster::{AgentSource, Roster};
use super::sub_agent::SubAgent;
use super::transfer::MAIN;
use crate::agent::Agent;
use crate::model::{ChatModel, ToolSpec};
use mitt::skill::{AgentMd, Registry};
use mitt_base::{Error, ErrorKind, Result, text};

/// The tool that gives a task to an agent.
pub const DELEGATE: &str = "delegate";

/// The tool that hands the conversation over to an agent.
pub const TRANSFER: &str = "transfer_to_agent";

/// Names by which a vendor calls its models without saying which: another one can stand for them.
const ALIASES: [&str; 3] = ["haiku", "opus", "sonnet"];

/// Characters that are said of an agent, and bytes of them all.
const SUMMARY: usize = 240;
const LIST_BYTES: usize = 6_000;

/// Agents that a model can give work to, and how far that may go.
#[derive(Clone, Default)]
pub struct Team {
    members: BTreeMap<String, Member>,
    pub(super) limits: TeamLimits,
    problems: Vec<String>,
    notes: Vec<String>,
}

#[derive(Clone)]
struct Member {
    agent: Arc<AgentMd>,
    source: AgentSource,
    /// None is that of whoever gives it work.
    model: Option<Arc<dyn ChatModel>>,
}

/// An agent of a team, as people are shown it.
#[derive(Clone, Debug)]
pub struct Listed<'a> {
    /// What its file says.
    pub agent: &'a AgentMd,
    /// Where it comes from.
    pub source: &'a AgentSource,
    /// The name of its model; none is that of whoever gives it work.
    pub model: Option<&'a str>,
}

impl Team {
    /// The agents of a roster, all with the model of whoever gives them work but those whose files name another one: these
    /// `model` gives. An agent whose model cannot be had is left out, which is told; where its file only says `haiku`, `sonnet` or
    /// `opus`, it works with the model of whoever gives it work.
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
                        "agent `{name}`: the model `{wanted}` cannot be had; it works with that of whoever gives it work"
                    ));
                    None
                }
                Some((wanted, Err(error))) => {
                    let wanted = text::one_line(text::cut_bytes(wanted, 128));
                    let why = text::one_line(&error.to_string());
                    team.problems.push(format!(
                        "agent `{name}` of {source} is left out: the model `{wanted}` cannot be had: {why}"
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

    /// Change how far it may go.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut TeamLimits)) -> Team {
        change(&mut self.limits);
        self.limits = self.limits.bounded();
        self
    }

    /// How far it may go.
    pub(crate) fn bounds(&self) -> TeamLimits {
        self.limits
    }

    /// The agents, sorted by name.
    pub fn agents(&self) -> impl Iterator<Item = Listed<'_>> {
        self.members.values().map(|member| Listed {
            agent: &member.agent,
            source: &member.source,
            model: member.model.as_ref().map(|model| model.name()),
        })
    }

    /// What was left out, and why, a line each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// What has no effect, and what stands for what, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// An agent of it, at work for `caller`; also a skill that runs as one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is none; names those that there are.
    pub(super) fn sub_agent(
        &self,
        name: &str,
        caller: &Agent,
        registry: &Registry,
    ) -> Result<SubAgent> {
        if let Some(member) = self.members.get(name) {
            let model = member.model.clone().unwrap_or_else(|| caller.shared_model());
            return Ok(SubAgent::below(member.agent.clone(), model, caller));
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
                    crate::offer::body(skill.instructions()).trim()
                ),
                ..AgentMd::clone(&base.agent)
            };
            let model = base.model.clone().unwrap_or_else(|| caller.shared_model());
            return Ok(SubAgent::below(Arc::new(agent), model, caller));
        }
        let names = self.names(registry);
        let shown = text::one_line(text::cut_bytes(name, 128));
        let error = Error::new(ErrorKind::Arguments, format!("agent: there is no `{shown}`"));
        Err(match text::nearest(name, names.iter().map(String::as_str)).first() {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint(format!("there are {}", names.join(", "))),
        })
    }

    /// What the file of an agent says.
    pub(super) fn file(&self, name: &str) -> Option<&AgentMd> {
        self.members.get(name).map(|member| &*member.agent)
    }

    /// Those that a conversation can be handed over to.
    pub(crate) fn members(
        &self,
    ) -> impl Iterator<Item = (&str, &AgentMd, Option<&Arc<dyn ChatModel>>)> {
        self.members
            .iter()
            .map(|(name, member)| (name.as_str(), &*member.agent, member.model.as_ref()))
    }

    /// The names of all that can have a task: agents, and skills that run as one and are not named as an agent.
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

    /// Whether a model that `depth` agents are above may give tasks.
    pub(crate) fn delegates_at(&self, depth: u64) -> bool {
        depth < self.limits.depth && !self.members.is_empty()
    }

    /// Whether `name`, as a model activates a skill, is a skill that runs as an agent.
    pub(crate) fn forks(&self, name: &str, registry: &Registry) -> bool {
        let kebab = name.replace('_', "-");
        !self.members.contains_key(&kebab)
            && registry
                .skills()
                .any(|skill| skill.manifest().name == kebab && skill.forked_agent().is_some())
    }

    /// The tools by which a model that `depth` agents are above gives work to these.
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

    /// A line for each agent, less of each where there are many.
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
