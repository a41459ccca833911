//! A host that provides an interface of its own: skills that are granted `crm` can ask for the credit limit of a customer.
//!
//! Run it with `cargo run -p mitt --example own_capability`. The plugin is written in the text format, so that nothing needs to
//! be built. Your plugin can be any component that imports the interface.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mitt::wasmtime::{self, component::Linker};
use mitt::{CallContext, Host, SessionOptions};

/// Interface, as plugins import it:
///
/// ```wit
/// package acme:crm@1.2.0;
///
/// interface customers {
///     /// The most that a customer may owe, in euros.
///     credit-limit: func(customer: u32) -> u32;
/// }
/// ```
const CUSTOMERS: &str = "acme:crm/customers@1.2.0";

/// Plugin with one tool, which decides whether a customer may order for an amount.
const DESK: &str = r#"(component
    (import "acme:crm/customers@1.2.0" (instance $crm
        (export "credit-limit" (func (param "customer" u32) (result u32)))))
    (core func $limit (canon lower (func $crm "credit-limit")))
    (core module $code
        (import "crm" "credit-limit" (func $limit (param i32) (result i32)))
        (func (export "may-order") (param $customer i32) (param $amount i32) (result i32)
            (i32.le_u (local.get $amount) (call $limit (local.get $customer)))))
    (core instance $plugin (instantiate $code
        (with "crm" (instance (export "credit-limit" (func $limit))))))
    (func (export "may-order") (param "customer" u32) (param "amount" u32) (result bool)
        (canon lift (core func $plugin "may-order"))))"#;

/// Text of `skill.yaml`. Without the grant the plugin would be refused.
const MANIFEST: &str = "schema: 1
name: desk
version: 1.0.0
description: Decides about orders.
component: desk.wasm
grants: [crm]
";

/// The host's data about customers. Each session gets one.
struct Crm {
    limits: Vec<u32>,
}

/// Adds the functions of the interface. Called for each plugin that is granted the capability.
fn link(linker: &mut Linker<CallContext>) -> wasmtime::Result<()> {
    let mut customers = linker.instance(CUSTOMERS)?;
    customers.func_wrap_async("credit-limit", |call, (customer,): (u32,)| {
        // The session of the call decides what the plugin sees.
        let crm = call.data().extension::<Crm>();
        Box::new(async move {
            // Stands for a database query. It is awaited, and dropped at the deadline of the call.
            tokio::time::sleep(Duration::from_millis(1)).await;
            let limit = crm.and_then(|crm| crm.limits.get(customer as usize).copied());
            Ok((limit.unwrap_or(0),))
        })
    })
}

/// Returns a host with the capability and the skills of `folder`.
fn host(folder: &Path) -> mitt::Result<Host> {
    Host::builder()
        .bundled_skills(false)
        .skills(folder)
        .capability("crm", [CUSTOMERS], link)
        .build()
}

/// Runs the example.
///
/// # Errors
///
/// The example does not behave as described.
pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let skill = folder.path().join("desk");
    fs::create_dir(&skill)?;
    fs::write(skill.join("skill.yaml"), MANIFEST)?;
    fs::write(
        skill.join("SKILL.md"),
        "---\nname: desk\ndescription: Decides about orders.\n---\n",
    )?;
    fs::write(skill.join("desk.wasm"), wat::parse_str(DESK)?)?;

    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        let extension = Some(Arc::new(Crm { limits: vec![0, 500] }) as _);
        let session = host(folder.path())?.session(SessionOptions {
            tenant: Some("acme".into()),
            extension,
            ..SessionOptions::default()
        })?;
        for (amount, expected) in [(499, "true"), (501, "false")] {
            let order = format!(r#"{{"customer": 1, "amount": {amount}}}"#);
            let answer = session.call("desk__may_order", &order).await.result?.to_string();
            println!("May customer 1 order for {amount} euros? {answer}");
            assert_eq!(answer, expected);
        }
        Ok(())
    })
}
