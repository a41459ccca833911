//! For whom a document is read: the owner of the session, or a call.

use super::super::call_id::CallId;
use super::super::event::Event;
use mitt_base::rows::Rows;
use mitt_skill::Registry;

/// Owner of the session, or a call, that adds a document.
pub(in crate::session) trait Requester: Sync {
    /// Returns the call that adds the document; `None` for the owner of the session. A call already has a place, and computes for
    /// the session.
    fn call(&self) -> Option<CallId>;

    /// Sends an event to those who listen to the requester.
    fn emit(&self, event: &Event);

    /// Returns the skills that the requester sees, among them the readers.
    fn registry(&self) -> Registry;

    /// Returns a reporter of the rows that are read from the file `name`.
    fn rows_read(&self, name: String) -> Rows;
}
