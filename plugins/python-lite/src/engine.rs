//! One interpreter that runs scripts one after another.

use crate::context::{CLASSES, Classes, Context, Host, RUN, Script};
use crate::contract::exports::mitt::host::script::{Request, Uncaught, Value};
use crate::contract::types::Error;
use crate::decode::Builder;
use crate::encode::{Form, write};
use crate::fence::without_fence;
use crate::functions;
use crate::output::Printer;
use crate::report::{report, shown_name};
use crate::tables::Opened;
use monty::{
    Dump, Embedder, MontyRepl, ReplProgress, Session, SessionRef, set_embedder, set_row_changes,
    take_repr,
};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, MontyUuid,
    NameLookupResult, NamedValues, PrintWriter, ResourceLimits, ResourceTracker, is_identifier,
    unstable,
};
use std::cell::Cell;
use std::rc::Rc;

const PRELUDE: &str = concat!(include_str!("rows.py"), include_str!("prelude.py"));

/// The function of the prelude that imports a module.
const IMPORT: &str = "_mitt_import";

/// Most bytes of a single result; a larger one is a `MemoryError` of monty. The host ends an instance that exceeds its own
/// limit, but an allocation beyond the address space would crash without a reason.
const MAX_ALLOCATION: usize = 1 << 30;

/// Bytes before a dump: the identity of the class of tables, and the number of the run.
const IDENTITY: usize = 16;
const NUMBER: usize = 8;

thread_local! {
    /// The last result as JSON.
    static RESULT: Cell<Option<String>> = const { Cell::new(None) };
}

/// An interpreter with the compiled prelude.
pub struct Engine {
    /// `None` only while a script runs.
    repl: Option<MontyRepl>,
    /// The tables that variables may refer to.
    tables: Rc<Opened>,
    /// The classes of its prelude. Another interpreter of this thread has its own.
    classes: Classes,
}

impl Engine {
    /// Compiles the prelude.
    ///
    /// # Panics
    /// The prelude has an error, which building the component shows.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it does much")]
    pub fn new() -> Self {
        embed();
        let limits = ResourceLimits::default().max_memory(MAX_ALLOCATION);
        let repl =
            MontyRepl::new("script.py", ResourceTracker::new(limits), CompileOptions::default());
        match repl.feed_start(PRELUDE, NamedValues::new(), PrintWriter::Disabled) {
            Ok(ReplProgress::Complete { repl, .. }) => {
                Self { repl: Some(repl), tables: Rc::default(), classes: CLASSES.get() }
            }
            Ok(progress) => panic!("the prelude stops: {progress:?}"),
            Err(failed) => panic!("the prelude fails: {}", failed.error),
        }
    }

    /// Runs a script.
    ///
    /// # Errors
    /// The exception that the script did not catch.
    pub fn run(&mut self, host: Box<dyn Host>, request: &Request) -> Result<Value, Uncaught> {
        embed();
        CLASSES.set(self.classes);
        let file = self.repl.as_ref().map(MontyRepl::next_script_name).unwrap_or_default();
        let code = without_fence(&request.code, &shown_name(&file))?.into_owned();
        let script = Script { file, code, ..Script::default() };
        let context = Rc::new(Context::new(
            host,
            request.allowed_modules.clone(),
            script,
            Rc::clone(&self.tables),
        ));
        context.enter(|| self.run_in(&context, request))
    }

    fn run_in(&mut self, context: &Rc<Context>, request: &Request) -> Result<Value, Uncaught> {
        let repl = self.repl.take().expect("a script does not start scripts");
        let name = repl.next_script_name();
        let (repl, ended) = match variables(request.inputs.as_deref()) {
            Ok(inputs) => execute(repl, context, &context.script.code, inputs),
            Err(error) => (repl, Err(error)),
        };
        self.repl = Some(repl);
        // Also after an error: files that were written are an effect of the script.
        let settled = context.settle_files();
        context.flush_output();
        match ended.and_then(|value| settled.map(|()| value)) {
            Ok(_) => Ok(match (RESULT.take(), take_repr()) {
                (Some(json), _) if json == "null" => Value::Nothing,
                (Some(json), _) => Value::Json(json),
                (None, Some(repr)) => Value::Repr(repr),
                (None, None) => Value::Nothing,
            }),
            Err(error) if ended_itself(&error) => Ok(Value::Nothing),
            Err(error) => Err(report(&error, context, &name)),
        }
    }

