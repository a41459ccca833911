//! Checks arguments against a function: nothing reaches a component without passing here.

use super::decode::Decoder;
use super::handles::Handles;
use super::json::Json;
use super::path::Path;
use super::tables::Tables;
use super::types::Function;
use mitt_base::error::Result;
use mitt_table::Table;
use wasmtime::component::Val;

/// A call as a client sent it: its arguments are parsed, but not yet checked against WIT types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntypedCall<'a> {
    /// Name of the tool, as the client wrote it.
    pub name: &'a str,
    /// The arguments: an object with one member per parameter.
    pub arguments: Json,
}

/// A call whose arguments fit its function: one value per parameter, in order.
///
/// Only [`UntypedCall::check`] and [`UntypedCall::check_in`] make one.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedCall {
    pub(crate) args: Vec<Val>,
    pub(crate) consumed: Vec<u64>,
    pub(crate) tables: Vec<Table>,
}

/// What the arguments of a call may refer to.
#[derive(Clone, Copy, Default)]
pub struct Scope<'h> {
    /// Handles of resources.
    pub handles: Option<&'h dyn Handles>,
    /// Tables of the session.
    pub tables: Option<&'h dyn Tables>,
}

impl UntypedCall<'_> {
    /// Checks the arguments against the parameters of `function`, and converts them to values.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - the arguments do not fit. A single problem is the message
    /// itself; of several, the first twenty are the [details](mitt_base::Error::details), one line each. A line begins with
    /// a JSON pointer into the arguments. Handles of resources are refused: they need [`UntypedCall::check_in`].
    pub fn check(self, function: &Function) -> Result<TypedCall> {
        self.check_in(function, Scope::default())
    }

    /// Does what [`UntypedCall::check`] does for a call in a session: `scope` resolves what its arguments refer to.
    ///
    /// # Errors
    ///
    /// Those of [`UntypedCall::check`]; also for a handle that is not live, has another type or owner, or is given twice
    /// although the call consumes it, and for a reference to a table that does not exist.
    pub fn check_in(self, function: &Function, scope: Scope<'_>) -> Result<TypedCall> {
        let at = Path::root("arguments");
        let mut decoder = Decoder::new(scope.handles);
        decoder.tables.session = scope.tables;
        let args = decoder.params(function, self.arguments, &at);
        let consumed = decoder.handles.consumed();
        let tables = std::mem::take(&mut decoder.tables.given);
        decoder.finish(args).map(|args| TypedCall { args, consumed, tables })
    }
}

impl TypedCall {
    /// Returns one value per parameter, in order.
    pub fn args(&self) -> &[Val] {
        &self.args
    }

    /// Returns the numbers of the handles that the call consumes because the function takes ownership, in ascending order.
    pub fn consumed(&self) -> &[u64] {
        &self.consumed
    }

    /// Returns one value per parameter, in order, and the tables that stay in the host.
    pub fn into_parts(self) -> (Vec<Val>, Vec<Table>) {
        (self.args, self.tables)
    }

    /// Returns one value per parameter, in order.
    pub fn into_args(self) -> Vec<Val> {
        self.args
    }
}
