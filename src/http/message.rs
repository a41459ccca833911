//! What the server itself must know of a message before rmcp reads it.

use std::sync::Arc;

use jiter::{Jiter, JiterResult, Peek};

/// Longest id of a request that is looked at.
const MAX_ID_BYTES: usize = 256;

/// A glance at a request's body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Glance {
    /// It opens a session.
    pub(super) is_initialize: bool,
    /// `id` of a request, and of nothing else, as it was sent: a number or a text in quotes.
    pub(super) id: Option<Box<str>>,
    /// `params.arguments` of a call as they were sent: digits and keys as rmcp's own reading would not keep them.
    pub(super) arguments: Option<Arc<str>>,
}

/// The text of a call's arguments, carried beside rmcp's own.
#[derive(Clone, Debug)]
pub(super) struct RawArguments(pub(super) Arc<str>);

impl Glance {
    /// Look at `body`. Whatever is wrong with it, rmcp tells.
    pub(super) fn of(body: &[u8]) -> Glance {
        let mut glance = Glance::default();
        let mut arguments = None;
        let mut is_call = false;
        let (mut id, mut has_method) = (None, false);
        let read = each(&mut Jiter::new(body), Key::of, |jiter, key| {
            match key {
                Key::Method if jiter.peek()? == Peek::String => {
                    let method = jiter.known_str()?;
                    has_method = true;
                    glance.is_initialize = method == "initialize";
                    is_call = method == "tools/call";
                }
                Key::Params if jiter.peek()? == Peek::Object => {
                    arguments = None;
                    each(
                        jiter,
                        |key| key == "arguments",
                        |jiter, is_arguments| {
                            jiter.peek()?;
                            let start = jiter.current_index();
                            jiter.next_skip()?;
                            if is_arguments {
                                arguments = Some(start..jiter.current_index());
                            }
                            Ok(())
                        },
                    )?;
                }
                Key::Id => {
                    jiter.peek()?;
                    let start = jiter.current_index();
                    jiter.next_skip()?;
                    id = Some(start..jiter.current_index());
                }
                _ => jiter.next_skip()?,
            }
            Ok(())
        });
        if read.is_err() {
            return Glance::default();
        }
        let text = |range| str::from_utf8(&body[range]).map(str::trim).ok();
        let id = id.filter(|_| has_method).and_then(text);
        glance.id = id.filter(|id| id.len() <= MAX_ID_BYTES).map(Into::into);
        glance.arguments = arguments.filter(|_| is_call).and_then(text).map(Into::into);
        glance
    }
}

/// A member that is looked at.
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

/// Each member of the object that comes next, by what `key` makes of its name; `visit` reads its value.
fn each<'j, K>(
    jiter: &mut Jiter<'j>,
    key: impl Fn(&str) -> K,
    mut visit: impl FnMut(&mut Jiter<'j>, K) -> JiterResult<()>,
) -> JiterResult<()> {
    let mut next = jiter.next_object()?.map(&key);
    while let Some(this) = next {
        visit(jiter, this)?;
        next = jiter.next_key()?.map(&key);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_apart_as_they_were_sent() {
        for (body, id) in [
            (r#"{"id": 1 ,"method":"ping"}"#, Some("1")),
            (r#"{"id":"1","method":"ping"}"#, Some("\"1\"")),
            (r#"{"method":"notifications/initialized"}"#, None),
            // The answer to a question of the server.
            (r#"{"id":1,"result":{}}"#, None),
            (r#"{"id":1,"method":"ping""#, None),
        ] {
            assert_eq!(Glance::of(body.as_bytes()).id.as_deref(), id, "{body}");
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
