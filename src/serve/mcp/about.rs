//! How the server introduces itself: its name, its capabilities, and what a client should know about the sandbox.
#![expect(
    deprecated,
    reason = "log messages leave the protocol after 2026-07-28, and clients have them until then"
)]

use rmcp::model::{Implementation, ProtocolVersion, ServerCapabilities, ServerConfig};

use mitt::skill::Registry;

/// Answer to `initialize` and `server/discover`, of a server of these skills.
pub(super) fn config(registry: &Registry) -> ServerConfig {
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
        .with_instructions(instructions(registry))
}

fn instructions(registry: &Registry) -> String {
    let offered = registry.skills().filter(|skill| {
        let manifest = skill.manifest();
        manifest.reader().is_none() && manifest.component().is_some()
    });
    let names: Vec<_> = offered.map(|skill| format!("`{}`", skill.manifest().name)).collect();
    format!(
        "Document skills that run in a sandbox: {}. A tool is named `<skill>__<function>`; a skill's instructions are the prompt of \
         its name and the resource `skill://<skill>/SKILL.md`. Documents are read by `document_tool__…`; give more with `documents__add`. Files that tools deliver are resources \
         `mitt://artifacts/<name>`; results list them as `files`. Tools have no network, no shell and no file system: only the session's \
         documents, its workspace and its artifacts, which no other client sees. An error names every problem at once: mend the \
         arguments and call again.",
        names.join(", ")
    )
}
