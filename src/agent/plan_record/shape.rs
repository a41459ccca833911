//! Plan: the steps that a model proposes, as a checked record.
//!
//! Knows no model and runs nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Plan: steps that depend on each other's results.
///
/// A plan from [`Plan::parse`] is valid: ids are unique, each need names another step, and there are no cycles. `Deserialize` is
/// for plans that were checked before, such as those of a log.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Plan {
    /// Title, at most 200 characters.
    pub title: String,
    /// Reasoning behind the plan, at most 4 000 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thought: String,
    /// `true` if the question can be answered without any step.
    #[serde(default)]
    pub has_enough_context: bool,
    /// The steps, in the order in which their results are reported.
    pub steps: Vec<Step>,
}

/// Step of a [`Plan`].
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Step {
    /// Id, unique in the plan: 1 to 32 letters, digits, `-` and `_`.
    pub id: String,
    /// Title, 1 to 200 characters.
    pub title: String,
    /// Description of the work, at most 4 000 characters.
    #[serde(default)]
    pub description: String,
    /// How it is done.
    pub kind: StepKind,
    /// Ids of the steps whose results it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Name of the agent that does it; `None` for the usual one of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// How a step is done.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// By a read-only agent.
    Research,
    /// By a script in the sandbox.
    Processing,
}

impl StepKind {
    /// Returns `research` or `processing`.
    pub fn name(self) -> &'static str {
        match self {
            StepKind::Research => "research",
            StepKind::Processing => "processing",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<StepKind> {
        [StepKind::Research, StepKind::Processing].into_iter().find(|kind| kind.name() == name)
    }
}

impl Plan {
    /// Returns the step of this id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Returns the JSON Schema of a plan for constrained decoders: every member is required and no other is allowed. A step can
    /// name an agent only if there are `agents`.
    pub fn schema(agents: &[&str]) -> Value {
        let text = json!({ "type": "string" });
        let mut step = json!({
            "id": text, "title": text, "description": text,
            "kind": { "type": "string", "enum": ["research", "processing"] },
            "needs": { "type": "array", "items": text },
        });
        if !agents.is_empty() {
            let names: Vec<Value> = agents.iter().map(|name| json!(name)).collect();
            let names = [names, vec![Value::Null]].concat();
            step["agent"] = json!({ "type": ["string", "null"], "enum": names });
        }
        object(json!({
            "thought": text, "title": text, "has_enough_context": { "type": "boolean" },
            "steps": { "type": "array", "items": object(step) },
        }))
    }
}

/// Returns the schema of an object with exactly these members.
pub(super) fn object(properties: Value) -> Value {
    let names: Vec<&String> =
        properties.as_object().map(|it| it.keys().collect()).unwrap_or_default();
    let required = json!(names);
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}
