//! Running of scripts, from the arguments of a caller to the result.
//!
//! Knows engines as `capability` defines them, and the session. What a script leaves behind is in `script/`.

mod attempt;
mod modules;
mod run_script;
mod script_call;
mod stubs;
mod variables;

pub(super) use script_call::ScriptCall;
