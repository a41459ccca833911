//! Loading the plugin of a skill: it is loaded once for all callers who wait for it, and each of them waits for a bounded time.
//!
//! Loading goes on when nobody waits for it any more, since compiling may take longer than a call may. When a component cannot be
//! compiled, the failure is remembered: another attempt would fail in the same way. If compiling took too long or was ended from
//! outside, the machine may have been busy; then it is tried again after a pause.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::engine::Plugin;
use mitt_base::{Error, ErrorKind, Resource, Result, lock, panics};

/// When to ask again for a component that is being compiled.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Least time until a compilation that took too long, or was ended from outside, is tried again. What may be compiled for
/// longer waits for as long, so that a component that never ends takes half of a place at most.
const PAUSE: Duration = Duration::from_secs(60);

/// Why there is no plugin.
pub(super) enum NotLoaded {
    /// It could not be read. A file that could not be read for a moment can be read the next time.
    Read(Error),
    /// What was read cannot be compiled, or was not this time.
    Compiled(Error),
}

/// How loading ended; none while it goes on.
type Outcome = Option<Result<Plugin>>;

/// A plugin that is loaded when it is first needed.
#[derive(Default)]
pub(super) struct Loading {
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Unloaded,
    Underway(watch::Receiver<Outcome>),
    Loaded(Plugin),
    /// It would fail again, at least until then.
    Failed(Error, Option<Instant>),
}

/// For how long a failure is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Not,
    For(Duration),
    Always,
}

impl Memory {
    /// Of what became of a component that may be compiled for `time`.
    fn of(error: &Error, time: Duration) -> Memory {
        match error.kind() {
            ErrorKind::Limit(limit) if limit.what == Resource::Time => Memory::For(time.max(PAUSE)),
            ErrorKind::Limit(_) | ErrorKind::Load => Memory::Always,
            // The compiler panicked, or the worker in which it was crashed.
            ErrorKind::Host if error.is_bug() => Memory::Always,
            // A worker that the system or an operator has ended.
            ErrorKind::Host if error.may_pass() => Memory::For(time.max(PAUSE)),
            // There is no place or no worker at the moment: the next call may try again.
            _ => Memory::Not,
        }
    }
}

impl Loading {
    /// The plugin; `load` makes it, on a thread where it may block, unless that is done or going on already. Compiling may take
    /// `time`.
    ///
    /// # Errors
    ///
    /// As `load`; [`ErrorKind::Busy`] - it takes longer than `wait`, and goes on.
    pub(super) async fn get(
        self: &std::sync::Arc<Loading>,
        wait: Duration,
        time: Duration,
        load: impl FnOnce() -> Result<Plugin, NotLoaded> + Send + 'static,
    ) -> Result<Plugin> {
        let mut outcome = match self.begin(time, load) {
            Ok(loaded) => return loaded,
            Err(outcome) => outcome,
        };
        let ended = tokio::time::timeout(wait, outcome.wait_for(Option::is_some)).await;
        match ended {
            Ok(Ok(outcome)) => match &*outcome {
                Some(loaded) => loaded.clone(),
                None => Err(given_up()),
            },
            // The executor ends, and drops what was still to be done.
            Ok(Err(_)) => Err(given_up()),
            Err(_) => Err(still_underway(wait)),
        }
    }

    /// What is known already, or where the outcome will be told.
    fn begin(
        self: &std::sync::Arc<Loading>,
        time: Duration,
        load: impl FnOnce() -> Result<Plugin, NotLoaded> + Send + 'static,
    ) -> Result<Result<Plugin>, watch::Receiver<Outcome>> {
        let mut state = self.state();
        match &*state {
            State::Loaded(plugin) => return Ok(Ok(plugin.clone())),
            State::Failed(error, until) if until.is_none_or(|until| Instant::now() < until) => {
                return Ok(Err(error.clone()));
            }
            // Unless the executor that was to load it has ended.
            State::Underway(outcome) if outcome.has_changed().is_ok() => {
                return Err(outcome.clone());
            }
            State::Underway(_) | State::Unloaded | State::Failed(..) => {}
        }
        let (sender, outcome) = watch::channel(None);
        *state = State::Underway(outcome.clone());
        drop(state);
        let loading = self.clone();
        let load = move || {
            let ended = catch_unwind(AssertUnwindSafe(load))
                .unwrap_or_else(|_| Err(NotLoaded::Compiled(panics::noticed("loading a plugin"))));
            // Nobody may be waiting any more.
            let _ = sender.send(Some(loading.end(ended, time)));
        };
        // Not awaited: it goes on for the next one when the first one has gone.
        drop(tokio::task::spawn_blocking(load));
        Err(outcome)
    }

    /// Keep what loading came to.
    fn end(&self, ended: Result<Plugin, NotLoaded>, time: Duration) -> Result<Plugin> {
        let (error, memory) = match ended {
            Ok(plugin) => {
                *self.state() = State::Loaded(plugin.clone());
                return Ok(plugin);
            }
            Err(NotLoaded::Read(error)) => (error, Memory::Not),
            Err(NotLoaded::Compiled(error)) => {
                let memory = Memory::of(&error, time);
                (error, memory)
            }
        };
        let (error, state) = match memory {
            Memory::Not => (error, State::Unloaded),
            Memory::Always => (error.clone(), State::Failed(error, None)),
            Memory::For(pause) => {
                let seconds = pause.as_secs();
                let hint = format!("it is compiled again by the first call after {seconds} s");
                let error = error.hint(hint);
                (error.clone(), State::Failed(error, Instant::now().checked_add(pause)))
            }
        };
        *self.state() = state;
        Err(error)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one assignment.
        lock(&self.state)
    }
}

