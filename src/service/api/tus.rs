//! `/v1/uploads`: tus 1.0 (<https://tus.io/protocols/resumable-upload>), its core and the extensions `creation`,
//! `creation-with-upload`, `termination` and `expiration`.

use std::time::{Duration, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue, LOCATION};

use super::file_name::safe_name;
use super::form::media_type;
use super::uploads::{Entry, UploadState, Uploads, wrong_offset};
use super::viewer::Viewer;
use crate::http::{
    Answered, Body, HttpResponse, Request, Responds, empty, json, problem, schema_of,
};
use crate::problem::Problem;
use crate::service::{Endpoint, Service};

const VERSION: &str = "1.0.0";
const EXTENSIONS: &str = "creation,creation-with-upload,termination,expiration";
/// Media type of bytes that are appended.
const BYTES: &str = "application/offset+octet-stream";
/// Bytes that are collected before they are stored.
const BUFFER: usize = 256 * 1024;

/// Headers of the protocol.
const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const TUS_VERSION: HeaderName = HeaderName::from_static("tus-version");
const TUS_EXTENSION: HeaderName = HeaderName::from_static("tus-extension");
const TUS_MAX_SIZE: HeaderName = HeaderName::from_static("tus-max-size");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const EXPIRES: HeaderName = HeaderName::from_static("upload-expires");

pub(super) fn endpoints() -> Vec<Endpoint> {
    let (all, one) = ("/v1/uploads", "/v1/uploads/{upload}");
    let summary = "Begins an upload.";
    let create = endpoint(Method::POST, all, "create_upload", summary, create)
        .describe(
            "`Upload-Length` is the size in bytes, `Upload-Metadata` has `filename` and `filetype` in base64. `Location` of \
             the response is the address of the upload. The protocol is tus 1.0.",
        )
        .reads(Body::Bytes)
        .responds(Responds::Empty(201));
    let summary = "Returns what the server knows of the protocol.";
    let options = endpoint(Method::OPTIONS, all, "get_upload_options", summary, options);
    let summary = "Returns an upload, and its file once it is whole.";
    let get = endpoint(Method::GET, one, "get_upload", summary, get)
        .responds(Responds::Json(200, schema_of::<UploadState>()));
    let summary = "Returns the number of bytes that have arrived, as `Upload-Offset`.";
    let head = endpoint(Method::HEAD, one, "get_upload_offset", summary, head)
        .responds(Responds::Empty(200));
    let summary = "Appends bytes to an upload.";
    let append_ = endpoint(Method::PATCH, one, "append_upload", summary, append)
        .describe("`Upload-Offset` is the number of bytes that have arrived; otherwise the response is 409.")
        .reads(Body::Bytes);
    let summary = "Deletes an upload, and its file if it is whole.";
    let delete_ = endpoint(Method::DELETE, one, "delete_upload", summary, delete);
    let summary = "Appends bytes to an upload, or deletes it.";
    let other = endpoint(Method::POST, one, "change_upload", summary, change)
        .describe(
            "For clients that cannot send `PATCH` or `DELETE`: `X-HTTP-Method-Override` names it.",
        )
        .reads(Body::Bytes);
    vec![create, options, get, head, append_, delete_, other]
}

/// Returns an endpoint whose responses, problems too, have the version of the protocol.
fn endpoint<F>(
    method: Method,
    path: &str,
    operation: &str,
    summary: &str,
    handler: impl Fn(Service, Request) -> F + Clone + Send + Sync + 'static,
) -> Endpoint
where
    F: Future<Output = Answered> + Send + 'static,
{
    let versioned = move |service: Service, request: Request| {
        let handler = handler.clone();
        async move {
            let wrong_version = wrong_version(&request);
            let mut answer = match wrong_version {
                Some(refused) => refused,
                None => handler(service, request).await.unwrap_or_else(|it| problem(&it)),
            };
            answer.headers_mut().insert(RESUMABLE, HeaderValue::from_static(VERSION));
            Ok(answer)
        }
    };
    Endpoint::new("uploads", method, path, operation, summary, versioned)
}

