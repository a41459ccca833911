//! Running one call: a fresh store under limits, one deadline for all of it, and a count of what it used.

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
use super::{tables, turns, wasi};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Resource, Result};
use mitt_table::Table;
use mitt_wit::value::{Function, TypedCall};

/// How much fuel is used up at most before it is counted; about a hundredth of a second.
const COUNTED_FUEL: u64 = 40_000_000;

/// What a call used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Fuel, about one unit per instruction.
    pub fuel: u64,
    /// Most memory at any time, in bytes: linear memories, and what the host keeps for instances.
    pub peak_memory_bytes: u64,
    /// Wall clock, host functions included. Loading the plugins that it calls and decisions of people do not count.
    pub duration: Duration,
}

impl Usage {
    /// What two calls at the same time used.
    pub(crate) fn beside(self, other: Usage) -> Usage {
        Usage {
            fuel: self.fuel.saturating_add(other.fuel),
            peak_memory_bytes: self.peak_memory_bytes.saturating_add(other.peak_memory_bytes),
            duration: self.duration.max(other.duration),
        }
    }

    /// What two calls one after the other used.
    pub(crate) fn then(self, other: Usage) -> Usage {
        Usage {
            fuel: self.fuel.saturating_add(other.fuel),
            peak_memory_bytes: self.peak_memory_bytes.max(other.peak_memory_bytes),
            duration: self.duration.saturating_add(other.duration),
        }
    }
}

/// What a function gave.
#[derive(Debug)]
pub(crate) struct Returned {
    /// Its result, if it has one. A table that stays in the host is a number among `tables`.
    pub value: Option<Val>,
    pub tables: Vec<Table>,
}

/// How a call ended, what it used and what the guest printed. All three are there whether or not it succeeded.
#[derive(Debug)]
pub(crate) struct CallOutput<R> {
    /// The result, or why there is none.
    pub result: Result<R>,
    /// What it used.
    pub usage: Usage,
    /// Standard output and standard error.
    pub printed: String,
}

impl<R> CallOutput<R> {
    /// With what comes of the result.
    pub(crate) fn and_then<S>(self, next: impl FnOnce(R) -> Result<S>) -> CallOutput<S> {
        let CallOutput { result, usage, printed } = self;
        CallOutput { result: result.and_then(next), usage, printed }
    }

    /// The output of a call that never ran.
    #[cold]
    pub(crate) fn failed(error: Error) -> CallOutput<R> {
        CallOutput { result: Err(error), usage: Usage::default(), printed: String::new() }
    }
}

/// What is done with an instance.
pub(crate) trait Body<T: 'static, R>:
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

/// A plugin whose imports are resolved. A cheap handle; every call gets an instance of its own, unless it is made in a
/// [`Resident`].
pub(crate) struct Prepared<T: 'static> {
    engine: Engine,
    pre: InstancePre<T>,
    /// What an instance takes beside its memories and tables, see [`Plugin::instance_bytes`].
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
    /// A linker with nothing in it, to try what a capability links.
    pub(crate) fn linker<T: StoreData>(&self) -> Linker<T> {
        Linker::new(&self.inner.wasmtime)
    }

    /// Resolve a plugin's imports: WASI in its smallest form, and what `capabilities` links.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - an import is left over or has another type than the host's.
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
    /// Whether the plugin exports an interface of this name.
    pub(crate) fn exports(&self, interface: &str) -> bool {
        self.pre.component().get_export_index(None, interface).is_some()
    }

    /// How many more guests could compute at the moment.
    pub(crate) fn free_slots(&self) -> usize {
        self.engine.turns().free()
    }

    /// Call `function` with arguments that were checked against its types, in an instance of its own.
    pub(crate) async fn call(
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

    /// Make an instance in a fresh store and run `body` on it.
    ///
    /// When the deadline passes, the future of `body` is dropped, and with it every host function that it waits for.
    pub(crate) async fn enter<R>(
        &self,
        data: T,
        limits: &CallLimits,
        body: impl Body<T, R>,
    ) -> CallOutput<R> {
        self.resident(data, limits).enter(body).await
    }

    /// A store for one instance, which is made by the first call in it.
    pub(crate) fn resident(&self, data: T, limits: &CallLimits) -> Resident<T> {
        let mut store = Store::new(&self.engine.inner.wasmtime, data);
        store.limiter(|data| &mut data.core().limiter);
        store.epoch_deadline_async_yield_and_update(1);
        // What a loop has used is counted when it gives way: otherwise little would be known of one that is ended. Fuel is
        // always configured, so that this cannot fail.
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

/// A store with one instance. An ordinary call drops it at its end; it is kept only while handles of its resources live.
///
/// Fuel, wall clock and output are counted anew for each call; memory, tables, instances and handles over the store's
/// life. After a call that failed nothing may be called in it any more.
pub(crate) struct Resident<T: 'static> {
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
    /// Whether this is an instance of the same component.
    pub(crate) fn is_of(&self, prepared: &Prepared<T>) -> bool {
        self.prepared.pre.component().image_range() == prepared.pre.component().image_range()
    }

    /// Lower the wall clock of the next call.
    pub(crate) fn limit_time(&mut self, time: Duration) {
        self.next_time = Some(time);
    }

    /// The clock of the next call, whose stops are not counted. Without one everything is.
    pub(crate) fn set_clock(&mut self, clock: Option<Arc<CallClock>>) {
        self.clock = clock;
    }

    /// The store's data.
    pub(crate) fn data_mut(&mut self) -> &mut T {
        self.store.data_mut()
    }

    /// Call `function` with arguments that were checked against its types.
    pub(crate) async fn call(
        &mut self,
        function: &Function,
        call: TypedCall,
    ) -> CallOutput<Returned> {
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

    /// Call a function of a plug-in of Extism, by its name there: from bytes to bytes, or to the bytes of an error.
    #[cfg(feature = "extism")]
    pub(crate) async fn call_bytes(
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
        // A program can begin once only, also where it comes to its end without an exit code.
        self.is_over |= is_program || result.as_ref().is_ok_and(|(_, has_exited)| *has_exited);
        CallOutput { result: result.map(|(given, _)| given), usage, printed }
    }

    /// Whether the plug-in has ended itself, by an exit code: nothing may be called in it any more.
    #[cfg(feature = "extism")]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Drop a resource that the instance gave out, which runs its destructor.
    pub(crate) async fn drop_resource(&mut self, resource: ResourceAny) -> CallOutput<()> {
        self.enter(move |store, _| Box::pin(resource.resource_drop_async(store))).await
    }

    /// Run `body` on the instance, which the first call makes.
    pub(crate) async fn enter<R>(&mut self, body: impl Body<T, R>) -> CallOutput<R> {
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
                        // Before anything of it is there: wasmtime asks no limiter for this part.
                        store.data_mut().core().limiter.charge_instance(instance_bytes)?;
                        *known.insert(pre.instantiate_async(&mut *store).await?)
                    }
                };
                body(store, instance).await
            });
            // Outside of it the clock runs on while others have their turn.
            let work = pin!(turns::in_turn(work));
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

    /// Which of the three classes an error out of wasmtime belongs to: our own error, a limit, or a trap.
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

/// Some of wasmtime's limits end a store with nothing but a text; `tests/it/adversarial.rs` holds each of them.
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
