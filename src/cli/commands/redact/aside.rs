//! A session in which a file is redacted and searched. Fresh ones print no events: those of the reader came before, and those of the
//! tool may quote what is removed.

use super::super::pdf_file::PdfFile;
use super::super::work::{Work, eprint_text};
use crate::interrupt::unless_interrupted;
use crate::progress::Progress;
use mitt::{CallReport, DocumentOptions, Session, SessionOptions};
use mitt_base::Result;

/// The name of the redacted file in a fresh session.
const NAME: &str = "redacted";

/// A session with its progress.
pub(super) struct Aside {
    pub(super) session: Session,
    progress: Progress,
}

impl Aside {
    /// Returns the session of `work`.
    pub(super) fn of(work: &Work) -> Aside {
        Aside { session: work.session.clone(), progress: work.progress.clone() }
    }

    /// Opens a fresh session of the same host.
    ///
    /// # Errors
    ///
    /// Those of [`mitt::Host::session`].
    pub(super) fn fresh(&self) -> Result<Aside> {
        let options = SessionOptions { keeps_sources: true, ..SessionOptions::default() };
        let session = self.session.host().session(options)?;
        Ok(Aside { session, progress: self.progress.clone() })
    }

    /// Reads a redacted file.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document_bytes_with`]. [`Cancelled`](mitt_base::ErrorKind::Cancelled) - a signal came.
    pub(super) async fn read(&self, content: &[u8], extension: &str) -> Result<PdfFile> {
        let name = format!("{NAME}.{extension}");
        let mut options = DocumentOptions::default();
        // A scan has no text, which is no reason against it.
        options.keeps_unread = true;
        self.progress.call_it("reading the new file again".to_owned());
        let read = self.session.add_document_bytes_with(&name, content.to_vec(), &options);
        let read = unless_interrupted(read).await;
        self.progress.finish();
        let document = read?.map_err(|error| {
            let hint = "nothing is written, because the new file cannot be read again as a proof";
            error.at("the redacted file").hint(hint)
        })?;
        // A redacted file has no password.
        Ok(PdfFile { name: document.name.clone(), password: None })
    }

    /// Calls a tool, and shows `doing` meanwhile.
    ///
    /// # Errors
    ///
    /// [`Cancelled`](mitt_base::ErrorKind::Cancelled) - a signal came. The error of the tool is in the report.
    pub(super) async fn call(
        &self,
        tool: &str,
        doing: String,
        arguments: &str,
    ) -> Result<CallReport> {
        self.progress.call_it(doing);
        let ended = unless_interrupted(self.session.call(tool, arguments)).await;
        self.progress.finish();
        let report = ended?;
        eprint_text(&report.printed);
        Ok(report)
    }
}
