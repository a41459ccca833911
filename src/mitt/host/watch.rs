//! Reloads skills when their folders change.
//!
//! The operating system reports that something changed, but rarely what; [`Host::reload`] finds out.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::{RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::shared::Host;
use mitt_base::{Error, ErrorKind, Result};

/// How long nothing must have changed before the skills are reloaded: editors and compilers write in several steps.
const QUIET: Duration = Duration::from_millis(150);
/// Longest delay of a reload while changes continue.
const LONGEST: Duration = Duration::from_secs(2);

/// Watches the folders of a host's skills until it is dropped.
#[derive(Debug)]
pub struct Watch {
    // Holds the watcher.
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Host {
    /// Reloads the skills whenever their folders change, and the rules about content when their files do, until the returned
    /// [`Watch`] is dropped. First loads the plugins of all enabled skills, so that the versions in use survive any change of the
    /// files.
    ///
    /// Changes are reported when they have stopped for 150 ms, or after 2 s at the latest; see [`Host::changes`]. Must be called
    /// within a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the operating system refuses to watch the folders.
    pub async fn watch(&self) -> Result<Watch> {
        let refused = |error: notify::Error| {
            Error::new(ErrorKind::Host, "the folders of skills cannot be watched")
                .hint("raise the system's limit of watches, or reload by hand")
                .caused_by(error)
        };
        let changed = Arc::new(Notify::new());
        let bell = changed.clone();
        // An error, such as an overflowed queue, means that something changed, too.
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                if !event.is_ok_and(|event| event.kind.is_access()) {
                    bell.notify_one();
                }
            })
            .map_err(refused)?;
        for root in self.loader().roots() {
            watcher.watch(root, RecursiveMode::Recursive).map_err(refused)?;
        }
        arm(&mut watcher, self);
        self.loader().prepare(&self.registry()).await;
        // Changes between loading and watching.
        self.reload().await;
        let host = self.clone();
        let task = tokio::spawn(async move {
            loop {
                changed.notified().await;
                let latest = Instant::now() + LONGEST;
                while Instant::now() < latest && timeout(QUIET, changed.notified()).await.is_ok() {}
                host.reload().await;
                arm(&mut watcher, &host);
                // A program that writes without end must not keep a core busy.
                sleep(QUIET).await;
            }
        });
        Ok(Watch { task })
    }
}

/// Watches the roots, which may have been removed and created again, their parent folders, and the folders of the approvals and
/// of the files of rules. Folders that cannot be watched now are tried again after the next change.
fn arm(watcher: &mut notify::RecommendedWatcher, host: &Host) {
    let parents = host.loader().roots().iter().filter_map(|root| root.parent());
    let approvals = host.loader().approvals_file().and_then(|file| file.parent());
    let rules = host.guards().files().filter_map(|file| file.parent());
    // The parent of a file in the working folder is an empty path.
    let rules =
        rules.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    for folder in parents.chain(approvals).chain(rules).filter(|folder| folder.is_dir()) {
        let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
    }
    for root in host.loader().roots() {
        let _ = watcher.watch(root, RecursiveMode::Recursive);
    }
}
