//! `mitt tools`

use std::process::ExitCode;

use serde_json::json;

use super::host;
use crate::cli::args::Global;
use crate::cli::output::{Output, note};
use crate::skill::{SkillSource, Tool, to_snake};
use crate::value::Skipped;
use crate::{Result, schema};

/// List the tools: signature and documentation, or schemas for machines.
pub(in crate::cli) async fn tools(global: &Global, output: &Output) -> Result<ExitCode> {
    let host = host(global)?;
    let tools = host.registry().tools().await?;
    for skill in host.registry().skills().filter(|_| !output.is_quiet()) {
        // Authors of skills know what they left out.
        if matches!(skill.source(), SkillSource::Component(_)) {
            for Skipped { name, reason, .. } in skill.skipped().await? {
                note(&format!("skipped `{name}` of {}: {reason}", skill.manifest().name));
            }
        }
    }
    if output.is_json() {
        let list: Vec<_> = tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name.as_str(),
                    "description": tool.function.docs,
                    "input_schema": schema::arguments(&tool.function),
                    "output_schema": schema::result(&tool.function),
                })
            })
            .collect();
        output.value(&json!(list))?;
        return Ok(ExitCode::SUCCESS);
    }
    for tool in &tools {
        output.line(&signature(tool))?;
        for line in tool.function.docs.lines() {
            output.line(format!("    {line}").trim_end())?;
        }
        output.line("")?;
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
