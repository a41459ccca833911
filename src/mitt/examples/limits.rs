//! Ends a plugin that computes without end, by its fuel and by its time. The host goes on.
//!
//! Run it with `cargo run -p mitt --example limits`. The plugin is written in the text format, so that nothing needs to be built.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::time::Duration;

use mitt::{CallLimits, Host, Resource, SessionOptions};

/// Plugin with one tool, which counts down from `n`.
const COUNT: &str = r#"(component
    (core module $code (func (export "down") (param $n i32)
        (loop
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (br_if 0 (local.get $n)))))
    (core instance $plugin (instantiate $code))
    (func (export "down") (param "n" u32) (canon lift (core func $plugin "down"))))"#;

/// Returns the limit that ends the call of the tool.
async fn ended_by(limits: CallLimits, n: u32) -> Result<Option<Resource>, Box<dyn Error>> {
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .component_bytes("count", wat::parse_str(COUNT)?)
        .call_limits(limits)
        .build()?;
    let session = host.session(SessionOptions::default())?;
    let report = session.call("count__down", &format!(r#"{{"n": {n}}}"#)).await;
    println!("{n}: {} units of fuel, {:?}", report.usage.fuel, report.result);
    Ok(report.result.err().and_then(|error| error.limit_reached().map(|limit| limit.what)))
}

/// Runs the example.
///
/// # Errors
///
/// The example does not behave as described.
#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error>> {
    let fuel = CallLimits { fuel: 1_000_000, ..CallLimits::default() };
    assert_eq!(ended_by(fuel.clone(), 1_000).await?, None);
    assert_eq!(ended_by(fuel, 4_000_000_000).await?, Some(Resource::Fuel));
    let time =
        CallLimits { fuel: u64::MAX, time: Duration::from_millis(20), ..CallLimits::default() };
    assert_eq!(ended_by(time, 4_000_000_000).await?, Some(Resource::Time));
    Ok(())
}
