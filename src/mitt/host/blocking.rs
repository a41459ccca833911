//! Blocking work: reading texts, rendering and compiling take long and block their thread. This file decides whose turn it is and
//! where the work is done. A place becomes free only when its work has really ended.
//!
//! Without a worker process, such work cannot be stopped from outside: a thread runs until it checks its cancel flag, or until
//! the limits on its input end it. It holds its place until then, so there are never more threads than places.

use std::sync::Arc;
use std::time::Duration;

use super::admission::{Admission, Permit};
use crate::engine::{
    CompileLocation, Compiler, Engine, EngineInternal as _, EngineOptions, Order, Urgency,
};
use crate::worker::{FillJob, Job, JobEnd, WorkerOptions, Workers};
use mitt_base::limits::{BlockingLimits, ConcurrencyLimits};
use mitt_base::{Error, Result, panics};
use mitt_render::Cancel;

/// Name under which compilation takes turns with the tenants, since it serves all of them. A tenant of this name would only share
/// the turns.
const HOST: &str = "(host)";

/// Content up to this size is processed at once, without a place: that takes a few milliseconds.
pub(crate) const INLINE_BYTES: u64 = 64 * 1024;

/// Name of the work in the error of a panic.
pub(crate) const RENDERING: &str = "rendering";

/// Places for blocking work. A cheap handle.
#[derive(Clone, Debug)]
pub(crate) struct Blocking {
    gate: Admission,
    /// One additional place for ahead-of-time compilation, which therefore never delays work that a caller waits for.
    ahead: Admission,
    limits: Arc<BlockingLimits>,
    workers: Option<Workers>,
}

impl Blocking {
    /// `fonts` are the fonts of the host, in addition to the bundled ones.
    pub(crate) fn new(
        limits: BlockingLimits,
        worker: Option<WorkerOptions>,
        fonts: mitt_render::FontSet,
    ) -> Blocking {
        let BlockingLimits { places, per_tenant, queue, wait, .. } = limits;
        let places_limits = ConcurrencyLimits { total: places, per_tenant, queue, wait };
        let one = ConcurrencyLimits { total: 1, per_tenant: 1, queue: u64::MAX, wait };
        let most = usize::try_from(places.max(1).saturating_add(1)).unwrap_or(usize::MAX);
        Blocking {
            gate: Admission::new(
                "files to read or render and components to compile",
                places_limits,
            ),
            ahead: Admission::new("components to compile ahead", one),
            workers: worker.map(|options| Workers::new(options, most, fonts)),
            limits: Arc::new(limits),
        }
    }

    pub(crate) fn limits(&self) -> &BlockingLimits {
        &self.limits
    }

    /// Waits for a place. The place is freed when the work that it is passed to has ended.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](mitt_base::ErrorKind::Busy) - no place became free in time.
    pub(crate) async fn acquire(&self, tenant: &str) -> Result<Permit> {
        self.gate.acquire(tenant).await
    }

    /// Runs `work` on a thread of this process, and sets its cancel flag when the future is dropped. `doing` names the work in
    /// the error of a panic.
    pub(crate) async fn here<R: Send + 'static>(
        &self,
        doing: &'static str,
        permit: impl Send + 'static,
        work: impl FnOnce(Cancel) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let cancel = Cancel::default();
        let _cancelled_on_drop = CancelOnDrop(cancel.clone());
        let done = tokio::task::spawn_blocking(move || {
            let result = work(cancel);
            // Dropped only now: the work may outlive its caller and needs its place until the end.
            drop(permit);
            result
        });
        done.await.map_err(|_| panics::noticed(doing))?
    }

    /// Typesets Markdown, in a worker if there is one. `permit` is dropped when the work has really ended.
    pub(crate) async fn typeset(
        &self,
        permit: impl Send + 'static,
        (markdown, left_out): (String, mitt_render::LeftOut),
        options: mitt_render::PdfOptions,
    ) -> Result<mitt_render::Pdf> {
        use crate::worker::Page;

        let Some(workers) = &self.workers else {
            let work = move |cancel| typeset_here((&markdown, &left_out), options, cancel);
            return self.here(RENDERING, permit, work).await;
        };
        let page = Page::of(&options).leaving_out(&left_out);
        let memory_bytes = self.limits.render_memory_bytes;
        let job = Job::Typeset { markdown, page, memory_bytes };
        match workers.run(job, self.limits.render_time, Box::new(permit)).await {
            JobEnd::Done(output, bytes) => Ok(output.into_pdf(bytes)),
            JobEnd::Failed(error) => Err(error),
            JobEnd::NoWorker(Job::Typeset { markdown, .. }, guard) => {
                let work = move |cancel| typeset_here((&markdown, &left_out), options, cancel);
                self.here(RENDERING, guard, work).await
            }
            // All kinds of jobs share one way to the workers and back, so the type allows another kind.
            JobEnd::NoWorker(..) => Err(Error::bug("a worker gave back another job")),
        }
    }

    /// Fills a workbook, in a worker if there is one. `permit` is dropped when the work has really ended.
    pub(crate) async fn fill(
        &self,
        permit: impl Send + 'static,
        fill: FillJob,
    ) -> Result<mitt_render::Filled> {
        let Some(workers) = &self.workers else {
            return self.here(RENDERING, permit, move |cancel| fill.carry_out(cancel)).await;
        };
        let memory_bytes = self.limits.render_memory_bytes;
        let job = Job::Fill { fill, memory_bytes };
        match workers.run(job, self.limits.render_time, Box::new(permit)).await {
            JobEnd::Done(output, bytes) => {
                Ok(mitt_render::Filled { bytes, warnings: output.warnings })
            }
            JobEnd::Failed(error) => Err(error),
            JobEnd::NoWorker(Job::Fill { fill, .. }, guard) => {
                self.here(RENDERING, guard, move |cancel| fill.carry_out(cancel)).await
            }
            JobEnd::NoWorker(..) => Err(Error::bug("a worker gave back another job")),
        }
    }
}