/// Returns the response to a request of another version. A request without one is taken, so that `curl` needs less.
fn wrong_version(request: &Request) -> Option<HttpResponse> {
    let got = request.headers().get(RESUMABLE).filter(|_| *request.method() != Method::OPTIONS)?;
    if got == VERSION {
        return None;
    }
    let got = mitt_base::text::one_line(&String::from_utf8_lossy(got.as_bytes()));
    let got = mitt_base::text::cut_bytes(&got, 100);
    let detail = format!("`Tus-Resumable`: expected {VERSION}, got `{got}`");
    let mut answer = problem(&Problem::new(412, "unsupported_version", detail));
    answer.headers_mut().insert(TUS_VERSION, HeaderValue::from_static(VERSION));
    Some(answer)
}

async fn options(service: Service, _: Request) -> Answered {
    let mut answer = empty(204);
    let headers = answer.headers_mut();
    headers.insert(TUS_VERSION, HeaderValue::from_static(VERSION));
    headers.insert(TUS_EXTENSION, HeaderValue::from_static(EXTENSIONS));
    headers.insert(TUS_MAX_SIZE, service.upload_bytes().into());
    Ok(answer)
}

async fn create(service: Service, request: Request) -> Answered {
    let viewer = Viewer::of(&service, &request);
    if request.headers().contains_key("upload-defer-length") {
        let detail = "`Upload-Defer-Length` is not supported; send `Upload-Length`";
        return Err(Problem::bad("invalid_header", detail));
    }
    let size = number(&request, &LENGTH)?;
    within(size, service.upload_bytes())?;
    let metadata = metadata(request.header("upload-metadata").unwrap_or_default())?;
    let of = |names: [&str; 2]| {
        let found = metadata.iter().find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value.as_str())
    };
    let name = safe_name(of(["filename", "name"]).unwrap_or_default());
    let media_type = media_type(of(["filetype", "type"]));
    let uploads = Uploads { service: service.clone(), tenant: viewer.tenant.clone() };
    let mut state = uploads.create(name, media_type, size).await?;
    if request.header("content-type") == Some(BYTES) && size > 0 {
        let (_, entry) = uploads.find(&state.id).await?;
        // The client learns the address even if the body breaks off.
        if let Ok(offset) = receive(uploads, state.id.clone(), entry, 0, request).await {
            state.offset = offset;
        }
    }
    let mut answer = with_offset(empty(201), &state);
    let address = viewer.address(&format!("/v1/uploads/{}", state.id));
    if let Ok(address) = HeaderValue::from_str(&address) {
        answer.headers_mut().insert(LOCATION, address);
    }
    Ok(answer)
}

async fn get(service: Service, request: Request) -> Answered {
    let id = request.parameter("upload").to_owned();
    let state = Uploads { service, tenant: request.tenant() }.get(&id).await?;
    Ok(json(200, &state))
}

