//! Checks requests: all problems of a body at once, each with its place.

use serde_json::{Map, Value};

use super::agent::{dollars, guardrail_mode, opened, rules, tool_mode, unknown};
use super::desk::Approvals;
use super::options::{ModelInfo, Policy, RunsOptions, public_error};
use super::rule_places::elsewhere;
use super::shared::Shared;
use super::spec::{CreateRun, DocumentSource, PlanOptions, RunOptions};
use crate::problem::{BodyProblem, Problem};
use mitt_agent::model::Prices;
use mitt_agent::{Agent, AnswerForm, CallerFunction};
use mitt_base::Error;

/// Most characters of an instruction.
const MAX_INSTRUCTION: usize = 1_000_000;

/// Most documents of a request.
const MAX_DOCUMENTS: usize = 100;

/// Most characters of a title.
const MAX_TITLE: usize = 200;

/// Most values of the client's own, and most bytes of a key and of a value.
const MAX_METADATA: usize = 16;
const MAX_METADATA_KEY: usize = 64;
const MAX_METADATA_VALUE: usize = 512;

/// Most bytes of the rules about content, which are in the record of the run.
const MAX_RULES_BYTES: usize = 256 * 1024;

/// Most names of agents.
const MAX_AGENTS: usize = 100;

/// Most earlier messages, and their bytes.
const MAX_HISTORY: usize = 10_000;
const MAX_HISTORY_BYTES: usize = 16 * 1024 * 1024;

/// Most bytes of instructions of an interface.
const MAX_INSTRUCTIONS: usize = 1024 * 1024;

/// Problems of a body.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<BodyProblem>);

impl Problems {
    /// Adds a problem.
    pub(super) fn add(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        self.0.push(BodyProblem { pointer: pointer.into(), detail: detail.into() });
    }

    fn add_error(&mut self, pointer: impl Into<String>, error: &Error) {
        let pointer = pointer.into();
        if error.details().is_empty() {
            self.add(pointer, error.to_string())
        } else {
            error.details().iter().for_each(|it| self.add(pointer.as_str(), it.as_str()))
        }
    }

    fn range(&mut self, pointer: &str, value: Option<u64>, range: std::ops::RangeInclusive<u64>) {
        if let Some(value) = value.filter(|value| !range.contains(value)) {
            let (least, most) = (range.start(), range.end());
            self.add(pointer, format!("expected {least} to {most}, got {value}"));
        }
    }

    /// Returns the problem of the whole body, if there is any.
    pub(super) fn into_result(self) -> Result<(), Problem> {
        let detail = match self.0.as_slice() {
            [] => return Ok(()),
            [one] => format!("{}: {}", one.pointer, one.detail),
            many => format!("the body has {} problems", many.len()),
        };
        let mut problem = Problem::new(422, "invalid_body", detail);
        problem.errors = self.0;
        Err(problem)
    }
}

/// Returns the models that a tenant may use.
pub(super) fn models_of(options: &RunsOptions, policy: &Policy) -> Vec<ModelInfo> {
    let mut models = options.models.list();
    if let Some(names) = &policy.models {
        models.retain(|model| names.contains(&model.name));
    }
    models
}

/// Returns the name of the model of a run.
///
/// # Errors
///
/// 422 `no_model` - the tenant may use none.
pub(super) fn model_of(
    options: &RunsOptions,
    policy: &Policy,
    name: Option<&str>,
    problems: &mut Problems,
) -> Result<String, Problem> {
    let models = models_of(options, policy);
    let Some(name) = name else {
        let first = models.into_iter().next().map(|model| model.name);
        return first.ok_or_else(|| {
            Problem::new(422, "no_model", "there is no model that you may use")
                .hint("ask the operator of the service for one")
        });
    };
    other_model(&models, "/model", Some(name), problems);
    Ok(name.to_owned())
}

fn other_model(models: &[ModelInfo], pointer: &str, name: Option<&str>, problems: &mut Problems) {
    let Some(name) = name else { return };
    if !models.iter().any(|model| model.name == name) {
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        problems.add(pointer, unknown(&names, name).to_string());
    }
}

