//! Running a script: from the arguments that a caller gives to the answer.
//!
//! Knows engines as `capability` shows them, and the session. What a script leaves behind is in `script/` beside this.

mod attempt;
mod checked;
mod modules;
mod run_script;
mod stubs;
mod variables;

pub(super) use checked::ScriptCall;
