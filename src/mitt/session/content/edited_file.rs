//! Edited files, which are read like documents so that rules about content see them. Nothing is kept of them.

use std::sync::Arc;

use super::super::compile_progress::CompileProgress;
use super::super::event::Event;
use super::requester::Requester;
use super::state::Content;
use crate::ingest::{self, FileType, PartsBudget, Readers};
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Result};
use mitt_types::Document;

impl Content {
    /// Applies the rules about content to what its reader sees in an edited file. `memory` is charged while it is read. Files
    /// inside of it must be files of the session: those of its documents, its pictures, or artifacts (`is_delivered`).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something.
    /// [`ErrorKind::Input`] - a rule would redact something, or the file cannot be read.
    /// [`ErrorKind::Limit`], [`ErrorKind::Busy`] - the reader reached a limit, or there is no memory for it.
    pub(in crate::session) async fn check_edited_file(
        &self,
        (name, file_type): (&str, &FileType),
        bytes: &[u8],
        memory: &Account,
        call: &dyn Requester,
        is_delivered: &(dyn Fn(&[u8]) -> bool + Sync),
    ) -> Result<()> {
        let file = (name, file_type);
        let read = Box::pin(self.read_edited_file(file, bytes, memory, call, is_delivered));
        let (document, charge) = read.await.map_err(|error| unread(error).at(place_of(name)))?;
        let (guard, name) = (self.guard.clone(), name.to_owned());
        let check = move || {
            let _charge = charge;
            guard.edited_file(&place_of(&name), &document)
        };
        self.elsewhere(check).await
    }

    async fn read_edited_file(
        &self,
        (name, file_type): (&str, &FileType),
        bytes: &[u8],
        memory: &Account,
        call: &dyn Requester,
        is_delivered: &(dyn Fn(&[u8]) -> bool + Sync),
    ) -> Result<(Document, Charge)> {
        let size = bytes.len() as u64;
        // A copy that is shared with the reader's call, which copies it again.
        let _copies = memory.charge(2 * size).map_err(Error::reached)?;
        let bytes: Arc<[u8]> = bytes.into();
        let host = self.context.host();
        let progress = CompileProgress::new(call.call(), |event: &Event| call.emit(event));
        let on_compiling = |skill: &str, compiling| progress.compiling(skill, compiling);
        let registry = call.registry();
        let tables = self.documents.account();
        let rows = Rows::default();
        let budget = PartsBudget::new(host.session_limits().parts.clone(), size);
        let readers = Readers {
            registry: &registry,
            environment: host.environment(),
            limits: &|limits| host.limits_of(limits),
            memory,
            tables: &tables,
            on_compiling: &on_compiling,
            rows: &rows,
            ocr: None,
            budget: &budget,
        };
        let is_checked = |content: &[u8]| self.has_file(content) || is_delivered(content);
        let read = ingest::read_edited(&readers, (name, file_type), bytes, &is_checked).await;
        progress.ended();
        read
    }
}

fn place_of(name: &str) -> String {
    format!("file `{name}`")
}

/// Converts the error of reading an edited file to the error of its delivery. The plugin did not cause a crash of the reader.
fn unread(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Trap => {
            Error::new(ErrorKind::Input, "the file cannot be read, so that no rule can check it")
                .caused_by(error.to_string())
        }
        _ => error.retryable(false),
    }
}
