//! Messages as sent, with all digits and keys, some of which rmcp would lose; and the memory that a message would need,
//! computed before it is parsed.

use std::sync::Arc;

use jiter::Jiter;
use rmcp::model::Extensions;

use mitt::Host;
use mitt::internal::TenantCharge;
use mitt::value::{MAX_MESSAGE_MEMORY, Weight};
use mitt_base::{Error, Resource, Result};

/// Most memory of a message without an answer that is let through when no memory is free: one of 64 KiB, if it is mostly
/// text.
const LET_THROUGH: u64 = 256 * 1024;

/// The text of a call's arguments as sent, carried beside what rmcp read from it: it has all digits of numbers and shows
/// duplicate keys.
#[derive(Clone, Debug)]
pub(crate) struct Arguments(pub(crate) Arc<str>);

/// Finds the arguments in the extensions that rmcp passes on with a message.
pub(crate) type FindArguments = fn(&Extensions) -> Option<Arguments>;

/// The address at which browsers reach the server, without a trailing slash: `https://mcp.example.org`.
#[derive(Clone, Debug)]
pub(crate) struct Base(pub(crate) Arc<str>);

/// Finds the address in the extensions that rmcp passes on with a message.
pub(crate) type FindBase = fn(&Extensions) -> Option<Base>;

/// Finds the arguments where our own transport puts them.
pub(super) fn from_extensions(extensions: &Extensions) -> Option<Arguments> {
    extensions.get::<Arguments>().cloned()
}

/// The charge for a message while it is handled: for its trees, and for the parts that are passed on. `None` for a message
/// that was let through although no memory was free.
#[derive(Clone, Debug)]
pub(crate) struct MessageCharge(
    #[expect(dead_code, reason = "held, not looked at")] Option<Arc<TenantCharge>>,
);

/// Weighs a message of a client of `tenant`, before it is parsed.
///
/// A small one without an answer is let through if memory is short: it may cancel a call or carry a user's answer, and so
/// free memory.
///
/// # Errors
///
/// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it has too many values, or the tenant's memory is in use;
/// [`ErrorKind::Busy`](mitt_base::ErrorKind::Busy) - the host's memory is in use.
pub(crate) fn weigh(host: &Host, tenant: Option<&str>, message: &[u8]) -> Result<MessageCharge> {
    let weight = Weight::of(message);
    let made = weight.message_bytes();
    if made > MAX_MESSAGE_MEMORY {
        // The limit is on memory, but people know the size of what they sent.
        let detail = format!(
            "the message has {} bytes, and its values would take {made} bytes of memory; at most {MAX_MESSAGE_MEMORY} are allowed",
            message.len()
        );
        return Err(Error::limit(Resource::Message, MAX_MESSAGE_MEMORY, made).detail(detail));
    }
    let tenant = tenant.unwrap_or(mitt::internal::DEFAULT_TENANT);
    let bytes = weight.message_and_text_bytes();
    match host.charge(tenant, bytes) {
        Ok(charge) => Ok(MessageCharge(Some(Arc::new(charge)))),
        Err(_) if bytes <= LET_THROUGH && !wants_answer(message) => Ok(MessageCharge(None)),
        Err(error) => Err(error),
    }
}

/// Returns `true` if a message needs an answer: not a notification, and not an answer itself. An invalid message gets one.
pub(crate) fn wants_answer(message: &[u8]) -> bool {
    let (mut has_id, mut has_method, mut has_outcome) = (false, false, false);
    let is_whole = members(message, str::to_owned, |key, _| match key.as_str() {
        "id" => has_id = true,
        "method" => has_method = true,
        "result" | "error" => has_outcome = true,
        _ => {}
    });
    let is_notification = has_method && !has_id;
    let is_answer = has_outcome && !has_method;
    !(is_whole && (is_notification || is_answer))
}

/// Charges an answer of `bytes` that waits until a client of `tenant` reads it. It exists already, and its call may have had
/// effects: if no memory is free, it is sent anyway.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP has answers that wait"))]
pub(crate) fn kept(host: &Host, tenant: Option<&str>, bytes: u64) -> MessageCharge {
    let tenant = tenant.unwrap_or(mitt::internal::DEFAULT_TENANT);
    MessageCharge(host.charge(tenant, bytes).ok().map(Arc::new))
}

/// Visits each member of an object that may be damaged or cut off: what `key` makes of its name, and the text of its value.
/// Returns `true` if the object was complete.
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

/// Returns the text of a member of an object; of several, the last one, as rmcp does.
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
    use mitt_base::MemoryLimits;

    fn host(per_tenant: u64) -> Host {
        let memory = MemoryLimits { per_tenant, ..MemoryLimits::default() };
        Host::builder().no_cache().bundled_skills(false).memory(memory).build().unwrap()
    }

    fn request(length: usize) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(length))
    }

    #[test]
    fn messages_of_a_tenant_without_sessions_count_together() {
        let host = host(1_000_000);
        let message = request(200_000);
        let weighed = weigh(&host, Some("a"), message.as_bytes()).unwrap();
        let refused = weigh(&host, Some("a"), message.as_bytes()).unwrap_err();
        assert_eq!(refused.limit_reached().unwrap().what, Resource::TenantMemory);
        weigh(&host, Some("b"), message.as_bytes()).unwrap();
        drop(weighed);
        let kept = kept(&host, Some("a"), 500_000);
        assert!(weigh(&host, Some("a"), message.as_bytes()).is_err(), "an answer counts as well");
        drop(kept);
        weigh(&host, Some("a"), message.as_bytes()).unwrap();
    }

    #[test]
    fn what_gives_memory_back_is_let_through_when_there_is_none() {
        let host = host(1);
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{}}}"#;
        let long = format!(r#"{{"method":"x","params":{{"reason":"{}"}}}}"#, "x".repeat(60_000));
        for message in [cancel, answer, r#"{"id":7,"error":{"code":1,"message":""}}"#, &long] {
            assert!(
                !wants_answer(message.as_bytes()) && weigh(&host, None, message.as_bytes()).is_ok(),
                "{message:.80}"
            );
        }
        for message in [
            "{}",
            "[]",
            "",
            r#"{"id":1}"#,
            &request(1),
            r#"{"method":"a""#,
            r#"{"id":1,"method":"a","result":1}"#,
        ] {
            assert!(
                wants_answer(message.as_bytes()) && weigh(&host, None, message.as_bytes()).is_err(),
                "{message}"
            );
        }
        // Small as text, large as a tree.
        for (times, what) in [(16_000, Resource::TenantMemory), (200_000, Resource::Message)] {
            let heavy = format!(r#"{{"method":"a","params":[{}0]}}"#, "[0],".repeat(times));
            let refused = weigh(&host, None, heavy.as_bytes()).unwrap_err();
            assert_eq!(refused.limit_reached().unwrap().what, what);
        }
    }

    #[test]
    fn members_are_found_as_they_stand() {
        let object = br#"{"a": [1, {"b": 2}], "b": "}", "b" : {"c":3} , "d": null}"#;
        assert_eq!(member(object, "b"), Some(&br#"{"c":3}"#[..]));
        assert_eq!(member(object, "a"), Some(&br#"[1, {"b": 2}]"#[..]));
        assert_eq!(member(object, "c"), None);
        for broken in [&b""[..], b"[", b"{", b"{\"a\"", b"{\"a\":", b"1"] {
            assert_eq!(member(broken, "b"), None);
        }
        // Members before a cut are found.
        assert_eq!(member(b"{\"id\":5,\"x\":\"abc", "id"), Some(&b"5"[..]));
    }
}
