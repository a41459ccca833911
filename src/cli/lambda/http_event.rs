//! Requests over HTTP as Lambda has them: function URLs and API Gateway, payload format 2.0.
//!
//! Knows no path and no skill: it only changes the form.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, COOKIE, HeaderName, HeaderValue, SET_COOKIE};
use hyper::{HeaderMap, Method, StatusCode, Uri};
use serde_json::{Map, Value, json};

use super::fields::wrong;
use super::payload::MAX_PAYLOAD_BYTES;
use mitt::value::Json;
use mitt_base::{Error, Resource, Result};

/// Headers that belong to one connection, and what the platform computes itself.
const DROPPED: [&str; 7] =
    ["connection", "content-length", "date", "host", "keep-alive", "transfer-encoding", "upgrade"];

/// A request.
#[derive(Debug)]
pub(super) struct HttpEvent {
    pub(super) method: Method,
    /// Path and query.
    pub(super) uri: Uri,
    /// Headers, without those of [`DROPPED`].
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// `true` if the platform knows the caller: by IAM, by a token that it checked, or by an authorizer of the operator.
    pub(super) is_authorized: bool,
}

/// A response.
#[derive(Clone, Debug)]
pub(super) struct HttpAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl HttpEvent {
    /// Reads an event that has a `requestContext`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - it is of another version, or a part of it is missing or
    /// wrong; the place is named.
    pub(super) fn read(event: &Json) -> Result<HttpEvent> {
        if event.get("version").and_then(Json::as_str) != Some("2.0") {
            return Err(wrong("version", "expected `2.0`").hint(
                "set the payload format of the API's integration to 2.0; function URLs have it",
            ));
        }
        let context = event.get("requestContext");
        let method = context.and_then(|it| it.get("http")).and_then(|it| it.get("method"));
        let method = method.and_then(Json::as_str).and_then(|it| it.parse().ok());
        let method = method
            .ok_or_else(|| wrong("requestContext.http.method", "expected a method of HTTP"))?;
        let uri = uri(event)?;
        let authorizer = context.and_then(|it| it.get("authorizer"));
        let is_authorized =
            matches!(authorizer, Some(Json::Object(members)) if !members.is_empty());
        Ok(HttpEvent { method, uri, headers: headers(event)?, body: body(event)?, is_authorized })
    }
}

/// Returns path and query, without the stage of an API that has one.
fn uri(event: &Json) -> Result<Uri> {
    let text = |key: &str| event.get(key).and_then(Json::as_str);
    let path = text("rawPath").ok_or_else(|| wrong("rawPath", "missing, expected a string"))?;
    let stage = event.get("requestContext").and_then(|it| it.get("stage")).and_then(Json::as_str);
    let without = stage
        .filter(|stage| *stage != "$default" && !stage.is_empty())
        .and_then(|stage| path.strip_prefix('/')?.strip_prefix(stage))
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let path = match without.unwrap_or(path) {
        "" => "/",
        path => path,
    };
    let query = text("rawQueryString").filter(|query| !query.is_empty());
    let whole = query.map_or(path.to_owned(), |query| format!("{path}?{query}"));
    let uri = whole.parse::<Uri>().ok().filter(|uri| path.starts_with('/') && uri.host().is_none());
    uri.ok_or_else(|| wrong("rawPath", "expected a path that begins with `/`"))
}

fn headers(event: &Json) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    match event.get("headers") {
        None | Some(Json::Null) => {}
        Some(Json::Object(members)) => {
            for (name, value) in members {
                let place = || {
                    let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 80));
                    format!("headers.{shown}")
                };
                let Ok(name) = name.parse::<HeaderName>() else {
                    return Err(wrong(&place(), "not the name of a header"));
                };
                let value = value.as_str().and_then(|it| HeaderValue::from_str(it).ok());
                let Some(value) = value else {
                    return Err(wrong(&place(), "expected a string without control characters"));
                };
                if !DROPPED.contains(&name.as_str()) {
                    headers.insert(name, value);
                }
            }
        }
        Some(other) => {
            return Err(wrong("headers", &format!("expected an object, got {}", other.kind())));
        }
    }
    if let Some(Json::Array(cookies)) = event.get("cookies") {
        let cookies: Vec<&str> = cookies.iter().filter_map(Json::as_str).collect();
        let value = HeaderValue::from_str(&cookies.join("; "))
            .map_err(|_| wrong("cookies", "expected strings without control characters"))?;
        headers.insert(COOKIE, value);
    }
    Ok(headers)
}

