//! The agent of a run, as its options say: what `mitt run` does with the options of its command line.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use super::options::RunDefaults;
use super::shared::Shared;
use super::spec::{CreateRun, Limits, RunOptions, WordRules};
use super::usage::Meter;
use crate::store::RunKey;
use mitt::guard::RuleSet;
use mitt_agent::model::{ChatModel, Cost};
use mitt_agent::plan::{PlanReview, Planner};
use mitt_agent::route::{Guardrail, GuardrailMode, Router};
use mitt_agent::{Agent, AgentLimits, AroundScripts, CallerFunction, RunHeader, ToolMode};
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, Result};

/// The agent of a run.
pub(super) struct RunAgent {
    pub(super) agent: Agent,
    /// Name of the model, by which it can be opened again.
    pub(super) model: String,
    /// `true` if the model looks at pictures.
    pub(super) takes_pictures: bool,
    pub(super) tools: ToolMode,
}

/// Makes the agent of a run.
///
/// # Errors
///
/// A model cannot be opened, or an agent is missing.
pub(super) fn agent(
    shared: &Shared,
    key: &RunKey,
    meter: &Arc<Meter>,
    (model, request): (&str, &CreateRun),
    scripts: Option<Arc<dyn AroundScripts>>,
) -> Result<RunAgent> {
    let options = &request.options;
    let own_key = shared.key_of(key);
    let opened = match shared.options.example_of(model, &request.metadata) {
        Some(example) => example.model.clone(),
        None => opened(shared, model, (model, own_key.as_deref()))?,
    };
    let (name, takes_pictures) = (opened.name().to_owned(), opened.takes_images());
    let metered = meter.metered(opened);
    let defaults = &shared.options.defaults;
    let tools = tool_mode(options, defaults)?;
    let mut builder = Agent::builder(metered.clone())
        .tools(tools)
        .tags(options.tags)
        .without_tools(request.no_tools);
    if let Some(instructions) = &request.instructions {
        builder = builder.instructions(instructions.as_str());
    }
    if let Some(scripts) = scripts {
        builder = builder.around_scripts(scripts);
    }
    if !request.functions.is_empty() {
        let functions = request.functions.iter().map(|function| {
            let parameters = match &function.parameters {
                serde_json::Value::Null => {
                    serde_json::json!({ "type": "object", "properties": {} })
                }
                parameters => parameters.clone(),
            };
            CallerFunction::new(&function.name, &function.description, parameters)
        });
        builder = builder.functions(functions.collect())?;
    }
    let has_agents = options.agents.as_ref().is_none_or(|agents| !agents.is_empty());
    if let Some(teams) = shared.options.teams.as_ref().filter(|_| has_agents && !request.no_tools)
        && let Some(team) = teams.team(options.agents.as_deref())?
    {
        builder = builder.team(team);
    }
    if !options.no_routing && !request.no_tools {
        let mode = guardrail_mode(options, defaults)?;
        let named = options.guardrail_model.as_deref().or(defaults.guardrail_model.as_deref());
        let asked = match named.filter(|_| mode != GuardrailMode::Off) {
            Some(other) => meter.metered(self::opened(shared, other, (model, own_key.as_deref()))?),
            None => metered,
        };
        builder = builder.routing(Router::new().guardrail(Guardrail::new(asked).mode(mode)));
    }
    let limits = limits(options, defaults)?;
    let builder = builder.limits(|of| *of = limits);
    Ok(RunAgent { agent: builder.build(), model: name, takes_pictures, tools })
}

/// Makes the planner of a run that follows its instructions by plans.
///
/// # Errors
///
/// The model of reviews cannot be opened.
pub(super) fn planner(
    shared: &Shared,
    key: &RunKey,
    meter: &Arc<Meter>,
    (model, request): (&str, &CreateRun),
    (agent, review): (Agent, Arc<dyn PlanReview>),
) -> Result<Planner> {
    let plan = request.options.plan.clone().unwrap_or_default();
    let mut builder = Planner::builder(agent).review(review);
    if let Some(evaluator) = &plan.evaluator {
        let own_key = shared.key_of(key);
        let evaluator = opened(shared, evaluator, (model, own_key.as_deref()))?;
        builder = builder.model_of_reflections(meter.metered(evaluator));
    }
    let number = |given: Option<u64>| given.and_then(|it| usize::try_from(it).ok());
    let builder = builder.limits(|limits| {
        limits.steps = number(plan.steps).unwrap_or(limits.steps);
        limits.workers = number(plan.workers).unwrap_or(limits.workers);
        limits.attempts = plan.attempts.unwrap_or(limits.attempts);
    });
    Ok(builder.build())
}

