//! One interpreter that runs scripts one after another.

use crate::context::Context;
use crate::contract::exports::mitt::host::script::{Request, Uncaught, Value as Outcome};
use crate::contract::mitt::host::script_host::Stream;
use crate::contract::types::Error as ContractError;
use crate::encode::{Form, write};
use crate::erase::Problem;
use crate::forms::{ends_with_names, without_fence};
use crate::hooks::Hooks;
use crate::host::Host;
use crate::line::line_in;
use crate::natives::natives;
use crate::report::{report, untyped, waits};
use crate::source::Script;
use crate::tables::Opened;
use crate::typescript::has_types;
use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Error, Function, Object, Persistent, Promise, Result, Runtime, Value, qjs};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// The parts of the prelude, in the order in which they run. Each is a function of the natives and the hooks.
const PRELUDE: [(&str, &str); 7] = [
    ("values", include_str!("prelude/values.js")),
    ("console", include_str!("prelude/console.js")),
    ("rows", include_str!("prelude/rows.js")),
    ("tables", include_str!("prelude/tables.js")),
    ("tools", include_str!("prelude/tools.js")),
    ("web", include_str!("prelude/web.js")),
    ("intl", include_str!("prelude/intl.js")),
];

/// Bytes of stack after which a recursion is a `RangeError`. `build.sh` makes the stack twice as large.
const STACK_BYTES: usize = 1 << 20;

unsafe extern "C" {
    /// Forgets the pending jobs (`quickjs.patch`).
    fn mitt_drop_jobs(runtime: *mut qjs::JSRuntime);
}

/// An interpreter with the compiled prelude.
pub struct Engine {
    // Before the interpreter, which must not end while there are values.
    hooks: Hooks,
    tables: Rc<Opened>,
    context: rquickjs::Context,
    runtime: Runtime,
}

impl Engine {
    /// Compiles the prelude.
    ///
    /// # Panics
    /// The prelude has an error, which building the component shows.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it does much")]
    pub fn new() -> Self {
        let runtime = Runtime::new().expect("there is memory for an interpreter");
        runtime.set_max_stack_size(STACK_BYTES);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(rejected)));
        let context = rquickjs::Context::full(&runtime).expect("there is memory for a context");
        // SAFETY: the handler uses the runtime that it is given, and nothing else.
        unsafe {
            qjs::JS_SetInterruptHandler(
                context.get_runtime_ptr(),
                Some(interrupted),
                std::ptr::null_mut(),
            );
        }
        let hooks = context.with(|ctx| {
            prelude(&ctx).unwrap_or_else(|_| {
                let thrown = ctx.catch();
                let error = thrown.as_object().map(|error| {
                    ["message", "stack"]
                        .map(|name| error.get::<_, String>(name).unwrap_or_default())
                });
                panic!("the prelude fails: {error:?}")
            })
        });
        Self { hooks, tables: Rc::default(), context, runtime }
    }

    /// Runs a script.
    ///
    /// # Errors
    /// The exception that the script did not catch.
    pub fn run(
        &mut self,
        host: Box<dyn Host>,
        request: &Request,
    ) -> std::result::Result<Outcome, Uncaught> {
        // The stack of this call, not that of the one which made the engine.
        self.runtime.set_max_stack_size(STACK_BYTES);
        // SAFETY: the runtime lives as long as `self`.
        unsafe { qjs::JS_UpdateStackTop(self.context.get_runtime_ptr()) };
        let context = Context::new(
            host,
            request.allowed_modules.clone(),
            Rc::clone(&self.tables),
            self.hooks.clone(),
        );
        let context = Rc::new(context);
        context.enter(|| {
            let outcome = self.context.with(|ctx| {
                let run = Run { ctx: &ctx, context: &context };
                let outcome = run.run(&request.code, request.inputs.as_deref());
                // Calls of a script that has failed, or of a `toJSON` of its result.
                if context.make_waiting(&ctx).is_err() {
                    ctx.catch();
                }
                context.flush_output();
                // Values must not outlive the interpreter.
                context.rejections.take();
                // A script that ended itself, or failed in a timer, leaves jobs.
                // SAFETY: the runtime is alive, and runs nothing.
                unsafe { mitt_drop_jobs(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) };
                outcome
            });
            self.runtime.run_gc();
            outcome
        })
    }

    /// Variables of JavaScript are functions and objects with references to each other, which have no form outside.
    ///
    /// # Errors
    /// `unsupported` - always.
    pub fn dump(&self) -> std::result::Result<Vec<u8>, ContractError> {
        Err(ContractError::Unsupported(
            "the engine `javascript` keeps variables only as long as the session lives".to_owned(),
        ))
    }

    /// Refuses a state, because there is none.
    ///
    /// # Errors
    /// `malformed` - always.
    pub fn load(&mut self, _state: &[u8]) -> std::result::Result<(), ContractError> {
        Err(ContractError::Malformed("the engine `javascript` makes no states".to_owned()))
    }
}

