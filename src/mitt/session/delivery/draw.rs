//! What a format of files must say of itself to be delivered, and what it gets to be drawn.
//!
//! Knows places for blocking work and the pictures of a session. Does not know formats.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::state::Delivery;
use crate::check::Check;
use crate::engine::CallClock;
use crate::host::{Blocking, INLINE_BYTES, Permit, RENDERING};
use mitt_base::Result;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_render::{Cancel, LeftOut, SheetRows};

/// File that a plugin described, in one format.
pub(super) trait Deliver: Send {
    /// Returns the bytes that it occupies until it is drawn.
    fn bytes(&self) -> u64;

    /// Returns whether the guard needs so long for it that the check is blocking work.
    fn is_long(&self) -> bool {
        self.bytes() > INLINE_BYTES
    }

    /// Redacts its source, and the tree that is drawn. Returns what was left out of the tree. `account` is charged for copies.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`](mitt_base::ErrorKind::Blocked) - a rule that blocks found something in it.
    fn redact(&mut self, check: &mut Check, account: &Account, cancel: &Cancel) -> Result<LeftOut>;

    /// Returns its text if it is delivered as it is.
    fn plain_text(&mut self) -> Option<&mut String> {
        None
    }

    /// Returns the template that it is made from; `None` for a new file.
    fn template(&mut self) -> Option<TemplateSlot<'_>> {
        None
    }

    /// Draws the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments), [`ErrorKind::Input`](mitt_base::ErrorKind::Input),
    /// [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - the guest may handle it. Any other error ends the call.
    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>>;
}

/// Kind of template.
pub(super) struct TemplateType {
    /// Name of the kind for people.
    pub(super) name: &'static str,
    pub(super) extensions: [&'static str; 2],
}

/// Template of a file: its name in the session, and the place for its bytes.
pub(super) struct TemplateSlot<'a> {
    pub(super) name: &'a str,
    pub(super) kind: &'static TemplateType,
    pub(super) bytes: &'a mut Option<Arc<[u8]>>,
}

/// A rendered file.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) content: Vec<u8>,
    pub(super) warnings: Vec<String>,
    /// Number of pages, if known.
    pub(super) pages: Option<u64>,
    /// Rows of each sheet, for a new workbook.
    pub(super) sheets: Vec<SheetRows>,
    /// Picture of the first page, if one was requested.
    pub(super) preview: Option<Vec<u8>>,
    /// Charge for the source of the file, until the file is written.
    pub(super) kept: Option<Charge>,
}

impl Rendered {
    pub(super) fn new(content: Vec<u8>, warnings: Vec<String>, kept: Option<Charge>) -> Rendered {
        Rendered { content, warnings, kept, ..Rendered::default() }
    }
}

/// Settings for rendering one file.
#[derive(Default)]
pub(in crate::session) struct Rendering {
    /// Clock of the call.
    pub(in crate::session) clock: Option<Arc<CallClock>>,
    /// Creation time that the file states; `None` for the time of the host.
    pub(in crate::session) created: Option<Duration>,
    pub(in crate::session) rows: Rows,
}

/// What one file is drawn with.
pub(super) struct Drawing {
    pub(super) delivery: Arc<Delivery>,
    /// Clock of the call.
    pub(super) clock: Option<Arc<CallClock>>,
    /// Creation time that the file states.
    pub(super) created: Duration,
    pub(super) rows: Rows,
    /// Places of the tree that the guard left out.
    pub(super) left_out: LeftOut,
    /// Account of the call.
    pub(super) memory: Account,
    /// Charge for the source of the file. It moves into the work, which may outlive its caller.
    pub(super) kept: Charge,
}

impl Drawing {
    /// Waits for a place for blocking work, as [`Delivery::acquire_permit`] does.
    pub(super) async fn acquire_permit(&self) -> Result<Permit> {
        self.delivery.acquire_permit(self.clock.as_ref()).await
    }
}

impl Delivery {
    /// Waits for a place for blocking work: rendering computes for up to seconds and must not block the executor's threads. The
    /// work holds the place until it ends, even if the call has been dropped. The clock of the call stands still while it waits,
    /// since the guest does not cause the wait.
    pub(super) async fn acquire_permit(&self, clock: Option<&Arc<CallClock>>) -> Result<Permit> {
        let _stopped = clock.map(CallClock::stop);
        self.blocking().acquire(self.context.tenant()).await
    }

    /// Returns the places for blocking work.
    pub(super) fn blocking(&self) -> &Blocking {
        self.context.host().blocking()
    }

    /// Does `work` for a file in the place of `permit`.
    pub(super) async fn rendered<R: Send + 'static>(
        &self,
        permit: Permit,
        work: impl FnOnce(Cancel) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        self.blocking().here(RENDERING, permit, work).await
    }
}
