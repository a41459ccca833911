//! Admission: limits how many calls, or jobs of another kind, run at once, and decides which one is next.
//!
//! Knows tenants by name and sessions by number, and nothing of what a call does. Places go to tenants in turn, so a tenant with
//! many waiting calls delays another tenant by one place. Within a tenant, a place goes to the session that runs the fewest
//! calls, so the steps of a long plan do not delay a short question. Within a session, calls are served in order of arrival.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::pace::{CallTime, Pace};
use mitt_base::limits::ConcurrencyLimits;
use mitt_base::{Error, ErrorKind, Result, lock};

/// Bounds of the time after which a refused caller is advised to come back.
const RETRY_AFTER: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(60)];

/// Session number of jobs that belong to no session.
const NO_SESSION: u64 = 0;

/// Places of a host. A cheap handle.
#[derive(Clone, Debug)]
pub struct Admission {
    /// Name of what is admitted, for messages.
    what: &'static str,
    limits: ConcurrencyLimits,
    state: Arc<Mutex<State>>,
}

/// Invariant whenever the lock is free: no tenant is in `turns` while a place is free.
#[derive(Debug)]
struct State {
    running: u64,
    // Only tenants with running or waiting calls.
    tenants: BTreeMap<Arc<str>, Tenant>,
    // Tenants that have waiting calls and may run another one, in the order of their turns; each once.
    turns: VecDeque<Arc<str>>,
    last_waiter: u64,
    call_time: CallTime,
}

#[derive(Debug, Default)]
struct Tenant {
    running: u64,
    waiting: u64,
    // Only sessions with running or waiting calls.
    sessions: BTreeMap<u64, Calls>,
    // Number of calls that have begun.
    begun: u64,
    in_turns: bool,
    // Set while some of its calls wait.
    pace: Option<Pace>,
}

/// Calls of one session.
#[derive(Debug, Default)]
struct Calls {
    running: u64,
    // Value of `begun` when the session's latest call began.
    last: u64,
    // By number, which is the order of arrival.
    waiting: BTreeMap<u64, oneshot::Sender<()>>,
}

impl Tenant {
    /// Notes that a call of the session begins to run.
    fn begin(&mut self, session: u64) {
        self.running += 1;
        self.begun += 1;
        let calls = self.sessions.entry(session).or_default();
        calls.running += 1;
        calls.last = self.begun;
    }

    fn end(&mut self, session: u64) {
        self.running -= 1;
        if let Some(calls) = self.sessions.get_mut(&session) {
            calls.running -= 1;
        }
        self.forget_idle(session);
    }

    fn wait(&mut self, session: u64, waiter: u64, sender: oneshot::Sender<()>) {
        self.waiting += 1;
        self.sessions.entry(session).or_default().waiting.insert(waiter, sender);
    }

    /// Removes a waiting call. Returns whether it was still waiting.
    fn leave(&mut self, session: u64, waiter: u64) -> bool {
        let calls = self.sessions.get_mut(&session);
        let was_waiting = calls.is_some_and(|calls| calls.waiting.remove(&waiter).is_some());
        self.waiting -= u64::from(was_waiting);
        self.forget_idle(session);
        was_waiting
    }

    /// Returns the call that is next: of the sessions with the fewest running calls, the one whose latest call began first; of
    /// its calls, the one that has waited longest.
    fn next(&mut self) -> Option<(u64, oneshot::Sender<()>)> {
        let first = |(session, calls): (&u64, &Calls)| {
            let (waiter, _) = calls.waiting.first_key_value()?;
            Some((calls.running, calls.last, *waiter, *session))
        };
        let (.., session) = self.sessions.iter().filter_map(first).min()?;
        let (_, sender) = self.sessions.get_mut(&session)?.waiting.pop_first()?;
        self.waiting -= 1;
        Some((session, sender))
    }

    fn forget_idle(&mut self, session: u64) {
        let is_idle = |calls: &Calls| calls.running == 0 && calls.waiting.is_empty();
        if self.sessions.get(&session).is_some_and(is_idle) {
            self.sessions.remove(&session);
        }
    }
}