fn body(event: &Json) -> Result<Bytes> {
    let text = match event.get("body") {
        None | Some(Json::Null) => return Ok(Bytes::new()),
        Some(Json::String(text)) => text,
        Some(other) => {
            return Err(wrong("body", &format!("expected a string, got {}", other.kind())));
        }
    };
    match event.get("isBase64Encoded") {
        Some(Json::Bool(true)) => match STANDARD.decode(text) {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) => Err(wrong("body", "not base64").caused_by(error)),
        },
        _ => Ok(text.clone().into()),
    }
}

impl HttpAnswer {
    /// Returns a response of JSON.
    pub(super) fn of_json(status: StatusCode, body: impl Into<Bytes>) -> HttpAnswer {
        let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        HttpAnswer { status, headers: headers.into_iter().collect(), body: body.into() }
    }

    /// Returns the response as Lambda takes it: what is not text is base64.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it is larger than Lambda accepts.
    pub(super) fn into_bytes(self) -> Result<Bytes> {
        let HttpAnswer { status, headers, body } = self;
        let (members, cookies) = members(&headers);
        let text = std::str::from_utf8(&body).ok().filter(|_| is_text(&headers));
        let is_base64 = text.is_none() && !body.is_empty();
        let body = match text {
            Some(text) => text.to_owned(),
            None => STANDARD.encode(&body),
        };
        let answer = json!({
            "statusCode": status.as_u16(), "headers": members, "cookies": cookies, "body": body,
            "isBase64Encoded": is_base64,
        });
        let bytes = answer.to_string().into_bytes();
        if bytes.len() > MAX_PAYLOAD_BYTES {
            let (most, got) = (MAX_PAYLOAD_BYTES as u64, bytes.len() as u64);
            let error = Error::limit(Resource::Transfer, most, got).at("answer");
            return Err(error.hint(
                "return less, or let the tool write a file and name a mounted folder with `mitt lambda --out`, or a bucket with \
                 `--results`; quotes and other escaped characters take more room in a response over HTTP",
            ));
        }
        Ok(bytes.into())
    }
}

/// Returns headers and cookies as the platform takes them.
fn members(headers: &HeaderMap) -> (Map<String, Value>, Vec<Value>) {
    let mut members = Map::new();
    let mut cookies = Vec::new();
    for name in headers.keys() {
        let values = headers.get_all(name).iter();
        let values = values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        match name {
            name if *name == SET_COOKIE => cookies.extend(values.map(Value::from)),
            name if DROPPED.contains(&name.as_str()) => {}
            name => {
                let all: Vec<String> = values.collect();
                members.insert(name.to_string(), all.join(", ").into());
            }
        }
    }
    (members, cookies)
}

/// Returns what precedes the body of a streamed response: status, headers and cookies as JSON, and eight zero bytes. Format:
/// "Configuring a Lambda function to stream responses", media type `application/vnd.awslambda.http-integration-response`.
pub(super) fn prelude(status: StatusCode, headers: &HeaderMap) -> Bytes {
    let (members, cookies) = members(headers);
    let prelude = json!({ "statusCode": status.as_u16(), "headers": members, "cookies": cookies });
    let mut bytes = prelude.to_string().into_bytes();
    bytes.extend([0; 8]);
    bytes.into()
}

