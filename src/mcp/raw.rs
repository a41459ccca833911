//! Messages as they were sent: digits and keys as rmcp's own reading would not keep them; and what they weigh, before
//! anything is made of them.

use std::sync::Arc;

use jiter::Jiter;

use crate::memory::Charge;
use crate::value::{MAX_MESSAGE_MEMORY, Weight};
use crate::{Error, Host, Resource, Result};

/// The memory of a message, as long as somebody holds it: its trees, and what is handed on of it.
#[derive(Clone, Debug)]
pub(crate) struct Weighed(#[expect(dead_code, reason = "held, not looked at")] Arc<Charge>);

/// Weigh a message of a client of `tenant`, before any tree is made of it.
///
/// # Errors
///
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit) - it has too many values, or the tenant's memory is in use;
/// [`ErrorKind::Busy`](crate::ErrorKind::Busy) - the host's is.
pub(crate) fn weigh(host: &Host, tenant: Option<&str>, message: &[u8]) -> Result<Weighed> {
    let weight = Weight::of(message);
    let made = weight.message_bytes();
    if made > MAX_MESSAGE_MEMORY {
        return Err(Error::limit(Resource::Message, MAX_MESSAGE_MEMORY, made));
    }
    let tenant = tenant.unwrap_or(crate::session::DEFAULT_TENANT);
    let charge = host.budget_of(tenant).charge(weight.message_and_text_bytes())?;
    Ok(Weighed(Arc::new(charge)))
}

/// Charge an answer of `bytes` that waits for a client of `tenant` to take it.
///
/// # Errors
///
/// As [`weigh`].
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP has answers that wait"))]
pub(crate) fn kept(host: &Host, tenant: Option<&str>, bytes: u64) -> Result<Weighed> {
    let tenant = tenant.unwrap_or(crate::session::DEFAULT_TENANT);
    Ok(Weighed(Arc::new(host.budget_of(tenant).charge(bytes)?)))
}

/// Each member of an object that may be damaged or cut off: what `key` makes of its name, and the text of its value. Whether
/// the object was whole.
pub(crate) fn members<'o, K>(
    object: &'o [u8],
    key: impl Fn(&str) -> K,
    mut visit: impl FnMut(K, &'o [u8]),
) -> bool {
    let mut jiter = Jiter::new(object);
    let mut next = match jiter.next_object() {
        Ok(first) => first.map(&key),
        Err(_) => return false,
    };
    while let Some(this) = next {
        let start = match jiter.peek() {
            Ok(_) => jiter.current_index(),
            Err(_) => return false,
        };
        if jiter.next_skip().is_err() {
            return false;
        }
        visit(this, &object[start..jiter.current_index()]);
        next = match jiter.next_key() {
            Ok(name) => name.map(&key),
            Err(_) => return false,
        };
    }
    true
}

/// The text of a member of an object, the last one where there are several, which is what rmcp sees.
pub(crate) fn member<'o>(object: &'o [u8], name: &str) -> Option<&'o [u8]> {
    let mut found = None;
    members(
        object,
        |key| key == name,
        |is_wanted, value| {
            if is_wanted {
                found = Some(value);
            }
        },
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_as_they_stand() {
        let object = br#"{"a": [1, {"b": 2}], "b": "}", "b" : {"c":3} , "d": null}"#;
        assert_eq!(member(object, "b"), Some(&br#"{"c":3}"#[..]));
        assert_eq!(member(object, "a"), Some(&br#"[1, {"b": 2}]"#[..]));
        assert_eq!(member(object, "c"), None);
        for broken in [&b""[..], b"[", b"{", b"{\"a\"", b"{\"a\":", b"1"] {
            assert_eq!(member(broken, "b"), None);
        }
        // What stands before a cut is found.
        assert_eq!(member(b"{\"id\":5,\"x\":\"abc", "id"), Some(&b"5"[..]));
    }
}
