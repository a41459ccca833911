//! The tools that a model is shown: all of them, those of the skills that it activated, or the one that runs scripts.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::model::{ChatModel, Message, ToolSpec};
use crate::options::ToolMode;
use mitt::schema::lower::{Dialect, Form, lower};
use mitt::skill::{Registry, Skill, Tool, to_snake};
use mitt::{Session, schema};
use mitt_base::text;

/// The tool that runs scripts.
const RUN: &str = "python__run";

/// The tool that brings the tools of a skill.
pub(crate) const ACTIVATE: &str = "activate_skill";

/// Most characters of what is said of one function or skill in a list.
const SUMMARY: usize = 160;

/// What a model is shown, and in which form.
pub(crate) struct Offer {
    mode: ToolMode,
    dialect: Dialect,
    /// Skills that the model activated, in that order: what comes first in a request stays as it was, for the service's cache.
    active: Vec<String>,
}

/// What became of a request for a skill.
pub(crate) struct Activated {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Offer {
    pub(crate) async fn new(session: &Session, model: &dyn ChatModel, mode: ToolMode) -> Offer {
        let tools = session.registry().tools().await;
        let has_engine = tools.iter().any(|tool| tool.name.to_string() == RUN);
        let mode = if mode == ToolMode::Script && !has_engine { ToolMode::All } else { mode };
        let dialect = match model.dialect() {
            // A grammar is no description of arguments: who takes one is told of the tools in the portable form.
            Dialect::Gbnf => Dialect::Portable,
            dialect => dialect,
        };
        Offer { mode, dialect, active: Vec::new() }
    }

    /// Whether the model activates skills.
    pub(crate) fn has_catalogue(&self) -> bool {
        self.mode == ToolMode::Catalogue
    }

    /// The tools of the next request.
    pub(crate) async fn specs(&self, registry: &Registry) -> Vec<ToolSpec> {
        let tools = registry.tools().await;
        let of = |skill: &str| {
            let tools = tools.iter().filter(move |tool| tool.owner() == skill);
            tools.map(|tool| self.spec(tool)).collect::<Vec<_>>()
        };
        match self.mode {
            ToolMode::All => tools.iter().map(|tool| self.spec(tool)).collect(),
            ToolMode::Script => {
                let run = tools.iter().filter(|tool| tool.name.to_string() == RUN);
                run.map(|tool| self.spec(tool)).collect()
            }
            ToolMode::Catalogue => {
                let mut specs = vec![activate(registry)];
                specs.extend(self.active.iter().flat_map(|skill| of(skill)));
                specs
            }
        }
    }

    fn spec(&self, tool: &Tool) -> ToolSpec {
        let exact = schema::arguments(&tool.function);
        let lowered = lower(&exact, self.dialect);
        let parameters = match &lowered.form {
            Form::Schema(schema) => schema.clone(),
            // No dialect of an offer is one of grammars.
            Form::Grammar(_) => exact,
        };
        ToolSpec {
            name: tool.name.to_string(),
            description: lowered.describe(&tool.function.docs),
            parameters,
            is_strict: lowered.strict,
        }
    }

    /// What the system's message says of the tools.
    pub(crate) async fn overview(&self, session: &Session) -> String {
        let registry = session.registry();
        let mut out = String::new();
        match self.mode {
            ToolMode::Script => {
                out.push_str(
                    "# Functions for scripts\n\nA script of `python__run` imports these modules, such as `import table_tool`; \
                     `help(table_tool.growth)` explains a function. `documents` maps names to documents with `.text` and `.tables`; a table has \
                     `.columns`, `.column(name)`, `for row in table`. Print what you need to see.\n\n",
                );
                for tool in registry.tools().await.iter() {
                    if tool.name.to_string() != RUN && !tool.is_for_models_only() {
                        // Writing to a string cannot fail.
                        let _ = writeln!(out, "- {}", outline(tool));
                    }
                }
            }
            ToolMode::Catalogue | ToolMode::All => {
                out.push_str("# Skills\n\n");
                if self.has_catalogue() {
                    out.push_str(
                        "Call `activate_skill` for the tools and the instructions of one.\n\n",
                    );
                }
                for skill in usable(&registry) {
                    let _ = writeln!(out, "- {}", described(skill));
                }
            }
        }
        out
    }

    /// Bring the tools of the skills that were activated in these messages.
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

    /// Bring the tools of a skill, as the model asked with these arguments.
    pub(crate) async fn activate(
        &mut self,
        registry: &Registry,
        arguments: &str,
        limit: u64,
    ) -> Activated {
        let wrong = |text: String| Activated { text, is_error: true };
        let names = || {
            usable(registry)
                .map(|skill| skill.manifest().name.clone())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let Some(name) = skill_of(arguments) else {
            return wrong(format!(
                "arguments: `{{\"skill\": NAME}}` expected; there are: {}",
                names()
            ));
        };
        let Some(skill) = usable(registry).find(|skill| skill.manifest().name == name) else {
            return wrong(format!("no skill `{}`; there are: {}", text::one_line(&name), names()));
        };
        if !self.active.contains(&name) {
            self.active.push(name.clone());
        }
        let tools = registry.tools().await;
        let tools = tools.iter().filter(|tool| tool.owner() == name);
        let tools: Vec<_> = tools.map(|tool| tool.name.to_string()).collect();
        let instructions = text::truncate(skill.instructions().trim(), limit);
        Activated {
            text: format!("Tools that you can call now: {}\n\n{instructions}", tools.join(", ")),
            is_error: false,
        }
    }
}

/// The skill that is to be activated.
fn skill_of(arguments: &str) -> Option<String> {
    let parsed: Value = serde_json::from_str(arguments).ok()?;
    Some(parsed.get("skill")?.as_str()?.replace('_', "-"))
}

/// Skills that have tools.
fn usable(registry: &Registry) -> impl Iterator<Item = &Skill> {
    registry
        .skills()
        .map(AsRef::as_ref)
        .filter(|skill: &&Skill| skill.manifest().reader().is_none())
}

fn described(skill: &Skill) -> String {
    let manifest = skill.manifest();
    format!(
        "{}: {}",
        manifest.name,
        text::one_line(&text::shortened(manifest.description.trim(), SUMMARY * 2))
    )
}

fn activate(registry: &Registry) -> ToolSpec {
    let names: Vec<_> = usable(registry).map(|skill| skill.manifest().name.as_str()).collect();
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

/// A function as a script calls it, and the first sentence of what it does.
fn outline(tool: &Tool) -> String {
    let params: Vec<_> = tool
        .function
        .params
        .iter()
        .map(|param| {
            let name = to_snake(&param.name);
            if param.ty.is_option() { format!("{name}=None") } else { name }
        })
        .collect();
    let name = tool.name.to_string().replacen("__", ".", 1);
    let docs = tool.function.docs.split("\n\n").next().unwrap_or_default();
    let docs = text::single_line(docs);
    let sentence = docs.split_once(". ").map_or(docs.trim_end_matches('.'), |(first, _)| first);
    format!("{name}({}): {}", params.join(", "), text::shortened(sentence, SUMMARY))
}
