//! Loading of a skill's plugin: it is loaded once for all callers that wait for it, each of which waits for a limited time.
//!
//! Loading continues when no caller waits any more, since compiling may take longer than a call may. If a component cannot be
//! compiled, the error is remembered, because another attempt would fail in the same way. If compiling took too long or was ended
//! from outside, the machine may have been busy, so it is tried again after a pause.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use mitt_base::{Error, ErrorKind, Resource, Result, lock, panics};
use mitt_engine::{ComponentSummary, Plugin, PluginBytes};

/// Time after which a caller should ask again for a component that is being compiled.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Least time before a compilation that took too long, or was ended from outside, is tried again. If compilations may take longer
/// than this, the pause is as long, so that a component that never finishes takes at most half of a place.
const PAUSE: Duration = Duration::from_secs(60);

/// Reason why there is no plugin.
pub(super) enum NotLoaded {
    /// The component could not be read. It may be readable the next time.
    Read(Error),
    /// The component was read but could not be compiled.
    Compiled(Error),
}

/// Interval of the notices to waiting callers that a component is still being compiled.
pub(super) const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// Progress of compiling a component that a caller waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiling {
    /// Time since it began.
    pub elapsed: Duration,
    /// Usual duration, about, on an idle machine with two processors.
    pub usual: Duration,
}

/// Called when a component that a caller waits for must be compiled: at once, and then every two seconds.
pub type CompilingSink<'a> = &'a (dyn Fn(Compiling) + Send + Sync);

/// Stage of loading.
#[derive(Clone)]
enum Stage {
    /// The component is read and looked up in the cache.
    Reading,
    /// The component is being compiled, since this time.
    Compiling(Instant),
    /// Loading ended with this result. If the component was compiled, the time at which that began.
    Ended(Result<Plugin>, Option<Instant>),
}

/// Through this, the loading code reports whether the component must be compiled.
pub(super) struct LoadProgress(watch::Sender<Stage>);

impl LoadProgress {
    pub(super) fn compiling(&self, compiling: bool) {
        self.0.send_replace(if compiling {
            Stage::Compiling(Instant::now())
        } else {
            Stage::Reading
        });
    }
}

/// Plugin, and whether it was compiled for this load.
#[derive(Debug)]
pub(super) struct LoadedPlugin {
    pub(super) plugin: Plugin,
    pub(super) is_compiled: bool,
}

/// How long a caller waits for a plugin.
#[derive(Clone, Copy)]
pub(super) struct Patience<'a> {
    /// How long this caller waits.
    pub(super) wait: Duration,
    /// How long compiling may take.
    pub(super) time: Duration,
    /// How long compiling usually takes, about.
    pub(super) usual: Duration,
    /// Receives the progress.
    pub(super) on_compiling: CompilingSink<'a>,
}

/// Plugin that is loaded when it is first needed.
#[derive(Default)]
pub(super) struct Loading {
    state: Mutex<State>,
    /// Component that was inspected, until it is loaded: its file may have changed by then.
    looked_at: Mutex<Option<PluginBytes>>,
}

#[derive(Default)]
enum State {
    #[default]
    Unloaded,
    Underway(watch::Receiver<Stage>),
    Loaded(Plugin),
    /// Loading failed and would fail again, at least until the given time.
    Failed(Error, Option<Instant>),
}

/// How long an error is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorMemory {
    Not,
    For(Duration),
    Always,
}

impl ErrorMemory {
    /// Returns how long to remember the error of a component that may be compiled for `time`.
    fn of(error: &Error, time: Duration) -> ErrorMemory {
        match error.kind() {
            ErrorKind::Limit(limit) if limit.what == Resource::Time => {
                ErrorMemory::For(time.max(PAUSE))
            }
            ErrorKind::Limit(_) | ErrorKind::Load => ErrorMemory::Always,
            // The compiler panicked, or its worker crashed.
            ErrorKind::Host if error.is_bug() => ErrorMemory::Always,
            // The system or an operator ended the worker.
            ErrorKind::Host if error.is_retryable() => ErrorMemory::For(time.max(PAUSE)),
            // No place or worker is available at the moment, so the next call may try again.
            _ => ErrorMemory::Not,
        }
    }
}

