//! Arguments against a function: nothing reaches a component that has not passed here.

use super::decode::Decoder;
use super::json::Json;
use super::path::Path;
use super::types::Function;
use crate::error::Result;
use wasmtime::component::Val;

/// A call as a client sent it: arguments that parsed, and have not met a WIT type yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntypedCall<'a> {
    /// Name of the tool, as the client wrote it.
    pub name: &'a str,
    /// Arguments: an object with one member per parameter.
    pub arguments: Json,
}

/// A call whose arguments fit its function: one value per parameter, in order.
///
/// Made only by [`UntypedCall::check`].
#[derive(Clone, Debug, PartialEq)]
pub struct TypedCall {
    pub(crate) args: Vec<Val>,
}

impl UntypedCall<'_> {
    /// Check the arguments against the parameters of `function`, and make values of them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](crate::ErrorKind::Arguments) - the arguments do not fit. A single problem is the message
    /// itself; of several, the first twenty are the [details](crate::Error::details), one line each. A line begins with
    /// a JSON pointer into the arguments.
    pub fn check(self, function: &Function) -> Result<TypedCall> {
        let at = Path::root("arguments");
        let mut decoder = Decoder::new();
        let args = decoder.params(function, self.arguments, &at);
        decoder.finish(args).map(|args| TypedCall { args })
    }
}

impl TypedCall {
    /// One value per parameter, in order.
    pub fn args(&self) -> &[Val] {
        &self.args
    }

    /// One value per parameter, in order.
    pub fn into_args(self) -> Vec<Val> {
        self.args
    }
}
