//! How the server introduces itself: its name, its capabilities, and what clients should know about the sandbox.
#![expect(
    deprecated,
    reason = "log messages leave the protocol after 2026-07-28, and clients have them until then"
)]

use rmcp::model::{Implementation, ProtocolVersion, ServerCapabilities, ServerConfig};

use super::folders::Folders;
use super::tool_lists::CALL_TOOL;
use mitt::offer::{ACTIVATE, ToolMode, script_tools};
use mitt::skill::Registry;

/// Returns the answer to `initialize` and `server/discover` for a server with these skills and this mode.
pub(super) fn config(registry: &Registry, mode: ToolMode, folders: &Folders) -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_completions()
        .enable_logging()
        .enable_skills_with_directory_read()
        .enable_tasks()
        .build();
    let about = Implementation::new("mitt", env!("CARGO_PKG_VERSION"))
        .with_title("Mitt")
        .with_description("Document skills in a sandbox: read, calculate, write XLSX and PDF");
    ServerConfig::new(capabilities)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
        .with_server_info(about)
        .with_instructions(instructions(registry, mode.within(registry), folders))
}

/// What the server is for, in the words of typical requests.
const PURPOSE: &str = "Reads PDF, Word, Excel, PowerPoint, e-mails and scans; compares and calculates tables exactly; writes Excel workbooks, \
charts, PDF, Word and PowerPoint files. Use it when somebody gives reports or wants such a file. ";

fn instructions(registry: &Registry, mode: ToolMode, folders: &Folders) -> String {
    let offered = registry.skills().filter(|skill| {
        let manifest = skill.manifest();
        manifest.reader().is_none() && manifest.component().is_some() && registry.offers(skill)
    });
    let names: Vec<_> = offered.map(|skill| format!("`{}`", skill.manifest().name)).collect();
    let way = match mode {
        ToolMode::Script => format!(
            "Those with tools are modules of the scripts that {} runs; `help` explains a module or a function. Documents are read \
             by `document_tool` there, or as `documents`",
            script_tools(registry)
        ),
        ToolMode::Catalogue => format!(
            "`{ACTIVATE}` brings the tools of one, named `<skill>__<function>`, and its instructions; `{CALL_TOOL}` calls one that is not \
             listed. Documents are read by `document-tool`"
        ),
        _ => "A tool is named `<skill>__<function>`. Documents are read by `document_tool__…`"
            .to_owned(),
    };
    let has = |name: &str| registry.skills().any(|skill| skill.manifest().name == name);
    let folders = if folders.is_empty() {
        String::new()
    } else {
        format!(", or name a file below {}", folders.shown())
    };
    // Clients that defer tools show a model the first 250 characters of this.
    let purpose = if has("excel-tool") && has("report") { PURPOSE } else { "" };
    format!(
        "{purpose}Document skills that run in a sandbox: {}. {way}; give more with `documents__add`{folders}. A skill's instructions are the prompt of \
         its name and the resource `skill://<skill>/SKILL.md`. Files that tools deliver are resources \
         `mitt://artifacts/<name>`; results list them as `files`. Tools have no network, no shell and no file system: only the session's \
         documents, its workspace and its artifacts, which no other client sees. An error names every problem at once: mend the \
         arguments and call again.",
        names.join(", ")
    )
}