impl Loading {
    /// Returns the plugin. `load` loads it on a thread where it may block, unless that was done or is in progress.
    ///
    /// # Errors
    ///
    /// The errors of `load`; [`ErrorKind::Busy`] - it takes longer than this caller waits, and continues.
    pub(super) async fn get(
        self: &Arc<Loading>,
        patience: Patience<'_>,
        load: impl FnOnce(&LoadProgress) -> Result<Plugin, NotLoaded> + Send + 'static,
    ) -> Result<LoadedPlugin> {
        let stages = match self.begin(patience.time, load) {
            Ok(loaded) => return loaded.map(|plugin| LoadedPlugin { plugin, is_compiled: false }),
            Err(stages) => stages,
        };
        let ended = Loading::ended(stages, patience);
        match tokio::time::timeout(patience.wait, ended).await {
            Ok(ended) => ended,
            Err(_) => Err(still_underway(patience.wait)),
        }
    }

    /// Waits for the result.
    async fn ended(
        mut stages: watch::Receiver<Stage>,
        patience: Patience<'_>,
    ) -> Result<LoadedPlugin> {
        let report = |since: Instant| {
            (patience.on_compiling)(Compiling { elapsed: since.elapsed(), usual: patience.usual });
        };
        let mut is_reported = false;
        loop {
            let stage = stages.borrow_and_update().clone();
            // The executor may end and drop the work.
            let next = stages.changed();
            match stage {
                Stage::Ended(ended, since) => {
                    // It was too short for the progress to be seen.
                    since.filter(|_| !is_reported).into_iter().for_each(report);
                    return ended
                        .map(|plugin| LoadedPlugin { plugin, is_compiled: since.is_some() });
                }
                Stage::Reading => next.await.map_err(|_| given_up())?,
                Stage::Compiling(since) => {
                    report(since);
                    is_reported = true;
                    if let Ok(changed) = tokio::time::timeout(PROGRESS_EVERY, next).await {
                        changed.map_err(|_| given_up())?;
                    }
                }
            }
        }
    }

    /// Returns facts about the component that need no native code; from the plugin, if it is loaded.
    ///
    /// # Errors
    ///
    /// The errors of `summarize`.
    pub(super) async fn summary(
        self: &Arc<Loading>,
        time: Duration,
        summarize: impl FnOnce() -> Result<ComponentSummary, NotLoaded> + Send + 'static,
    ) -> Result<ComponentSummary> {
        match &*self.state() {
            State::Loaded(plugin) => return Ok(ComponentSummary::of(plugin.clone())),
            State::Failed(error, None) => return Err(error.clone()),
            State::Failed(..) | State::Underway(_) | State::Unloaded => {}
        }
        let loading = self.clone();
        let summarize = move || {
            let summary = caught(summarize).map_err(|not_loaded| {
                let (error, state) = State::after(not_loaded, time);
                loading.keep(state);
                error
            })?;
            if let Some(plugin) = &summary.plugin {
                loading.keep(State::Loaded(plugin.clone()));
            }
            Ok(summary)
        };
        tokio::task::spawn_blocking(summarize).await.map_err(|_| given_up())?
    }

    /// Keeps a component that was inspected and is not loaded yet.
    pub(super) fn keep_component(&self, bytes: PluginBytes) {
        // A loaded component is not needed again.
        if matches!(*self.state(), State::Unloaded) {
            *lock(&self.looked_at) = Some(bytes);
        }
    }

    /// Takes the component that was inspected.
    pub(super) fn take_component(&self) -> Option<PluginBytes> {
        lock(&self.looked_at).take()
    }

    /// Stores a state that was found without loading, unless loading was begun.
    fn keep(&self, found: State) {
        let mut state = self.state();
        if matches!(*state, State::Unloaded) {
            *state = found;
        }
    }