fn prelude(ctx: &Ctx<'_>) -> Result<Hooks> {
    let (natives, hooks) = (natives(ctx)?, Object::new(ctx.clone())?);
    for (name, source) in PRELUDE {
        let options = options(&format!("mitt:{name}"), true, false);
        let part: Function<'_> = ctx.eval_with_options(source, options)?;
        part.call::<_, ()>((natives.clone(), hooks.clone()))?;
    }
    Ok(Hooks { object: Persistent::save(ctx, hooks) })
}

fn options(file: &str, is_strict: bool, is_async: bool) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = is_strict;
    options.promise = is_async;
    options.filename = Some(file.to_owned());
    options
}

/// Runs after some thousand branches and calls. The host ends the instance by itself, so a script always goes on.
unsafe extern "C" fn interrupted(runtime: *mut qjs::JSRuntime, _: *mut c_void) -> c_int {
    if let Some(context) = Context::current() {
        // SAFETY: the interpreter calls this with its own runtime.
        context.at(unsafe { line_in(runtime) });
        context.flush_output();
    }
    0
}

/// Notes rejected promises that nothing handles, and forgets those that something handles later.
fn rejected<'js>(ctx: Ctx<'js>, promise: Value<'js>, reason: Value<'js>, is_handled: bool) {
    let Some(context) = Context::current() else { return };
    let mut rejections = context.rejections.borrow_mut();
    if is_handled {
        rejections
            .retain(|(known, _)| known.clone().restore(&ctx).is_ok_and(|known| known != promise));
    } else {
        rejections.push((Persistent::save(&ctx, promise), Persistent::save(&ctx, reason)));
    }
}

/// One run of a script.
struct Run<'a, 'js> {
    ctx: &'a Ctx<'js>,
    context: &'a Rc<Context>,
}