impl Admission {
    /// Creates places. `what` names what is admitted, in the plural: `calls`.
    pub fn new(what: &'static str, mut limits: ConcurrencyLimits) -> Admission {
        // Without any place nothing would ever run.
        limits.total = limits.total.max(1);
        limits.per_tenant = limits.per_tenant.max(1);
        let state = State {
            running: 0,
            tenants: BTreeMap::new(),
            turns: VecDeque::new(),
            last_waiter: 0,
            call_time: CallTime::default(),
        };
        Admission { what, limits, state: Arc::new(Mutex::new(state)) }
    }

    pub(crate) fn limits(&self) -> &ConcurrencyLimits {
        &self.limits
    }

    /// Waits for a place. Dropping the returned [`Permit`] frees it; dropping the future leaves the queue.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] - the tenant's queue is full, or no place became free in time.
    pub async fn acquire(&self, tenant: &str) -> Result<Permit> {
        self.acquire_for(tenant, NO_SESSION).await
    }

    /// Like [`Admission::acquire`], for a session of the tenant.
    ///
    /// # Errors
    ///
    /// Those of [`Admission::acquire`].
    pub(crate) async fn acquire_for(&self, tenant: &str, session: u64) -> Result<Permit> {
        let (mut permit, granted) = self.request(tenant, session)?;
        if let Some(granted) = granted {
            match tokio::time::timeout(self.limits.wait, granted).await {
                Ok(Ok(())) => permit.since = Instant::now(),
                // Dropping the place leaves the queue, or returns what was granted at this very moment.
                _ => return Err(self.waited_too_long(tenant)),
            }
        }
        Ok(permit)
    }

    /// Like [`Admission::acquire`], but blocks the thread, without a limit of time.
    pub(crate) fn acquire_blocking(&self, tenant: &str) -> Result<Permit> {
        let (mut permit, granted) = self.request(tenant, NO_SESSION)?;
        if let Some(granted) = granted {
            // The sender is dropped only with the waiting place itself, which is alive here.
            let _ = wait(granted);
            permit.since = Instant::now();
        }
        Ok(permit)
    }

    /// Returns a place, or one in the queue with a receiver that signals when the place is granted.
    fn request(
        &self,
        tenant: &str,
        session: u64,
    ) -> Result<(Permit, Option<oneshot::Receiver<()>>)> {
        let mut state = self.state();
        let name: Arc<str> = match state.tenants.get_key_value(tenant) {
            Some((name, _)) => name.clone(),
            None => tenant.into(),
        };
        let is_free = state.running < self.limits.total;
        let known = state.tenants.entry(name.clone()).or_default();
        let permit = |waiter| {
            let (admission, tenant) = (self.clone(), name.clone());
            Permit { admission, tenant, session, waiter, since: Instant::now(), run_time: None }
        };
        // While a place is free, no tenant below its own limit has waiting calls.
        if is_free && known.running < self.limits.per_tenant {
            known.begin(session);
            state.running += 1;
            return Ok((permit(None), None));
        }
        let waiting = known.waiting;
        if waiting >= self.limits.queue {
            let after = self.retry_after(&state, tenant);
            state.forget_idle(&name);
            let what = self.what;
            let message = format!(
                "too many {what}: {waiting} of tenant `{tenant}` are waiting, which is the most"
            );
            return Err(busy(message, after));
        }
        let (sender, granted) = oneshot::channel();
        state.last_waiter += 1;
        let waiter = state.last_waiter;
        if let Some(known) = state.tenants.get_mut(&name) {
            known.pace.get_or_insert_with(|| Pace::new(Instant::now()));
            known.wait(session, waiter, sender);
        }
        state.take_turn(&name, self.limits.per_tenant);
        Ok((permit(Some(waiter)), Some(granted)))
    }

    #[cold]
    fn waited_too_long(&self, tenant: &str) -> Error {
        let after = self.retry_after(&self.state(), tenant);
        let waited = self.limits.wait.as_millis();
        let what = self.what;
        busy(format!("too many {what}: no place became free within {waited} ms"), after)
    }

