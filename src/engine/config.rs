//! The engine: one wasmtime configuration for all components of a process, and the clock that interrupts guests.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::Duration;

use wasmtime::{Config, EngineWeak};

use super::cache::CacheDir;
use super::compiler::Compiler;
use super::keys::PublicKey;
use super::scheduler::Scheduler;
use super::target::Target;
use super::{compile, proposals};
use mitt_base::{Error, ErrorKind, Result, lock, unpoisoned};

/// Native stack of a guest. This is address space, of which only the used part becomes memory. CPython checks its own stack of 1
/// MiB and raises `RecursionError` at its end; frames that are small there are up to fifty times larger here, and this size lets
/// every recursion end in that way. Host functions that a guest calls have one more mebibyte.
const WASM_STACK_BYTES: usize = 64 * 1024 * 1024;
const ASYNC_STACK_BYTES: usize = WASM_STACK_BYTES + 1024 * 1024;

/// How often a running guest yields to the executor, so that a deadline can end it. 10 ms is far below any useful deadline and
/// has no measurable cost.
const TICK: Duration = Duration::from_millis(10);

/// How long the clock's thread waits for the next call before it ends.
const LINGER: Duration = Duration::from_secs(1);

/// Options of an [`Engine`].
#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Folder that caches compiled components. Default: none, so every process compiles anew.
    pub cache: Option<CacheDir>,
    /// Called once with the reason if the cache cannot be written, in which case each process compiles anew. Default: not
    /// reported.
    pub cache_problems: Option<ProblemSink>,
    /// Public keys whose signatures on native code (a `.cwasm` file with its record, from `mitt compile --sign-key`) are trusted.
    /// Default: none; only code that this installation compiled itself is loaded, sealed with the secret of the cache folder.
    /// Native code is not sandboxed, so the owner of a trusted key can run arbitrary code in this process. A build without the
    /// feature `compile` can load native code only.
    pub precompiled_keys: Vec<PublicKey>,
    /// Folders whose native code is trusted as much as the program itself: its record must be sealed or signed, but the code is
    /// not read to be compared with it. Default: none. This is for environments without a cache folder, in which every start
    /// would compare the code again. Loading fails if anybody but this user and the administrator can write to the file or to a
    /// folder above it, unless it is mounted read-only.
    pub trusted_folders: Vec<PathBuf>,
}

impl std::fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineOptions")
            .field("cache", &self.cache)
            .field("precompiled_keys", &self.precompiled_keys)
            .finish_non_exhaustive()
    }
}

/// Receives problems that concern the operator and no caller. It is called from any thread and must return quickly.
pub type ProblemSink = Arc<dyn Fn(&Error) + Send + Sync>;

/// Runs components. It is a cheap handle; clones share one wasmtime engine and one interrupt clock.
#[derive(Clone)]
pub struct Engine {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) wasmtime: wasmtime::Engine,
    pub(super) options: EngineOptions,
    /// Compiler to use instead of the engine itself.
    pub(super) compiler: Option<Arc<dyn Compiler>>,
    pub(super) is_cache_problem_reported: AtomicBool,
    ticker: Arc<Ticker>,
}

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Engine>();
};

impl Engine {
    /// Creates an engine.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - wasmtime does not support this processor.
    pub fn new(options: EngineOptions) -> Result<Engine> {
        Engine::with(options, None)
    }

    /// Like [`Engine::new`]; `compiler` decides where and when components are compiled.
    pub(crate) fn with(
        options: EngineOptions,
        compiler: Option<Arc<dyn Compiler>>,
    ) -> Result<Engine> {
        let wasmtime = wasmtime::Engine::new(&config()).map_err(|error| {
            Error::new(ErrorKind::Host, "cannot start the WebAssembly engine")
                .caused_by(error.into_boxed_dyn_error())
        })?;
        if let Some(cache) = &options.cache {
            cache.sweep();
        }
        let is_cache_problem_reported = AtomicBool::new(false);
        let ticker = Arc::new(Ticker::new());
        let inner = Inner { wasmtime, options, compiler, is_cache_problem_reported, ticker };
        Ok(Engine { inner: Arc::new(inner) })
    }

    /// Returns an engine that compiles for `target`; `None` if this engine does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Disabled`] - this build cannot compile for it.
    pub(super) fn for_target(&self, target: Target) -> Result<Option<wasmtime::Engine>> {
        compile::engine_for(target, config())
    }

