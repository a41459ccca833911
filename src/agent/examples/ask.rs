//! Lets a model compare reports: `cargo run -p mitt-agent --features http --example ask -- ollama/qwen3 a.xlsx b.docx`.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::path::Path;
use std::sync::Arc;

use mitt::{Host, SessionOptions};
use mitt_agent::model::{ModelSpec, http::HttpModel};
use mitt_agent::{Agent, RunEvent};

#[tokio::main(flavor = "current_thread")]
async fn main() -> mitt::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "ollama/qwen3".to_owned());
    let model = HttpModel::builder(ModelSpec::parse(&name)?).build()?;

    let host = Host::builder().build()?;
    let options = SessionOptions {
        folder: Some("out".into()),
        events: Some(Arc::new(|event| {
            if let Some(RunEvent::ModelText { text, .. }) = RunEvent::from_event(event) {
                print!("{text}");
            }
        })),
        ..SessionOptions::default()
    };
    let session = host.session(options)?;
    for path in arguments {
        session.add_document(Path::new(&path)).await?;
    }
    let agent = Agent::builder(Arc::new(model)).limits(|limits| limits.turns = Some(20)).build();
    let report = agent.run(&session, "Compare the reports and give me an Excel sheet").await?;
    println!("\n{} turns; files: {}", report.turns, report.delivered.join(", "));
    Ok(())
}
