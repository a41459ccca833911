//! The one error type of all rooms.
//!
//! Knows no other room. What a lower layer reported is kept as text or as `source()`, never as a public conversion from a
//! private dependency.
//!
//! # Who makes which error
//!
//! Whoever implements something that Mitt calls, such as a chat model, makes errors with three constructors:
//! [`Error::model`], [`Error::input`] and [`Error::tool`]. [`Error::hint`], [`Error::detail`], [`Error::at`],
//! [`Error::caused_by`], [`Error::passing`] and [`Error::kept_as`] add to them.
//!
//! The other kinds say what the host did: it refused a call, a limit ended one, a plugin crashed. Only Mitt's own crates make
//! those. The constructors for them are public because those crates need them, but hidden in the documentation: they are no
//! part of what stays the same between minor versions.

mod kind;
mod limit;
mod parts;
mod problem;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use kind::ErrorKind;
pub use limit::{Limit, Resource};
pub use parts::ErrorParts;
pub use problem::InputProblem;

/// Result of Mitt's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call, a load or a rendering did not finish.
///
/// `Display` is one line. [`Error::render`] adds details, causes and hints, one line each. Both are safe to show to a
/// model or a client: they name documents, tools and skills, and a path only where the caller gave that path.
///
/// A clone is equal in all that can be seen; the cause is shared and not copied.
///
/// # Example: look at one
///
/// ```
/// # extern crate mitt_base as mitt;
/// use mitt::{Error, ErrorKind};
///
/// /// What a program tells its user.
/// fn advice(error: &Error) -> String {
///     match error.kind() {
///         ErrorKind::Busy { retry_after } => format!("try again in {} s", retry_after.as_secs()),
///         ErrorKind::Limit(limit) => format!("at most {} {}", limit.limit, limit.what.unit()),
///         _ if error.may_pass() => "try again".to_owned(),
///         _ => error.hints().join("; "),
///     }
/// }
///
/// let error = Error::input("`sales.xlsx` is encrypted").hint("save it without a password");
/// assert_eq!(error.kind(), &ErrorKind::Input);
/// assert_eq!(advice(&error), "save it without a password");
/// ```
///
/// # Example: make one
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
///     .passing(true);
///
/// assert_eq!(error.kind(), &ErrorKind::Model);
/// assert!(error.may_pass());
/// // One line for a log, all of it for whoever can do something about it.
/// assert_eq!(error.to_string(), "https://models.example.org: the model cannot be reached");
/// assert_eq!(
///     error.render(),
///     "https://models.example.org: the model cannot be reached
///   cause: connection reset
/// hint: check the address and the network"
/// );
/// // Several callers who waited for the same thing each get it.
/// assert_eq!(error.clone().render(), error.render());
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Error>();
};

/// When to try again if others hold the memory: most calls take less time than this.
const MEMORY_RETRY: Duration = Duration::from_secs(2);

/// Ends what is said of a fault of the host itself.
const REPORT: &str = "this is a fault in mitt, please report it";

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    /// The message for a journal: without what was given.
    kept: Option<String>,
    details: Vec<String>,
    hints: Vec<String>,
    may_pass: bool,
    outcome: Option<InputProblem>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// Constructors for everybody. The message is lower case and has no final period; literals in it are in backticks.
impl Error {
    /// A model, or what stands for one, failed: [`ErrorKind::Model`]. Say with [`Error::passing`] whether the same request may
    /// succeed later.
    #[cold]
    pub fn model(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Model, message)
    }

    /// A document or a file that was given is missing, unreadable, damaged or of an unsupported type: [`ErrorKind::Input`].
    #[cold]
    pub fn input(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Input, message)
    }

    /// A tool ran and could not do what was asked: [`ErrorKind::Plugin`], the kind of the errors that plugins report
    /// themselves. Say with [`Error::passing`] whether the same call may succeed later.
    ///
    /// A journal keeps only the kind of such an error, as its message may quote what was given; [`Error::kept_as`] says what it
    /// may keep.
    #[cold]
    pub fn tool(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Plugin, message)
    }
}

/// Constructors for Mitt's own crates.
impl Error {
    /// An error of `kind` that says `message`.
    #[doc(hidden)]
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let may_pass = match &kind {
            ErrorKind::Trap | ErrorKind::Busy { .. } => true,
            // Other sessions of the tenant may end.
            ErrorKind::Limit(limit) => {
                matches!(limit.what, Resource::Time | Resource::TenantMemory)
            }
            _ => false,
        };
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            kept: None,
            details: Vec::new(),
            hints: Vec::new(),
            may_pass,
            outcome: None,
            source: None,
        }))
    }

    /// A limit that was reached.
    #[doc(hidden)]
    #[cold]
    pub fn limit(what: Resource, limit: u64, used: u64) -> Error {
        Error::reached(Limit::new(what, limit, used))
    }

    /// A limit that was reached, as something below reported it.
    #[doc(hidden)]
    #[cold]
    pub fn reached(limit: Limit) -> Error {
        if limit.what == Resource::HostMemory {
            // The message has no numbers: they would show to one tenant what others use.
            return Error::new(
                ErrorKind::Busy { retry_after: MEMORY_RETRY },
                "the memory of the host is in use",
            )
            .hint("call again later; its operator can raise the limit `host-memory`");
        }
        let message = limit.to_string();
        let hint = limit.what.hint();
        let error = Error::new(ErrorKind::Limit(limit), message);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// A fault of the host itself, which no caller can have caused.
    #[doc(hidden)]
    #[cold]
    pub fn bug(message: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Host, format!("{message}; {REPORT}"))
    }

    /// Whether it is a fault of the host itself, perhaps told by another process.
    #[doc(hidden)]
    pub fn is_bug(&self) -> bool {
        *self.kind() == ErrorKind::Host && self.0.message.ends_with(REPORT)
    }
}

