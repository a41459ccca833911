//! `mitt agents`: lists the agents that a model can delegate to.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::tolerant_host;
use crate::agents::unknown;
use crate::args::{AgentList, Global};
use crate::model_args::ModelArgs;
use crate::output::{Output, note};
use mitt_agent::{Listed, Roster, Team};
use mitt_base::{Result, text};

/// Most characters of a description in a list.
const SHOWN: usize = 100;

pub(crate) async fn agents(
    global: &Global,
    command: &AgentList,
    output: &Output,
) -> Result<ExitCode> {
    let settings = &global.settings;
    let roster = command.agents.roster(settings)?;
    let is_offered = roster.is_some();
    let model_args = ModelArgs { model: None, key_file: None };
    let team = Team::new(roster.unwrap_or_else(Roster::built_in), |model| {
        model_args.open(model, settings)
    });
    let tools = tolerant_host(global)?.registry().tools_of_agents().await;
    let mut problems = team.problems().to_vec();
    problems.extend(unknown(&team, &tools));
    if output.is_json() {
        let agents: Vec<Value> = team.agents().map(|listed| to_json(&listed)).collect();
        output.value(&json!({
            "agents": agents, "offered": is_offered, "problems": problems, "notes": team.notes(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = team.agents().map(|listed| listed.agent.name.len()).max().unwrap_or(0);
    for listed in team.agents() {
        let agent = listed.agent;
        let may = if agent.read_only { "reads only" } else { "may write" };
        let has = match &agent.tools {
            None => "all tools".to_owned(),
            Some(names) if names.is_empty() => "no tools".to_owned(),
            Some(names) => format!("tools {}", names.join(", ")),
        };
        let not = if agent.disallowed.is_empty() {
            String::new()
        } else {
            format!(" without {}", agent.disallowed.join(", "))
        };
        let servers = match agent.servers.as_deref() {
            None => String::new(),
            Some([]) => ", of no MCP server".to_owned(),
            Some(names) => format!(", of MCP servers {}", names.join(", ")),
        };
        let model = agent.model.as_deref().unwrap_or("the model of the run");
        output.line(&format!(
            "{:width$}  {}  {may}; {has}{not}{servers}; {model}",
            agent.name, listed.source
        ))?;
        let description = text::shortened(&text::single_line(&agent.description), SHOWN);
        output.line(&format!("{:width$}  {description}", ""))?;
    }
    for problem in &problems {
        note(&format!("warning: {problem}"));
    }
    if !output.is_quiet() {
        team.notes().iter().for_each(|it| note(&format!("note: {it}")));
        if !is_offered {
            note(
                "hint: a model is offered them with `--agents FOLDER`, or `--agents built-in` for these alone",
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(listed: &Listed<'_>) -> Value {
    let agent = listed.agent;
    json!({
        "name": agent.name, "description": agent.description, "source": listed.source.to_string(),
        "model": agent.model, "read_only": agent.read_only, "tools": agent.tools,
        "disallowed": agent.disallowed, "max_turns": agent.max_turns, "skills": agent.skills,
    })
}
