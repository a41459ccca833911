//! Responses: JSON, text, problems and downloads.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::stream;
use http_body_util::{BodyExt as _, Empty, Full, StreamBody};
use hyper::body::Frame;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, REFERRER_POLICY,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Response, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::request::Request;
use crate::problem::Problem;
use crate::store::BlobReader;
use mitt_serve::http::HttpResponse;

/// Bytes of a download that are in memory at once.
const DOWNLOAD_PIECE: usize = 64 * 1024;

/// Characters of a file name that stay as they are in `filename*` (RFC 8187).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns a response of JSON.
pub(crate) fn json(status: u16, value: &impl Serialize) -> HttpResponse {
    match serde_json::to_vec(value) {
        Ok(body) => bytes(status, "application/json", body),
        Err(error) => problem(&Problem::internal(&mitt_base::Error::bug(error))),
    }
}

/// Returns a response without a body.
pub(crate) fn empty(status: u16) -> HttpResponse {
    let mut answer = Response::new(Empty::new().boxed());
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::NO_CONTENT);
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Returns a response of bytes, which is not cached.
pub(crate) fn bytes(status: u16, media_type: &'static str, body: impl Into<Bytes>) -> HttpResponse {
    let mut answer = Response::new(Full::new(body.into()).boxed());
    *answer.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

/// Returns the response for a problem, as RFC 9457 has it.
pub(crate) fn problem(problem: &Problem) -> HttpResponse {
    let body = serde_json::to_vec(problem).unwrap_or_default();
    let mut answer = bytes(problem.status, "application/problem+json", body);
    with_retry(&mut answer, problem);
    answer
}

/// Adds `Retry-After`.
pub(crate) fn with_retry(answer: &mut HttpResponse, problem: &Problem) {
    if let Some(seconds) = problem.retry_after {
        answer.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
}

/// Returns a response whose body are these pieces. The caller adds the headers.
pub(crate) fn streamed(pieces: impl Stream<Item = Bytes> + Send + 'static) -> HttpResponse {
    Response::new(StreamBody::new(SyncStream::new(pieces)).boxed())
}

/// A file to download.
pub(crate) struct Download<'a> {
    pub(crate) name: &'a str,
    pub(crate) media_type: &'a str,
    pub(crate) sha256: &'a str,
    pub(crate) content: Arc<dyn BlobReader>,
}

/// Returns a file, or the part of it that `Range` names (RFC 9110, one range). Browsers save it and never run it.
pub(crate) fn download(request: &Request, file: Download<'_>) -> HttpResponse {
    let size = file.content.size();
    let tag = format!("\"{}\"", file.sha256);
    // With another `If-Range`, the client's part is of another file.
    let is_same = request.header("if-range").is_none_or(|it| it == tag);
    let range = request.header("range").filter(|_| is_same).map(|it| range(it, size));
    let (status, start, end) = match range {
        Some(Range::Part(start, end)) => (206, start, end),
        Some(Range::Outside) => {
            let detail = format!("the file has {size} bytes");
            let mut answer = problem(&Problem::new(416, "range_not_satisfiable", detail));
            if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
                answer.headers_mut().insert(CONTENT_RANGE, value);
            }
            return answer;
        }
        Some(Range::Ignored) | None => (200, 0, size),
    };
    if request.header("if-none-match").is_some_and(|it| it.split(',').any(|it| it.trim() == tag)) {
        return empty(304);
    }
    let mut answer = if *request.method() == Method::HEAD {
        Response::new(Empty::new().boxed())
    } else {
        Response::new(StreamBody::new(pieces(file.content, start, end)).boxed())
    };
    *answer.status_mut() = if status == 206 { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let headers = answer.headers_mut();
    let octets = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(file.media_type).unwrap_or(octets));
    headers.insert(CONTENT_LENGTH, (end - start).into());
    if status == 206
        && let Ok(value) = HeaderValue::from_str(&format!("bytes {start}-{}/{size}", end - 1))
    {
        headers.insert(CONTENT_RANGE, value);
    }
    let fields: [(HeaderName, String); 7] = [
        (ACCEPT_RANGES, "bytes".to_owned()),
        (ETAG, tag),
        (CONTENT_DISPOSITION, disposition(file.name)),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned()),
        (REFERRER_POLICY, "no-referrer".to_owned()),
        (CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    for (name, value) in fields {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    answer
}

fn pieces(content: Arc<dyn BlobReader>, start: u64, end: u64) -> SyncStream {
    SyncStream::new(stream::unfold((content, start), move |(content, at)| async move {
        let length = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
        if length == 0 {
            return None;
        }
        // The announced length is not reached if the file breaks off, which the client notices.
        let piece = content.read(at, length.min(DOWNLOAD_PIECE)).await.ok()?;
        if piece.is_empty() {
            return None;
        }
        let next = at + piece.len() as u64;
        Some((piece, (content, next)))
    }))
}

/// A stream of bytes as part of a response, which must be `Sync`. Only `&mut` polls it, so the lock is never taken.
pub(super) struct SyncStream(Mutex<Pin<Box<dyn Stream<Item = Bytes> + Send>>>);

impl SyncStream {
    pub(super) fn new(stream: impl Stream<Item = Bytes> + Send + 'static) -> SyncStream {
        SyncStream(Mutex::new(Box::pin(stream)))
    }
}

impl Stream for SyncStream {
    type Item = Result<Frame<Bytes>, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        stream.as_mut().poll_next(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Range {
    /// From the first byte to before the second.
    Part(u64, u64),
    Outside,
    /// Several ranges, or another unit: the whole file is sent.
    Ignored,
}

fn range(text: &str, size: u64) -> Range {
    let Some(range) = text.trim().strip_prefix("bytes=") else { return Range::Ignored };
    if range.contains(',') {
        return Range::Ignored;
    }
    let Some((start, end)) = range.split_once('-') else { return Range::Ignored };
    let (start, end) = (start.trim(), end.trim());
    if start.is_empty() {
        return match end.parse::<u64>() {
            Ok(0) => Range::Outside,
            Ok(_) if size == 0 => Range::Outside,
            Ok(last) => Range::Part(size.saturating_sub(last), size),
            Err(_) => Range::Ignored,
        };
    }
    let Ok(start) = start.parse::<u64>() else { return Range::Ignored };
    let end = match end {
        "" => size,
        end => match end.parse::<u64>() {
            Ok(end) if end < start => return Range::Ignored,
            Ok(end) => end.saturating_add(1).min(size),
            Err(_) => return Range::Ignored,
        },
    };
    if start >= size { Range::Outside } else { Range::Part(start, end) }
}

/// Returns `attachment` with the name, in the two forms of RFC 6266.
fn disposition(name: &str) -> String {
    let plain = |character: char| match character {
        '"' | '\\' | '%' | '/' => '_',
        ' '..='~' => character,
        _ => '_',
    };
    let ascii: String = name.chars().map(plain).collect();
    format!(
        "attachment; filename=\"{ascii}\"; filename*=UTF-8''{}",
        utf8_percent_encode(name, PLAIN)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_a_part_of_the_file() {
        for (text, expected) in [
            ("bytes=0-9", Range::Part(0, 10)),
            ("bytes=90-", Range::Part(90, 100)),
            ("bytes=90-1000", Range::Part(90, 100)),
            ("bytes=-5", Range::Part(95, 100)),
            ("bytes=-500", Range::Part(0, 100)),
            ("bytes=100-", Range::Outside),
            ("bytes=-0", Range::Outside),
            ("bytes=5-4", Range::Ignored),
            ("bytes=0-1,3-4", Range::Ignored),
            ("lines=1-2", Range::Ignored),
        ] {
            assert_eq!(range(text, 100), expected, "{text}");
        }
    }

    #[test]
    fn names_of_all_scripts() {
        assert_eq!(
            disposition("月报 1.pdf"),
            "attachment; filename=\"__ 1.pdf\"; filename*=UTF-8''%E6%9C%88%E6%8A%A5%201.pdf"
        );
    }
}
