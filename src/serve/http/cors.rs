//! CORS: what browsers ask before a page may use the server. Only pages of origins that the operator listed may.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    HeaderValue, ORIGIN, VARY,
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
    let asked = headers.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let mut answer = text(StatusCode::NO_CONTENT, "");
    let headers = answer.headers_mut();
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE"),
    );
    // The origin decides, not the headers: clients send some of their own, such as `x-session-id` or `x-stainless-os`.
    if let Some(asked) = asked {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked);
    }
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
