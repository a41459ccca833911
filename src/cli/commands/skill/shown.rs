//! Shows progress while a component is compiled, which can take a minute.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use crate::output::Output;
use crate::progress::Progress;
use mitt::skill::{Compiling, CompilingSink};
use mitt_base::lock;

/// Runs `work` on the skill in `folder`, and shows its progress: with a spinner on a terminal, otherwise with a line on
/// standard error. `doing` is the verb at the beginning.
pub(super) fn shown<R>(
    output: &Output,
    doing: &str,
    folder: &Path,
    work: impl FnOnce(CompilingSink<'_>) -> R,
) -> R {
    let progress = Progress::new(output.is_quiet());
    let name = folder.display().to_string();
    progress.doing(&format!("{doing} {name}"));
    let since = Mutex::new(None);
    let done = work(&|it: Compiling| {
        lock(&since).get_or_insert_with(Instant::now);
        progress.compiling(&name, it.elapsed, it.usual);
    });
    if let Some(since) = *lock(&since) {
        progress.compiled(&name, since.elapsed());
    }
    progress.finish();
    done
}
