//! The state around a running script: its host, its output, its tables.

use crate::contract::mitt::host::script_host::Stream;
use crate::hooks::Hooks;
use crate::host::{Host, HostTable};
use crate::output::Pending;
use crate::tables::Opened;
use crate::waiting::Waiting;
use rquickjs::{Ctx, Exception, Persistent, Result, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A promise that was rejected while nothing handled it, and the reason.
pub(crate) type Rejection = (Persistent<Value<'static>>, Persistent<Value<'static>>);

/// The state of one run.
pub(crate) struct Context {
    pub(crate) host: Box<dyn Host>,
    pub(crate) allowed: Option<Vec<String>>,
    output: RefCell<Pending>,
    pub(crate) tables: Rc<Opened>,
    pub(crate) hooks: Hooks,
    pub(crate) waiting: Waiting,
    /// Rejected promises that nothing has handled yet.
    pub(crate) rejections: RefCell<Vec<Rejection>>,
    /// `true` after `exit()`.
    pub(crate) has_left: Cell<bool>,
    /// The line that the host knows.
    line: Cell<u32>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
}

impl Context {
    pub(crate) fn new(
        host: Box<dyn Host>,
        allowed: Option<Vec<String>>,
        tables: Rc<Opened>,
        hooks: Hooks,
    ) -> Self {
        Self {
            host,
            allowed,
            output: RefCell::default(),
            tables,
            hooks,
            waiting: Waiting::default(),
            rejections: RefCell::default(),
            has_left: Cell::new(false),
            line: Cell::new(0),
        }
    }

    /// Reports a line of the script to the host.
    pub(crate) fn at(&self, line: u32) {
        if line > 0 && self.line.replace(line) != line {
            self.host.at(line);
        }
    }

    /// Makes the calls that wait, and settles their promises. Returns `false` if there are none.
    ///
    /// # Errors
    /// There is no memory left.
    pub(crate) fn make_waiting(&self, ctx: &Ctx<'_>) -> Result<bool> {
        if self.waiting.is_empty() {
            return Ok(false);
        }
        self.hooks.function(ctx, "makeCalls")?.call::<_, ()>(())?;
        Ok(true)
    }

    /// Adds output of the script.
    pub(crate) fn add_output(&self, stream: Stream, text: &str) {
        self.output.borrow_mut().add(&*self.host, stream, text);
    }

    /// Sends incomplete lines to the host.
    pub(crate) fn flush_output(&self) {
        self.output.borrow_mut().flush(&*self.host);
    }

    /// Returns an open table.
    ///
    /// # Errors
    /// There is none with this number.
    pub(crate) fn table(&self, number: u32) -> std::result::Result<Rc<dyn HostTable>, String> {
        self.tables.table(number)
    }

    /// Makes this the current context during `run`.
    pub(crate) fn enter<T>(self: &Rc<Self>, run: impl FnOnce() -> T) -> T {
        CURRENT.set(Some(Rc::clone(self)));
        let result = run();
        CURRENT.set(None);
        result
    }

    /// Returns the context of the running script; `None` while the prelude is compiled.
    pub(crate) fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Returns `true` if the script may import a module.
    pub(crate) fn allows(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|module| module == name))
    }
}

/// Returns the context of the running script.
///
/// # Errors
/// No script is running.
pub(crate) fn context(ctx: &Ctx<'_>) -> Result<Rc<Context>> {
    Context::current().ok_or_else(|| Exception::throw_message(ctx, "no script is running"))
}

/// Returns the context of the running script when no call waits: what comes next may depend on the calls before it.
///
/// # Errors
/// No script is running; there is no memory left.
pub(crate) fn context_in_order(ctx: &Ctx<'_>) -> Result<Rc<Context>> {
    let context = context(ctx)?;
    context.make_waiting(ctx)?;
    Ok(context)
}
