//! Ids of calls.
//!
//! Knows no wire, and no random numbers: what is unique within a conversation is enough.

#[cfg(feature = "http")]
use std::borrow::Cow;
use std::collections::HashSet;
#[cfg(feature = "http")]
use std::hash::{DefaultHasher, Hasher as _};

use super::Message;

/// Ids of calls, unique within a conversation: servers leave them out, or begin anew with every turn.
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

    /// The id that a call gets: the one given, or one of our own.
    pub(super) fn give(&mut self, given: Option<&str>) -> String {
        if let Some(id) = given.filter(|id| !id.is_empty())
            && self.used.insert(id.to_owned())
        {
            return id.to_owned();
        }
        loop {
            // Nine letters and digits, the only form that Mistral's services and templates take.
            let id = format!("call{:05}", self.next);
            self.next += 1;
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// What ids a service takes.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Any signs, at most so many bytes.
    Short(usize),
    /// Letters, digits, `_` and `-`, at most 64 of them.
    Word,
    /// Nine letters and digits.
    Nine,
}

/// An id as a service takes it. One of another service that it would refuse becomes one that follows from it, so that a call and
/// its result go on belonging together.
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
