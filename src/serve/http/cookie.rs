//! The cookie of a browser, which holds its token.
//!
//! A page cannot keep a token from its own scripts, so the server keeps it in a cookie that scripts cannot read. The cookie
//! counts only for requests that the page itself sends: another page of the same machine is "same site" for a browser, so
//! `SameSite` alone does not keep its requests out.

use hyper::HeaderMap;
use hyper::header::{COOKIE, HOST, HeaderValue, ORIGIN};

/// Says whether the page of this server sent a request (Fetch Metadata of the W3C).
const FETCH_SITE: &str = "sec-fetch-site";

/// Returns `true` if the page of this server sent the request, or a person by opening an address. Browsers without
/// `Sec-Fetch-Site` send `Origin` with requests that change something.
pub(super) fn is_of_own_page(headers: &HeaderMap) -> bool {
    match headers.get(FETCH_SITE).map(HeaderValue::as_bytes) {
        Some(site) => matches!(site, b"same-origin" | b"none"),
        None => headers.get(ORIGIN).is_none_or(|origin| is_host(origin, headers)),
    }
}

/// Returns `true` if an origin is the host of the request.
fn is_host(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let origin = origin.to_str().ok().and_then(|it| it.split_once("://")).map(|it| it.1);
    let host = headers.get(HOST).and_then(|it| it.to_str().ok());
    origin.is_some_and(|origin| host.is_some_and(|host| host.eq_ignore_ascii_case(origin)))
}

/// Returns the token in the cookie of a request that [`is_of_own_page`]; `None` otherwise.
pub(super) fn token_of(port: u16, is_https: bool, headers: &HeaderMap) -> Option<&str> {
    if !is_of_own_page(headers) {
        return None;
    }
    let name = cookie_name(port, is_https);
    headers.get_all(COOKIE).iter().find_map(|value| {
        let pairs = value.to_str().ok()?.split(';');
        pairs.filter_map(|it| it.trim().split_once('=')).find(|it| it.0 == name).map(|it| it.1)
    })
}

/// Returns the name of the cookie. Browsers send cookies to all ports of a machine, so each port has its own. Over HTTPS the
/// prefix `__Host-` keeps others from setting it.
pub(super) fn cookie_name(port: u16, is_https: bool) -> String {
    let prefix = if is_https { "__Host-" } else { "" };
    format!("{prefix}mitt_session_{port}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookie: &str, site: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, cookie.parse().unwrap());
        if let Some(site) = site {
            headers.insert(FETCH_SITE, site.parse().unwrap());
        }
        headers
    }

    #[test]
    fn the_cookie_counts_only_for_requests_of_the_page_itself() {
        let cookie = "a=1; mitt_session_6488=mitt_x; b=2";
        for (site, counts) in [
            (None, true),
            (Some("same-origin"), true),
            (Some("none"), true),
            (Some("same-site"), false),
            (Some("cross-site"), false),
        ] {
            let expected = counts.then_some("mitt_x");
            assert_eq!(token_of(6488, false, &headers(cookie, site)), expected, "{site:?}");
        }
        // A browser without `Sec-Fetch-Site`.
        for (origin, counts) in [("http://localhost:6488", true), ("http://localhost:3000", false)]
        {
            let mut headers = headers(cookie, None);
            headers.insert(HOST, "localhost:6488".parse().unwrap());
            headers.insert(ORIGIN, origin.parse().unwrap());
            assert_eq!(token_of(6488, false, &headers).is_some(), counts, "{origin}");
        }
        // Over HTTPS only the cookie counts that nobody else can set.
        let secure = headers("__Host-mitt_session_6488=mitt_x", None);
        assert_eq!(token_of(6488, true, &secure), Some("mitt_x"));
        assert_eq!(token_of(6488, true, &headers(cookie, None)), None);
        // The cookie of a server on another port is another one.
        assert_eq!(token_of(6489, false, &headers(cookie, None)), None);
    }
}