/// Returns `true` if the content is text by its type.
fn is_text(headers: &HeaderMap) -> bool {
    let Some(media_type) = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()) else {
        return false;
    };
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type.starts_with("text/") || media_type.ends_with("json") || media_type.ends_with("xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(changes: Value) -> Json {
        let mut event = json!({
            "version": "2.0", "rawPath": "/mcp", "rawQueryString": "a=1&b=%E5%B9%B4",
            "headers": { "accept": "application/json", "host": "x.lambda-url.us-east-1.on.aws", "x-a": "1,2" },
            "cookies": ["a=1", "b=2"], "isBase64Encoded": false, "body": "{}",
            "requestContext": { "stage": "$default", "http": { "method": "POST", "path": "/mcp" } },
        });
        for (key, value) in changes.as_object().unwrap() {
            event[key] = value.clone();
        }
        event.into()
    }

    #[test]
    fn a_request_is_read_whole() {
        let read = HttpEvent::read(&event(json!({}))).unwrap();
        assert_eq!(
            (read.method, read.uri.to_string()),
            (Method::POST, "/mcp?a=1&b=%E5%B9%B4".into())
        );
        assert_eq!(read.headers[COOKIE], "a=1; b=2");
        assert_eq!((read.headers["x-a"].to_str().unwrap(), &read.body[..]), ("1,2", &b"{}"[..]));
        assert!(!read.headers.contains_key("host") && !read.is_authorized);
        let context = json!({
            "stage": "prod", "http": { "method": "GET" }, "authorizer": { "iam": { "userId": "x" } },
        });
        let changes = json!({
            "rawPath": "/prod/events", "rawQueryString": "", "requestContext": context,
            "body": "aGk=", "isBase64Encoded": true,
        });
        let read = HttpEvent::read(&event(changes)).unwrap();
        assert_eq!((read.uri.to_string(), &read.body[..]), ("/events".into(), &b"hi"[..]));
        assert!(read.is_authorized);
    }

    #[test]
    fn what_is_no_request_is_named() {
        let post = json!({ "http": { "method": "POST" }, "authorizer": {} });
        for (changes, expected) in [
            (json!({ "version": "1.0" }), "version: expected `2.0`"),
            (json!({ "requestContext": {} }), "requestContext.http.method: "),
            (json!({ "rawPath": "mcp" }), "rawPath: expected a path"),
            (json!({ "rawPath": "//evil.example/x y" }), "rawPath: expected a path"),
            (json!({ "headers": [] }), "headers: expected an object, got array"),
            (json!({ "headers": { "a b": "c" } }), "headers.a b: not the name of a header"),
            (json!({ "headers": { "a": "b\nc" } }), "headers.a: expected a string without"),
            (json!({ "cookies": ["a\nb"] }), "cookies: "),
            (json!({ "body": 1 }), "body: expected a string, got number"),
            (json!({ "body": "?", "isBase64Encoded": true }), "body: not base64"),
        ] {
            let error = HttpEvent::read(&event(changes)).unwrap_err().render();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(!HttpEvent::read(&event(json!({ "requestContext": post }))).unwrap().is_authorized);
    }

    #[test]
    fn text_stays_text_and_everything_else_is_base64() {
        let answer = |media_type: &'static str, body: &'static [u8]| -> Value {
            let mut answer = HttpAnswer::of_json(StatusCode::OK, body);
            answer.headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
            answer.headers.append(SET_COOKIE, HeaderValue::from_static("a=1"));
            answer.headers.append(SET_COOKIE, HeaderValue::from_static("b=2"));
            answer.headers.insert("connection", HeaderValue::from_static("close"));
            serde_json::from_slice(&answer.into_bytes().unwrap()).unwrap()
        };
        let json = answer("application/json; charset=utf-8", b"{}");
        assert_eq!((&json["body"], &json["isBase64Encoded"]), (&json!("{}"), &json!(false)));
        assert_eq!(json["cookies"], json!(["a=1", "b=2"]));
        assert!(json["headers"].get("connection").is_none(), "{json}");
        let pdf = answer("application/pdf", b"%PDF");
        assert_eq!((&pdf["body"], &pdf["isBase64Encoded"]), (&json!("JVBERg=="), &json!(true)));
        assert_eq!(answer("text/plain", b"\xff")["isBase64Encoded"], true);
        let large = HttpAnswer::of_json(StatusCode::OK, vec![b'x'; MAX_PAYLOAD_BYTES]);
        assert!(large.into_bytes().unwrap_err().render().contains("6291556"));
    }

    #[test]
    fn a_streamed_response_begins_with_its_head() {
        let mut headers = HttpAnswer::of_json(StatusCode::OK, "").headers;
        headers.insert("transfer-encoding", HeaderValue::from_static("chunked"));
        headers.append(SET_COOKIE, HeaderValue::from_static("a=1"));
        let bytes = prelude(StatusCode::CREATED, &headers);
        let (json, end) = bytes.split_at(bytes.len() - 8);
        assert_eq!(end, [0; 8]);
        let json: Value = serde_json::from_slice(json).unwrap();
        assert_eq!(
            json,
            json!({ "statusCode": 201, "headers": { "content-type": "application/json" }, "cookies": ["a=1"] })
        );
    }
}
