//! Arguments against a function: nothing reaches a component that has not passed here.

use super::decode::Decoder;
use super::handles::Handles;
use super::json::Json;
use super::path::Path;
use super::tables::Tables;
use super::types::Function;
use mitt_base::error::Result;
use mitt_table::Table;
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
    pub(crate) consumed: Vec<u64>,
    pub(crate) tables: Vec<Table>,
}

/// What the arguments of a call may name.
#[derive(Clone, Copy, Default)]
pub struct Scope<'h> {
    /// Handles of resources.
    pub handles: Option<&'h dyn Handles>,
    /// Tables of the session.
    pub tables: Option<&'h dyn Tables>,
}

impl UntypedCall<'_> {
    /// Check the arguments against the parameters of `function`, and make values of them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - the arguments do not fit. A single problem is the message
    /// itself; of several, the first twenty are the [details](mitt_base::Error::details), one line each. A line begins with
    /// a JSON pointer into the arguments. Handles of resources are refused: they need [`UntypedCall::check_in`].
    pub fn check(self, function: &Function) -> Result<TypedCall> {
        self.check_in(function, Scope::default())
    }

    /// As [`UntypedCall::check`], for a call in a session: `scope` knows what its arguments may name.
    ///
    /// # Errors
    ///
    /// As [`UntypedCall::check`]; also for a handle that is not live, of another type or owner, or given twice while the
    /// call consumes it, and for a reference that names no table.
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
    /// One value per parameter, in order.
    pub fn args(&self) -> &[Val] {
        &self.args
    }

    /// Numbers of the handles that the call consumes: those given where the function takes ownership, ascending.
    pub fn consumed(&self) -> &[u64] {
        &self.consumed
    }

    /// One value per parameter, in order, and the tables that stay in the host.
    pub fn into_parts(self) -> (Vec<Val>, Vec<Table>) {
        (self.args, self.tables)
    }

    /// One value per parameter, in order.
    pub fn into_args(self) -> Vec<Val> {
        self.args
    }
}
