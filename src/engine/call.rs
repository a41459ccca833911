//! One call: a fresh store under limits, a deadline for the whole call, and its usage.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{Instance, InstancePre, Linker, ResourceAny, Val};
use wasmtime::{Store, Trap};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use super::clock::{CallClock, Span};
use super::config::Engine;
use super::limiter::LimitReached;
use super::plugin::Plugin;
use super::store::StoreData;
#[cfg(feature = "extism")]
use super::{extism, preview1::Exited};
use super::{scheduler, tables, wasi};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Resource, Result};
use mitt_table::Table;
use mitt_wit::value::{Function, TypedCall};

/// Most fuel that is consumed before it is counted; about a hundredth of a second.
const COUNTED_FUEL: u64 = 40_000_000;

/// Resources that a call used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Fuel, about one unit per instruction.
    pub fuel: u64,
    /// Most memory at any time, in bytes: linear memories, and host memory for instances.
    pub peak_memory_bytes: u64,
    /// Wall clock, including host functions. Loading of plugins that the call needs and waiting for people's decisions do not
    /// count.
    pub duration: Duration,
}

impl Usage {
    /// Returns the usage of two concurrent calls.
    pub(crate) fn beside(self, other: Usage) -> Usage {
        Usage {
            fuel: self.fuel.saturating_add(other.fuel),
            peak_memory_bytes: self.peak_memory_bytes.saturating_add(other.peak_memory_bytes),
            duration: self.duration.max(other.duration),
        }
    }

    /// Returns the usage of two consecutive calls.
    pub(crate) fn then(self, other: Usage) -> Usage {
        Usage {
            fuel: self.fuel.saturating_add(other.fuel),
            peak_memory_bytes: self.peak_memory_bytes.max(other.peak_memory_bytes),
            duration: self.duration.saturating_add(other.duration),
        }
    }
}

/// Values that a function returned.
#[derive(Debug)]
pub struct Returned {
    /// Result of the function, if it has one. A table, which stays in the host, is an index into `tables`.
    pub value: Option<Val>,
    /// Tables of the result.
    pub tables: Vec<Table>,
}

/// Result of a call, its usage and the text that the guest printed. All three are present whether or not it succeeded.
#[derive(Debug)]
pub struct CallOutput<R> {
    /// The result or the error.
    pub result: Result<R>,
    /// Resources that the call used.
    pub usage: Usage,
    /// Standard output and standard error.
    pub printed: String,
}

impl<R> CallOutput<R> {
    /// Applies `next` to the result.
    pub fn and_then<S>(self, next: impl FnOnce(R) -> Result<S>) -> CallOutput<S> {
        let CallOutput { result, usage, printed } = self;
        CallOutput { result: result.and_then(next), usage, printed }
    }

    /// Returns the output of a call that never ran.
    #[cold]
    pub fn failed(error: Error) -> CallOutput<R> {
        CallOutput { result: Err(error), usage: Usage::default(), printed: String::new() }
    }
}

/// Work to run with an instance.
pub trait Body<T: 'static, R>:
    for<'a> FnOnce(
    &'a mut Store<T>,
    Instance,
) -> Pin<Box<dyn Future<Output = wasmtime::Result<R>> + Send + 'a>>
{
}

impl<T: 'static, R, F> Body<T, R> for F where
    F: for<'a> FnOnce(
        &'a mut Store<T>,
        Instance,
    ) -> Pin<Box<dyn Future<Output = wasmtime::Result<R>> + Send + 'a>>
{
}

/// Plugin with resolved imports. A cheap handle; every call gets an instance of its own, unless it is made in a [`Resident`].
pub struct Prepared<T: 'static> {
    engine: Engine,
    pre: InstancePre<T>,
    /// Host memory of an instance in addition to its memories and tables; see [`Plugin::instance_bytes`].
    instance_bytes: u64,
}

impl<T: 'static> Clone for Prepared<T> {
    fn clone(&self) -> Self {
        Prepared {
            instance_bytes: self.instance_bytes,
            engine: self.engine.clone(),
            pre: self.pre.clone(),
        }
    }
}

