//! What every store holds: WASI in its smallest form, the limiter, and the bounded log of what the guest printed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use wasmtime::ResourceLimiter;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView};

use super::recording::{Monotonic, Recording};
use super::wasi::CapturedStream;
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account as Budget, Charge};
use mitt_base::{Error, ErrorKind, Limit, Resource, Result};

/// Data of a store: what the engine needs, and whatever the capabilities of the caller need.
pub trait StoreData: Send + 'static {
    /// The engine's part.
    fn core(&mut self) -> &mut StoreCore;
}

/// The outside world as a guest sees it. Default: the system's clock and random numbers.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Wall clock. None is the system's clock; a fixed instant makes runs repeatable.
    pub clock: Option<Duration>,
    /// Seed of all random numbers that guests get. None is the system's generator.
    pub seed: Option<u64>,
}

impl Environment {
    /// Time since 1970-01-01 00:00 UTC.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the system's clock comes in"
    )]
    pub fn now(&self) -> Duration {
        self.clock
            .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// Random numbers for the host itself, such as parts of delays. Not for secrets.
    pub(crate) fn random(&self) -> rand::rngs::StdRng {
        use rand::SeedableRng as _;

        // Without the system's generator all hosts wait alike, which is bad luck and no fault.
        let seed = self.seed.or_else(|| getrandom::u64().ok()).unwrap_or_default();
        rand::rngs::StdRng::seed_from_u64(seed)
    }
}

impl Environment {
    /// 256 bits that nobody can guess, for as long as the process lives; with a seed they are always the same.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the system has no random numbers.
    pub(crate) fn secret(&self) -> Result<[u8; 32]> {
        let mut secret = [0; 32];
        match self.seed {
            Some(seed) => {
                use rand::{Rng as _, SeedableRng as _};
                rand::rngs::StdRng::seed_from_u64(seed).fill_bytes(&mut secret);
            }
            None => getrandom::fill(&mut secret).map_err(|error| {
                Error::new(ErrorKind::Host, "the system gives no random numbers").caused_by(error)
            })?,
        }
        Ok(secret)
    }
}

struct FixedClock(Duration);

impl HostWallClock for FixedClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        self.0
    }
}

/// The engine's part of a store's data.
pub struct StoreCore {
    // Made when the guest first asks for it: most plugins import no WASI, and its random numbers cost system calls.
    wasi: Option<WasiCtx>,
    environment: Environment,
    recording: Option<Recording>,
    pub(super) table: ResourceTable,
    pub(super) limiter: Limiter,
    output: OutputLog,
}

impl StoreCore {
    /// A store's data under `limits`: empty environment, no arguments, no folders, standard output captured.
    pub fn new(limits: &CallLimits, environment: &Environment) -> StoreCore {
        StoreCore::recorded(limits, environment, None)
    }

    /// As [`StoreCore::new`]; the guest's clocks and random numbers are those of `recording`, where the environment fixes
    /// none.
    pub(crate) fn recorded(
        limits: &CallLimits,
        environment: &Environment,
        recording: Option<&Recording>,
    ) -> StoreCore {
        let mut table = ResourceTable::new();
        table.set_max_capacity(usize::try_from(limits.handles).unwrap_or(usize::MAX));
        StoreCore {
            wasi: None,
            environment: environment.clone(),
            recording: recording.cloned(),
            table,
            limiter: Limiter::new(limits),
            output: OutputLog::new(limits.output_bytes),
        }
    }

    /// Charge what the store's memories grow by to `budget` too, as long as the store lives.
    #[must_use]
    pub(crate) fn charged_to(mut self, budget: &Budget) -> StoreCore {
        self.limiter.charge = budget.nothing();
        self
    }

    /// Count anew what is counted for each call alone: output, and the peak of the memory.
    pub(super) fn begin_call(&mut self) {
        self.output.begin_call();
        self.limiter.memory.peak = self.limiter.memory.used;
    }

    /// What the guest has printed and logged so far.
    pub fn output(&self) -> &OutputLog {
        &self.output
    }

    /// The resources that host functions have made.
    pub(crate) fn table(&mut self) -> &mut ResourceTable {
        &mut self.table
    }

    pub(super) fn wasi_view(&mut self) -> WasiCtxView<'_> {
        let make = || wasi(&self.output, &self.environment, self.recording.as_ref());
        WasiCtxView { ctx: self.wasi.get_or_insert_with(make), table: &mut self.table }
    }
}

fn wasi(output: &OutputLog, environment: &Environment, recording: Option<&Recording>) -> WasiCtx {
    let mut wasi = WasiCtxBuilder::new();
    wasi.stdout(CapturedStream::new(output.clone()));
    wasi.stderr(CapturedStream::new(output.clone()));
    // A guest may not make the host fill buffers that no limit of its own counts.
    wasi.max_random_size(64 * 1024);
    if let Some(recording) = recording {
        wasi.wall_clock(recording.clone());
        wasi.monotonic_clock(Monotonic(recording.clone()));
        wasi.secure_random(recording.random());
        wasi.insecure_random(recording.insecure_random());
        wasi.insecure_random_seed(recording.insecure_seed());
    }
    if let Some(clock) = environment.clock {
        wasi.wall_clock(FixedClock(clock));
    }
    if let Some(seed) = environment.seed {
        use rand::SeedableRng as _;
        wasi.secure_random(rand::rngs::StdRng::seed_from_u64(seed));
        wasi.insecure_random(rand::rngs::StdRng::seed_from_u64(!seed));
        wasi.insecure_random_seed(u128::from(seed));
    }
    wasi.build()
}

