//! Responses to requests that are refused.

use hyper::StatusCode;
use hyper::header::{CONNECTION, HeaderValue, WWW_AUTHENTICATE};

use super::body::{BodyError, HttpResponse, later, text};
use super::token_headers::NoBearer;

/// Shown to people whose client has no token, or a wrong one.
pub(super) const WAY_IN: &str = "a token is needed: configure the client to send the header `Authorization: Bearer <token>`; the server's \
                      operator makes tokens";

/// Returns the response for a body that was not read. `most` is the limit in bytes.
pub(super) fn unread(error: BodyError, most: u64) -> HttpResponse {
    let mut answer = match error {
        BodyError::TooLarge => text(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a body has at most {most} bytes; send a large document to /documents\n"),
        ),
        BodyError::TooSlow => text(StatusCode::REQUEST_TIMEOUT, "the body did not come in time\n"),
        BodyError::ClientBusy => later(
            StatusCode::TOO_MANY_REQUESTS,
            "too many large bodies of this client at once; send them one after the other\n",
        ),
        BodyError::Busy => later(StatusCode::SERVICE_UNAVAILABLE, "too many requests\n"),
        BodyError::Broken => text(StatusCode::BAD_REQUEST, "the body cannot be read\n"),
    };
    // The rest of the body must not be read as the next request.
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// Returns what a client without a valid token is shown.
pub(super) fn way_in(none: &NoBearer) -> String {
    match none {
        NoBearer::Missing | NoBearer::Invalid => WAY_IN.to_owned(),
        NoBearer::Refused(why) => format!("the token that LibreChat signed is refused: {why}"),
    }
}

/// Returns the response to a request without a valid token.
pub(super) fn unauthorized(none: &NoBearer) -> HttpResponse {
    // RFC 6750, section 3.1: the challenge has no error code if the request had no token.
    let (error, what) = match none {
        NoBearer::Missing => ("", ""),
        NoBearer::Invalid => (", error=\"invalid_token\"", "the token is not known; "),
        NoBearer::Refused(_) => (", error=\"invalid_token\"", "the signed token is refused; "),
    };
    let mut answer = text(StatusCode::UNAUTHORIZED, format!("{what}{WAY_IN}\n"));
    let challenge = format!("Bearer realm=\"mitt\"{error}, error_description=\"{what}{WAY_IN}\"");
    if let Ok(challenge) = HeaderValue::from_str(&challenge) {
        answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    answer
}