impl Engine {
    /// Returns an empty linker, to test what a capability links.
    pub(crate) fn linker<T: StoreData>(&self) -> Linker<T> {
        Linker::new(&self.inner.wasmtime)
    }

    /// Resolves a plugin's imports: a minimal WASI, and what `capabilities` links.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - an import is not available or has another type than the host's.
    pub(crate) fn prepare<T: StoreData>(
        &self,
        plugin: &Plugin,
        capabilities: impl FnOnce(&mut Linker<T>) -> wasmtime::Result<()>,
    ) -> Result<Prepared<T>> {
        let mut linker = Linker::new(&self.inner.wasmtime);
        let linked = wasi::link(&mut linker, &plugin.component)
            .and_then(|()| capabilities(&mut linker))
            .and_then(|()| linker.instantiate_pre(&plugin.component));
        let pre = linked.map_err(|error| {
            Error::new(
                ErrorKind::Load,
                format!("the plugin's imports cannot be satisfied: {error:#}"),
            )
            .hint("build the plugin against the `wit` folder of this version of mitt")
        })?;
        Ok(Prepared { engine: self.clone(), pre, instance_bytes: plugin.instance_bytes() })
    }
}

impl<T: StoreData> Prepared<T> {
    /// Returns whether the plugin exports an interface of this name.
    pub fn exports(&self, interface: &str) -> bool {
        self.pre.component().get_export_index(None, interface).is_some()
    }

    /// Returns how many more guests could compute at the moment.
    pub fn free_slots(&self) -> usize {
        self.engine.scheduler().free()
    }

    /// Calls `function` with checked arguments in an instance of its own.
    pub async fn call(
        &self,
        data: T,
        limits: &CallLimits,
        clock: Option<Arc<CallClock>>,
        function: &Function,
        call: TypedCall,
    ) -> CallOutput<Returned> {
        let mut resident = self.resident(data, limits);
        resident.clock = clock;
        resident.call(function, call).await
    }

    /// Creates an instance in a fresh store and runs `body` on it.
    ///
    /// At the deadline the future of `body` is dropped, and with it every host function that it waits for.
    pub async fn enter<R>(
        &self,
        data: T,
        limits: &CallLimits,
        body: impl Body<T, R>,
    ) -> CallOutput<R> {
        self.resident(data, limits).enter(body).await
    }

    /// Returns a store for one instance. The first call in it creates the instance.
    pub fn resident(&self, data: T, limits: &CallLimits) -> Resident<T> {
        let mut store = Store::new(&self.engine.inner.wasmtime, data);
        store.limiter(|data| &mut data.core().limiter);
        store.epoch_deadline_async_yield_and_update(1);
        // Fuel is counted at each yield: otherwise the usage of a cancelled loop would be unknown. Fuel is always configured, so
        // this cannot fail.
        let _ = store.fuel_async_yield_interval(Some(COUNTED_FUEL));
        store.set_hostcall_fuel(usize::try_from(limits.transfer_bytes).unwrap_or(usize::MAX));
        store.set_max_component_handles(usize::try_from(limits.handles).unwrap_or(usize::MAX));
        Resident {
            prepared: self.clone(),
            limits: limits.clone(),
            store,
            instance: None,
            next_time: None,
            clock: None,
            #[cfg(feature = "extism")]
            is_over: false,
        }
    }
}

/// Store with one instance. An ordinary call drops it at its end; otherwise it is kept while handles of its resources live.
///
/// Fuel, wall clock and output are counted anew for each call; memory, tables, instances and handles over the life of the store.
/// After a failed call nothing may be called in it.
pub struct Resident<T: 'static> {
    prepared: Prepared<T>,
    limits: CallLimits,
    store: Store<T>,
    instance: Option<Instance>,
    next_time: Option<Duration>,
    clock: Option<Arc<CallClock>>,
    #[cfg(feature = "extism")]
    is_over: bool,
}

impl<T: StoreData> Resident<T> {
    /// Returns whether this is an instance of the same component.
    pub fn is_of(&self, prepared: &Prepared<T>) -> bool {
        self.prepared.pre.component().image_range() == prepared.pre.component().image_range()
    }

