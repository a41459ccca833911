//! The plugin of a skill while it is loaded: once for all who wait, each of whom waits only so long.
//!
//! Loading goes on when nobody waits for it any more, as compiling takes longer than many a call may. A compilation that
//! reached a limit is not tried again by each call: it would reach it again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::engine::Plugin;
use crate::error::ErrorParts;
use crate::{Error, ErrorKind, Result, panics};

/// When to ask again for a component that is being compiled.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// How loading ended; none while it goes on.
type Outcome = Option<Result<Plugin, ErrorParts>>;

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
    /// It would fail again.
    Failed(ErrorParts),
}

impl Loading {
    /// The plugin; `load` makes it, on a thread where it may block, unless that is done or going on already.
    ///
    /// # Errors
    ///
    /// As `load`; [`ErrorKind::Busy`] - it takes longer than `wait`, and goes on.
    pub(super) async fn get(
        self: &std::sync::Arc<Loading>,
        wait: Duration,
        load: impl FnOnce() -> Result<Plugin> + Send + 'static,
    ) -> Result<Plugin> {
        let mut outcome = match self.begin(load) {
            Ok(loaded) => return loaded,
            Err(outcome) => outcome,
        };
        let ended = tokio::time::timeout(wait, outcome.wait_for(Option::is_some)).await;
        match ended {
            Ok(Ok(outcome)) => match &*outcome {
                Some(Ok(plugin)) => Ok(plugin.clone()),
                Some(Err(parts)) => Err(parts.clone().into_error()),
                None => Err(Error::bug("loading a plugin ended without a result")),
            },
            // The executor ends, and drops what was still to be done.
            Ok(Err(_)) => Err(Error::new(ErrorKind::Host, "loading a plugin was given up")),
            Err(_) => Err(still_underway(wait)),
        }
    }

    /// What is known already, or where the outcome will be told.
    fn begin(
        self: &std::sync::Arc<Loading>,
        load: impl FnOnce() -> Result<Plugin> + Send + 'static,
    ) -> Result<Result<Plugin>, watch::Receiver<Outcome>> {
        let mut state = self.state();
        match &*state {
            State::Loaded(plugin) => return Ok(Ok(plugin.clone())),
            State::Failed(parts) => return Ok(Err(parts.clone().into_error())),
            // Unless the executor that was to load it has ended.
            State::Underway(outcome) if outcome.has_changed().is_ok() => {
                return Err(outcome.clone());
            }
            State::Underway(_) | State::Unloaded => {}
        }
        let (sender, outcome) = watch::channel(None);
        *state = State::Underway(outcome.clone());
        drop(state);
        let loading = self.clone();
        // Not awaited: it goes on for the next one when the first one has gone.
        drop(tokio::task::spawn_blocking(move || {
            let result = catch_unwind(AssertUnwindSafe(load))
                .unwrap_or_else(|_| Err(panics::noticed("loading a plugin")));
            let mut state = loading.state();
            let result = match result {
                Ok(plugin) => {
                    *state = State::Loaded(plugin.clone());
                    Ok(plugin)
                }
                Err(error) => {
                    let parts = ErrorParts::of(&error);
                    // A file that could not be read for a moment can be read the next time.
                    *state = match error.limit_reached() {
                        Some(_) => State::Failed(parts.clone()),
                        None => State::Unloaded,
                    };
                    Err(parts)
                }
            };
            drop(state);
            // Nobody may be waiting any more.
            let _ = sender.send(Some(result));
        }));
        Err(outcome)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    use crate::{Limit, Resource};

    /// The smallest component there is.
    fn plugin() -> Result<Plugin> {
        let bytes = wat::parse_str("(component)").unwrap();
        Engine::new(EngineOptions::default())?.load(&PluginBytes::Wasm(bytes.into()))
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
            let error = loading.get(Duration::from_millis(wait), load()).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error:?}");
            assert!(error.to_string().contains("still being compiled"), "{error:?}");
        }
        // And those who are cancelled end nothing.
        let cancelled =
            tokio::time::timeout(Duration::from_millis(5), loading.get(Duration::MAX, load()));
        assert!(cancelled.await.is_err());
        let many: Vec<_> = (0..8)
            .map(|_| {
                let (loading, load) = (loading.clone(), load());
                tokio::spawn(async move { loading.get(Duration::MAX, load).await.map(drop) })
            })
            .collect();
        release.send(()).unwrap();
        for one in many {
            one.await.unwrap().unwrap();
        }
        loading.get(Duration::ZERO, load()).await.unwrap();
        assert_eq!(times.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn only_a_limit_is_remembered() {
        let limit = || Error::reached(Limit::new(Resource::Time, 1, 2)).hint("h");
        let gone = || Error::new(ErrorKind::Load, "no file").caused_by(std::io::Error::other("x"));
        let wait = Duration::from_secs(60);
        let loading = Arc::<Loading>::default();
        let error = loading.get(wait, move || Err(gone())).await.unwrap_err();
        assert_eq!(error.render(), gone().render());
        let error = loading.get(wait, || panic!("on purpose")).await.unwrap_err();
        assert!(
            error.to_string().contains("loading a plugin ended by an internal error"),
            "{error:?}"
        );
        loading.get(wait, plugin).await.unwrap();
        let loading = Arc::<Loading>::default();
        for _ in 0..3 {
            let times = Arc::<AtomicU64>::default();
            let error = loading.get(wait, move || Err(limit())).await.unwrap_err();
            assert_eq!((error.kind(), error.render()), (limit().kind(), limit().render()));
            // Whoever would succeed is not asked.
            let counted = times.clone();
            let again = move || {
                counted.fetch_add(1, Ordering::SeqCst);
                plugin()
            };
            assert_eq!(loading.get(wait, again).await.unwrap_err().kind(), limit().kind());
            assert_eq!(times.load(Ordering::SeqCst), 0);
        }
    }
}