/// Checks a request for a run, but for its documents and its rules about content.
pub(super) fn request(
    options: &RunsOptions,
    policy: &Policy,
    request: &CreateRun,
    problems: &mut Problems,
) {
    instruction("/instruction", &request.instruction, problems);
    if let Some(title) = &request.title
        && title.chars().count() > MAX_TITLE
    {
        problems.add("/title", format!("expected at most {MAX_TITLE} characters, got more"));
    }
    if request.metadata.len() > MAX_METADATA {
        let count = request.metadata.len();
        problems.add("/metadata", format!("expected at most {MAX_METADATA} values, got {count}"));
    }
    for (key, value) in &request.metadata {
        if key.len() > MAX_METADATA_KEY || value.len() > MAX_METADATA_VALUE {
            let detail = format!(
                "expected a key of at most {MAX_METADATA_KEY} bytes and a value of at most {MAX_METADATA_VALUE}, got {} and {}",
                key.len(),
                value.len()
            );
            problems.add("/metadata", detail);
        }
    }
    let history: usize = request.history.iter().map(|(_, text)| text.len()).sum();
    if request.history.len() > MAX_HISTORY || history > MAX_HISTORY_BYTES {
        let detail = format!(
            "expected at most {MAX_HISTORY} messages of {MAX_HISTORY_BYTES} bytes, got more"
        );
        problems.add("/history", detail);
    }
    for (index, (role, _)) in request.history.iter().enumerate() {
        if !matches!(role.as_str(), "user" | "assistant") {
            let wrong = unknown(&["user", "assistant"], role);
            problems.add(format!("/history/{index}"), wrong.to_string());
        }
    }
    let instructions = request.instructions.as_deref().unwrap_or_default();
    if instructions.len() > MAX_INSTRUCTIONS {
        let detail =
            format!("expected at most {MAX_INSTRUCTIONS} bytes, got {}", instructions.len());
        problems.add("/instructions", detail);
    }
    output_schema(request.output_schema.as_ref(), problems);
    functions(options, policy, request, problems);
    run_options(options, policy, &request.options, problems);
}

fn functions(options: &RunsOptions, policy: &Policy, request: &CreateRun, problems: &mut Problems) {
    if request.functions.is_empty() {
        return;
    }
    if request.options.plan.is_some() {
        problems.add("/functions", "a plan has no functions of the caller; leave one of both out");
    }
    // Which model it is does not matter for this check.
    let Some(model) = models_of(options, policy).into_iter().next() else { return };
    let Ok(model) = options.models.open(&model.name, None) else { return };
    let functions = request.functions.iter().map(|it| {
        let parameters = match &it.parameters {
            Value::Null => serde_json::json!({}),
            parameters => parameters.clone(),
        };
        CallerFunction::new(&it.name, &it.description, parameters)
    });
    if let Err(error) = Agent::builder(model).functions(functions.collect()) {
        problems.add_error("/functions", &error);
    }
}

/// Checks the rules about content of a request. Their patterns take long to compile, so that other requests go on meanwhile.
///
/// # Errors
///
/// 503 - too many other rules are being checked.
pub(super) async fn word_rules(
    shared: &Shared,
    tenant: &str,
    given: &RunOptions,
    problems: &mut Problems,
) -> Result<(), Problem> {
    let Some(words) = given.words.clone() else { return Ok(()) };
    let bytes: usize = words.rules.iter().map(|rule| rule.len() + 1).sum();
    if bytes > MAX_RULES_BYTES {
        let detail = format!("expected at most {MAX_RULES_BYTES} bytes, got {bytes}");
        problems.add("/options/words/rules", detail);
        return Ok(());
    }
    let read = move || rules(Some(&words)).map(drop);
    if let Err(error) = elsewhere(&shared.rules, tenant, read).await? {
        problems.add_error("/options/words/rules", &error);
    }
    Ok(())
}

/// Checks the schema that an answer must follow.
pub(super) fn output_schema(schema: Option<&Map<String, Value>>, problems: &mut Problems) {
    let Some(schema) = schema else { return };
    if let Err(wrong) = AnswerForm::new("output", Value::Object(schema.clone())) {
        for problem in wrong {
            problems.add(format!("/output_schema{}", problem.pointer), problem.message);
        }
    }
}

/// Checks the title that a person gives a run.
pub(super) fn title(pointer: &str, title: &str, problems: &mut Problems) {
    if title.trim().is_empty() {
        problems.add(pointer, "expected a text, got nothing");
    } else if title.chars().any(char::is_control) {
        problems.add(pointer, "expected one line, got a control character");
    } else if title.chars().count() > MAX_TITLE {
        problems.add(pointer, format!("expected at most {MAX_TITLE} characters, got more"));
    }
}

/// Checks the text of an instruction.
pub(super) fn instruction(pointer: &str, text: &str, problems: &mut Problems) {
    if text.trim().is_empty() {
        problems.add(pointer, "expected a text, got nothing");
    }
    if text.len() > MAX_INSTRUCTION && text.chars().count() > MAX_INSTRUCTION {
        let detail = format!("expected at most {MAX_INSTRUCTION} characters, got more");
        problems.add(pointer, detail);
    }
}

