//! The guard at the edges of a session. Each edge calls one function here; the rules are those of `mitt-guard`.
//!
//! Findings are counted per rule and recorded in the journal, without the text. Redactions appear as warnings of the document or
//! file. Knows no calls: their caller does what follows from a blocked report.

use std::borrow::Cow;
use std::sync::Arc;

use mitt_guard::{Guard, Hit, REDACTED};
use mitt_render::LeftOut;

use super::super::attempt::Attempt;
use super::super::context::SessionContext;
use super::super::report::CallReport;
use crate::check::Check;
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result};

/// Guard of a session: applies the rules of its host and its tenant. It is cheap to clone.
#[derive(Clone)]
pub(in crate::session) struct SessionGuard {
    context: Arc<SessionContext>,
}

impl SessionGuard {
    pub(in crate::session) fn new(context: Arc<SessionContext>) -> SessionGuard {
        SessionGuard { context }
    }

    /// Returns the current rules.
    pub(in crate::session) fn rules(&self) -> Guard {
        self.context.rules()
    }

    /// Returns a check of one document or file; `None` if there are no rules.
    pub(in crate::session) fn check(&self) -> Option<Check> {
        Check::new(&self.rules())
    }

    /// Records the findings of a check of `place` in the journal, if there are any.
    pub(in crate::session) fn note(&self, check: &Check, place: &str) {
        if let Some(details) = check.details(place) {
            self.context.journal().note("guard", details, self.context.now());
        }
    }

    /// Records in the journal what the guard found in `place`.
    pub(in crate::session) fn note_found(&self, hits: &[Hit], place: &str) {
        if hits.is_empty() {
            return;
        }
        if let Some(mut check) = self.check() {
            check.add(hits);
            self.note(&check, place);
        }
    }

    /// Redacts the name of a file, before it appears anywhere.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it. The error does not repeat the name.
    pub(in crate::session) fn name(&self, name: &str) -> Result<String> {
        let mut name = name.to_owned();
        if let Some(mut check) = self.check() {
            check.text(&mut name).map_err(|error| error.at("the name of a file"))?;
            self.note(&check, "the name of a file");
        }
        Ok(name)
    }

    /// Checks an address before anything is requested from it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it.
    pub(in crate::session) fn address(&self, url: &str) -> Result<()> {
        let Some(mut check) = self.check() else { return Ok(()) };
        check.text(&mut url.to_owned()).map_err(|error| error.at("an address"))?;
        self.note(&check, "an address");
        Ok(())
    }

    /// Returns a line such as that of a log without its redacted parts; only the mark if a rule blocks it.
    pub(in crate::session) fn line<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let guard = self.rules();
        guard.apply_read(line).map_or(Cow::Borrowed(REDACTED), |checked| checked.text)
    }

    /// Returns a failed attempt with a redacted error text.
    pub(in crate::session) fn attempt(&self, attempt: &Attempt) -> Attempt {
        let failure = attempt.failure.as_ref();
        let failure = failure.map(|(kind, text)| (*kind, self.line(text).into_owned()));
        Attempt { failure, ..attempt.clone() }
    }

    /// Redacts the source of a file that is delivered: `redact` knows its texts. Returns a warning, and what must be left out of
    /// the tree that is rendered.
    ///
    /// # Errors
    ///
    /// Those of `redact`.
    pub(in crate::session) fn file(
        &self,
        name: &str,
        redact: impl FnOnce(&mut Check) -> Result<LeftOut>,
    ) -> Result<(Option<String>, LeftOut)> {
        let Some(mut check) = self.check() else { return Ok(Default::default()) };
        let place = format!("file `{name}`");
        let left_out = redact(&mut check).map_err(|error| error.at(&place))?;
        self.note(&check, &place);
        Ok((check.warning(), left_out))
    }

    /// Redacts a finished file that was made from a template. Returns a warning if something was left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something in it.
    pub(in crate::session) fn bytes(
        &self,
        file: &mut Vec<u8>,
        name: &str,
        memory: &Account,
    ) -> Result<Option<String>> {
        let Some(mut check) = self.check() else { return Ok(None) };
        let place = format!("file `{name}`");
        if let Some(redacted) =
            check.office(file, Some(memory)).map_err(|error| error.at(&place))?
        {
            *file = redacted;
        }
        self.note(&check, &place);
        Ok(check.warning())
    }

    /// Redacts the report of a root call: result, messages, printed output. If a rule blocks, here or in any inner call,
    /// that error is the whole result. `on_blocked` is called then: a blocked call must not be resumed.
    pub(in crate::session) fn report(&self, report: &mut CallReport, on_blocked: impl FnOnce()) {
        let is_blocked = |error: &&Error| *error.kind() == ErrorKind::Blocked;
        if let Some(error) = report.script_error.take_if(|error| is_blocked(&&*error)) {
            report.result = Err(error);
        }
        let Some(mut check) = self.check() else { return };
        if report.result.as_ref().err().filter(is_blocked).is_none()
            && let Err(error) = check.report(report)
        {
            // If no such tool exists, its name is arbitrary text and may be what was blocked.
            report.result = Err(match report.function {
                Some(_) => error.at(format_args!("tool `{}`", report.tool)),
                None => error.at("the call"),
            });
        }
        if report.result.as_ref().err().filter(is_blocked).is_some() {
            report.script_error = None;
            report.printed.clear();
            on_blocked();
        }
        report.attempts = report.attempts.iter().map(|it| self.attempt(it)).collect();
        self.note(&check, &format!("call {}", report.call.number));
    }
}
