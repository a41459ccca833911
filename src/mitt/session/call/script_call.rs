//! Script call with checked arguments, ready to run.

use std::sync::Arc;

use super::caller::Caller;
use mitt_base::{Error, ErrorKind, Result};
use mitt_skill::{Engines, ScriptArguments, Skill, Tool};
use mitt_wit::value::{Json, UntypedCall};

/// Script that is about to run.
pub(super) struct ScriptCall {
    pub(super) engine: Arc<Skill>,
    pub(super) arguments: ScriptArguments,
    /// The arguments as given, if the script may be run again; only an outermost script can be.
    pub(super) text: Option<Arc<str>>,
}

impl ScriptCall {
    /// Checks the arguments of a script.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - they are invalid.
    pub(super) fn new(
        call: UntypedCall<'_>,
        tool: &Tool,
        engines: &Engines,
        text: &str,
        caller: &Caller,
    ) -> Result<ScriptCall> {
        let wants_network = call
            .arguments
            .get("network_access")
            .is_some_and(|wanted| !matches!(wanted, Json::Null) && wanted.as_str() != Some("none"));
        let hint = "a script has no network: no socket is linked into its sandbox; give it what it needs as `inputs` or as documents";
        let args = call
            .check(&tool.function)
            .map_err(|error| if wants_network { error.hint(hint) } else { error })?;
        let arguments = ScriptArguments::of(args.into_args())?;
        // The function was made from these engines, whose names are the cases of a WIT enum, so the lookup succeeds.
        let engine = engines
            .named(&arguments.engine)
            .cloned()
            .ok_or_else(|| Error::bug(format!("the engine `{}` is not there", arguments.engine)))?;
        if arguments.keeps_state && caller.has_kept {
            let message = "a script that keeps its variables cannot run another one that does";
            return Err(Error::new(ErrorKind::Arguments, message)
                .hint("leave out `state`, or make the call after the script"));
        }
        let text = (caller.depth == 0).then(|| text.into());
        Ok(ScriptCall { engine, arguments, text })
    }
}