    /// Returns the known result, or the channel that will receive it, after beginning to load if necessary.
    fn begin(
        self: &Arc<Loading>,
        time: Duration,
        load: impl FnOnce(&LoadProgress) -> Result<Plugin, NotLoaded> + Send + 'static,
    ) -> Result<Result<Plugin>, watch::Receiver<Stage>> {
        let mut state = self.state();
        match &*state {
            State::Loaded(plugin) => return Ok(Ok(plugin.clone())),
            State::Failed(error, until) if until.is_none_or(|until| Instant::now() < until) => {
                return Ok(Err(error.clone()));
            }
            // Unless the executor that was loading it has ended.
            State::Underway(stages) if stages.has_changed().is_ok() => {
                return Err(stages.clone());
            }
            State::Underway(_) | State::Unloaded | State::Failed(..) => {}
        }
        let (sender, stages) = watch::channel(Stage::Reading);
        *state = State::Underway(stages.clone());
        drop(state);
        let loading = self.clone();
        let load = move || {
            let progress = LoadProgress(sender);
            let ended = loading.end(caught(|| load(&progress)), time);
            let since = match *progress.0.borrow() {
                Stage::Compiling(since) => Some(since),
                Stage::Reading | Stage::Ended(..) => None,
            };
            // There may be no receiver any more.
            progress.0.send_replace(Stage::Ended(ended, since));
        };
        // Not awaited: it continues for the next caller if the first one is gone.
        drop(tokio::task::spawn_blocking(load));
        Err(stages)
    }

    /// Stores the result of loading.
    fn end(&self, ended: Result<Plugin, NotLoaded>, time: Duration) -> Result<Plugin> {
        let (ended, state) = match ended {
            Ok(plugin) => (Ok(plugin.clone()), State::Loaded(plugin)),
            Err(not_loaded) => {
                let (error, state) = State::after(not_loaded, time);
                (Err(error), state)
            }
        };
        *self.state() = state;
        ended
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one assignment.
        lock(&self.state)
    }
}

impl State {
    /// Returns the error, and the state that remembers it.
    fn after(not_loaded: NotLoaded, time: Duration) -> (Error, State) {
        let (error, memory) = match not_loaded {
            NotLoaded::Read(error) => (error, ErrorMemory::Not),
            NotLoaded::Compiled(error) => {
                let memory = ErrorMemory::of(&error, time);
                (error, memory)
            }
        };
        match memory {
            ErrorMemory::Not => (error, State::Unloaded),
            ErrorMemory::Always => (error.clone(), State::Failed(error, None)),
            ErrorMemory::For(pause) => {
                let seconds = pause.as_secs();
                let hint = format!("it is compiled again by the first call after {seconds} s");
                let error = error.hint(hint);
                (error.clone(), State::Failed(error, Instant::now().checked_add(pause)))
            }
        }
    }
}

