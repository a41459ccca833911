//! The examples of the library do what they say.

use mitt::{CacheDir, Host, HostBuilder};

use crate::support::cache;

#[allow(dead_code, reason = "`main` is for a run of its own")]
#[path = "../../src/mitt/examples/call.rs"]
mod call;
#[path = "../../src/mitt/examples/limits.rs"]
mod limits;
#[path = "../../src/mitt/examples/own_capability.rs"]
mod own_capability;
#[path = "../../src/mitt/examples/own_tool.rs"]
mod own_tool;
#[allow(dead_code, reason = "`main` is for a run of its own")]
#[path = "../../src/mitt/examples/render_pdf.rs"]
mod render_pdf;
#[allow(dead_code, reason = "`main` is for a run of its own")]
#[path = "../../src/mitt/examples/sessions.rs"]
mod sessions;

fn builder() -> HostBuilder {
    Host::builder().cache(CacheDir::new(cache()))
}

#[tokio::test]
async fn a_call_with_rust_types() {
    call::run(builder()).await.unwrap();
}

#[test]
fn limits_end_a_plugin() {
    limits::main().unwrap();
}

#[test]
fn a_capability_of_the_host() {
    own_capability::main().unwrap();
}

#[test]
fn a_tool_of_the_host() {
    own_tool::main().unwrap();
}

#[tokio::test]
async fn sessions_of_several_tenants() {
    sessions::run(builder()).await.unwrap();
}

#[test]
fn a_text_becomes_pdf_and_word() {
    let files = render_pdf::rendered("# 标题\n\nText.\n").unwrap();
    assert!(files[0].1.starts_with(b"%PDF-"));
    assert!(files[1].1.starts_with(b"PK"));
}
