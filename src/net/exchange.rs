//! Requests of plugins: any common method, with headers and content, to hosts that both the operator and the plugin's skill
//! allow. Every response goes to the plugin, even a redirect: a plugin that follows one makes a new request, which is
//! checked again.

use std::time::Duration;

use mitt_base::{Error, ErrorKind, InputProblem, Resource, Result, text};
use mitt_types::{HttpBounds, HttpRequest, HttpResponse};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};
use tokio::time::{Instant, timeout_at};

use super::causes::causes;
use super::failures::{failed, late, shown, unreachable};
use super::policy::FetchPolicy;

/// Methods that are allowed.
const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// Headers that control the connection or name its target; plugins must not set them.
const RESERVED: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Most headers of a request or a response.
const MAX_HEADERS: usize = 100;

/// Most bytes of all headers of a request, and of a response.
const MAX_HEADER_BYTES: usize = 64 * 1024;

#[cold]
fn denied(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Denied, message)
}

/// Checks that the plugin's skill allows an address.
///
/// # Errors
///
/// [`ErrorKind::Denied`] - it does not, or its list of hosts is malformed.
pub(super) fn check_skill(url: &Url, hosts: &[String]) -> Result<()> {
    let mut policy = FetchPolicy::new();
    for host in hosts {
        policy =
            policy.host(host).map_err(|error| denied(error.to_string()).at("grants: fetch"))?;
    }
    policy.check(url).map_err(|error| {
        let hosts = text::shortened(&hosts.join(", "), 200);
        denied(format!("its skill may not ask it: {error}"))
            .hint(format!("`fetch` in `grants` of `skill.yaml` names {hosts}"))
    })
}

/// Sends a request that was checked, and waits for the response until `deadline`.
///
/// # Errors
///
/// Those of [`Fetch::exchange`](mitt_types::Fetch::exchange).
pub(super) async fn exchange(
    client: &Client,
    (url, request): (Url, &HttpRequest),
    bounds: &HttpBounds<'_>,
    (deadline, time): (Instant, Duration),
) -> Result<HttpResponse> {
    if !METHODS.contains(&request.method.as_str()) {
        let method = text::one_line(text::cut_bytes(&request.method, 40));
        return Err(denied(format!(
            "expected one of {}, got the method `{method}`",
            METHODS.join(", ")
        )));
    }
    let method = Method::from_bytes(request.method.as_bytes()).map_err(Error::bug)?;
    let mut builder = client.request(method, url.clone()).headers(headers(&request.headers)?);
    if let Some(body) = &request.body {
        builder = builder.body(body.clone());
    }
    let response = timeout_at(deadline, builder.send()).await.map_err(|_| late(&url, time))?;
    let mut response = response.map_err(|error| unreachable(&url, &error))?;
    let mut answer = HttpResponse { status: response.status().as_u16(), ..HttpResponse::default() };
    let mut left = MAX_HEADER_BYTES;
    for (name, value) in response.headers() {
        let length = name.as_str().len() + value.len();
        if answer.headers.len() == MAX_HEADERS || length > left {
            return Err(failed(format!("{} answers with more headers than are read", shown(&url))));
        }
        left -= length;
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        answer.headers.push((name.as_str().to_owned(), value));
    }
    while let Some(piece) = timeout_at(deadline, response.chunk())
        .await
        .map_err(|_| late(&url, time))?
        .map_err(|error| failed(format!("{} was cut off", shown(&url))).caused_by(causes(&error)))?
    {
        let size = (answer.body.len() + piece.len()) as u64;
        if size > bounds.bytes {
            return Err(Error::limit(Resource::Document, bounds.bytes, size)
                .with_problem(InputProblem::TooLarge)
                .at(shown(&url)));
        }
        answer.body.extend_from_slice(&piece);
    }
    Ok(answer)
}

fn headers(given: &[(String, String)]) -> Result<HeaderMap> {
    let size: usize = given.iter().map(|(name, value)| name.len() + value.len()).sum();
    if given.len() > MAX_HEADERS || size > MAX_HEADER_BYTES {
        return Err(denied(format!(
            "expected at most {MAX_HEADERS} headers of {MAX_HEADER_BYTES} bytes together"
        )));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let quoted = text::one_line(text::cut_bytes(name, 60));
        let parsed =
            HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
        let Some((name, value)) = parsed else {
            return Err(denied(format!("the header `{quoted}` is none that can be sent")));
        };
        if RESERVED.contains(&name.as_str()) || name.as_str().starts_with("proxy-") {
            return Err(denied(format!("the header `{quoted}` is not a plug-in's to set")));
        }
        headers.append(name, value);
    }
    Ok(headers)
}
