//! Tools of other MCP servers: those for a host, and `mitt source`.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use super::approvals;
use crate::args::{Global, SourceApprove, SourceCommand};
use crate::output::{Output, note};
use crate::person;
use mitt::HostBuilder;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};
use mitt_sources::{Approved, Listing, MAX_CONFIG_BYTES, OfferedTool, Servers, Sources, Transport};

/// Adds the approved tools of the servers that the options name. Prints why a server provides none.
pub(super) fn with_sources(mut host: HostBuilder, global: &Global) -> Result<HostBuilder> {
    if global.mcp_configs.is_empty() {
        return Ok(host);
    }
    let sources = Sources::new(&servers(global)?, &approved()?);
    for tool in sources.tools() {
        host = host.tool(tool);
    }
    if !global.quiet {
        sources.problems().iter().for_each(|problem| note(&format!("warning: {problem}")));
    }
    Ok(host)
}

/// `mitt source`
pub(crate) async fn source(
    global: &Global,
    command: SourceCommand,
    output: &Output,
) -> Result<ExitCode> {
    match command {
        SourceCommand::List(_) => list(global, output),
        SourceCommand::Approve(command) => approve(global, &command, output).await,
        SourceCommand::Revoke(command) => revoke(&command.name, output),
    }
}

/// Reads all server files; later ones win.
fn servers(global: &Global) -> Result<Servers> {
    let mut servers = Servers::default();
    for path in &global.mcp_configs {
        let file = path.display().to_string();
        let unreadable = || {
            let message = format!("cannot read {file}");
            Error::new(ErrorKind::Input, message).hint(format!(
                "name a text file with `mcpServers`, of at most {MAX_CONFIG_BYTES} bytes, that you may read"
            ))
        };
        let bytes = plain_file::read(path, MAX_CONFIG_BYTES);
        let bytes = bytes.map_err(|error| unreadable().caused_by(error))?;
        let text = String::from_utf8(bytes).map_err(|error| unreadable().caused_by(error))?;
        servers = servers.merged(Servers::parse(&text, &file)?);
    }
    // `/proc/self/exe` is this program even after an update has replaced its file.
    Ok(servers.supervised("/proc/self/exe"))
}

/// Returns the file of approvals, beside that for skills.
fn file() -> Option<PathBuf> {
    approvals().map(|file| file.with_file_name("mcp-trust.json"))
}

fn approved() -> Result<Approved> {
    file().map_or_else(|| Ok(Approved::default()), |file| Approved::read(&file))
}

fn writable() -> Result<PathBuf> {
    file().ok_or_else(|| {
        Error::new(ErrorKind::Host, "there is no place for approvals: this user has no home folder")
            .hint("name a file with MITT_TRUST_FILE; that of servers stands beside it")
    })
}