/// Opens a model of a run. The client's key goes only to the service of the run's own model.
///
/// # Errors
///
/// Those of [`Models::open`](super::options::Models::open).
pub(super) fn opened(
    shared: &Shared,
    name: &str,
    (own, key): (&str, Option<&str>),
) -> Result<Arc<dyn ChatModel>> {
    let models = &shared.options.models;
    let service = |name: &str| models.service_of(name);
    let is_same = name == own || service(name).is_some_and(|it| Some(it) == service(own));
    models.open(name, key.filter(|_| is_same))
}

/// Returns the beginning of the log of a run. `mitt run --resume` understands it.
pub(super) fn header(
    now: Duration,
    model: String,
    tools: ToolMode,
    options: &RunOptions,
) -> RunHeader {
    let mut header = RunHeader::new(timestamp(now), model, tools);
    let mut given = BTreeMap::new();
    if let Some(plan) = &options.plan {
        let number = |given: Option<u64>| given.map(|number| number.to_string());
        let of_plan = [
            ("steps", number(plan.steps)),
            ("workers", number(plan.workers)),
            ("attempts", number(plan.attempts)),
            ("evaluator", plan.evaluator.clone()),
        ];
        for (name, value) in of_plan {
            given.extend(value.map(|value| (name.to_owned(), vec![value])));
        }
    }
    header.options = given;
    header
}

/// Returns how tools are described to the model.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is no such mode.
pub(super) fn tool_mode(options: &RunOptions, defaults: &RunDefaults) -> Result<ToolMode> {
    let Some(name) = &options.tools else { return Ok(defaults.tools) };
    ToolMode::from_name(name).ok_or_else(|| unknown(&ToolMode::ALL.map(ToolMode::name), name))
}

/// Returns when a small model is asked.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is no such mode.
pub(super) fn guardrail_mode(
    options: &RunOptions,
    defaults: &RunDefaults,
) -> Result<GuardrailMode> {
    let Some(name) = &options.guardrail else { return Ok(defaults.guardrail) };
    GuardrailMode::from_name(name)
        .ok_or_else(|| unknown(&GuardrailMode::ALL.map(GuardrailMode::name), name))
}

/// Returns the error of a name that none of `names` is.
pub(super) fn unknown(names: &[&str], got: &str) -> Error {
    let got = mitt_base::text::one_line(mitt_base::text::cut_bytes(got, 100));
    Error::new(ErrorKind::Input, format!("expected one of {}, got `{got}`", names.join(", ")))
}

/// Returns the most that the models of a run may cost.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is no amount above zero.
pub(super) fn dollars(limits: &Limits) -> Result<Option<Cost>> {
    let Some(text) = &limits.dollars else { return Ok(None) };
    let wrong = |problem: String| Error::new(ErrorKind::Input, problem);
    let cost = Cost::from_str(text).map_err(wrong)?;
    if cost == Cost::default() {
        Err(wrong("expected more than nothing".to_owned()))
    } else {
        Ok(Some(cost))
    }
}

fn limits(options: &RunOptions, defaults: &RunDefaults) -> Result<AgentLimits> {
    let given = &options.limits;
    let mut limits = defaults.limits.clone();
    limits.turns = given.turns.or(limits.turns);
    limits.calls = given.calls.unwrap_or(limits.calls);
    limits.tokens = given.tokens.unwrap_or(limits.tokens);
    limits.cost = dollars(given)?.or(limits.cost);
    limits.time = given.seconds.map_or(limits.time, Duration::from_secs);
    if let Some(tokens) = options.documents_tokens {
        limits.documents.get_or_insert_default().tokens = tokens;
    }
    Ok(limits)
}

/// Keys at the beginning of a line with which a file of rules is YAML.
const YAML_KEYS: [&str; 6] =
    ["action:", "severity:", "doubtful:", "rules:", "allow:", "personal-data:"];

/// Reads the rules about content of a run: words line by line, or YAML.
///
/// # Errors
///
/// Those of [`RuleSet::parse`].
pub(super) fn rules(words: Option<&WordRules>) -> Result<Vec<RuleSet>> {
    words.map_or(Ok(Vec::new()), |words| named_rules("words", words))
}

/// Reads rules about content: words line by line, or YAML. Identifiers of the rules begin with `name`.
///
/// # Errors
///
/// Those of [`RuleSet::parse`].
pub(super) fn named_rules(name: &str, words: &WordRules) -> Result<Vec<RuleSet>> {
    if words.rules.is_empty() {
        return Ok(Vec::new());
    }
    let text = words.rules.join("\n");
    let is_yaml = text.lines().any(|line| YAML_KEYS.iter().any(|key| line.starts_with(key)));
    let set = if is_yaml { RuleSet::yaml(name, &text)? } else { RuleSet::lines(name, &text)? };
    Ok(vec![set])
}