    /// Lowers the wall-clock limit of the next call.
    pub fn limit_time(&mut self, time: Duration) {
        self.next_time = Some(time);
    }

    /// Sets the clock of the next call; time during which it is stopped does not count. Without a clock all time counts.
    pub fn set_clock(&mut self, clock: Option<Arc<CallClock>>) {
        self.clock = clock;
    }

    /// Returns the store's data.
    pub fn data_mut(&mut self) -> &mut T {
        self.store.data_mut()
    }

    /// Calls `function` with checked arguments.
    pub async fn call(&mut self, function: &Function, call: TypedCall) -> CallOutput<Returned> {
        let component = self.prepared.pre.component();
        let export = match &function.instance {
            Some(name) => component
                .get_export_index(None, name)
                .and_then(|instance| component.get_export_index(Some(&instance), &function.name)),
            None => component.get_export_index(None, &function.name),
        };
        let n_results = usize::from(function.result.is_some());
        let (name, function) = (function.name.clone(), function.clone());
        let (mut args, given) = call.into_parts();
        self.enter(move |store, instance| {
            Box::pin(async move {
                let Some(func) = export.and_then(|export| instance.get_func(&mut *store, export))
                else {
                    let message = format!("the component exports no function `{name}`");
                    return Err(Error::new(ErrorKind::Load, message).into());
                };
                let mut results = vec![Val::Bool(false); n_results];
                let handed = tables::hand_in(store, &function, &mut args, &given)?;
                func.call_async(&mut *store, &args, &mut results).await?;
                let mut value = results.pop();
                let tables = match &mut value {
                    Some(value) => tables::take_out(store, &function, value)?,
                    None => Vec::new(),
                };
                handed.take_back(store);
                Ok(Returned { value, tables })
            })
        })
        .await
    }

    /// Calls a function of an Extism plug-in by its name in the plug-in. Returns output bytes, or the bytes of an error.
    #[cfg(feature = "extism")]
    pub async fn call_bytes(
        &mut self,
        function: &str,
        input: Vec<u8>,
    ) -> CallOutput<Result<Vec<u8>, Vec<u8>>> {
        let component = self.prepared.pre.component();
        let plugin = component.get_export_index(None, extism::PLUGIN);
        let name = extism::component_name(function);
        let export = plugin.and_then(|plugin| component.get_export_index(Some(&plugin), &name));
        let (function, is_program) = (function.to_owned(), function == extism::START);
        let called = self.enter(move |store, instance| {
            Box::pin(async move {
                let Some(export) = export else {
                    let message = format!("the plug-in exports no function `{function}`");
                    return Err(Error::new(ErrorKind::Load, message).into());
                };
                let called = instance
                    .get_typed_func::<(&[u8],), (Result<Vec<u8>, Vec<u8>>,)>(&mut *store, export)?;
                match called.call_async(&mut *store, (&input,)).await {
                    Ok((given,)) => Ok((given, false)),
                    Err(error) => error.downcast().map(|Exited { given, .. }| (given, true)),
                }
            })
        });
        let CallOutput { result, usage, printed } = called.await;
        // A program can begin only once, even if it ends without an exit code.
        self.is_over |= is_program || result.as_ref().is_ok_and(|(_, has_exited)| *has_exited);
        CallOutput { result: result.map(|(given, _)| given), usage, printed }
    }

    /// Returns whether the plug-in has exited, after which nothing may be called in it.
    #[cfg(feature = "extism")]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Drops a resource that the instance created, which runs its destructor.
    pub async fn drop_resource(&mut self, resource: ResourceAny) -> CallOutput<()> {
        self.enter(move |store, _| Box::pin(resource.resource_drop_async(store))).await
    }

