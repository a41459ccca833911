//! Parses a plan that a model or a person wrote: all problems are reported at once, each with its place.
//!
//! Does not ask anybody to correct them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::shape::{Plan, Step, StepKind};
use mitt_base::limits::KIB;
use mitt_base::{Error, Result, text};

/// Longest text of a plan, in bytes.
const MAX_BYTES: usize = 256 * KIB as usize;

/// Most characters of a title, and of a description or a thought.
const MAX_TITLE: usize = 200;
const MAX_TEXT: usize = 4_000;

/// Most characters of an id.
const MAX_ID: usize = 32;

/// Most problems that are reported; the others are counted.
const MAX_PROBLEMS: usize = 20;

impl Plan {
    /// Parses a plan from JSON, which may be in a Markdown fence. It has at most `most_steps` steps, and a step may only name one
    /// of `agents`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - it is invalid. Each detail is a problem with its place, such as
    /// `steps[2].needs[0]: expected the id of another step, got "x"`.
    ///
    /// # Example: all problems at once
    ///
    /// ```
    /// use mitt_agent::plan::Plan;
    ///
    /// let error = Plan::parse(r#"{"title": "", "steps": [{"id": "a", "needs": ["a"]}]}"#, 20, &[]);
    /// assert_eq!(
    ///     error.unwrap_err().details(),
    ///     [
    ///         "title: expected 1 to 200 characters, got none",
    ///         "steps[0].title: expected a text, got nothing",
    ///         "steps[0].kind: expected `research` or `processing`, got nothing",
    ///         "steps[0].needs[0]: expected the id of another step, got \"a\"",
    ///     ]
    /// );
    /// ```
    pub fn parse(text: &str, most_steps: usize, agents: &[&str]) -> Result<Plan> {
        if text.len() > MAX_BYTES {
            return Err(refused(vec![format!(
                "expected at most {MAX_BYTES} bytes, got {}",
                text.len()
            )]));
        }
        let value: Value = match serde_json::from_str(unfenced(text)) {
            Ok(value) => value,
            Err(error) => match first_object(text) {
                Some(value) => value,
                None => {
                    return Err(refused(vec![format!("expected a JSON object: {error}")]));
                }
            },
        };
        let mut reader = Reader { problems: Vec::new() };
        let plan = reader.plan(&value, most_steps, agents);
        if reader.problems.is_empty() { Ok(plan) } else { Err(refused(reader.problems)) }
    }

    /// Checks a plan that was made in another way, like [`Plan::parse`] does.
    ///
    /// # Errors
    ///
    /// Those of [`Plan::parse`].
    pub fn check(&self, most_steps: usize, agents: &[&str]) -> Result<()> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Plan::parse(&text, most_steps, agents).map(drop)
    }
}

#[cold]
fn refused(problems: Vec<String>) -> Error {
    let n_problems = problems.len();
    let message = match n_problems {
        1 => "the plan has a problem".to_owned(),
        n => format!("the plan has {n} problems"),
    };
    let error = Error::model(message);
    let error = problems.into_iter().take(MAX_PROBLEMS).fold(error, |error, it| error.detail(it));
    match n_problems.saturating_sub(MAX_PROBLEMS) {
        0 => error,
        more => error.detail(format!("and {more} more")),
    }
}

/// Returns the content of a fence around the whole text.
pub(super) fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, inner)| inner)
}

/// Most places of a text that are tried as the beginning of an object.
const MAX_BEGINNINGS: usize = 64;

/// Returns the first object in a text that parses: small models write a sentence before or after it.
fn first_object(text: &str) -> Option<Value> {
    let beginnings = text.match_indices('{').take(MAX_BEGINNINGS);
    beginnings.map(|(at, _)| &text[at..]).find_map(|rest| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        values.next()?.ok()
    })
}

/// Reads values and collects problems.
struct Reader {
    problems: Vec<String>,
}

impl Reader {
    fn plan(&mut self, value: &Value, most_steps: usize, agents: &[&str]) -> Plan {
        let Some(members) = self.object("the plan", value) else { return Plan::default() };
        self.only("", members, &["title", "thought", "has_enough_context", "steps"]);
        let title = self.text("title", members.get("title"), 1, MAX_TITLE);
        let thought = members.get("thought").map(|it| self.text("thought", Some(it), 0, MAX_TEXT));
        let has_enough_context = match members.get("has_enough_context") {
            None => false,
            Some(Value::Bool(is_so)) => *is_so,
            Some(other) => {
                self.expected("has_enough_context", "true or false", Some(other));
                false
            }
        };
        let steps = self.array("steps", members.get("steps"));
        if steps.len() > most_steps {
            self.problems
                .push(format!("steps: expected at most {most_steps}, got {}", steps.len()));
            return Plan::default();
        }
        let steps = steps.iter().enumerate();
        let steps: Vec<Step> = steps.filter_map(|(at, step)| self.step(at, step, agents)).collect();
        self.graph(&steps);
        Plan { title, thought: thought.unwrap_or_default(), has_enough_context, steps }
    }