/// Adds up what all memories, tables and instances of one store use, since wasmtime's own limiter looks at each alone.
pub(super) struct Limiter {
    memory: Account,
    elements: Account,
    instances: usize,
    /// What the memories have, as whoever runs the store is charged for it.
    charge: Charge,
}

struct Account {
    what: Resource,
    limit: u64,
    used: u64,
    peak: u64,
    // The last growth that was allowed, given back if the system then refuses it.
    last: u64,
}

impl Account {
    fn new(what: Resource, limit: u64) -> Account {
        Account { what, limit, used: 0, peak: 0, last: 0 }
    }

    fn grow(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = desired.saturating_sub(current) as u64;
        if maximum.is_some_and(|maximum| desired > maximum) {
            // Beyond what the component declares for itself: an ordinary failure that the guest sees, not our limit.
            return Ok(false);
        }
        let used = self.used.saturating_add(more);
        if used > self.limit {
            // An error traps. Were it refused, a guest could catch it and go on.
            return Err(LimitReached(Limit::new(self.what, self.limit, used)).into());
        }
        self.used = used;
        self.peak = self.peak.max(used);
        self.last = more;
        Ok(true)
    }

    fn give_back(&mut self) {
        self.used -= std::mem::take(&mut self.last);
    }
}

impl Limiter {
    fn new(limits: &CallLimits) -> Limiter {
        Limiter {
            memory: Account::new(Resource::Memory, limits.memory_bytes),
            elements: Account::new(Resource::TableElements, limits.table_elements),
            instances: usize::try_from(limits.instances).unwrap_or(usize::MAX),
            charge: Charge::nobodys(),
        }
    }

    /// Count what the host keeps for an instance beside its memories and tables.
    pub(super) fn charge_instance(&mut self, bytes: u64) -> wasmtime::Result<()> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.memory_growing(0, bytes, None)?;
        // It is never given back: the instance lives as long as the store.
        self.memory.last = 0;
        Ok(())
    }

    /// Most memory that the store had at any time, in bytes.
    pub(super) fn peak_memory_bytes(&self) -> u64 {
        self.memory.peak
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if !self.memory.grow(current, desired, maximum)? {
            return Ok(false);
        }
        // The store's own limit was not reached, but that of its call, session, tenant or host.
        if let Err(limit) = self.charge.grow(self.memory.last) {
            self.memory.give_back();
            return Err(LimitReached(limit).into());
        }
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.charge.shrink(self.memory.last);
        self.memory.give_back();
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.elements.grow(current, desired, maximum)
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.elements.give_back();
        Ok(())
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        self.instances
    }

    fn memories(&self) -> usize {
        self.instances
    }
}

/// A limit that was reached inside the store, on its way out through wasmtime.
#[derive(Debug)]
pub(super) struct LimitReached(pub(super) Limit);

impl std::fmt::Display for LimitReached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LimitReached {}

/// What a guest prints, bounded while it is produced. Clones share one log.
#[derive(Clone)]
pub struct OutputLog {
    limit: u64,
    shared: Arc<Mutex<OutputState>>,
}

#[derive(Default)]
struct OutputState {
    text: Vec<u8>,
    used: u64,
    last_error: Option<String>,
}

impl OutputLog {
    fn new(limit: u64) -> OutputLog {
        OutputLog { limit, shared: Arc::default() }
    }

    fn begin_call(&self) {
        self.with(|state| *state = OutputState::default());
    }

    fn with<R>(&self, f: impl FnOnce(&mut OutputState) -> R) -> R {
        f(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Count `bytes` more, or say which limit that would break.
    pub(crate) fn count(&self, bytes: usize) -> Result<(), Limit> {
        self.with(|state| {
            let used = state.used.saturating_add(bytes as u64);
            if used > self.limit {
                return Err(Limit::new(Resource::Output, self.limit, used));
            }
            state.used = used;
            Ok(())
        })
    }

    /// Keep what a guest printed.
    pub(super) fn print(&self, bytes: &[u8]) -> Result<(), Limit> {
        self.count(bytes.len())?;
        self.with(|state| state.text.extend_from_slice(bytes));
        Ok(())
    }

    /// Remember what a guest said just before it crashed.
    pub(crate) fn remember_error(&self, message: &str) {
        self.with(|state| state.last_error = Some(message.to_owned()));
    }

    pub(super) fn last_error(&self) -> Option<String> {
        self.with(|state| state.last_error.take())
    }

    /// What was printed, with replacement characters where it is not UTF-8.
    pub(super) fn take_text(&self) -> String {
        let bytes = self.with(|state| std::mem::take(&mut state.text));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
