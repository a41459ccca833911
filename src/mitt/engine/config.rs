//! The engine: one wasmtime configuration for every component of a process, and the clock that interrupts guests.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::Duration;

use wasmtime::{Config, EngineWeak};

use super::cache::CacheDir;
use super::compiler::Compiler;
use super::keys::PublicKey;
use super::target::Target;
use super::turns::Turns;
use super::{compile, proposals};
use mitt_base::{Error, ErrorKind, Result, lock, unpoisoned};

/// Native stack of a guest. Address space, of which only what is used becomes memory. CPython looks after its own stack of
/// 1 MiB and raises `RecursionError` when it ends; frames that are small there are up to fifty times larger here, and this
/// is enough for every recursion to end in that way. The host functions that a guest calls have another mebibyte.
const WASM_STACK_BYTES: usize = 64 * 1024 * 1024;
const ASYNC_STACK_BYTES: usize = WASM_STACK_BYTES + 1024 * 1024;

/// How often a running guest gives way to the executor, so that a deadline can end it. 10 ms is far below any useful
/// deadline and costs nothing measurable.
const TICK: Duration = Duration::from_millis(10);

/// How long the clock's thread waits for the next call before it ends.
const LINGER: Duration = Duration::from_secs(1);

/// How an [`Engine`] is made.
#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Where compiled components are kept. Default none: every process compiles anew.
    pub cache: Option<CacheDir>,
    /// Told, once, why compiled components cannot be kept in the cache: then each process compiles anew. Default nobody.
    pub cache_problems: Option<ProblemSink>,
    /// Keys whose signatures under native code (`.cwasm` beside its record, from `mitt compile --sign-key`) are trusted. Default
    /// none: only what this installation compiled itself is loaded, sealed with the secret of the cache folder. Such code is not
    /// sandboxed: whoever has a key that is named here can run what they like in this process. In a build without the feature
    /// `compile` native code is all there is.
    pub precompiled_keys: Vec<PublicKey>,
    /// Folders in which native code is trusted as the program itself is: its record must be vouched for, but the code is not read
    /// to compare it. Default none. For places where every start is the first one, with no cache folder in which it is kept that
    /// a file was compared. Loading is refused if anybody but this user and the administrator can write to the file or to a folder
    /// above it, unless it is mounted for reading only.
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

/// Told of a problem that is the operator's, and no caller's. Called from any thread, and must return quickly.
pub type ProblemSink = Arc<dyn Fn(&Error) + Send + Sync>;

/// Runs components. A cheap handle: clones share one wasmtime engine and one interrupt clock.
#[derive(Clone)]
pub struct Engine {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) wasmtime: wasmtime::Engine,
    pub(super) options: EngineOptions,
    /// Compiles in place of the engine itself.
    pub(super) compiler: Option<Arc<dyn Compiler>>,
    pub(super) is_cache_problem_told: AtomicBool,
    ticker: Arc<Ticker>,
}

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Engine>();
};

impl Engine {
    /// Make an engine.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - this machine's processor is not supported by wasmtime.
    pub fn new(options: EngineOptions) -> Result<Engine> {
        Engine::with(options, None)
    }

    /// As [`Engine::new`]; `compiler` says where and when components are compiled.
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
        let is_cache_problem_told = AtomicBool::new(false);
        let ticker = Arc::new(Ticker::new());
        let inner = Inner { wasmtime, options, compiler, is_cache_problem_told, ticker };
        Ok(Engine { inner: Arc::new(inner) })
    }

    /// What compiles for `target`; none if that is this engine.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Disabled`] - this build does not compile for it.
    pub(super) fn for_target(&self, target: Target) -> Result<Option<wasmtime::Engine>> {
        compile::engine_for(target, config())
    }

    /// The options it was made with.
    pub fn options(&self) -> &EngineOptions {
        &self.inner.options
    }

    /// How long one call waits for a component to be compiled.
    pub(crate) fn load_wait(&self) -> Duration {
        self.inner.compiler.as_ref().map_or(Duration::MAX, |compiler| compiler.load_wait())
    }

    /// How long a compilation may take; nothing for one that nobody ends.
    pub(crate) fn compile_time(&self) -> Duration {
        self.inner.compiler.as_ref().map_or(Duration::ZERO, |compiler| compiler.compile_time())
    }

    /// Most native stack that a guest can use, in bytes.
    pub fn stack_bytes(&self) -> u64 {
        WASM_STACK_BYTES as u64
    }

    /// Leave at least one of the `workers` threads of an executor to what is no guest: however busy guests are, the others go
    /// on. With one there is nothing to leave.
    pub fn leave_one_of(&self, workers: usize) {
        self.turns().leave_one_of(workers);
    }

    /// Whose guests compute next.
    pub(crate) fn turns(&self) -> &Turns {
        &self.inner.ticker.turns
    }

    /// Keep the interrupt clock running until the guard is dropped.
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

/// The one configuration. A `.cwasm` fits only an engine with exactly these settings, so nothing here may depend on
/// the caller.
fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(ASYNC_STACK_BYTES)
        // Were relaxed SIMD ever switched on: same input, same bytes, on every processor.
        .relaxed_simd_deterministic(true);
    // Only now, as the switches above change proposals too.
    proposals::configure(&mut config);
    #[cfg(target_os = "linux")]
    config.with_host_stack(Arc::new(super::stacks::Stacks::default()));
    compile::configure(&mut config);
    config
}

/// Increments the engine's epoch while calls are running. An idle host has no thread for it.
struct Ticker {
    turns: Turns,
    state: Mutex<TickerState>,
    wake: Condvar,
}

#[derive(Default)]
struct TickerState {
    calls: usize,
    /// Whether there was a call since the last tick. Short calls one after the other find the thread awake: to wake it
    /// for each of them would cost more than they do.
    is_busy: bool,
    is_started: bool,
    is_parked: bool,
}

impl Ticker {
    fn new() -> Ticker {
        Ticker { turns: Turns::of_machine(), state: Mutex::default(), wake: Condvar::new() }
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

    /// Tick until the engine is gone, or nobody has called for a while.
    fn run(engine: &EngineWeak, ticker: &Weak<Ticker>) {
        loop {
            std::thread::sleep(TICK);
            let (Some(engine), Some(ticker)) = (engine.upgrade(), ticker.upgrade()) else { return };
            engine.increment_epoch();
            ticker.turns.tick();
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

/// A running call, as the interrupt clock sees it.
pub(super) struct Ticking {
    ticker: Arc<Ticker>,
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.ticker.state().calls -= 1;
    }
}