async fn head(service: Service, request: Request) -> Answered {
    let id = request.parameter("upload").to_owned();
    let state = Uploads { service, tenant: request.tenant() }.get(&id).await?;
    let mut answer = with_offset(empty(200), &state);
    answer.headers_mut().insert(LENGTH, state.size.into());
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

async fn append(service: Service, request: Request) -> Answered {
    let id = request.parameter("upload").to_owned();
    let uploads = Uploads { service, tenant: request.tenant() };
    if request.header("content-type") != Some(BYTES) {
        let detail = format!("`Content-Type`: expected `{BYTES}`");
        return Err(Problem::new(415, "unsupported_media_type", detail));
    }
    let offset = number(&request, &OFFSET)?;
    let (mut state, entry) = uploads.find(&id).await?;
    if offset != state.offset {
        return Err(wrong_offset(state.offset, offset));
    }
    if state.file.is_none() {
        let left = state.size.saturating_sub(offset);
        if let Some(length) = request.content_length() {
            within(offset.saturating_add(length), offset.saturating_add(left))?;
        }
        // A client that closes its connection must not lose what has arrived.
        let receiving = tokio::spawn(receive(uploads, id, entry, offset, request));
        state.offset = receiving.await.map_err(|error| {
            Problem::internal(&mitt_base::Error::bug(std::io::Error::other(error.to_string())))
        })??;
    }
    Ok(with_offset(empty(204), &state))
}

async fn delete(service: Service, request: Request) -> Answered {
    let id = request.parameter("upload").to_owned();
    Uploads { service, tenant: request.tenant() }.delete(&id).await?;
    Ok(empty(204))
}

async fn change(service: Service, request: Request) -> Answered {
    match request.header("x-http-method-override") {
        Some("PATCH") => append(service, request).await,
        Some("DELETE") => delete(service, request).await,
        _ => {
            let detail = "`X-HTTP-Method-Override`: expected `PATCH` or `DELETE`";
            Err(Problem::bad("invalid_header", detail))
        }
    }
}

/// Appends the body of a request, ends the upload if it is whole, and returns the number of bytes that are there. What
/// arrived before the body broke off stays.
async fn receive(
    uploads: Uploads,
    id: String,
    entry: Entry,
    offset: u64,
    request: Request,
) -> Result<u64, Problem> {
    let mut pieces = request.pieces(entry.size.saturating_sub(offset));
    let mut buffer = Vec::with_capacity(BUFFER);
    let mut at = offset;
    let broken = loop {
        match pieces.next().await {
            Ok(Some(piece)) => {
                buffer.extend_from_slice(&piece);
                if buffer.len() >= BUFFER {
                    at = uploads.append(&id, at, &buffer).await?;
                    buffer.clear();
                }
            }
            Ok(None) => break None,
            Err(refusal) => break Some(crate::http::refused(refusal)),
        }
    };
    if !buffer.is_empty() {
        at = uploads.append(&id, at, &buffer).await?;
    }
    if at == entry.size {
        uploads.finish(&id, &entry).await?;
        return Ok(at);
    }
    broken.map_or(Ok(at), Err)
}

fn within(size: u64, most: u64) -> Result<(), Problem> {
    if size <= most {
        return Ok(());
    }
    Err(Problem::new(413, "too_large", format!("expected at most {most} bytes, got {size}")))
}

/// Returns a header that is a number.
fn number(request: &Request, name: &HeaderName) -> Result<u64, Problem> {
    let text = request.header(name.as_str());
    text.and_then(decimal).ok_or_else(|| {
        Problem::bad("invalid_header", format!("`{name}`: expected a number of bytes"))
    })
}

fn decimal(text: &str) -> Option<u64> {
    text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Returns the pairs of `Upload-Metadata`: names with values in base64, divided by commas.
fn metadata(header: &str) -> Result<Vec<(String, String)>, Problem> {
    let pairs = header.split(',').map(str::trim).filter(|it| !it.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once(' ').unwrap_or((pair, ""));
        let bytes = STANDARD.decode(value.trim()).ok()?;
        Some((name.to_owned(), String::from_utf8(bytes).ok()?))
    };
    pairs.map(pair).collect::<Option<Vec<_>>>().ok_or_else(|| {
        let detail = "`Upload-Metadata`: expected names with values of UTF-8 in base64";
        Problem::bad("invalid_header", detail)
    })
}

fn with_offset(mut answer: HttpResponse, state: &UploadState) -> HttpResponse {
    let headers = answer.headers_mut();
    headers.insert(OFFSET, state.offset.into());
    if state.file.is_none()
        && let Some(expires) = date(state.expires_ms)
    {
        headers.insert(EXPIRES, expires);
    }
    answer
}

/// Returns a time in milliseconds after 1970 as a date of HTTP.
fn date(ms: u64) -> Option<HeaderValue> {
    let time = UNIX_EPOCH.checked_add(Duration::from_millis(ms))?;
    HeaderValue::from_str(&httpdate::fmt_http_date(time)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_as_the_protocol_has_it() {
        let pairs =
            metadata("filename 6ZSA5ZSuLmNzdg==,filetype dGV4dC9jc3Y=, is_confidential").unwrap();
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(
            pairs,
            [("filename", "销售.csv"), ("filetype", "text/csv"), ("is_confidential", "")]
        );
        assert_eq!(metadata("").unwrap(), []);
        for wrong in ["filename a.csv", "filename /w==", "filename YQ"] {
            assert_eq!(metadata(wrong).unwrap_err().status, 400, "{wrong}");
        }
    }

    #[test]
    fn sizes_are_decimal_numbers() {
        assert_eq!(decimal("1073741824"), Some(1 << 30));
        for wrong in ["", "-1", "+1", "1.0", "0x1", "99999999999999999999"] {
            assert_eq!(decimal(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_upload_expires_at_a_date() {
        assert_eq!(date(784_111_777_000).unwrap(), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn a_size_within_the_limit_passes() {
        assert_eq!(within(10, 10), Ok(()));
        let problem = within(11, 10).unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (413, "too_large"));
    }
}
