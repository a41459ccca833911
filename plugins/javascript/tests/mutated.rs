//! Thousands of damaged scripts. Whatever a model writes, the engine answers with a value or an error that has its place, and
//! runs the next script.

mod damage;
mod fake;

use damage::Numbers;
use fake::{Fake, request};
use javascript::Engine;
use javascript::contract::exports::mitt::host::script::Value;

fn all(first: u64, count: usize, prepare: impl Fn(String) -> String) -> (usize, usize) {
    let mut numbers = Numbers(first);
    let (mut values, mut errors) = (0, 0);
    let mut engine = Engine::new();
    for index in 0..count {
        if index % 100 == 0 {
            engine = Engine::new();
        }
        let code = prepare(numbers.damaged());
        match engine.run(Box::new(Fake::default()), &request(&code)) {
            Ok(_) => values += 1,
            Err(failed) => {
                errors += 1;
                assert!(!failed.class.is_empty() && !failed.traceback.is_empty(), "{code}");
                let lines = code.split('\n').count() as u32 + 1;
                assert!(
                    failed.line.is_none_or(|line| (1..=lines).contains(&line)),
                    "{code}\n{}",
                    failed.traceback
                );
                assert!(
                    failed.class != "SyntaxError" || failed.line.is_some(),
                    "{code}\n{}",
                    failed.traceback
                );
            }
        }
    }
    // A damaged script may have changed the globals of its interpreter. A new interpreter must not see that.
    let done = Engine::new().run(Box::new(Fake::default()), &request("1 as number + 1"));
    assert!(matches!(done, Ok(Value::Json(_))));
    (values, errors)
}

#[test]
fn damaged_scripts_are_compiled() {
    let (_, errors) = all(0x9e37_79b9_7f4a_7c15, 6_000, |code| format!("throw 0;{code}"));
    assert!(errors > 3_000, "{errors}");
}

#[test]
fn damaged_scripts_run() {
    let (values, errors) = all(0x2545_f491_4f6c_dd1d, 2_000, |code| code);
    assert!(values > 50 && errors > 500, "{values} {errors}");
}
