//! How a session is opened: its options, and the order in which its parts are made.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::approval::ApprovalGate;
use super::approval_request::Approver;
use super::call::{Calls, Deadline, Inner};
use super::content::Content;
use super::context::{ContextParts, SessionContext};
use super::delivery::{Delivery, Target};
use super::event::EventSink;
use super::guard::SessionGuard;
use super::journal::{self, Journal, JournalOptions};
use super::script::Scripts;
use super::session::Session;
use crate::engine::EnvironmentInternal as _;
use crate::host::{Host, SessionBudget};
use mitt_base::Result;
use mitt_base::formulas::Formulas;
use mitt_guard::RuleSet;
use mitt_types::signing::SigningKeys;

/// Tenant of a session that names none.
pub const DEFAULT_TENANT: &str = "local";

/// How a [`Session`] is opened.
#[derive(Clone, Default)]
pub struct SessionOptions {
    /// Tenant that owns the session. It is written to the journal and never shown to a model. Default: `local`.
    pub tenant: Option<String>,
    /// Key that assigns the session to variants of skills in experiments; equal keys get equal variants. Default: a number of the
    /// session.
    pub assignment: Option<String>,
    /// Folder for artifacts and the journal. It is created if missing. It must not be a link; name the target of the link
    /// instead. `None` keeps both in memory.
    pub folder: Option<PathBuf>,
    /// `true` if the folder is created with the first file instead of at once, so that a session that delivers nothing leaves
    /// nothing. The journal up to then is written at that time. Default: `false`.
    pub opens_folder_later: bool,
    /// Wall clock for all calls of the session, from its opening. A call that exceeds it ends with
    /// [`Resource::SessionTime`](mitt_base::Resource::SessionTime), and no attempt begins after it. Default: none.
    pub time: Option<Duration>,
    /// Receives every step, from any thread. [`CallOptions::events`](super::CallOptions::events) receives those of one call.
    pub events: Option<EventSink>,
    /// Decides about calls of tools that are marked `destructive`. Default: none; scripts pause before such calls, and calls by a
    /// model or a user are made.
    pub approver: Option<Arc<dyn Approver>>,
    /// `true` if Word files, workbooks and presentations are kept in addition to their documents, at most 32 MiB each, so that
    /// tools can edit them, or fill them as templates. They are charged separately; a file is not kept if there is no memory for
    /// it. Default: `false`.
    pub keeps_sources: bool,
    /// Value that an embedder's capabilities find as [`CallContext::extension`](crate::CallContext::extension) in calls of the
    /// session. Default: none.
    pub extension: Option<Arc<dyn Any + Send + Sync>>,
    /// How fields of CSV files are handled that a spreadsheet would calculate. Default: the setting of the
    /// [host](crate::HostBuilder::csv_formulas).
    pub csv_formulas: Option<Formulas>,
    /// Keys that tools may sign with. A model chooses among their names, and never sees a key. Default: those of the
    /// [host](crate::HostBuilder::signing_keys).
    pub signing_keys: Option<SigningKeys>,
    /// Rules about content for this session, beside those of the host and the tenant; no set weakens another one. Default: none.
    pub rules: Vec<RuleSet>,
}

impl Host {
    /// Opens a session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - its folder cannot be created or written to.
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - its rules and those of the host have too many words.
    pub fn session(&self, options: SessionOptions) -> Result<Session> {
        let limits = self.session_limits();
        let now = options.folder.as_deref().filter(|_| !options.opens_folder_later);
        let folder = now.map(journal::open).transpose()?;
        let tenant = options.tenant.unwrap_or_else(|| DEFAULT_TENANT.into());
        let budget = SessionBudget::new(self.budget_of(&tenant), self.memory_limits());
        let journal_options = JournalOptions {
            file_bytes: limits.journal_bytes,
            full_texts: self.has_full_journals(),
            key: self.environment().secret()?,
        };
        let journal = Journal::open(folder.as_deref(), journal_options, &budget.account)?;
        // Must be the first entry, which identifies a journal.
        journal.opened(&tenant, self.environment().now());
        let own = journal::recover(
            folder.as_deref(),
            &journal,
            limits.artifact_bytes,
            self.environment().now(),
        );
        let later = options.folder.filter(|_| options.opens_folder_later);
        let number = self.next_session();
        let context = Arc::new(SessionContext::new(ContextParts {
            host: self.clone(),
            assignment: options.assignment.unwrap_or_else(|| number.to_string()),
            tenant,
            number,
            extension: options.extension,
            budget,
            journal,
            events: options.events,
            rules: options.rules,
            signing_keys: options.signing_keys.unwrap_or_else(|| self.signing_keys()),
        })?);
        let guard = SessionGuard::new(context.clone());
        let content = Arc::new(Content::new(context.clone(), guard.clone(), options.keeps_sources));
        let delivery = Delivery::new(
            context.clone(),
            guard.clone(),
            content.clone(),
            Target { folder, own, later },
            options.csv_formulas.unwrap_or(self.csv_formulas()),
        );
        let deadline = options.time.map(Deadline::after);
        let inner = Inner {
            guard,
            content,
            delivery: Arc::new(delivery),
            approvals: ApprovalGate::new(context.clone(), options.approver),
            scripts: Scripts::new(context.clone()),
            calls: Calls::new(limits.handles, deadline, self.environment().random()),
            agents: AtomicU64::new(0),
            context,
        };
        Ok(Session::new(Arc::new(inner)))
    }
}