/// What is added to an error.
impl Error {
    /// Say what a journal keeps of the message: nothing that a caller, a document or a plugin gave.
    #[must_use]
    pub fn kept_as(mut self, text: impl Into<String>) -> Error {
        self.0.kept = Some(text.into());
        self
    }

    /// Add one of the several things that the message sums up.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Error {
        self.0.details.push(detail.into());
        self
    }

    /// Add what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hints.push(hint.into());
        self
    }

    /// Add the cause. Its text must not be part of the message: [`Error::render`] tells both.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Say where it happened: the message becomes `place: message`. Said again by a caller further out, places stand from the
    /// outermost to the innermost.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Error {
        self.0.message = format!("{place}: {}", self.0.message);
        if let Some(kept) = &mut self.0.kept {
            *kept = format!("{place}: {kept}");
        }
        self
    }

    /// Say by name why an input was not read.
    #[must_use]
    pub fn named(mut self, outcome: InputProblem) -> Error {
        self.0.outcome = Some(outcome);
        self
    }

    /// Replace its texts by what `change` gives for them. A cause is kept only if none of its texts changes.
    #[doc(hidden)]
    #[must_use]
    pub fn with_texts(mut self, mut change: impl FnMut(&str) -> Option<String>) -> Error {
        let inner = &mut *self.0;
        let texts = std::iter::once(&mut inner.message).chain(&mut inner.kept);
        for text in texts.chain(&mut inner.details).chain(&mut inner.hints) {
            if let Some(changed) = change(text) {
                *text = changed;
            }
        }
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

    /// Say whether the same may succeed when it is done again later. Most errors do not pass by themselves; see
    /// [`Error::may_pass`].
    #[must_use]
    pub fn passing(mut self, may_pass: bool) -> Error {
        self.0.may_pass = may_pass;
        self
    }
}

/// What can be seen of an error.
impl Error {
    /// Whether the same call may succeed when it is made again later: the host was busy, the plugin crashed, an attempt
    /// took too long, or the plugin reported an error whose case says so, such as `unavailable`.
    pub fn may_pass(&self) -> bool {
        self.0.may_pass
    }

    /// Its class.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Why an input was not read, by name: that of an [`InputProblem`], or `too-large` or `limit` where a limit was reached.
    /// None if the error is about something else.
    pub fn outcome(&self) -> Option<&'static str> {
        match (&self.0.outcome, &self.0.kind) {
            (Some(outcome), _) => Some(outcome.name()),
            (None, ErrorKind::Limit(Limit { what: Resource::Document, .. })) => Some("too-large"),
            (None, ErrorKind::Limit(_)) => Some("limit"),
            (None, _) => None,
        }
    }

    /// The limit that was reached, if that is what happened.
    pub fn limit_reached(&self) -> Option<&Limit> {
        match &self.0.kind {
            ErrorKind::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    /// What the message sums up, one line each: the problems of a call's arguments if there are several.
    pub fn details(&self) -> &[String] {
        &self.0.details
    }

    /// What to do about it, one sentence each.
    pub fn hints(&self) -> &[String] {
        &self.0.hints
    }

    /// The message without the values that were given, which may be personal data: place, expected type and length are
    /// told, the value is not. Of kinds that quote what was given, it is only the kind where nothing better is known.
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

    /// Message, details, causes and hints, one line each.
    pub fn render(&self) -> String {
        let mut text = self.0.message.clone();
        for detail in &self.0.details {
            text.push('\n');
            text.push_str(detail);
        }
        let mut cause = self.source();
        while let Some(error) = cause {
            let line = error.to_string();
            // Causes often repeat the text of what they wrap.
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
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
    fn texts_of_an_error_can_be_replaced_and_a_cause_that_would_change_goes() {
        let change = |text: &str| text.contains("bird").then(|| text.replace("bird", "***"));
        let error = Error::input("a bird").detail("this bird").hint("no").kept_as("bird");
        let changed = error.caused_by(std::io::Error::other("a bird flew")).with_texts(change);
        assert_eq!(changed.render(), "a ***\nthis ***\nhint: no");
        assert_eq!(changed.without_values(), "***");
        let kept = Error::input("a").caused_by(std::io::Error::other("b")).with_texts(change);
        assert_eq!(kept.render(), "a\n  cause: b");
    }
}