    /// Runs `body` on the instance, and creates the instance in the first call.
    pub async fn enter<R>(&mut self, body: impl Body<T, R>) -> CallOutput<R> {
        let clock = self.clock.take();
        let span = Span::begin(clock.as_deref());
        let _ticking = self.prepared.engine.ticking();
        if let Err(error) = self.store.set_fuel(self.limits.fuel) {
            return CallOutput::failed(Error::bug(format!("fuel is not configured: {error}")));
        }
        self.store.set_epoch_deadline(1);
        self.store.data_mut().core().begin_call();
        let (pre, store, known) = (&self.prepared.pre, &mut self.store, &mut self.instance);
        let instance_bytes = self.prepared.instance_bytes;
        let time = self.next_time.take().unwrap_or(self.limits.time).min(self.limits.time);
        let done = {
            let work = pin!(async {
                let instance = match *known {
                    Some(instance) => instance,
                    None => {
                        // Charged before the instance exists, because wasmtime asks no limiter for this memory.
                        store.data_mut().core().limiter.charge_instance(instance_bytes)?;
                        *known.insert(pre.instantiate_async(&mut *store).await?)
                    }
                };
                body(store, instance).await
            });
            // The clock keeps running while other guests have their turn.
            let work = pin!(scheduler::in_turn(work));
            span.within(time, work).await
        };
        let duration = span.ran();
        let result = match done {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(self.classify(error)),
            None => {
                let limit = millis(time);
                Err(Error::limit(Resource::Time, limit, millis(duration)))
            }
        };
        let usage = Usage {
            fuel: self
                .limits
                .fuel
                .saturating_sub(self.store.get_fuel().unwrap_or(0))
                .saturating_add(self.store.data_mut().core().host_fuel()),
            peak_memory_bytes: self.store.data_mut().core().limiter.peak_memory_bytes(),
            duration,
        };
        let printed = self.store.data_mut().core().output().take_text();
        CallOutput { result, usage, printed }
    }

    /// Classifies an error from wasmtime: Mitt's own error, a limit, or a trap.
    fn classify(&mut self, error: wasmtime::Error) -> Error {
        let limits = &self.limits;
        if let Some(LimitReached(limit)) = error.downcast_ref::<LimitReached>() {
            return Error::reached(limit.clone());
        }
        let error = match error.downcast::<Error>() {
            Ok(error) => return error,
            Err(error) => error,
        };
        match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => return Error::limit(Resource::Fuel, limits.fuel, limits.fuel),
            Some(Trap::StackOverflow) => {
                let bytes = self.prepared.engine.stack_bytes();
                return Error::limit(Resource::Stack, bytes, bytes);
            }
            _ => {}
        }
        if let Some(ResourceTableError::Full) = error.downcast_ref::<ResourceTableError>() {
            return Error::limit(Resource::Handles, limits.handles, limits.handles + 1);
        }
        let text = format!("{:#}", error);
        if let Some(error) = untyped_limit(&text, limits) {
            return error;
        }
        let exited = error.downcast_ref::<I32Exit>().map(|exit| exit.0);
        #[cfg(feature = "extism")]
        let exited = exited.or_else(|| error.downcast_ref().map(|Exited { code, .. }| *code));
        let what = match exited {
            Some(code) => format!("it exited with code {code}"),
            None => match error.downcast_ref::<Trap>() {
                Some(trap) => trap.to_string(),
                None => text,
            },
        };
        match self.store.data_mut().core().output().last_error() {
            Some(said) => {
                Error::new(ErrorKind::Trap, format!("the plugin crashed: {what}; it said: {said}"))
                    .kept_as(format!("the plugin crashed: {what}"))
            }
            None => {
                let message = format!("the plugin crashed: {what}");
                Error::new(ErrorKind::Trap, message.clone()).kept_as(message)
            }
        }
    }
}

/// Some limits of wasmtime end a store with only an error text; `tests/it/adversarial.rs` tests each of them.
fn untyped_limit(text: &str, limits: &CallLimits) -> Option<Error> {
    let limit = |what, limit: u64| Some(Error::limit(what, limit, limit.saturating_add(1)));
    if text.contains("store handle limit exceeded") {
        return limit(Resource::Handles, limits.handles);
    }
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        return limit(Resource::Transfer, limits.transfer_bytes);
    }
    let (_, counted) = text.split_once("resource limit exceeded: ")?;
    match counted.split(' ').next()? {
        "memory" => limit(Resource::Memories, limits.instances),
        "table" => limit(Resource::Tables, limits.instances),
        _ => limit(Resource::Instances, limits.instances),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