    fn step(&mut self, at: usize, value: &Value, agents: &[&str]) -> Option<Step> {
        let place = format!("steps[{at}]");
        let members = self.object(&place, value)?;
        let known = ["id", "title", "description", "kind", "needs", "agent"];
        self.only(&format!("{place}."), members, &known);
        let id = self.text(&format!("{place}.id"), members.get("id"), 1, MAX_ID);
        let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if !id.chars().all(is_allowed) {
            let problem = "expected letters, digits, `-` and `_`";
            self.problems.push(format!("{place}.id: {problem}, got {}", shown(&members["id"])));
        }
        let title = self.text(&format!("{place}.title"), members.get("title"), 1, MAX_TITLE);
        let description = members.get("description");
        let description =
            description.map(|it| self.text(&format!("{place}.description"), Some(it), 0, MAX_TEXT));
        let kind = members.get("kind");
        let named = kind.and_then(Value::as_str).and_then(StepKind::from_name);
        if named.is_none() {
            self.expected(&format!("{place}.kind"), "`research` or `processing`", kind);
        }
        let needs = match members.get("needs") {
            None => &[][..],
            needs => self.array(&format!("{place}.needs"), needs),
        };
        let needs = needs
            .iter()
            .enumerate()
            .map(|(n, need)| self.text(&format!("{place}.needs[{n}]"), Some(need), 1, MAX_ID));
        let needs = needs.collect();
        let agent = match members.get("agent") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) if agents.contains(&name.as_str()) => Some(name.clone()),
            other => {
                let names = agents.iter().map(|name| format!("`{name}`"));
                let names = names.chain(["none".to_owned()]).collect::<Vec<_>>().join(" or ");
                self.expected(&format!("{place}.agent"), &names, other);
                None
            }
        };
        let kind = named.unwrap_or(StepKind::Research);
        Some(Step { id, title, description: description.unwrap_or_default(), kind, needs, agent })
    }

    /// Checks that ids are unique, that needs name other steps, and that there are no cycles.
    fn graph(&mut self, steps: &[Step]) {
        let mut first = BTreeMap::new();
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| !step.id.is_empty()) {
            if let Some(other) = first.insert(step.id.as_str(), at) {
                self.problems
                    .push(format!("steps[{at}].id: `{}` is that of steps[{other}]", step.id));
            }
        }
        for (at, step) in steps.iter().enumerate() {
            let mut seen = BTreeSet::new();
            for (n, need) in step.needs.iter().enumerate().filter(|(_, need)| !need.is_empty()) {
                let place = format!("steps[{at}].needs[{n}]");
                if *need == step.id || !first.contains_key(need.as_str()) {
                    let need = Value::from(need.as_str());
                    self.expected(&place, "the id of another step", Some(&need));
                } else if !seen.insert(need) {
                    self.problems.push(format!("{place}: `{need}` is there twice"));
                }
            }
        }
        let circle = circle(steps);
        if !circle.is_empty() {
            let ids: Vec<_> = circle.iter().map(|step| format!("`{}`", step.id)).collect();
            self.problems.push(format!(
                "steps: none may need itself by way of others, but these do: {}",
                ids.join(", ")
            ));
        }
    }

    fn object<'v>(&mut self, place: &str, value: &'v Value) -> Option<&'v Map<String, Value>> {
        if !value.is_object() {
            self.expected(place, "an object", Some(value));
        }
        value.as_object()
    }

    fn array<'v>(&mut self, place: &str, value: Option<&'v Value>) -> &'v [Value] {
        let array = value.and_then(Value::as_array);
        if array.is_none() {
            self.expected(place, "an array", value);
        }
        array.map_or(&[], Vec::as_slice)
    }

    /// Reads a text of limited length, without surrounding white space.
    fn text(&mut self, place: &str, value: Option<&Value>, least: usize, most: usize) -> String {
        let Some(text) = value.and_then(Value::as_str).map(str::trim) else {
            self.expected(place, "a text", value);
            return String::new();
        };
        let length = text.chars().count();
        if length < least || length > most {
            let got = if length == 0 { "none".to_owned() } else { length.to_string() };
            self.problems
                .push(format!("{place}: expected {least} to {most} characters, got {got}"));
        }
        text.to_owned()
    }

    fn only(&mut self, place: &str, members: &Map<String, Value>, known: &[&str]) {
        for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
            let name = text::one_line(text::cut_bytes(name, MAX_TITLE));
            let known = known.join("`, `");
            self.problems.push(format!("{place}{name}: no such member; there are `{known}`"));
        }
    }

    fn expected(&mut self, place: &str, what: &str, got: Option<&Value>) {
        let got = got.map_or_else(|| "nothing".to_owned(), shown);
        self.problems.push(format!("{place}: expected {what}, got {got}"));
    }
}

/// Returns the steps that remain after repeatedly removing those without needs: they form a cycle, or depend on one.
fn circle(steps: &[Step]) -> Vec<&Step> {
    let mut left: Vec<&Step> = steps.iter().collect();
    loop {
        let ids: BTreeSet<&str> = left.iter().map(|step| step.id.as_str()).collect();
        let before = left.len();
        // A step that needs itself is reported separately.
        left.retain(|step| {
            step.needs.iter().any(|need| *need != step.id && ids.contains(need.as_str()))
        });
        if left.len() == before {
            return left;
        }
    }
}

fn shown(value: &Value) -> String {
    text::shortened(&text::single_line(&value.to_string()), 60)
}
