//! Ids of calls.
//!
//! Knows no wire, and needs no random numbers: ids are unique within a conversation only.

#[cfg(feature = "http")]
use std::borrow::Cow;
use std::collections::HashSet;
#[cfg(feature = "http")]
use std::hash::{DefaultHasher, Hasher as _};

use super::Message;

/// Makes ids of calls unique within a conversation, since servers leave ids out or begin anew with every turn.
pub(super) struct Ids {
    used: HashSet<String>,
    next: u64,
}

impl Ids {
    pub(super) fn of(messages: &[Message]) -> Ids {
        let answers = messages.iter().filter_map(|message| match message {
            Message::Assistant(answer) => Some(answer),
            _ => None,
        });
        let ids = answers.flat_map(|answer| answer.calls.iter().map(|call| call.id.clone()));
        Ids { used: ids.collect(), next: 1 }
    }

    /// Returns the id for a call: `given` if it is unused, or one of our own.
    pub(super) fn give(&mut self, given: Option<&str>) -> String {
        if let Some(id) = given.filter(|id| !id.is_empty())
            && self.used.insert(id.to_owned())
        {
            return id.to_owned();
        }
        loop {
            // Services and templates of Mistral accept only nine letters and digits.
            let id = format!("call{:05}", self.next);
            self.next += 1;
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// Form of ids that a service accepts.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Any characters, at most this many bytes.
    Short(usize),
    /// Letters, digits, `_` and `-`, at most 64 characters.
    Word,
    /// Nine letters and digits.
    Nine,
}

/// Returns an id in the form that a service accepts. An id of another service that would be refused is replaced by one
/// derived from it, so that a call and its result still belong together.
#[cfg(feature = "http")]
pub(super) fn fitting(id: &str, form: Form) -> Cow<'_, str> {
    let fits = match form {
        Form::Short(most) => id.len() <= most,
        Form::Word => {
            let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            id.len() <= 64 && !id.is_empty() && id.bytes().all(is_sign)
        }
        Form::Nine => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    };
    if fits {
        return Cow::Borrowed(id);
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(id.as_bytes());
    let digits = format!("{:016x}", hasher.finish());
    Cow::Owned(match form {
        Form::Nine => digits[..9].to_owned(),
        Form::Short(_) | Form::Word => format!("call{digits}"),
    })
}