impl<'js> Run<'_, 'js> {
    fn run(&self, code: &str, inputs: Option<&str>) -> std::result::Result<Outcome, Uncaught> {
        // The interpreter takes its source as a string of C.
        if let Some(at) = code.find('\0') {
            let hint = Some("in a string, write `\\0`".to_owned());
            let problem =
                Problem { hint, ..Problem::new(at, "unexpected NUL character".to_owned()) };
            return Err(untyped(&problem, code));
        }
        let code = &*without_fence(code).map_err(|problem| untyped(&problem, code))?;
        let mut script = Script::new(code);
        let ended = self.start(inputs).and_then(|()| self.execute(&mut script));
        if self.context.has_left.get() {
            self.ctx.catch();
            return Ok(Outcome::Nothing);
        }
        ended.map_err(|failure| match failure {
            Failure::Thrown => report(self.ctx, &self.ctx.catch(), self.context, &script),
            Failure::Waits => waits(),
            Failure::Types(problem) => untyped(&problem, code),
        })
    }

    /// Sets the variables of this run.
    fn start(&self, inputs: Option<&str>) -> std::result::Result<(), Failure> {
        let start = self.context.hooks.function(self.ctx, "start")?;
        let big = self.context.hooks.function(self.ctx, "big")?;
        let inputs = match inputs {
            Some(text) => crate::decode::json(self.ctx, text, &big)?,
            None => Value::new_undefined(self.ctx.clone()),
        };
        Ok(start.call::<_, ()>((inputs, self.context.host.arguments()))?)
    }

    fn execute(&self, script: &mut Script<'_>) -> std::result::Result<Outcome, Failure> {
        let promise = self.begin(script)?;
        let result = self.settle(&promise)?;
        let mut value: Value<'js> =
            result.as_object().map_or(Ok(result.clone()), |result| result.get("value"))?;
        // `async () => { … }` as the whole script.
        let called = self.context.hooks.function(self.ctx, "called")?;
        value = called.call((value,))?;
        while let Some(promise) = value.as_promise() {
            value = self.settle(&promise.clone())?;
        }
        self.unhandled()?;
        self.outcome(&value)
    }

    /// Compiles and begins a script. What it throws rejects its promise, so nothing has run if this fails.
    fn begin(&self, script: &mut Script<'_>) -> std::result::Result<Promise<'js>, Failure> {
        if ends_with_names(script.code) {
            match self.begin_completed(script) {
                Ok(promise) => return Ok(promise),
                Err(_) if self.context.has_left.get() => return Err(Failure::Thrown),
                Err(_) => {}
            }
        }
        let failure = match self.evaluate_typed(script) {
            Ok(promise) => return Ok(promise),
            Err(failure) if self.context.has_left.get() => return Err(failure),
            Err(failure) => failure,
        };
        let thrown = matches!(failure, Failure::Thrown).then(|| self.ctx.catch());
        match self.begin_completed(script) {
            Ok(promise) => Ok(promise),
            Err(Some(problem)) => Err(Failure::Types(problem)),
            // The error is that of the script as it was written.
            Err(None) => {
                thrown.map(|thrown| self.ctx.throw(thrown));
                Err(failure)
            }
        }
    }

    /// Begins a script with the parentheses that its end may lack.
    ///
    /// # Errors
    /// The script is none with them either; a type before them that cannot be removed.
    fn begin_completed(
        &self,
        script: &mut Script<'_>,
    ) -> std::result::Result<Promise<'js>, Option<Problem>> {
        let mut completed = script.completed().ok_or(None)?;
        match self.evaluate_typed(&mut completed) {
            Ok(promise) => {
                *script = completed;
                Ok(promise)
            }
            Err(Failure::Types(problem))
                if problem.is_typed && completed.begins_alike(problem.at) =>
            {
                Err(Some(problem))
            }
            Err(_) => {
                self.ctx.catch();
                Err(None)
            }
        }
    }

    /// Evaluates a script, without types if it is no JavaScript with them.
    fn evaluate_typed(
        &self,
        script: &mut Script<'_>,
    ) -> std::result::Result<Promise<'js>, Failure> {
        match self.evaluate(script) {
            Err(Error::Exception) if !self.context.has_left.get() => {}
            result => return Ok(result?),
        }
        let thrown = self.ctx.catch();
        match script.remove_types() {
            Ok(true) => Ok(self.evaluate(script)?),
            Ok(false) => Err(self.ctx.throw(thrown).into()),
            Err(problem) => {
                let shown = report(self.ctx, &thrown, self.context, script);
                // The interpreter stops at the first type, the parser at what is wrong. Some errors of the interpreter have
                // no place.
                let place = shown.line.zip(shown.column);
                let is_typed = problem.is_typed || has_types(script.code);
                if is_typed || place.is_none_or(|place| place < problem.place(script.code)) {
                    return Err(Failure::Types(problem));
                }
                Err(self.ctx.throw(thrown).into())
            }
        }
    }

    fn evaluate(&self, script: &Script<'_>) -> Result<Promise<'js>> {
        let evaluate =
            |code: &str| self.ctx.eval_with_options(code, options("script.js", false, true));
        match evaluate(script.runs()) {
            Err(Error::Exception) if script.may_be_plain() && !self.context.has_left.get() => {
                self.ctx.catch();
                evaluate(script.plain())
            }
            result => result,
        }
    }

    /// Runs jobs, calls and timers to their end, and returns the value of a promise.
    fn settle(&self, promise: &Promise<'js>) -> std::result::Result<Value<'js>, Failure> {
        let next = self.context.hooks.function(self.ctx, "next")?;
        let has_left = || self.context.has_left.get();
        loop {
            while !has_left() && self.ctx.execute_pending_job() {}
            if has_left() {
                return Err(Failure::Thrown);
            }
            if self.context.make_waiting(self.ctx)? {
                continue;
            }
            if promise.state() == PromiseState::Rejected || !next.call::<_, bool>(())? {
                break;
            }
        }
        match promise.result::<Value<'js>>() {
            Some(result) => Ok(result?),
            None => Err(Failure::Waits),
        }
    }

    /// Fails with the first rejection that nothing handled.
    fn unhandled(&self) -> std::result::Result<(), Failure> {
        let first = self.context.rejections.borrow().first().map(|(_, reason)| reason.clone());
        match first {
            Some(reason) => {
                let reason = reason.restore(self.ctx)?;
                self.ctx.throw(reason);
                Err(Failure::Thrown)
            }
            None => Ok(()),
        }
    }

    /// Returns the value of a script: as JSON, or as text if it has no JSON form.
    fn outcome(&self, value: &Value<'js>) -> std::result::Result<Outcome, Failure> {
        if value.is_undefined() || value.is_null() {
            return Ok(Outcome::Nothing);
        }
        let helpers = self.context.hooks.helpers(self.ctx)?;
        let written = |form| {
            let mut json = String::new();
            write(&helpers, value, form, &mut json).map(|()| json)
        };
        let is_text: bool =
            self.context.hooks.function(self.ctx, "isText")?.call((value.clone(),))?;
        if !is_text && let Ok(json) = written(Form::Plain) {
            return Ok(Outcome::Json(json));
        }
        let shown: Object<'js> =
            self.context.hooks.function(self.ctx, "shownWhole")?.call((value.clone(),))?;
        let (text, is_cut): (String, bool) = (shown.get("text")?, shown.get("isCut")?);
        if !is_cut {
            return Ok(Outcome::Repr(text));
        }
        // Data with less in it is better than a text that lacks most of it.
        let problem = match written(Form::Plain) {
            Ok(json) => return Ok(Outcome::Json(json)),
            Err(problem) => format!("{}: {}", problem.pointer, problem.reason),
        };
        let (outcome, warning) = match written(Form::Lossy) {
            Ok(json) => (Outcome::Json(json), "the result has null for each NaN and Infinity"),
            Err(_) => (Outcome::Repr(text), "the result is a text with parts left out"),
        };
        let warning = format!("warning: {warning}; the first problem is {problem}\n");
        self.context.add_output(Stream::Stderr, &warning);
        Ok(outcome)
    }
}

/// The end of a script without a value.
enum Failure {
    /// The interpreter holds an exception.
    Thrown,
    /// Nothing will end what the script waits for.
    Waits,
    /// The script has types, and they cannot be removed.
    Types(Problem),
}

impl From<Error> for Failure {
    fn from(_: Error) -> Self {
        Self::Thrown
    }
}