    /// Returns the variables of the scripts so far.
    ///
    /// # Errors
    /// `unsupported` - monty cannot write them.
    pub fn dump(&self) -> Result<Vec<u8>, Error> {
        let repl = self
            .repl
            .as_ref()
            .ok_or_else(|| Error::Unsupported("a script is running".to_owned()))?;
        let state = monty::dump("script.py", None, &[], SessionRef::Idle(repl))
            .map_err(|error| Error::Unsupported(error.to_string()))?;
        let mut bytes = self.classes.table.map_or([0; IDENTITY], |id| *id.as_bytes()).to_vec();
        bytes.extend(RUN.get().to_le_bytes());
        bytes.extend(state);
        Ok(bytes)
    }

    /// Restores the variables from `dump`.
    ///
    /// # Errors
    /// `malformed` - nothing has changed.
    pub fn load(&mut self, state: &[u8]) -> Result<(), Error> {
        let malformed =
            |problem: String| Error::Malformed(format!("not a state of this engine: {problem}"));
        let short = || malformed("it is too short".to_owned());
        let (identity, state) = state.split_at_checked(IDENTITY).ok_or_else(short)?;
        let (number, state) = state.split_first_chunk::<NUMBER>().ok_or_else(short)?;
        let dump = Dump::load(state).map_err(|error| malformed(error.to_string()))?;
        let Session::Idle(repl) = dump.state else {
            return Err(malformed("a script was running".to_owned()));
        };
        embed();
        self.classes = Classes { table: MontyUuid::try_from_slice(identity) };
        // Data that earlier runs fetched from the host is fetched again.
        RUN.set(RUN.get().max(i64::from_le_bytes(*number)));
        // Tables remember the number of the last change of a row, and later runs have larger ones.
        set_row_changes(RUN.get() << 32);
        self.repl = Some(*repl);
        self.tables = Rc::default();
        Ok(())
    }
}

/// Registers our functions in monty, once in each thread.
fn embed() {
    set_embedder(Embedder {
        prefix: functions::PREFIX,
        call: functions::call,
        import: IMPORT,
        intercepts: functions::intercepts,
        at: |file, offset| Context::current().is_some_and(|context| context.at(file, offset)),
        shows,
    });
}

/// Stores a result as JSON, and returns `true` if it has a JSON form.
fn shows(value: &MontyObject) -> bool {
    let (graph, root) = unstable::graph_parts(value);
    let mut json = String::new();
    let shown = write(graph, root, Form::Plain, &mut json).is_ok();
    RESULT.set(shown.then_some(json));
    shown
}

/// Returns the inputs as variables: all in `inputs`, and each by its name.
fn variables(inputs: Option<&str>) -> Result<NamedValues, MontyException> {
    let Some(text) = inputs else { return Ok(NamedValues::new()) };
    let mut builder = Builder::default();
    let refused = |problem: String| {
        MontyException::new(ExcType::ValueError, Some(format!("inputs: {problem}")))
    };
    let members = builder.object(text).map_err(refused)?;
    let all = builder.dict(members.iter().map(|(name, value)| (name.as_str(), *value)).collect());
    let mut names = vec![("inputs".to_owned(), all)];
    names.extend(members.into_iter().filter(|(name, _)| is_identifier(name) && name != "inputs"));
    unstable::named_values_from_parts(builder.graph, names)
        .map_err(|error| refused(error.to_string()))
}

/// Runs a script to its end, and answers the calls of monty.
fn execute(
    repl: MontyRepl,
    context: &Rc<Context>,
    code: &str,
    inputs: NamedValues,
) -> (MontyRepl, Result<MontyObject, MontyException>) {
    RESULT.set(None);
    take_repr();
    let mut printer = Printer(Rc::clone(context));
    let mut progress = repl.feed_start(code, inputs, PrintWriter::Callback(&mut printer));
    loop {
        let print = PrintWriter::Callback(&mut printer);
        progress = match progress {
            Ok(ReplProgress::Complete { repl, value }) => return (repl, Ok(value)),
            Ok(ReplProgress::OsCall(call)) => {
                let answer = context.os_call(&call.function_call);
                call.resume(answer, print)
            }
            Ok(ReplProgress::FunctionCall(call)) => {
                let name = call.function_name.clone();
                call.resume(ExtFunctionResult::NotFound(name), print)
            }
            Ok(ReplProgress::NameLookup(lookup)) => {
                lookup.resume(NameLookupResult::Undefined, print)
            }
            Ok(ReplProgress::ResolveFutures(futures)) => {
                let message = "nothing here ever ends what this waits for".to_owned();
                futures.abort(MontyException::new(ExcType::RuntimeError, Some(message)), print)
            }
            Err(failed) => return (failed.repl, Err(failed.error)),
        };
    }
}

/// Returns `true` if a script ended with success: `sys.exit()`, `sys.exit(0)`.
fn ended_itself(error: &MontyException) -> bool {
    error.exc_type() == ExcType::SystemExit && matches!(error.message(), None | Some("0" | "None"))
}
