//! Tools that a model is shown: all of them, those of the skills that it activated, or the one that runs scripts.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::instructions::body;
use crate::model::{ChatModel, Message, ToolSpec};
use crate::team::Team;
use mitt::offer::{self, ToolMode};
use mitt::schema::lower::{Dialect, Form, lower};
use mitt::skill::{Registry, Tool};
use mitt::{Session, schema};
use mitt_base::text;

pub(crate) use mitt::offer::ACTIVATE;

/// What a model is shown, and in which form.
pub(crate) struct Offer {
    mode: ToolMode,
    /// `false` if only the functions of the caller are shown.
    has_tools: bool,
    /// Functions of the caller.
    functions: Arc<[ToolSpec]>,
    dialect: Dialect,
    /// Skills that the model activated, in that order, so that the beginning of a request stays the same for the service's cache.
    active: Vec<String>,
    /// Agents that the model can delegate to, and the number of agents above it.
    team: Option<(Arc<Team>, u64)>,
    /// Tools of the last request.
    last: Option<Specs>,
}

/// Tools as described to a model, and the state that they were made from.
struct Specs {
    generation: u64,
    /// Number of active skills. Skills are never deactivated.
    active: usize,
    /// Number of tools. Those of a skill that could not be loaded are added later.
    tools: usize,
    made: Arc<[ToolSpec]>,
}

/// Result of activating a skill.
pub(crate) struct Activated {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Offer {
    /// Returns what `agent` is shown, with `depth` agents above it.
    pub(crate) fn of(session: &Session, agent: &Agent, depth: u64) -> Offer {
        let team = agent.team().map(|team| (team.clone(), depth));
        let (functions, has_tools) = (agent.functions().clone(), agent.has_tools());
        Offer { team, functions, has_tools, ..Offer::new(session, agent.model(), agent.mode()) }
    }

    pub(crate) fn new(session: &Session, model: &dyn ChatModel, mode: ToolMode) -> Offer {
        let mode = mode.within(&session.registry());
        Offer {
            mode,
            has_tools: true,
            functions: Arc::default(),
            dialect: described_in(model),
            active: Vec::new(),
            team: None,
            last: None,
        }
    }

    /// Describes the tools in the form of this model from now on.
    pub(crate) fn describe_for(&mut self, model: &dyn ChatModel) {
        self.dialect = described_in(model);
        self.last = None;
    }

    /// Returns whether the model activates skills.
    pub(crate) fn has_catalogue(&self) -> bool {
        self.mode == ToolMode::Catalogue && self.has_tools
    }

    /// Returns whether the tools of the session are shown.
    pub(crate) fn has_tools(&self) -> bool {
        self.has_tools
    }

    /// Returns the tools of the next request. They are remade only if the skills have changed or more of them are active.
    pub(crate) async fn specs(&mut self, registry: &Registry) -> Arc<[ToolSpec]> {
        if !self.has_tools {
            return self.functions.clone();
        }
        let (generation, active) = (registry.generation(), self.active.len());
        let tools = registry.tools().await.len();
        if let Some(last) = &self.last
            && (last.generation, last.active, last.tools) == (generation, active, tools)
        {
            return last.made.clone();
        }
        let made: Arc<[ToolSpec]> = self.made(registry).await.into();
        self.last = Some(Specs { generation, active, tools, made: made.clone() });
        made
    }

    async fn made(&self, registry: &Registry) -> Vec<ToolSpec> {
        let tools = registry.tools().await;
        let shown = tools.iter().filter(|tool| self.mode.shows(tool)).map(|tool| self.spec(tool));
        let mut specs = Vec::new();
        if self.has_catalogue() {
            specs.push(activate(registry));
        }
        specs.extend(shown);
        if let Some((team, depth)) = &self.team {
            specs.extend(team.specs(*depth, registry));
        }
        specs.extend(self.functions.iter().cloned());
        if self.has_catalogue() {
            let brought = offer::brought(registry, &self.active, &tools);
            specs.extend(brought.into_iter().map(|tool| self.spec(tool)));
        }
        specs
    }

