//! Content of every store: a minimal WASI, the limiter, and the bounded log of the guest's output.

use std::time::Duration;

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView};

use super::environment::Environment;
use super::limiter::Limiter;
use super::output::{CapturedStream, OutputLog};
use super::recording::{Monotonic, Recording};
use mitt_base::limits::CallLimits;
use mitt_base::memory::Account as Budget;
use mitt_base::{Error, Limit, Resource, Result};

/// Data of a store: the engine's part, and whatever the caller's capabilities need.
pub trait StoreData: Send + 'static {
    /// Returns the engine's part.
    fn core(&mut self) -> &mut StoreCore;
}

/// The engine's part of a store's data.
pub struct StoreCore {
    // Created when the guest first uses it: most plugins import no WASI, and its random numbers need system calls.
    wasi: Option<WasiCtx>,
    environment: Environment,
    recording: Option<Recording>,
    pub(super) table: ResourceTable,
    pub(super) limiter: Limiter,
    output: OutputLog,
    /// Fuel that host functions have used for the guest in this call, and the limit of a call.
    host_fuel: u64,
    max_fuel: u64,
    /// Memory limit that refused a table last. The guest may go on without the table.
    table_limit: Option<Limit>,
}

impl StoreCore {
    /// Returns data of a store under `limits`: empty environment, no arguments, no folders, output captured.
    pub fn new(limits: &CallLimits, environment: &Environment) -> StoreCore {
        StoreCore::recorded(limits, environment, None)
    }

    /// Like [`StoreCore::new`], with clocks and random numbers from `recording`, unless the environment fixes them.
    pub fn recorded(
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
            host_fuel: 0,
            table_limit: None,
            max_fuel: limits.fuel,
        }
    }

    /// Also charges growth of the store's memories to `budget`, while the store lives.
    #[must_use]
    pub fn charged_to(mut self, budget: &Budget) -> StoreCore {
        self.limiter.charge_to(budget);
        self
    }

    /// Counts work that a host function is about to do for the guest, in the guest's fuel.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it exceeds the fuel of a call, which ends the store.
    pub fn work(&mut self, fuel: u64) -> Result<()> {
        self.host_fuel = self.host_fuel.saturating_add(fuel);
        if self.host_fuel > self.max_fuel {
            Err(Error::limit(Resource::Fuel, self.max_fuel, self.host_fuel))
        } else {
            Ok(())
        }
    }

    /// Records the limit that refused a table.
    pub fn refuse_table(&mut self, limit: Limit) {
        self.table_limit = Some(limit);
    }

    /// Returns the limit that refused a table last.
    pub fn table_limit(&self) -> Option<&Limit> {
        self.table_limit.as_ref()
    }

    /// Returns the fuel that host functions have used in this call.
    pub(super) fn host_fuel(&self) -> u64 {
        self.host_fuel
    }

    /// Resets the counts per call: output, fuel of host functions, and the peak of the memory.
    pub(super) fn begin_call(&mut self) {
        self.host_fuel = 0;
        self.table_limit = None;
        self.output.begin_call();
        self.limiter.begin_call();
    }

    /// Returns the output and log of the guest.
    pub fn output(&self) -> &OutputLog {
        &self.output
    }

    /// Returns the table of resources that host functions have created.
    pub fn table(&mut self) -> &mut ResourceTable {
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
    // A guest must not make the host fill buffers that none of the guest's limits counts.
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
        wasi.secure_random(StdRng::seed_from_u64(seed));
    }
    // A fixed clock alone makes runs repeatable, too. These numbers are not for secrets.
    let seed = environment.seed.or_else(|| environment.clock.map(|it| it.as_secs()));
    if let Some(seed) = seed {
        wasi.insecure_random(StdRng::seed_from_u64(!seed));
        wasi.insecure_random_seed(u128::from(seed));
    }
    wasi.build()
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