fn run_options(
    options: &RunsOptions,
    policy: &Policy,
    given: &RunOptions,
    problems: &mut Problems,
) {
    if let Some(plan) = &given.plan {
        plan_options(options, policy, plan, problems);
    }
    if let Err(error) = tool_mode(given, &options.defaults) {
        problems.add_error("/options/tools", &error);
    }
    if let Err(error) = guardrail_mode(given, &options.defaults) {
        problems.add_error("/options/guardrail", &error);
    }
    let models = models_of(options, policy);
    let guardrail_model = given.guardrail_model.as_deref();
    other_model(&models, "/options/guardrail_model", guardrail_model, problems);
    if let Some(name) = &given.approvals
        && Approvals::from_name(name).is_none()
    {
        let wrong = unknown(&Approvals::NAMES, name);
        problems.add("/options/approvals", wrong.to_string());
    }
    if let Some(agents) = given.agents.as_ref().filter(|agents| !agents.is_empty()) {
        match &options.teams {
            _ if agents.len() > MAX_AGENTS => {
                let count = agents.len();
                problems
                    .add("/options/agents", format!("expected at most {MAX_AGENTS}, got {count}"));
            }
            None => problems.add("/options/agents", "this service has no agents"),
            Some(teams) => {
                if let Err(error) = teams.team(Some(agents)) {
                    problems.add_error("/options/agents", &error);
                }
            }
        }
    }
    let limits = &given.limits;
    for (pointer, value) in [
        ("/options/limits/turns", limits.turns),
        ("/options/limits/tokens", limits.tokens),
        ("/options/limits/seconds", limits.seconds),
        ("/options/documents_tokens", given.documents_tokens),
    ] {
        problems.range(pointer, value, 1..=u64::MAX);
    }
    let most = &options.defaults.most;
    for (pointer, value, most) in [
        ("/options/limits/turns", limits.turns, most.turns),
        ("/options/limits/calls", limits.calls, most.calls),
        ("/options/limits/tokens", limits.tokens, most.tokens),
        ("/options/limits/seconds", limits.seconds, most.seconds),
    ] {
        if let (Some(value), Some(most)) = (value, most)
            && value > most
        {
            let detail = format!("expected at most {most}, which the operator allows, got {value}");
            problems.add(pointer, detail);
        }
    }
    if let Err(error) = dollars(limits) {
        problems.add_error("/options/limits/dollars", &error);
    }
}

fn plan_options(
    options: &RunsOptions,
    policy: &Policy,
    plan: &PlanOptions,
    problems: &mut Problems,
) {
    problems.range("/options/plan/steps", plan.steps, 1..=200);
    problems.range("/options/plan/workers", plan.workers, 1..=64);
    problems.range("/options/plan/attempts", plan.attempts, 0..=20);
    let models = models_of(options, policy);
    other_model(&models, "/options/plan/evaluator", plan.evaluator.as_deref(), problems);
}

/// Checks the documents of a request, as far as that needs no storage.
pub(super) fn documents(sources: &[DocumentSource], inline_bytes: usize, problems: &mut Problems) {
    if sources.len() > MAX_DOCUMENTS {
        let count = sources.len();
        problems.add("/documents", format!("expected at most {MAX_DOCUMENTS}, got {count}"));
        return;
    }
    for (index, source) in sources.iter().enumerate() {
        let at = format!("/documents/{index}");
        let name = match source {
            DocumentSource::File { name, .. } => name.as_deref(),
            DocumentSource::Url { url, name } => {
                if !(url.starts_with("http://") || url.starts_with("https://")) {
                    let detail = "expected an address that begins with `http://` or `https://`";
                    problems.add(format!("{at}/url"), detail);
                }
                name.as_deref()
            }
            DocumentSource::Text { name, text } => {
                bounded(&format!("{at}/text"), text.len(), inline_bytes, problems);
                Some(name.as_str())
            }
            DocumentSource::Content { name, content } => {
                // Three bytes are four characters.
                bounded(&format!("{at}/content"), content.len() / 4 * 3, inline_bytes, problems);
                Some(name.as_str())
            }
        };
        if let Some(name) = name
            && let Err(problem) = mitt_base::file_name::check_file_name(name)
        {
            problems.add(format!("{at}/name"), problem);
        }
    }
}

fn bounded(pointer: &str, bytes: usize, most: usize, problems: &mut Problems) {
    if bytes > most {
        let detail = format!("expected at most {most} bytes, got {bytes}; upload it as a file");
        problems.add(pointer, detail);
    }
}

/// Opens the model of a run, and checks that the cost of it and of the other models of the request can be counted, if that
/// cost is limited.
///
/// # Errors
///
/// 422 `price_unknown` - the price of a model is not known; otherwise those of [`opened`].
pub(super) fn run_models(
    shared: &Shared,
    policy: &Policy,
    given: &RunOptions,
    own: (&str, Option<&str>),
) -> Result<(), Problem> {
    let is_limited = policy.cost_per_day.is_some() || given.limits.dollars.is_some();
    let evaluator = given.plan.as_ref().and_then(|plan| plan.evaluator.as_deref());
    let others = [evaluator, given.guardrail_model.as_deref()].into_iter().flatten();
    for name in std::iter::once(own.0).chain(others.filter(|_| is_limited)) {
        let model = opened(shared, name, own)
            .map_err(|error| public_error(&*shared.options.models, error))?;
        let has_price = Prices::known().cost(model.name(), &Default::default()).is_some();
        if is_limited && !has_price {
            let detail = format!("no price of {name} is known, so that its cost cannot be limited");
            return Err(Problem::new(422, "price_unknown", detail)
                .hint("name another model, or ask the operator for a limit of tokens"));
        }
    }
    Ok(())
}
