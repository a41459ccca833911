//! The one error type of all crates.
//!
//! Knows no other module. What a lower layer reported is kept as text or as `source()`; there are no public conversions from
//! the errors of private dependencies.
//!
//! # Who makes which error
//!
//! Code that Mitt calls, such as an implementation of a chat model, makes errors with three constructors:
//! [`Error::model`], [`Error::input`] and [`Error::tool`]. [`Error::hint`], [`Error::remedy`], [`Error::detail`],
//! [`Error::at`], [`Error::caused_by`], [`Error::retryable`] and [`Error::kept_as`] add to them.
//!
//! The other kinds describe what the host did: it refused a call, a limit ended one, or a plugin crashed. Only Mitt's own
//! crates make those. Their constructors are public for these crates but hidden from the documentation, and may change in a
//! minor version.

mod kind;
mod limit;
mod parts;
mod problem;
mod remedy;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use kind::ErrorKind;
pub use limit::{Limit, Resource};
pub use parts::ErrorParts;
pub use problem::InputProblem;
pub use remedy::Remedy;

/// Result of Mitt's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call, a load or a rendering did not finish.
///
/// `Display` is one line. [`Error::render`] adds details, causes and hints, one line each. Both are safe to show to a
/// model or a client: they name documents, tools and skills, and a path only where the caller gave that path.
/// A clone looks the same in every way. The cause is shared, not copied.
///
/// # Example: inspect an error
///
/// ```
/// # extern crate mitt_base as mitt;
/// use mitt::{Error, ErrorKind};
///
/// /// Returns what a program shows to its user.
/// fn advice(error: &Error) -> String {
///     match error.kind() {
///         ErrorKind::Busy { retry_after } => format!("try again in {} s", retry_after.as_secs()),
///         ErrorKind::Limit(limit) => format!("at most {} {}", limit.limit, limit.what.unit()),
///         _ if error.is_retryable() => "try again".to_owned(),
///         _ => error.hints().join("; "),
///     }
/// }
///
/// let error = Error::input("`sales.xlsx` is encrypted").hint("save it without a password");
/// assert_eq!(error.kind(), &ErrorKind::Input);
/// assert_eq!(advice(&error), "save it without a password");
/// ```
///
/// # Example: make an error
///
/// ```
/// # extern crate mitt_base as mitt;
/// use mitt::{Error, ErrorKind};
///
/// let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
/// let error = Error::model("the model cannot be reached")
///     .at("https://models.example.org")
///     .caused_by(reset)
///     .hint("check the address and the network")
///     .retryable(true);
///
/// assert_eq!(error.kind(), &ErrorKind::Model);
/// assert!(error.is_retryable());
/// // One line for a log; the whole text for a reader who can act on it.
/// assert_eq!(error.to_string(), "https://models.example.org: the model cannot be reached");
/// assert_eq!(
///     error.render(),
///     "https://models.example.org: the model cannot be reached
///   cause: connection reset
/// hint: check the address and the network"
/// );
/// // Several callers that waited for the same thing each get a clone.
/// assert_eq!(error.clone().render(), error.render());
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Error>();
};

/// Time after which to try again if other calls hold the memory; most calls take less.
const MEMORY_RETRY: Duration = Duration::from_secs(2);

/// End of the message of a fault in the host itself.
const REPORT: &str = "this is a fault in mitt, please report it";

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    /// Where the error happened, as far as [`Error::at`] said so.
    place: Option<String>,
    /// The message for a journal, without the values that the caller gave.
    kept: Option<String>,
    details: Vec<String>,
    hints: Vec<String>,
    /// The hints that are remedies, each with its position in `hints`.
    remedies: Vec<(usize, Remedy)>,
    is_retryable: bool,
    problem: Option<InputProblem>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// Constructors for every caller. The message is lower case without a final period, and its literals are in backticks.
impl Error {
    /// A model, or a stand-in for one, failed: [`ErrorKind::Model`]. [`Error::retryable`] says whether the same request may
    /// succeed later.
    #[cold]
    pub fn model(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Model, message)
    }

    /// A document or another file from the user is missing, unreadable, damaged or of an unsupported type:
    /// [`ErrorKind::Input`].
    #[cold]
    pub fn input(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Input, message)
    }

    /// A tool ran and could not do what was asked: [`ErrorKind::Plugin`], which is also the kind of errors that plugins
    /// report. [`Error::retryable`] says whether the same call may succeed later.
    ///
    /// The message may quote values of the caller, so a journal keeps only the kind. [`Error::kept_as`] gives it a text that
    /// it may keep.
    #[cold]
    pub fn tool(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Plugin, message)
    }
}

