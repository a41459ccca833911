//! Errors of a request that got no usable response. Their messages repeat no secret part of an address.

use std::time::Duration;

use mitt_base::{Error, ErrorKind, InputProblem, text};
use reqwest::Url;

use super::causes::causes;
use super::policy::not_public;
use super::resolve::NotPublic;
use super::tls;

/// Returns an address without its query and fragment, which may be secret.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    text::one_line(&text::shortened(url.as_str(), 200))
}

#[cold]
pub(super) fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, message).with_problem(InputProblem::FetchFailed)
}

#[cold]
pub(super) fn late(url: &Url, time: Duration) -> Error {
    failed(format!("{} took longer than {} s", shown(url), time.as_secs_f64())).retryable(true)
}

/// There was no connection, or it ended before the response.
#[cold]
pub(super) fn unreachable(url: &Url, error: &reqwest::Error) -> Error {
    let mut cause = std::error::Error::source(error);
    while let Some(found) = cause {
        if let Some(NotPublic { name, address }) = found.downcast_ref::<NotPublic>() {
            return not_public(name, *address);
        }
        cause = found.source();
    }
    let causes = causes(error);
    let host = url.host_str().unwrap_or_default();
    if causes.contains(tls::UNKNOWN_ISSUER) {
        return failed(format!("the certificate of {host} is of an unknown issuer"))
            .caused_by(causes)
            .hint("if you trust it, name a PEM file with the certificate of its issuer in the environment variable `SSL_CERT_FILE`");
    }
    let what = if error.is_connect() { "no connection to" } else { "no answer from" };
    failed(format!("{what} {host}"))
        .caused_by(causes)
        .hint("check the address and the network; proxies are not used for documents")
        .retryable(true)
}
