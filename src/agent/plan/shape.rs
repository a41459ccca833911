//! A plan: what a model wants done, step by step, as a checked record.
//!
//! Knows no model and carries nothing out.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A plan: steps that need each other's results.
///
/// One that was read with [`Plan::parse`] is sound: ids are unique, each need names another step, and no step needs itself in the
/// end. `Deserialize` reads what was checked before, such as a log.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Plan {
    /// What it is about; at most 200 characters.
    pub title: String,
    /// Why it is made so; at most 4 000 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thought: String,
    /// Whether the question can be answered without any step.
    #[serde(default)]
    pub has_enough_context: bool,
    /// The steps, in the order in which their results are told.
    pub steps: Vec<Step>,
}

/// A step of a [`Plan`].
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Step {
    /// Identifies it in the plan: 1 to 32 letters, digits, `-` and `_`.
    pub id: String,
    /// What it is, in 1 to 200 characters.
    pub title: String,
    /// What is to be done; at most 4 000 characters.
    #[serde(default)]
    pub description: String,
    /// How it is done.
    pub kind: StepKind,
    /// The steps whose results it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The agent that does it, by name; the usual one for its kind if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// How a step is done.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// By an agent that only reads.
    Research,
    /// By a script in the sandbox.
    Processing,
}

impl StepKind {
    /// Its name: `research` or `processing`.
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
    /// The step of this id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// The JSON Schema of a plan, for constrained decoders: every member is required and no other is allowed. A step can name an
    /// agent only if there are `agents`.
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

/// The schema of an object with exactly these members.
pub(super) fn object(properties: Value) -> Value {
    let names: Vec<&String> =
        properties.as_object().map(|it| it.keys().collect()).unwrap_or_default();
    let required = json!(names);
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}