/// Constructors for Mitt's own crates.
impl Error {
    /// Makes an error of `kind` with the message `message`.
    #[doc(hidden)]
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let is_retryable = match &kind {
            ErrorKind::Trap | ErrorKind::Busy { .. } => true,
            // Another session of the tenant may end and free its memory.
            ErrorKind::Limit(limit) => {
                matches!(limit.what, Resource::Time | Resource::TenantMemory)
            }
            _ => false,
        };
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            place: None,
            kept: None,
            details: Vec::new(),
            hints: Vec::new(),
            remedies: Vec::new(),
            is_retryable,
            problem: None,
            source: None,
        }))
    }

    /// A limit was reached.
    #[doc(hidden)]
    #[cold]
    pub fn limit(what: Resource, limit: u64, used: u64) -> Error {
        Error::reached(Limit::new(what, limit, used))
    }

    /// A limit was reached that a lower layer reported.
    #[doc(hidden)]
    #[cold]
    pub fn reached(limit: Limit) -> Error {
        if limit.what == Resource::HostMemory {
            // The message has no numbers: they would show one tenant how much the others use.
            return Error::new(
                ErrorKind::Busy { retry_after: MEMORY_RETRY },
                "the memory of the host is in use",
            )
            .hint("call again later; its operator can raise the limit `host-memory`");
        }
        let (what, message) = (limit.what, limit.to_string());
        let error = Error::new(ErrorKind::Limit(limit), message);
        if what == Resource::Document {
            return error.remedy(Remedy::DocumentSize);
        }
        match what.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// A fault in the host itself, which no caller can have caused.
    #[doc(hidden)]
    #[cold]
    pub fn bug(message: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Host, format!("{message}; {REPORT}"))
    }

    /// Returns `true` if this is a fault in the host itself, perhaps reported by another process.
    #[doc(hidden)]
    pub fn is_bug(&self) -> bool {
        *self.kind() == ErrorKind::Host && self.0.message.ends_with(REPORT)
    }
}

/// Methods that add to an error.
impl Error {
    /// Sets the message for the journal. It must hold nothing that a caller, a document or a plugin gave.
    #[must_use]
    pub fn kept_as(mut self, text: impl Into<String>) -> Error {
        self.0.kept = Some(text.into());
        self
    }

    /// Adds one of several details that the message sums up.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Error {
        self.0.details.push(detail.into());
        self
    }

    /// Adds advice on what to do about the error.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hints.push(hint.into());
        self
    }

    /// Adds advice that reads differently in each interface, in the words of this process: see [`Remedy::text`].
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Error {
        let inner = &mut *self.0;
        inner.hints.push(remedy.text());
        inner.remedies.push((inner.hints.len() - 1, remedy));
        self
    }

    /// Gives each remedy the text that `wording` returns; `None` leaves the text as it is.
    #[must_use]
    pub fn reworded(mut self, wording: impl Fn(&Remedy) -> Option<String>) -> Error {
        let inner = &mut *self.0;
        for (position, remedy) in &inner.remedies {
            if let (Some(hint), Some(text)) = (inner.hints.get_mut(*position), wording(remedy)) {
                *hint = text;
            }
        }
        self
    }

    /// Sets the cause. The message must not repeat its text, because [`Error::render`] prints both.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Adds where the error happened: the message becomes `place: message`. If an outer caller adds another place, it stands
    /// before this one.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Error {
        self.0.message = format!("{place}: {}", self.0.message);
        self.0.place = Some(match self.0.place.take() {
            Some(inner) => format!("{place}: {inner}"),
            None => place.to_string(),
        });
        if let Some(kept) = &mut self.0.kept {
            *kept = format!("{place}: {kept}");
        }
        self
    }

    /// Sets the named reason why an input was not read.
    #[must_use]
    pub fn with_problem(mut self, problem: InputProblem) -> Error {
        self.0.problem = Some(problem);
        self
    }

    /// Replaces each text for which `change` returns another. The cause is dropped if `change` replaces one of its texts, and a
    /// remedy if `change` replaces one of its fields; its hint stays.
    #[doc(hidden)]
    #[must_use]
    pub fn with_texts(mut self, mut change: impl FnMut(&str) -> Option<String>) -> Error {
        let inner = &mut *self.0;
        let texts = std::iter::once(&mut inner.message).chain(&mut inner.kept);
        let texts = texts.chain(&mut inner.place);
        for text in texts.chain(&mut inner.details).chain(&mut inner.hints) {
            if let Some(changed) = change(text) {
                *text = changed;
            }
        }
        // `Debug` has all fields, which a text need not have.
        inner.remedies.retain(|(_, remedy)| change(&format!("{remedy:?}")).is_none());
        let mut cause = StdError::source(&self);
        let mut is_changed = false;
        while let Some(error) = cause {
            is_changed |= change(&error.to_string()).is_some();
            cause = error.source();
        }
        if is_changed {
            self.0.source = None;
        }
        self
    }

    /// Sets whether the same operation may succeed later. The default depends on the kind and is `false` for most; see
    /// [`Error::is_retryable`].
    #[must_use]
    pub fn retryable(mut self, is_retryable: bool) -> Error {
        self.0.is_retryable = is_retryable;
        self
    }
}