    fn spec(&self, tool: &Tool) -> ToolSpec {
        let exact = schema::arguments(&tool.function);
        let lowered = lower(&exact, self.dialect);
        let parameters = match &lowered.form {
            Form::Schema(schema) => schema.clone(),
            // An offer never uses the grammar dialect.
            Form::Grammar(_) => exact,
        };
        ToolSpec {
            name: tool.name.to_string(),
            description: lowered.describe(&tool.function.docs),
            parameters,
            is_strict: lowered.strict,
        }
    }

    /// Returns what the system message says about tools.
    pub(crate) async fn overview(&self, session: &Session) -> String {
        let registry = session.registry();
        if self.mode == ToolMode::Script {
            let functions = offer::outlines(&registry.tools().await);
            let usage = offer::script_usage(&registry.script_tools());
            return format!("# Functions for scripts\n\n{usage}\n\n{functions}");
        }
        let way = if self.has_catalogue() {
            "Call `open_skill` for the tools and the instructions of one.\n\n"
        } else {
            ""
        };
        format!("# Skills\n\n{way}{}", offer::catalogue(&registry))
    }

    /// Activates the skills that were activated in these messages.
    pub(crate) fn activate_again(&mut self, messages: &[Message]) {
        let answers = messages.iter().filter_map(|message| match message {
            Message::Assistant(answer) => Some(&answer.calls),
            _ => None,
        });
        for call in answers.flatten().filter(|call| call.name == ACTIVATE) {
            if let Some(name) = skill_of(&call.arguments)
                && !self.active.contains(&name)
            {
                self.active.push(name);
            }
        }
    }

    /// Activates a skill that the user named.
    pub(crate) fn use_skill(&mut self, name: &str) {
        if !self.active.iter().any(|active| active == name) {
            self.active.push(name.to_owned());
        }
    }

    /// Returns whether an active skill adds tools that the model would not have otherwise.
    pub(crate) fn has_active(&self) -> bool {
        self.has_catalogue() && !self.active.is_empty()
    }

    /// Returns how the model calls the tools of a skill that the user named.
    pub(crate) async fn called(&self, registry: &Registry, name: &str) -> String {
        let tools = registry.tools().await;
        let own = [name.to_owned()];
        let tools = offer::brought(registry, &own, &tools);
        let tools: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        match self.mode {
            // They are in the list already.
            ToolMode::Catalogue if !tools.is_empty() => {
                format!("Its tools, which you can call now: {}.", tools.join(", "))
            }
            mode => offer::called(registry, &tools, mode),
        }
    }

    /// Activates the skill that the model named in these arguments.
    pub(crate) async fn activate(
        &mut self,
        registry: &Registry,
        arguments: &str,
        limit: u64,
    ) -> Activated {
        // Without a name, the error lists the existing ones.
        let name = skill_of(arguments).unwrap_or_default();
        let skill = match offer::activated(registry, &name) {
            Ok(skill) => skill,
            Err(error) => return Activated { text: error.render(), is_error: true },
        };
        let name = &skill.manifest().name;
        if !self.active.contains(name) {
            self.active.push(name.clone());
        }
        let tools = registry.tools().await;
        let tools = offer::brought(registry, std::slice::from_ref(name), &tools);
        let tools: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let instructions = text::truncate(body(skill.instructions()).trim(), limit);
        Activated {
            text: format!("Tools that you can call now: {}\n\n{instructions}", tools.join(", ")),
            is_error: false,
        }
    }
}

/// Returns the form of schemas in which a model gets the tools.
fn described_in(model: &dyn ChatModel) -> Dialect {
    match model.dialect() {
        // A grammar does not describe arguments, so such a model gets the portable form.
        Dialect::Gbnf => Dialect::Portable,
        dialect => dialect,
    }
}

/// Returns the skill to activate.
pub(crate) fn skill_of(arguments: &str) -> Option<String> {
    let parsed: Value = serde_json::from_str(arguments).ok()?;
    Some(parsed.get("skill")?.as_str()?.replace('_', "-"))
}

fn activate(registry: &Registry) -> ToolSpec {
    let names: Vec<_> = offer::offered(registry).map(|skill| &skill.manifest().name).collect();
    ToolSpec {
        name: ACTIVATE.to_owned(),
        description: "Get the tools of a skill, and instructions on how to use them.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "skill": { "type": "string", "enum": names } },
            "required": ["skill"],
            "additionalProperties": false,
        }),
        is_strict: true,
    }
}
