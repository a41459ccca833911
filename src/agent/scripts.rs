//! What an embedder does around the scripts of a model: such as giving them files before, and keeping what they wrote after.
//!
//! Knows no conversations: [`crate::calls`] makes the calls.

use futures_util::future::BoxFuture;

use mitt::{CallReport, Session};

/// Makes the call of a script, with arguments that may differ from those of the model.
pub type MakeScript<'a> = Box<dyn FnOnce(String) -> BoxFuture<'a, CallReport> + Send + 'a>;

/// A script that ran.
#[derive(Clone, Debug)]
pub struct ScriptDone {
    /// Report of its call. Files that were kept beside those that tools delivered can be added to its artifacts: the model reads
    /// their names, and they count as delivered.
    pub report: CallReport,
    /// Texts that the model reads below the result, one line each.
    pub notes: Vec<String>,
}

/// Surroundings of the scripts that a model runs: [`AgentBuilder::around_scripts`](crate::AgentBuilder::around_scripts).
pub trait AroundScripts: Send + Sync {
    /// Returns `true` for the tool whose calls are made by [`AroundScripts::run`].
    fn takes(&self, session: &Session, tool: &str) -> bool;

    /// Makes a call with `make`, once. `arguments` are those of the model, which the log keeps. The future may be dropped at any
    /// moment.
    fn run<'a>(
        &'a self,
        session: &'a Session,
        arguments: &'a str,
        make: MakeScript<'a>,
    ) -> BoxFuture<'a, ScriptDone>;
}
