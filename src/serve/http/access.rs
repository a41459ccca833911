//! Checks `Host` and `Origin` of a request.
//!
//! A page that a browser loaded from elsewhere can send requests to this machine, and by DNS rebinding even under the page's
//! own name. Such requests are recognised by their `Origin`, or by a `Host` that is not one of ours.

use std::net::{IpAddr, SocketAddr};

use hyper::header::{HOST, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Uri};

use mitt_base::{Error, ErrorKind, Result};

/// The accepted hosts and origins.
#[derive(Debug)]
pub(super) struct Access {
    loopback: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// `Host` is missing, repeated or invalid.
    BadHost,
    /// The name is not ours.
    Host,
    /// The request comes from a foreign page.
    Origin,
}

impl Access {
    /// Makes the rules. `hosts` are further names, and `origins` are complete (`https://app.example`).
    pub(super) fn new(address: SocketAddr, hosts: &[String], origins: &[String]) -> Result<Access> {
        for host in hosts {
            if Authority::try_from(host.as_str()).map_or(true, |name| name.port().is_some()) {
                return Err(Error::new(ErrorKind::Input, format!("`{host}` is no name of a host"))
                    .hint("a name alone, such as `mcp.example.org`"));
            }
        }
        for origin in origins {
            let parts = origin.parse::<Uri>().ok();
            let is_origin = parts.is_some_and(|uri| {
                uri.scheme().is_some() && uri.authority().is_some() && uri.path().len() <= 1
            });
            if !is_origin || origin.ends_with('/') {
                return Err(Error::new(ErrorKind::Input, format!("`{origin}` is no origin"))
                    .hint("scheme, host and port, such as `https://app.example.org`"));
            }
        }
        Ok(Access {
            loopback: address.ip().is_loopback(),
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            origins: origins.iter().map(|origin| origin.to_ascii_lowercase()).collect(),
        })
    }

    /// Checks the header of a request.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(Refusal::BadHost);
        };
        let host = host.to_str().ok().and_then(|host| Authority::try_from(host).ok());
        let Some(host) = host.filter(|host| !host.as_str().contains('@')) else {
            return Err(Refusal::BadHost);
        };
        if !self.is_ours(host.host()) {
            return Err(Refusal::Host);
        }
        if headers
            .get_all(ORIGIN)
            .iter()
            .all(|origin| origin.to_str().is_ok_and(|origin| self.is_origin(origin, &host)))
        {
            Ok(())
        } else {
            Err(Refusal::Origin)
        }
    }

    /// Returns `true` if pages of this origin may read our responses.
    pub(super) fn is_listed(&self, origin: &str) -> bool {
        self.origins.iter().any(|listed| listed.eq_ignore_ascii_case(origin))
    }

    /// Returns `true` if a host is ours. Only a name can be rebound, an address cannot. On loopback, only loopback addresses
    /// lead here.
    fn is_ours(&self, host: &str) -> bool {
        let listed = self.hosts.iter().any(|name| name.eq_ignore_ascii_case(host));
        match address(host) {
            Some(address) => address.is_loopback() || !self.loopback || listed,
            None => host.eq_ignore_ascii_case("localhost") || listed,
        }
    }

    fn is_origin(&self, origin: &str, host: &Authority) -> bool {
        if self.is_listed(origin) {
            return true;
        }
        let Ok(uri) = origin.parse::<Uri>() else {
            return false;
        };
        let Some(authority) = uri.authority() else {
            return false;
        };
        // The page comes from our own address, or from a local program.
        authority.as_str().eq_ignore_ascii_case(host.as_str())
            || self.loopback
                && (authority.host().eq_ignore_ascii_case("localhost")
                    || address(authority.host()).is_some_and(|address| address.is_loopback()))
    }
}

fn address(host: &str) -> Option<IpAddr> {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(access: &Access, host: &str, origin: Option<&str>) -> Result<(), Refusal> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        access.check(&headers)
    }

    #[test]
    fn on_loopback_only_loopback_and_listed_names() {
        let access = Access::new(
            "127.0.0.1:1".parse().unwrap(),
            &["mcp.example.org".into()],
            &["https://app.example.org".into()],
        )
        .unwrap();
        for host in
            ["localhost", "LOCALHOST:9", "127.0.0.1:80", "127.8.8.8", "[::1]:1", "mcp.Example.org"]
        {
            assert_eq!(check(&access, host, None), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "192.168.0.1",
            "127.0.0.1.evil.example",
            "[::2]",
        ] {
            assert_eq!(check(&access, host, None), Err(Refusal::Host), "{host}");
        }
        for host in ["", "a b", "user@localhost", "localhost/x"] {
            assert_eq!(check(&access, host, None), Err(Refusal::BadHost), "{host:?}");
        }
        for origin in [
            "http://localhost:6274",
            "http://127.0.0.1",
            "http://[::1]:1",
            "https://app.example.org",
        ] {
            assert_eq!(check(&access, "localhost", Some(origin)), Ok(()), "{origin}");
        }
        for origin in [
            "http://evil.example",
            "null",
            "https://app.example.org.evil.example",
            "http://app.example.org",
            "http://localhost.evil.example",
            "file://",
        ] {
            assert_eq!(check(&access, "localhost", Some(origin)), Err(Refusal::Origin), "{origin}");
        }
        assert_eq!(access.check(&HeaderMap::new()), Err(Refusal::BadHost));
        let mut twice = HeaderMap::new();
        twice.append(HOST, "localhost".parse().unwrap());
        twice.append(HOST, "evil.example".parse().unwrap());
        assert_eq!(access.check(&twice), Err(Refusal::BadHost));
    }

    #[test]
    fn elsewhere_addresses_and_listed_names() {
        let access =
            Access::new("0.0.0.0:1".parse().unwrap(), &["mcp.example.org".into()], &[]).unwrap();
        for host in ["10.0.0.7:6488", "mcp.example.org:443", "[fe80::1]"] {
            assert_eq!(check(&access, host, None), Ok(()), "{host}");
        }
        assert_eq!(check(&access, "evil.example", None), Err(Refusal::Host));
        // A page of this server may use it; a program on the browser's machine may not.
        assert_eq!(check(&access, "mcp.example.org", Some("https://mcp.example.org")), Ok(()));
        assert_eq!(
            check(&access, "mcp.example.org", Some("http://localhost:1")),
            Err(Refusal::Origin)
        );
    }

    #[test]
    fn names_and_origins_are_checked_at_the_start() {
        let address = "127.0.0.1:1".parse().unwrap();
        for host in ["https://a.example", "a.example:80", "a b", ""] {
            assert!(Access::new(address, &[host.into()], &[]).is_err(), "{host:?}");
        }
        for origin in ["a.example", "https://a.example/", "https://a.example/x", ""] {
            assert!(Access::new(address, &[], &[origin.into()]).is_err(), "{origin:?}");
        }
    }
}