#[cold]
fn given_up() -> Error {
    Error::new(ErrorKind::Host, "loading a plugin was given up")
}

#[cold]
fn still_underway(wait: Duration) -> Error {
    let message = format!(
        "the component is still being compiled, {} ms after it was asked for",
        wait.as_millis()
    );
    Error::new(ErrorKind::Busy { retry_after: RETRY_AFTER }, message).hint(format!(
        "it goes on and is done once for all calls: retry after {} ms, or call another tool meanwhile",
        RETRY_AFTER.as_millis()
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::engine::{Engine, EngineOptions, PluginBytes};
    use mitt_base::{Limit, Resource};

    /// The smallest component there is.
    fn plugin() -> Result<Plugin, NotLoaded> {
        let bytes = wat::parse_str("(component)").unwrap();
        let engine = Engine::new(EngineOptions::default()).unwrap();
        engine.load(&PluginBytes::Wasm(bytes.into())).map_err(NotLoaded::Compiled)
    }

    #[tokio::test]
    async fn it_is_loaded_once_for_all_who_wait_and_goes_on_for_the_next_one() {
        let loading = Arc::<Loading>::default();
        let times = Arc::<AtomicU64>::default();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let load = || {
            let (times, held) = (times.clone(), held.clone());
            move || {
                times.fetch_add(1, Ordering::SeqCst);
                let _ = held.lock().unwrap().recv();
                plugin()
            }
        };
        // Those who have no time leave with a reason, at once; the first of them has begun it.
        for wait in [0, 1, 20] {
            let error = loading.get(Duration::from_millis(wait), TIME, load()).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error:?}");
            assert!(error.to_string().contains("still being compiled"), "{error:?}");
        }
        // And those who are cancelled end nothing.
        let cancelled = tokio::time::timeout(
            Duration::from_millis(5),
            loading.get(Duration::MAX, TIME, load()),
        );
        assert!(cancelled.await.is_err());
        let many: Vec<_> = (0..8)
            .map(|_| {
                let (loading, load) = (loading.clone(), load());
                tokio::spawn(async move { loading.get(Duration::MAX, TIME, load).await.map(drop) })
            })
            .collect();
        release.send(()).unwrap();
        for one in many {
            one.await.unwrap().unwrap();
        }
        loading.get(Duration::ZERO, TIME, load()).await.unwrap();
        assert_eq!(times.load(Ordering::SeqCst), 1);
    }

    const WAIT: Duration = Duration::from_secs(60);
    const TIME: Duration = Duration::from_secs(300);

    /// What a second call gets after the first one got this: an error from memory, or the plugin.
    async fn after(first: impl FnOnce() -> Result<Plugin, NotLoaded> + Send + 'static) -> String {
        let loading = Arc::<Loading>::default();
        let told = loading.get(WAIT, TIME, first).await.unwrap_err();
        let again = loading.get(WAIT, TIME, plugin).await;
        let remembered = match again {
            Ok(_) => "forgotten",
            Err(error) => {
                assert_eq!((error.kind(), error.render()), (told.kind(), told.render()));
                "remembered"
            }
        };
        // A pause that is over is no reason any more.
        if let State::Failed(_, Some(until)) = &mut *loading.state() {
            assert!(*until > Instant::now() + TIME / 2);
            *until = Instant::now();
        }
        match loading.get(WAIT, TIME, plugin).await {
            Ok(_) => format!("{remembered}, then loaded: {}", told.render()),
            Err(_) => format!("{remembered}: {}", told.render()),
        }
    }

    #[tokio::test]
    async fn what_would_fail_again_is_remembered_and_what_may_pass_is_tried_again() {
        let compiled = |error: Error| after(move || Err(NotLoaded::Compiled(error)));
        let limit = |what| Error::reached(Limit::new(what, 1, 2)).hint("h");
        let load = || Error::new(ErrorKind::Load, "no").caused_by(std::io::Error::other("x"));
        let host = || Error::new(ErrorKind::Host, "a worker");

        let read = after(move || Err(NotLoaded::Read(load()))).await;
        assert_eq!(read, format!("forgotten, then loaded: {}", load().render()));
        let busy = Error::new(ErrorKind::Busy { retry_after: Duration::ZERO }, "busy");
        assert!(compiled(busy).await.starts_with("forgotten, then loaded: "));
        assert!(compiled(host()).await.starts_with("forgotten, then loaded: "));

        let memory = compiled(limit(Resource::Memory)).await;
        assert_eq!(memory, format!("remembered: {}", limit(Resource::Memory).render()));
        assert_eq!(compiled(load()).await, format!("remembered: {}", load().render()));
        assert!(compiled(Error::bug("it crashed").at("b")).await.starts_with("remembered: "));
        let panicked = after(|| panic!("on purpose")).await;
        assert!(panicked.starts_with("remembered: loading a plugin ended by"), "{panicked}");

        for passes in [limit(Resource::Time), host().passing(true)] {
            let told = compiled(passes).await;
            assert!(told.starts_with("remembered, then loaded: "), "{told}");
            assert!(told.contains("compiled again by the first call after 300 s"), "{told}");
        }
    }
}
