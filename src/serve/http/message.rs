//! The parts of a message that the server itself needs before rmcp reads it.

use std::sync::Arc;

use rmcp::model::RequestId;

use crate::mcp::raw_message;

/// Longest id of a request, in bytes as sent. It is kept as long as the request is handled, and in logs. Clients use
/// counters, or the 36 characters of a UUID.
pub(super) const MAX_ID_BYTES: usize = 256;

/// The relevant parts of a request's body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Glance {
    /// `true` if it opens a session.
    pub(super) is_initialize: bool,
    /// The `id` of a request (not of other messages), as rmcp reads it: `"a"` and `"\u0061"` are the same.
    pub(super) id: Option<RequestId>,
    /// `true` if the id, as sent, is too long.
    pub(super) has_long_id: bool,
    /// `params.arguments` of a call as sent: rmcp would not keep all digits and keys.
    pub(super) arguments: Option<Arc<str>>,
}

impl Glance {
    /// Reads the parts of `body`. rmcp reports whatever is wrong with it.
    pub(super) fn of(body: &[u8]) -> Glance {
        let (mut id, mut method, mut params) = (None, None, None);
        let is_whole = raw_message::members(body, Key::of, |key, value| match key {
            Key::Id => id = Some(value),
            Key::Method => method = Some(value),
            Key::Params => params = Some(value),
            Key::Other => {}
        });
        let method = method.and_then(|text| serde_json::from_slice::<String>(text).ok());
        let Some(method) = method.filter(|_| is_whole) else { return Glance::default() };
        let params = params.filter(|_| method == "tools/call");
        let arguments = params.and_then(|params| raw_message::member(params, "arguments"));
        let text = |bytes| str::from_utf8(bytes).map(str::trim).ok();
        let has_long_id = id.is_some_and(|id| id.len() > MAX_ID_BYTES);
        let id = id.filter(|_| !has_long_id).and_then(|id| serde_json::from_slice(id).ok());
        Glance {
            has_long_id,
            is_initialize: method == "initialize",
            id,
            arguments: arguments.and_then(text).map(Into::into),
        }
    }
}

/// The members that are read.
#[derive(Clone, Copy)]
enum Key {
    Id,
    Method,
    Params,
    Other,
}

impl Key {
    fn of(name: &str) -> Key {
        match name {
            "id" => Key::Id,
            "method" => Key::Method,
            "params" => Key::Params,
            _ => Key::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_apart_as_rmcp_does() {
        let text = |id: &str| Some(RequestId::String(id.into()));
        for (body, id) in [
            (r#"{"id": 1 ,"method":"ping"}"#, Some(RequestId::Number(1))),
            (r#"{"id":1.0,"method":"ping"}"#, Some(RequestId::Number(1))),
            (r#"{"id":"1","method":"ping"}"#, text("1")),
            (r#"{"id":"a\/","method":"ping"}"#, text("a/")),
            (r#"{"id":"\u0061/","method":"ping"}"#, text("a/")),
            (r#"{"id":"\ud800","method":"ping"}"#, None),
            (r#"{"id":[1],"method":"ping"}"#, None),
            (r#"{"method":"notifications/initialized"}"#, None),
            // An answer to a question of the server.
            (r#"{"id":1,"result":{}}"#, None),
            (r#"{"id":1,"method":"ping""#, None),
            (&format!(r#"{{"id":"{}","method":"ping"}}"#, "x".repeat(300)), None),
            // Short after it is unescaped.
            (&format!(r#"{{"id":"{}","method":"ping"}}"#, "\\u0061".repeat(50)), None),
        ] {
            let glance = Glance::of(body.as_bytes());
            assert_eq!(glance.id, id, "{body}");
            assert_eq!(glance.has_long_id, body.len() > 300, "{body}");
        }
    }

    #[test]
    fn arguments_are_kept_as_they_were_sent() {
        for (body, initialize, arguments) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, true, None),
            (
                r#"{"method":"tools/call","params":{"name":"a","arguments": {"x": 1.10, "x": 2 } }}"#,
                false,
                Some(r#"{"x": 1.10, "x": 2 }"#),
            ),
            (r#"{"params":{"arguments":{}},"method":"tools/call"}"#, false, Some("{}")),
            (r#"{"params":{"arguments":{}},"method":"prompts/get"}"#, false, None),
            (r#"{"method":"tools/call","params":[1]}"#, false, None),
            (r#"{"method":"tools/call","params":{"arguments":{"#, false, None),
            ("[1, 2]", false, None),
            ("", false, None),
        ] {
            let glance = Glance::of(body.as_bytes());
            assert_eq!(glance.is_initialize, initialize, "{body}");
            assert_eq!(glance.arguments.as_deref(), arguments, "{body}");
        }
    }
}