/// Methods that inspect an error.
impl Error {
    /// Returns `true` if the same call may succeed later: the host was busy, the plugin crashed, an attempt took too long,
    /// or the plugin reported an error whose case says so, such as `unavailable`.
    pub fn is_retryable(&self) -> bool {
        self.0.is_retryable
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the named reason why an input was not read: the name of an [`InputProblem`], or `too-large` or `limit` if a
    /// limit was reached. `None` if the error is about something else.
    pub fn input_problem(&self) -> Option<&'static str> {
        match (&self.0.problem, &self.0.kind) {
            (Some(problem), _) => Some(problem.name()),
            (None, ErrorKind::Limit(Limit { what: Resource::Document, .. })) => Some("too-large"),
            (None, ErrorKind::Limit(_)) => Some("limit"),
            (None, _) => None,
        }
    }

    /// Returns the limit that was reached; `None` for other kinds of errors.
    pub fn limit_reached(&self) -> Option<&Limit> {
        match &self.0.kind {
            ErrorKind::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    /// Returns what went wrong in one sentence, without details, causes and hints.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns where the error happened, such as `a.csv` or `outer: inner`; `None` if only the message says so. The message begins
    /// with it.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// Returns the details that the message sums up, one line each: the problems of a call's arguments if there are several.
    pub fn details(&self) -> &[String] {
        &self.0.details
    }

    /// Returns the advice on what to do about the error, one sentence each. Remedies are in the words of this process: see
    /// [`Remedy::text`].
    pub fn hints(&self) -> &[String] {
        &self.0.hints
    }

    /// Returns those of the hints that read differently in each interface, for a program that acts on them or has words of its
    /// own.
    pub fn remedies(&self) -> impl ExactSizeIterator<Item = &Remedy> {
        self.0.remedies.iter().map(|(_, remedy)| remedy)
    }

    /// Returns the message without values that the caller gave, as they may be personal data. It still names the place, the expected
    /// type and the length. For kinds whose messages quote such values, it is only the kind unless [`Error::kept_as`] set a text.
    pub fn without_values(&self) -> &str {
        match (&self.0.kept, &self.0.kind) {
            (Some(kept), _) => kept,
            (None, ErrorKind::Arguments) => "the arguments do not fit",
            (None, ErrorKind::Plugin) => "the plugin reported an error",
            (None, ErrorKind::Trap) => "the plugin crashed",
            (None, ErrorKind::UnknownTool) => "there is no such tool",
            _ => &self.0.message,
        }
    }

    /// Returns message, details, causes and hints, one line each.
    pub fn render(&self) -> String {
        let mut text = self.0.message.clone();
        for detail in &self.0.details {
            text.push('\n');
            text.push_str(detail);
        }
        let mut cause = self.source();
        while let Some(error) = cause {
            let line = error.to_string();
            // The text of a cause often repeats the text of its own cause.
            if !text.contains(&line) {
                text.push_str("\n  cause: ");
                text.push_str(&line);
            }
            cause = error.source();
        }
        for hint in &self.0.hints {
            text.push_str("\nhint: ");
            text.push_str(hint);
        }
        text
    }
}

/// Most details that are written on one line.
const MAX_SHOWN_DETAILS: usize = 10;

/// Writes the message and its first ten details on one line. The alternate form (`{:#}`) is [`Error::render`]: details, causes and hints, one
/// line each.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.write_str(&self.render());
        }
        f.write_str(&self.0.message)?;
        let before = std::iter::once(": ").chain(std::iter::repeat("; "));
        before.zip(&self.0.details).take(MAX_SHOWN_DETAILS).try_for_each(|(before, detail)| {
            f.write_str(before)?;
            f.write_str(detail)
        })?;
        if self.0.details.len() > MAX_SHOWN_DETAILS { f.write_str("; …") } else { Ok(()) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.render())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_shown_with_its_details() {
        let error = Error::input("2 problems").detail("/a: missing").detail("/b: missing");
        let error = error.hint("name both").caused_by(std::io::Error::other("it broke"));
        assert_eq!(error.message(), "2 problems");
        assert_eq!(error.to_string(), "2 problems: /a: missing; /b: missing");
        assert_eq!(
            format!("{error:#}"),
            "2 problems\n/a: missing\n/b: missing\n  cause: it broke\nhint: name both"
        );
        assert_eq!(Error::input("alone").to_string(), "alone");
        let many = (0..11).fold(Error::input("many"), |error, n| error.detail(n.to_string()));
        assert_eq!(many.to_string(), "many: 0; 1; 2; 3; 4; 5; 6; 7; 8; 9; …");
    }