    /// Returns the options that the engine was created with.
    pub fn options(&self) -> &EngineOptions {
        &self.inner.options
    }

    /// Returns how long one call waits for a component to be compiled.
    pub(crate) fn load_wait(&self) -> Duration {
        self.inner.compiler.as_ref().map_or(Duration::MAX, |compiler| compiler.load_wait())
    }

    /// Returns how long a compilation may take; zero if nothing ends it.
    pub(crate) fn compile_time(&self) -> Duration {
        self.inner.compiler.as_ref().map_or(Duration::ZERO, |compiler| compiler.compile_time())
    }

    /// Returns the native stack that a guest can use, in bytes.
    pub fn stack_bytes(&self) -> u64 {
        WASM_STACK_BYTES as u64
    }

    /// Keeps at least one of the executor's `workers` threads free of guests, so that other work continues however busy they are.
    /// Has no effect with one worker.
    pub fn leave_one_of(&self, workers: usize) {
        self.scheduler().leave_one_of(workers);
    }

    /// Returns the scheduler of guests.
    pub(crate) fn scheduler(&self) -> &Scheduler {
        &self.inner.ticker.scheduler
    }

    /// Keeps the interrupt clock running until the guard is dropped.
    pub(super) fn ticking(&self) -> Ticking {
        self.inner.ticker.enter(&self.inner.wasmtime);
        Ticking { ticker: self.inner.ticker.clone() }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("options", &self.inner.options).finish_non_exhaustive()
    }
}

/// The only configuration. A `.cwasm` file fits only an engine with exactly these settings, so nothing here may depend on the
/// caller.
fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(ASYNC_STACK_BYTES)
        // In case relaxed SIMD is ever enabled: the same input gives the same bytes on every processor.
        .relaxed_simd_deterministic(true);
    // Must come after the switches above, which change proposals, too.
    proposals::configure(&mut config);
    #[cfg(target_os = "linux")]
    config.with_host_stack(Arc::new(super::stacks::Stacks::default()));
    compile::configure(&mut config);
    config
}

/// Increments the engine's epoch while calls are running. An idle host has no thread for it.
struct Ticker {
    scheduler: Scheduler,
    state: Mutex<TickerState>,
    wake: Condvar,
}

#[derive(Default)]
struct TickerState {
    calls: usize,
    /// `true` if there was a call since the last tick. Short consecutive calls find the thread awake; waking it for each of them
    /// would cost more than the calls.
    is_busy: bool,
    is_started: bool,
    is_parked: bool,
}

impl Ticker {
    fn new() -> Ticker {
        Ticker { scheduler: Scheduler::of_machine(), state: Mutex::default(), wake: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, TickerState> {
        lock(&self.state)
    }

    fn enter(self: &Arc<Ticker>, engine: &wasmtime::Engine) {
        let mut state = self.state();
        state.calls += 1;
        state.is_busy = true;
        if !state.is_started {
            let (engine, ticker) = (engine.weak(), Arc::downgrade(self));
            let thread = std::thread::Builder::new().name("mitt-epoch".into());
            // If no thread can be started now, the next call tries again.
            state.is_started = thread.spawn(move || Ticker::run(&engine, &ticker)).is_ok();
        } else if state.is_parked {
            state.is_parked = false;
            self.wake.notify_one();
        }
    }

    /// Ticks until the engine is gone, or until there was no call for a while.
    fn run(engine: &EngineWeak, ticker: &Weak<Ticker>) {
        loop {
            std::thread::sleep(TICK);
            let (Some(engine), Some(ticker)) = (engine.upgrade(), ticker.upgrade()) else { return };
            engine.increment_epoch();
            ticker.scheduler.tick();
            let mut state = ticker.state();
            if state.calls > 0 || std::mem::take(&mut state.is_busy) {
                continue;
            }
            state.is_parked = true;
            let waited = ticker.wake.wait_timeout_while(state, LINGER, |state| state.is_parked);
            let (mut state, _) = unpoisoned(waited);
            if state.is_parked {
                state.is_parked = false;
                state.is_started = false;
                return;
            }
        }
    }
}

/// Guard for a running call, which keeps the interrupt clock ticking.
pub(super) struct Ticking {
    ticker: Arc<Ticker>,
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.ticker.state().calls -= 1;
    }
}