fn list(global: &Global, output: &Output) -> Result<ExitCode> {
    let (servers, approved) = (servers(global)?, approved()?);
    let sources = Sources::new(&servers, &approved);
    if output.is_json() {
        let all = servers.iter().map(|server| {
            let tools = approved.tools(server);
            let names = tools.map(|tools| tools.iter().map(|tool| &tool.name).collect::<Vec<_>>());
            json!({
                "name": server.name, "enabled": server.enabled, "reached": reached(&server.transport),
                "description": server.description, "approved_tools": names,
            })
        });
        output.value(&json!({
            "servers": all.collect::<Vec<_>>(), "problems": sources.problems(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for server in servers.iter() {
        let state = match (server.enabled, approved.tools(server)) {
            (false, _) => "not enabled".to_owned(),
            (true, None) => "not approved".to_owned(),
            (true, Some(tools)) => format!("{} tools approved", tools.len()),
        };
        output.line(&format!("{}  {}  ({state})", server.name, reached(&server.transport)))?;
        for tool in approved.tools(server).unwrap_or_default() {
            let reads = if tool.says_read_only { "  (says that it only reads)" } else { "" };
            output.line(&format!("  {}{reads}", text::one_line(&tool.name)))?;
        }
    }
    if !output.is_quiet() {
        sources.problems().iter().for_each(|problem| note(&format!("warning: {problem}")));
        if global.mcp_configs.is_empty() {
            note("no server is named; `--mcp-config <file>` names a file with `mcpServers`");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the program with its arguments, or the address, without possible secrets.
fn reached(transport: &Transport) -> String {
    match transport {
        Transport::Stdio { command, args, .. } => {
            let words: Vec<_> = [command].into_iter().chain(args).map(String::as_str).collect();
            text::shortened(&text::one_line(&words.join(" ")), 120)
        }
        Transport::Http { url, .. } => text::shortened(&text::one_line(url), 120),
        _ => String::new(),
    }
}

async fn approve(global: &Global, command: &SourceApprove, output: &Output) -> Result<ExitCode> {
    let servers = servers(global)?;
    let server = servers.named(&command.name)?;
    let file = writable()?;
    let mut approved = Approved::read(&file)?;
    if !output.is_quiet() {
        note(&format!("asking {} ({})", server.name, reached(&server.transport)));
    }
    let listing = Listing::of(server).await?;
    if !output.is_json() {
        show(&listing, approved.tools(server).is_some(), output)?;
    }
    listing.problems.iter().for_each(|problem| note(&format!("warning: left out: {problem}")));
    let question = format!("Approve these {} tools of {}?", listing.tools.len(), server.name);
    let only = format!("the MCP server `{}` is approved", server.name);
    if !command.yes && !person::confirms(&question, only)? {
        note("nothing was approved");
        return Ok(ExitCode::from(1));
    }
    approved.approve(server, &listing);
    approved.write(&file)?;
    if output.is_json() {
        let tools = listing.tools.iter().map(|tool| {
            json!({
                "name": tool.name, "tool": tool.tool, "description": tool.description,
                "says_read_only": tool.says_read_only, "may_destroy": tool.may_destroy, "sha256": tool.sha256,
            })
        });
        output.value(&json!({
            "name": server.name, "server": listing.server, "tools": tools.collect::<Vec<_>>(),
            "left_out": listing.problems,
        }))?;
    } else {
        output.line(&format!("{}: {} tools approved", server.name, listing.tools.len()))?;
    }
    if !server.enabled {
        note("write `\"enabled\": true` in its entry to use it");
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows everything that a model would see, and everything else that could mislead it.
fn show(listing: &Listing, was_approved: bool, output: &Output) -> Result<()> {
    let again = if was_approved { ", approved before" } else { "" };
    output.line(&format!("{} offers {} tools{again}", listing.server, listing.tools.len()))?;
    for tool in &listing.tools {
        output.line(&format!("\n{}  {}", tool.tool, says(tool)))?;
        for line in tool.description.lines() {
            output.line(&format!("  {line}"))?;
        }
        let names = tool.input_schema.get("properties").and_then(|it| it.as_object());
        let names: Vec<_> = names.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            output.line(&format!("  parameters: {}", text::one_line(&names.join(", "))))?;
        }
    }
    output.line("")
}

fn says(tool: &OfferedTool) -> &'static str {
    match (tool.says_read_only, tool.may_destroy) {
        (true, _) => "(says that it only reads)",
        (false, true) => {
            "(may destroy something: each call needs an approval, unless `autoApprove` names it)"
        }
        (false, false) => "(says that it destroys nothing)",
    }
}

fn revoke(name: &str, output: &Output) -> Result<ExitCode> {
    let file = writable()?;
    let mut approved = Approved::read(&file)?;
    if !approved.revoke(name) {
        let message = format!("the MCP server `{name}` is not approved");
        return Err(Error::new(ErrorKind::Input, message)
            .hint(format!("the approvals are in {}", file.display())));
    }
    approved.write(&file)?;
    if output.is_json() {
        output.value(&json!({ "name": name, "revoked": true }))?
    } else {
        output.line(&format!("{name}: no longer approved"))?
    }
    Ok(ExitCode::SUCCESS)
}