    #[test]
    fn an_error_names_its_place() {
        let error = Error::input("it is damaged");
        assert_eq!(error.place(), None);
        let error = error.at("page 3");
        assert_eq!(error.place(), Some("page 3"));
        let error = error.at("a.pdf");
        assert_eq!(error.place(), Some("a.pdf: page 3"));
        assert_eq!(error.message(), "a.pdf: page 3: it is damaged");
        let error = error.with_texts(|text| text.contains("a.pdf").then(|| "***".to_owned()));
        assert_eq!(error.place(), Some("***"));
    }

    #[test]
    fn texts_of_an_error_can_be_replaced_and_a_cause_that_would_change_goes() {
        let change = |text: &str| text.contains("bird").then(|| text.replace("bird", "***"));
        let error = Error::input("a bird").detail("this bird").hint("no").kept_as("bird");
        let changed = error.caused_by(std::io::Error::other("a bird flew")).with_texts(change);
        assert_eq!(changed.render(), "a ***\nthis ***\nhint: no");
        assert_eq!(changed.without_values(), "***");
        let kept = Error::input("a").caused_by(std::io::Error::other("b")).with_texts(change);
        assert_eq!(kept.render(), "a\n  cause: b");
        // No wording brings the text back.
        let bird = Remedy::TrustSkill { name: "bird".into() };
        let error = Error::input("a").remedy(bird).remedy(Remedy::Title).with_texts(change);
        assert_eq!(error.remedies().collect::<Vec<_>>(), [&Remedy::Title]);
        assert_eq!(error.hints().len(), 2);
    }

    #[test]
    fn hints_and_remedies_keep_their_order_and_remedies_can_be_reworded() {
        let host = || Remedy::AllowHost { host: "a.test".into() };
        let error = Error::input("a").hint("first").remedy(host()).hint("third");
        let error = error.remedy(Remedy::Title);
        assert_eq!(error.hints(), ["first", host().to_string().as_str(), "third", "give a title"]);
        assert_eq!(error.remedies().collect::<Vec<_>>(), [&host(), &Remedy::Title]);
        let error = error.reworded(|remedy| match remedy {
            Remedy::AllowHost { host } => Some(format!("allow {host}")),
            _ => None,
        });
        assert_eq!(error.hints(), ["first", "allow a.test", "third", "give a title"]);
        assert_eq!(error.remedies().len(), 2);
    }

    #[test]
    fn only_the_limit_on_documents_has_a_remedy() {
        let error = Error::limit(Resource::Document, 1, 2);
        assert_eq!(error.remedies().collect::<Vec<_>>(), [&Remedy::DocumentSize]);
        assert_eq!(error.hints(), [Remedy::DocumentSize.to_string()]);
        assert_eq!(Error::limit(Resource::Memory, 1, 2).remedies().len(), 0);
    }
}