    /// Returns when the waiting calls of the tenant are likely to have begun, at the rate at which its queue moves.
    fn retry_after(&self, state: &State, tenant: &str) -> Duration {
        let at_once = self.limits.per_tenant.min(self.limits.total);
        let usual = (state.call_time.get(), at_once);
        let now = Instant::now();
        // A tenant without waiting calls has no rate: a place becomes free after one call.
        let none = (0, &Pace::new(now));
        let known = state.tenants.get(tenant);
        let (waiting, pace) =
            known.and_then(|known| Some((known.waiting, known.pace.as_ref()?))).unwrap_or(none);
        pace.time_for(waiting, now, usual).clamp(RETRY_AFTER[0], RETRY_AFTER[1])
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No foreign code runs under the lock, so a panic cannot leave the state inconsistent.
        lock(&self.state)
    }

    /// Returns how many calls run and how many wait.
    #[cfg(test)]
    fn counts(&self) -> (u64, u64) {
        let state = self.state();
        let waiting = state.tenants.values().map(|tenant| tenant.waiting).sum();
        (state.running, waiting)
    }
}

/// Blocks this thread until `future` is done. The channel's own blocking receive panics on threads of an executor, even if the
/// program has nothing else to do.
fn wait<F: Future + Unpin>(mut future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Unpark>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match Pin::new(&mut future).poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cold]
fn busy(message: String, retry_after: Duration) -> Error {
    let hint = format!("retry after {} ms", retry_after.as_millis());
    Error::new(ErrorKind::Busy { retry_after }, message).hint(hint)
}

impl State {
    /// Puts a tenant at the end of the turns, if it has waiting calls and may run another one.
    fn take_turn(&mut self, name: &Arc<str>, per_tenant: u64) {
        if let Some(tenant) = self.tenants.get_mut(name)
            && !tenant.in_turns
            && tenant.waiting > 0
            && tenant.running < per_tenant
        {
            tenant.in_turns = true;
            self.turns.push_back(name.clone());
        }
    }

    /// Removes a tenant that has no calls.
    fn forget_idle(&mut self, name: &Arc<str>) {
        let is_idle = |tenant: &Tenant| {
            // A name stays while it is in `turns`, so that it is in there only once.
            tenant.running == 0 && tenant.waiting == 0 && !tenant.in_turns
        };
        if self.tenants.get(name).is_some_and(is_idle) {
            self.tenants.remove(name);
        }
    }

    /// Gives free places to the tenants whose turn it is.
    fn grant(&mut self, limits: &ConcurrencyLimits) {
        while self.running < limits.total {
            let Some(name) = self.turns.pop_front() else { return };
            let Some(tenant) = self.tenants.get_mut(&name) else { continue };
            tenant.in_turns = false;
            let Some((session, sender)) = tenant.next() else {
                // All waiting calls were dropped.
                self.forget_idle(&name);
                continue;
            };
            tenant.begin(session);
            self.running += 1;
            // If the receiver is gone, its `Permit` is being dropped, which returns the place.
            let _ = sender.send(());
            self.take_turn(&name, limits.per_tenant);
        }
    }
}

/// Place among the running calls, or in the queue for one.
#[derive(Debug)]
pub struct Permit {
    admission: Admission,
    tenant: Arc<str>,
    session: u64,
    // Number of the place while it waits. It runs once the queue no longer knows the number.
    waiter: Option<u64>,
    since: Instant,
    // Run time of the call, if it is less than the time since the grant.
    run_time: Option<Duration>,
}

impl Permit {
    /// Sets the run time of the call itself. Other time, such as for compiling a component, says nothing about calls that wait.
    pub(crate) fn set_run_time(&mut self, time: Duration) {
        self.run_time = Some(time);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let limits = &self.admission.limits;
        let mut state = self.admission.state();
        let Some(tenant) = state.tenants.get_mut(&self.tenant) else { return };
        if self.waiter.is_some_and(|waiter| tenant.leave(self.session, waiter)) {
            if tenant.waiting == 0 {
                tenant.pace = None;
            }
            state.forget_idle(&self.tenant);
            return;
        }
        tenant.end(self.session);
        match &mut tenant.pace {
            Some(_) if tenant.waiting == 0 => tenant.pace = None,
            Some(pace) => pace.ended(Instant::now()),
            None => {}
        }
        state.running -= 1;
        state.call_time.add(self.run_time.unwrap_or_else(|| self.since.elapsed()));
        state.take_turn(&self.tenant, limits.per_tenant);
        state.forget_idle(&self.tenant);
        state.grant(limits);
    }
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod tests;
