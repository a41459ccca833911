//! Files from Markdown, and templates, without a host.

use std::sync::LazyLock;

use mitt::{Error, ErrorKind};
use mitt_c::binding::{self, CancelObject, Made, Problem, caught};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use tokio::runtime::{Builder, Runtime};

use crate::bridge::{Bridge, Outcome, entry};

/// Threads that make files: as many at once as there are processors, the others wait.
static THREADS: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).max_blocking_threads(most).thread_name("mitt-files").build()
});

/// Starts to make a file from Markdown.
#[napi]
pub fn render(
    bridge: &Bridge,
    id: u32,
    format: String,
    markdown: String,
    options: String,
) -> napi::Result<()> {
    start(bridge, id, move |flag| binding::render(&format, &markdown, &options, Some(flag)))
}

/// Starts to fill a template.
#[napi]
pub fn fill(
    bridge: &Bridge,
    id: u32,
    template: Buffer,
    values: String,
    options: String,
) -> napi::Result<()> {
    let template = template.to_vec();
    start(bridge, id, move |flag| binding::fill(&template, &values, &options, Some(flag)))
}

fn start(
    bridge: &Bridge,
    id: u32,
    work: impl FnOnce(&CancelObject) -> Result<Made, Problem> + Send + 'static,
) -> napi::Result<()> {
    let runtime = entry(|| {
        THREADS.as_ref().map_err(|error| {
            let message = format!("threads cannot be started: {error}");
            Error::new(ErrorKind::Host, message).into()
        })
    })?;
    let environment = bridge.environment.clone();
    let flag = environment.begin(id);
    runtime.spawn_blocking(move || {
        let outcome = match caught(|| work(&flag)) {
            Ok(made) => Outcome::Made(made.bytes, made.report.to_string()),
            Err(problem) => problem.into(),
        };
        environment.done(id, outcome);
    });
    Ok(())
}
