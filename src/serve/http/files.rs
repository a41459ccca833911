//! `/files/…`: downloads by signed links. A browser needs nothing but the link, and learns nothing else.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Response, StatusCode};

use super::body::{HttpResponse, hold, later, text};
use super::shared::Shared;
use crate::mcp::links::{Linked, NoFile};
use crate::mcp::raw_message;
use mitt_base::{Error, ErrorKind};

/// Answers `GET` or `HEAD` of a link.
pub(super) fn answer(shared: &Shared, method: &Method, path: &str) -> HttpResponse {
    let file = match shared
        .server()
        .links()
        .follow(path, shared.server().host().environment().now())
    {
        Ok(file) => file,
        Err(NoFile::Wrong) => return missing("there is no such file\n"),
        Err(NoFile::Gone) => {
            return missing(
                "the file is gone: it was removed, or files of other sessions needed the room\n",
            );
        }
        Err(NoFile::Expired) => {
            let message = "the link has expired; have the file delivered again for a new one\n";
            return text(StatusCode::GONE, message);
        }
    };
    let Ok(place) = shared.downloads.clone().try_acquire_owned() else {
        return shared.refuse(
            "downloads",
            later(StatusCode::SERVICE_UNAVAILABLE, "too many downloads at once\n"),
        );
    };
    if *method == Method::HEAD {
        return with_headers(Bytes::new(), &file, file.artifact.size);
    }
    let content = match file.content() {
        Ok(content) => Bytes::from(content),
        Err(error) => return unread(&error),
    };
    let size = content.len() as u64;
    let kept = raw_message::kept(shared.server().host(), Some(file.tenant()), size);
    hold(with_headers(content, &file, size), (place, kept))
}

fn with_headers(content: Bytes, file: &Linked, size: u64) -> HttpResponse {
    let mut answer = Response::new(Full::new(content).boxed());
    let headers = answer.headers_mut();
    // A media type that a plugin made up may be invalid.
    let media_type = HeaderValue::from_str(&file.artifact.media_type)
        .unwrap_or(HeaderValue::from_static("application/octet-stream"));
    headers.insert(CONTENT_TYPE, media_type);
    headers.insert(CONTENT_LENGTH, size.into());
    if let Ok(name) = HeaderValue::from_str(&disposition(&file.artifact.name)) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    // Download, not display: a page that a tool wrote must not run with the origin of this server.
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "private, no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// Returns `attachment` with the name, in the two forms of RFC 6266: readers that know only ASCII use the first.
fn disposition(name: &str) -> String {
    let plain = |character: char| match character {
        '"' | '\\' | '%' | '/' => '_',
        ' '..='~' => character,
        _ => '_',
    };
    let ascii: String = name.chars().map(plain).collect();
    format!(
        "attachment; filename=\"{ascii}\"; filename*=UTF-8''{}",
        crate::mcp::links::encoded(name)
    )
}

fn missing(message: &'static str) -> HttpResponse {
    text(StatusCode::NOT_FOUND, message)
}

fn unread(error: &Error) -> HttpResponse {
    match error.kind() {
        ErrorKind::Input => missing("the file is gone\n"),
        _ => {
            tracing::warn!(error = %error.render(), "a file cannot be read");
            text(StatusCode::INTERNAL_SERVER_ERROR, "the file cannot be read\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_scripts() {
        for (name, expected) in [
            ("a b.md", "attachment; filename=\"a b.md\"; filename*=UTF-8''a%20b.md"),
            (
                "月报.pdf",
                "attachment; filename=\"__.pdf\"; filename*=UTF-8''%E6%9C%88%E6%8A%A5.pdf",
            ),
            ("a\"\\\r\n;b", "attachment; filename=\"a____;b\"; filename*=UTF-8''a%22%5C%0D%0A%3Bb"),
        ] {
            assert_eq!(disposition(name), expected);
        }
    }
}
