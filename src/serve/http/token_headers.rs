//! Which token of a request decides if it has both `Authorization` and `X-API-Key`.
//!
//! Programs behind a proxy may send both, of which one is meant for another service: LibreChat sends a JWT of its own as
//! `Authorization`, and the proxy adds the key. One token decides in the end, so that two headers permit no more than one of
//! them. Knows no tokens, only which of them may be the server's own.

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

/// Header with the token alone, as clients of LibreChat's interface send it.
pub(super) const API_KEY: &str = "x-api-key";

/// Prefix of generated tokens, by which scanners for leaked secrets recognise them.
pub(super) const PREFIX: &str = "mitt_";

/// Why the sender of a request is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoBearer {
    /// It has no token.
    Missing,
    /// The token is malformed, unknown or revoked.
    Invalid,
    /// The token was signed for a user of another program, and is refused for this reason.
    Refused(String),
}

/// Returns `true` if a request has a token, which may be malformed.
pub(super) fn has_token(headers: &HeaderMap) -> bool {
    headers.contains_key(AUTHORIZATION) || headers.contains_key(API_KEY)
}

/// Returns the token that decides on a request, which may be unknown; the inner `None` if it is malformed or ambiguous.
///
/// `Authorization` decides, unless it has no token of this server. `is_known` says if a token is valid; one that only has the
/// form of a generated token counts as one that was revoked, and decides too. With `prefers_key`, `X-API-Key` decides wherever
/// it is sent.
pub(super) fn deciding_token(
    headers: &HeaderMap,
    prefers_key: bool,
    is_known: impl Fn(&[u8]) -> bool,
) -> Result<Option<&[u8]>, NoBearer> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let mut keys = headers.get_all(API_KEY).iter();
    let (value, second_value) = (values.next(), values.next());
    let (key, second_key) = (keys.next(), keys.next());
    let only_key = key.filter(|_| second_key.is_none()).map(|key| key.as_bytes().trim_ascii());
    if key.is_some() && (prefers_key || value.is_none()) {
        return Ok(only_key);
    }
    let value = value.ok_or(NoBearer::Missing)?;
    if second_value.is_some() {
        return Ok(None);
    }
    let token = bearer_token(value.as_bytes());
    match only_key {
        Some(key)
            if !token
                .is_some_and(|token| token.starts_with(PREFIX.as_bytes()) || is_known(token)) =>
        {
            Ok(Some(key))
        }
        _ => Ok(token),
    }
}

/// Returns the token of an `Authorization`; `None` for another scheme.
pub(super) fn bearer_token(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    const JWT: &str = "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x";

    fn decides(prefers_key: bool, headers: &[(&'static str, &str)]) -> Option<String> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        let is_known = |token: &[u8]| token == b"word of the operator";
        let token = deciding_token(&map, prefers_key, is_known).unwrap();
        token.map(|token| String::from_utf8(token.to_vec()).unwrap())
    }

    #[test]
    fn a_token_of_another_service_does_not_hide_the_key() {
        let key = ("x-api-key", " mitt_key ");
        for prefers_key in [false, true] {
            for other in [JWT, "Basic dXNlcjpwYXNz", "Bearer "] {
                let sent = [("authorization", other), key];
                assert_eq!(decides(prefers_key, &sent).as_deref(), Some("mitt_key"), "{other}");
                assert_ne!(
                    decides(prefers_key, &sent[..1]).as_deref(),
                    Some("mitt_key"),
                    "{other}"
                );
            }
            assert_eq!(decides(prefers_key, &[key]).as_deref(), Some("mitt_key"));
        }
    }

    #[test]
    fn a_token_of_ours_decides_unless_the_route_prefers_the_key() {
        let key = ("x-api-key", "mitt_key");
        // The second may have been revoked, so that a key beside it must not stand in for it.
        for (ours, token) in [
            ("bearer word of the operator", "word of the operator"),
            ("Bearer mitt_old", "mitt_old"),
        ] {
            let sent = [("authorization", ours), key];
            assert_eq!(decides(false, &sent).as_deref(), Some(token));
            assert_eq!(decides(true, &sent).as_deref(), Some("mitt_key"));
            assert_eq!(decides(true, &sent[..1]).as_deref(), Some(token));
        }
    }

    #[test]
    fn headers_that_are_sent_twice_decide_nothing() {
        let (jwt, ours, key) =
            (("authorization", JWT), ("authorization", "Bearer mitt_a"), ("x-api-key", "mitt_key"));
        assert_eq!(decides(false, &[ours, ours]), None);
        assert_eq!(decides(false, &[jwt, ours, key]), None);
        assert_eq!(decides(false, &[key, key]), None);
        assert_eq!(decides(true, &[ours, key, key]), None);
        // A proxy's key decides beside whatever a client sent.
        assert_eq!(decides(true, &[jwt, ours, key]).as_deref(), Some("mitt_key"));
        assert_eq!(decides(false, &[ours, key, key]).as_deref(), Some("mitt_a"));
        let nothing = HeaderMap::new();
        assert_eq!(deciding_token(&nothing, true, |_| true), Err(NoBearer::Missing));
    }
}