fn typeset_here(
    (markdown, left_out): (&str, &mitt_render::LeftOut),
    mut options: mitt_render::PdfOptions,
    cancel: Cancel,
) -> Result<mitt_render::Pdf> {
    let mut doc = mitt_render::markdown_unless(markdown, &cancel)?;
    doc.leave_out(left_out);
    options.common.cancel = cancel;
    mitt_render::pdf(&doc, &options)
}

impl Compiler for Blocking {
    fn compile(
        &self,
        component: &[u8],
        Order { target, urgency }: Order,
    ) -> Result<CompileLocation> {
        let gate = match urgency {
            Urgency::Call => &self.gate,
            Urgency::Ahead => &self.ahead,
        };
        let permit = gate.acquire_blocking(HOST)?;
        let Some(workers) = &self.workers else {
            return Ok(CompileLocation::Here(Box::new(permit)));
        };
        let memory_bytes = self.limits.compile_memory_bytes;
        let job = Job::Compile { component: component.into(), target, memory_bytes };
        match workers.run_blocking(job, self.limits.compile_time, Box::new(permit)) {
            JobEnd::Done(_, code) => Ok(CompileLocation::Elsewhere(code)),
            JobEnd::Failed(error) => Err(error),
            JobEnd::NoWorker(_, guard) => Ok(CompileLocation::Here(guard)),
        }
    }

    fn compile_time(&self) -> Duration {
        self.limits.compile_time
    }

    fn load_wait(&self) -> Duration {
        self.limits.load_wait
    }
}

/// Returns an engine without a host. It compiles as the engine of a host with these workers does.
///
/// # Errors
///
/// Those of [`Engine::new`].
pub fn engine_alone(options: EngineOptions, worker: Option<WorkerOptions>) -> Result<Engine> {
    let blocking =
        Blocking::new(BlockingLimits::default(), worker, mitt_render::FontSet::default());
    Engine::with(options, Some(Arc::new(blocking)))
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Target;

    /// While one side holds its only place, other work of the same kind waits.
    #[test]
    fn what_is_compiled_ahead_takes_no_place_from_what_is_waited_for() {
        let limits = BlockingLimits { places: 1, per_tenant: 1, ..BlockingLimits::default() };
        let blocking = Blocking::new(limits, None, mitt_render::FontSet::default());
        let order = |urgency| Order { target: Target::Native, urgency };
        let compile = |urgency| blocking.compile(b"", order(urgency)).unwrap();
        let ahead = compile(Urgency::Ahead);
        let call = compile(Urgency::Call);
        drop(call);
        let waiting = {
            let blocking = blocking.clone();
            std::thread::spawn(move || blocking.compile(b"", order(Urgency::Ahead)).map(drop))
        };
        // One at a time, and none of them delays a rendering.
        let permit = blocking.gate.acquire_blocking("a").unwrap();
        assert!(!waiting.is_finished());
        drop(ahead);
        waiting.join().unwrap().unwrap();
        drop(permit);
    }
}