/// Runs `work`. A panic becomes an error that is remembered.
fn caught<R>(work: impl FnOnce() -> Result<R, NotLoaded>) -> Result<R, NotLoaded> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(NotLoaded::Compiled(panics::noticed("loading a plugin"))))
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
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use mitt_base::{Limit, Resource};
    use mitt_engine::{Engine, EngineOptions};

    /// Returns the smallest possible component.
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
            move |_: &LoadProgress| {
                times.fetch_add(1, Ordering::SeqCst);
                let _ = held.lock().unwrap().recv();
                plugin()
            }
        };
        // Callers without time get an error at once; the first of them has begun to load.
        for wait in [0, 1, 20] {
            let error =
                loading.get(waiting(Duration::from_millis(wait)), load()).await.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error:?}");
            assert!(error.to_string().contains("still being compiled"), "{error:?}");
        }
        // Cancelled callers do not stop the loading.
        let cancelled = tokio::time::timeout(
            Duration::from_millis(5),
            loading.get(waiting(Duration::MAX), load()),
        );
        assert!(cancelled.await.is_err());
        let many: Vec<_> = (0..8)
            .map(|_| {
                let (loading, load) = (loading.clone(), load());
                tokio::spawn(
                    async move { loading.get(waiting(Duration::MAX), load).await.map(drop) },
                )
            })
            .collect();
        release.send(()).unwrap();
        for one in many {
            one.await.unwrap().unwrap();
        }
        loading.get(waiting(Duration::ZERO), load()).await.unwrap();
        assert_eq!(times.load(Ordering::SeqCst), 1);
    }

    const WAIT: Duration = Duration::from_secs(60);
    const TIME: Duration = Duration::from_secs(300);

    fn waiting(wait: Duration) -> Patience<'static> {
        Patience { wait, time: TIME, usual: Duration::from_secs(7), on_compiling: &|_| () }
    }

    #[tokio::test]
    async fn who_waits_is_told_that_it_is_compiled_and_nobody_who_finds_it() {
        let loading = Arc::<Loading>::default();
        let notices = Mutex::new(Vec::new());
        let report = |compiling: Compiling| notices.lock().unwrap().push(compiling);
        let patience = Patience { on_compiling: &report, ..waiting(WAIT) };
        let (release, held) = std::sync::mpsc::channel::<()>();
        let first = loading.get(patience, move |progress| {
            progress.compiling(true);
            let _ = held.recv();
            plugin()
        });
        let after = async {
            while notices.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            // A caller that only inspects does not wait for it.
            let summary = loading.summary(TIME, || {
                let interface = Arc::default();
                Ok(ComponentSummary { interface, needs: Vec::new(), plugin: None })
            });
            assert!(summary.await.unwrap().plugin.is_none());
            release.send(()).unwrap();
        };
        let (loaded, ()) = tokio::join!(first, after);
        assert!(loaded.unwrap().is_compiled);
        assert_eq!(notices.lock().unwrap()[0].usual, Duration::from_secs(7));
        notices.lock().unwrap().clear();
        loading.get(patience, |_| unreachable!("loaded already")).await.unwrap();
        assert!(loading.summary(TIME, || unreachable!("known")).await.unwrap().plugin.is_some());
        let read = Arc::<Loading>::default();
        assert!(!read.get(patience, |_| plugin()).await.unwrap().is_compiled);
        assert!(notices.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_cannot_be_read_as_a_component_is_not_looked_at_again() {
        let loading = Arc::<Loading>::default();
        let refused = || Err(NotLoaded::Compiled(Error::new(ErrorKind::Load, "no component")));
        assert!(loading.summary(TIME, refused).await.is_err());
        assert!(loading.summary(TIME, || unreachable!("remembered")).await.is_err());
        assert!(loading.get(waiting(WAIT), |_| unreachable!("remembered")).await.is_err());
    }

    /// Returns what a second call gets after this result of the first one: a remembered error, or the plugin.
    async fn after(first: impl FnOnce() -> Result<Plugin, NotLoaded> + Send + 'static) -> String {
        let loading = Arc::<Loading>::default();
        let first_error = loading.get(waiting(WAIT), move |_| first()).await.unwrap_err();
        let again = loading.get(waiting(WAIT), |_| plugin()).await;
        let remembered = match again {
            Ok(_) => "forgotten",
            Err(error) => {
                assert_eq!(
                    (error.kind(), error.render()),
                    (first_error.kind(), first_error.render())
                );
                "remembered"
            }
        };
        // A pause that is over has no effect.
        if let State::Failed(_, Some(until)) = &mut *loading.state() {
            assert!(*until > Instant::now() + TIME / 2);
            *until = Instant::now();
        }
        match loading.get(waiting(WAIT), |_| plugin()).await {
            Ok(_) => format!("{remembered}, then loaded: {}", first_error.render()),
            Err(_) => format!("{remembered}: {}", first_error.render()),
        }
    }

    #[tokio::test]
    async fn what_would_fail_again_is_remembered_and_what_is_retryable_is_tried_again() {
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

        for passes in [limit(Resource::Time), host().retryable(true)] {
            let outcome = compiled(passes).await;
            assert!(outcome.starts_with("remembered, then loaded: "), "{outcome}");
            assert!(outcome.contains("compiled again by the first call after 300 s"), "{outcome}");
        }
    }
}
