//! Serves several tenants with one host. Each tenant has its own documents, rules and share of the machine.
//!
//! Run it with `cargo run -p mitt --example sessions`.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::sync::{Arc, Mutex};

use mitt::guard::RuleSet;
use mitt::{ConcurrencyLimits, ErrorKind, Event, Host, HostBuilder, SessionOptions};

/// Rules of the tenant `acme`. What they block is refused wherever it comes in or goes out.
const RULES: &str = "rules:\n  - words: [Project Bluebird]\n    action: block\n";

/// Runs the example.
///
/// # Errors
///
/// The example does not behave as described.
#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error>> {
    run(Host::builder()).await
}

pub(crate) async fn run(builder: HostBuilder) -> Result<(), Box<dyn Error>> {
    let host = builder
        // At most two calls of a tenant run at once; others wait in turn.
        .concurrency(ConcurrencyLimits { per_tenant: 2, ..ConcurrencyLimits::default() })
        .tenant_guard("acme", RuleSet::yaml("acme", RULES)?)
        .build()?;
    let events = Arc::new(Mutex::new(Vec::new()));
    let open = |tenant: &str| {
        let (events, name) = (events.clone(), tenant.to_owned());
        host.session(SessionOptions {
            tenant: Some(tenant.to_owned()),
            events: Some(Arc::new(move |event: &Event| {
                if let Event::CallFinished { tool, .. } = event
                    && let Ok(mut events) = events.lock()
                {
                    events.push(format!("{name}: {tool}"));
                }
            })),
            ..SessionOptions::default()
        })
    };
    let (acme, other) = (open("acme")?, open("other")?);
    let secret = || b"name,owner\nProject Bluebird,Ann\n".to_vec();
    let refused = acme.add_document_bytes("plans.csv", secret()).await.map(|_| ());
    println!("acme: {refused:?}");
    assert_eq!(refused.map_err(|error| error.kind().clone()), Err(ErrorKind::Blocked));
    other.add_document_bytes("plans.csv", secret()).await?;

    let read = r#"{"name": "plans.csv"}"#;
    let there = other.call("document_tool__read_table", read).await.result?;
    assert!(there.to_string().contains("Bluebird"));
    // A session sees only its own documents.
    let here = acme.call("document_tool__read_table", read).await.result;
    println!("acme: {here:?}");
    assert!(here.is_err());
    let events = events.lock().map_err(|_| "an event handler panicked")?;
    println!("{events:?}");
    assert_eq!(events.len(), 2);
    Ok(())
}
