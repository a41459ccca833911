//! CORS: what browsers ask before a page may use the server. Only pages of origins that the operator listed may.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderValue, ORIGIN, VARY,
};
use hyper::{HeaderMap, Method, StatusCode};

use super::access::Access;
use super::body::{HttpResponse, text};

/// Returns the origin of a request if its pages may read responses.
pub(super) fn listed_origin(access: &Access, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(ORIGIN)?;
    origin.to_str().is_ok_and(|origin| access.is_listed(origin)).then(|| origin.clone())
}

/// Answers a preflight request, which comes without a token.
pub(super) fn preflight(method: &Method, headers: &HeaderMap) -> Option<HttpResponse> {
    if *method != Method::OPTIONS || !headers.contains_key("access-control-request-method") {
        return None;
    }
    let mut answer = text(StatusCode::NO_CONTENT, "");
    let headers = answer.headers_mut();
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE"),
    );
    // Listed by name, because `*` does not cover `authorization`.
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "accept, authorization, content-type, idempotency-key, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, prefer, range, tus-resumable, upload-length, upload-metadata, upload-offset, x-api-key, x-http-method-override, x-mitt-approve, x-mitt-session, x-model-key",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    Some(answer)
}

/// Lets the pages of `origin` read `answer`.
pub(super) fn allow(answer: &mut HttpResponse, origin: HeaderValue) {
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("content-disposition, content-range, etag, location, mcp-session-id, retry-after, tus-extension, tus-max-size, tus-resumable, tus-version, upload-expires, upload-length, upload-offset, www-authenticate"),
    );
    headers.append(VARY, HeaderValue::from_static("origin"));
}
