//! `mitt tools`

use std::process::ExitCode;

use serde_json::{Value, json};

use super::host;
use crate::args::{Global, Tools};
use crate::exit_code::exit_code;
use crate::output::{Output, note};
use mitt::schema;
use mitt::schema::lower::{Definition, Dialect, Envelope, Form, Scope, envelope, losses_as_json};
use mitt::skill::{SkillSource, Tool, to_snake};
use mitt::value::{Skipped, definitions};
use mitt_base::Result;

/// Lists the tools: signatures and documentation, schemas for machines, or definitions for a provider.
pub(crate) async fn tools(global: &Global, command: &Tools, output: &Output) -> Result<ExitCode> {
    let host = host(global)?;
    let (tools, failures) = match &command.tool {
        Some(name) => (vec![host.registry().tool(name).await?], Vec::new()),
        None => host.registry().listing().await,
    };
    for skill in host.registry().skills().filter(|_| !output.is_quiet() && command.tool.is_none()) {
        // Authors of skills know which functions are left out.
        if matches!(skill.source(), SkillSource::Component(_)) {
            for Skipped { name, reason, .. } in skill.skipped().await.unwrap_or_default() {
                note(&format!("skipped `{name}` of {}: {reason}", skill.manifest().name));
            }
        }
    }
    // The other tools are listed anyway.
    for failure in &failures {
        note(&format!("error: {}", failure.render()));
    }
    let code = match failures.first() {
        Some(failure) => ExitCode::from(exit_code(failure.kind())),
        None => ExitCode::SUCCESS,
    };
    if let Some(dialect) = command.dialect {
        lowered(dialect, &tools, command, output)?;
        return Ok(code);
    }
    if output.is_json() {
        let list: Vec<_> = tools
            .iter()
            .map(|tool| {
                let policy = tool.policy();
                json!({
                    "name": tool.name.as_str(),
                    "title": policy.title,
                    "skill": tool.owner(),
                    "description": tool.function.docs,
                    "input_schema": schema::arguments(&tool.function),
                    "output_schema": schema::result(&tool.function),
                    "annotations": {
                        "read_only": policy.read_only, "idempotent": policy.idempotent,
                        "destructive": policy.destructive,
                    },
                })
            })
            .collect();
        output.value(&json!(list))?;
        return Ok(code);
    }
    for tool in &tools {
        output.line(&signature(tool))?;
        for line in tool.function.docs.lines() {
            output.line(format!("    {line}").trim_end())?;
        }
        let definitions = definitions(&tool.function);
        if !definitions.is_empty() {
            output.line("\n    Types (`name?` may be left out):\n")?;
        }
        for definition in definitions {
            output.line(&format!("    - {definition}"))?;
        }
        output.line("")?;
    }
    Ok(code)
}

/// Writes definitions of `tools` for a provider. If the provider defines the whole format, losses go to standard error.
fn lowered(dialect: Dialect, tools: &[Tool], command: &Tools, output: &Output) -> Result<ExitCode> {
    let exact = |tool: &Tool| {
        let mut exact = schema::arguments(&tool.function);
        if !command.tables.is_empty() {
            schema::name_tables(&mut exact, &command.tables);
        }
        exact
    };
    let schemas: Vec<Value> = tools.iter().map(exact).collect();
    let definitions: Vec<_> = tools
        .iter()
        .zip(&schemas)
        .map(|(tool, schema)| Definition {
            name: tool.name.as_str(),
            description: &tool.function.docs,
            schema,
        })
        .collect();
    let scope = if command.tool.is_some() { Scope::Arguments } else { Scope::Call };
    let Envelope { body, losses } = envelope(dialect, &definitions, scope);
    let has_losses = match body {
        Form::Grammar(text) if output.is_json() => {
            output.value(&json!({ "grammar": text, "losses": losses_as_json(&losses) }))?;
            true
        }
        Form::Grammar(text) => {
            output.data(&text)?;
            false
        }
        Form::Schema(value) => {
            output.value(&value)?;
            value.get("losses").is_some()
        }
    };
    if !has_losses && !output.is_quiet() {
        for (tool, loss) in &losses {
            note(&format!("warning: {tool}: {loss}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn signature(tool: &Tool) -> String {
    let params: Vec<_> = tool
        .function
        .params
        .iter()
        .map(|param| format!("{}: {}", to_snake(&param.name), param.ty))
        .collect();
    let result = tool.function.result.as_ref().map(|ty| format!(" -> {ty}")).unwrap_or_default();
    format!("{}({}){result}", tool.name, params.join(", "))
}
