//! What may be fetched: hosts, protocols and networks, and the limits.

use std::net::IpAddr;
use std::time::Duration;

use ipnet::IpNet;
use reqwest::Url;

use super::address::{is_public, plain};
use mitt_base::{Error, ErrorKind, InputProblem, Remedy, Result};

/// Most redirects that are followed.
pub const DEFAULT_REDIRECTS: usize = 5;

/// Longest time for a document, including redirects.
pub const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// What may be fetched.
///
/// Defaults: nothing, until [`FetchPolicy::host`] allows a host; 5 redirects; 60 seconds for a document; only public
/// networks.
#[derive(Clone, Debug)]
pub struct FetchPolicy {
    rules: Vec<Rule>,
    networks: Vec<IpNet>,
    certificates: Vec<Vec<u8>>,
    redirects: usize,
    time: Duration,
}

/// One or several allowed hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    /// The pattern as it was written.
    text: String,
    names: Names,
    port: Option<u16>,
    /// `true` if `http` is allowed too.
    is_plain: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Names {
    All,
    /// All names that end in this text, which begins with a dot.
    Below(String),
    One(String),
}

impl Default for FetchPolicy {
    fn default() -> FetchPolicy {
        FetchPolicy {
            rules: Vec::new(),
            networks: Vec::new(),
            certificates: Vec::new(),
            redirects: DEFAULT_REDIRECTS,
            time: DEFAULT_TIME,
        }
    }
}

impl FetchPolicy {
    /// Returns a policy that allows nothing.
    pub fn new() -> FetchPolicy {
        FetchPolicy::default()
    }

    /// Allows hosts: `example.com`; all names below it, but not itself: `*.example.com`; all hosts of the public internet:
    /// `*`. A port other than 443 is added: `example.com:8443`. With the prefix `http://`, requests without TLS are allowed
    /// too.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the pattern has another form.
    pub fn host(mut self, pattern: &str) -> Result<FetchPolicy> {
        self.rules.push(Rule::parse(pattern)?);
        Ok(self)
    }

    /// Allows the addresses of a network that is not public, such as `10.1.0.0/16`, or a single address without `/`. The
    /// hosts must be allowed as well.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it is not a network.
    pub fn network(mut self, network: &str) -> Result<FetchPolicy> {
        let single = || network.parse::<IpAddr>().map(IpNet::from);
        let network = network.parse::<IpNet>().or_else(|_| single()).map_err(|_| {
            let message =
                format!("expected a network such as `10.1.0.0/16` or an address, got `{network}`");
            Error::new(ErrorKind::Input, message)
        })?;
        self.networks.push(network);
        Ok(self)
    }

    /// Trusts the root certificates in this PEM text, in addition to those of the system.
    #[must_use]
    pub fn certificates(mut self, pem: impl Into<Vec<u8>>) -> FetchPolicy {
        self.certificates.push(pem.into());
        self
    }

    /// Sets how many redirects are followed. Default [`DEFAULT_REDIRECTS`].
    #[must_use]
    pub fn redirects(mut self, most: usize) -> FetchPolicy {
        self.redirects = most;
        self
    }

    /// Sets the longest time for a document, including redirects. Default [`DEFAULT_TIME`].
    #[must_use]
    pub fn time(mut self, most: Duration) -> FetchPolicy {
        self.time = most;
        self
    }

    /// Allows the host of an address that the user typed, with and without `www.`. An address without TLS allows nothing
    /// more.
    #[must_use]
    pub fn typed(mut self, url: &str) -> FetchPolicy {
        let Ok(url) = Url::parse(url) else { return self };
        let (Some(host), "https") = (name_of(&url), url.scheme()) else { return self };
        let twin = match host.strip_prefix("www.") {
            Some(bare) => bare.to_owned(),
            None => format!("www.{host}"),
        };
        for name in [host, twin] {
            let (text, names) = (name.clone(), Names::One(name));
            self.rules.push(Rule { text, names, port: url.port(), is_plain: false });
        }
        self
    }

    /// Returns `true` if no host is allowed.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the patterns of the hosts as they were written.
    pub(crate) fn hosts(&self) -> Vec<String> {
        self.rules.iter().map(|rule| rule.text.clone()).collect()
    }

    pub(crate) fn most_redirects(&self) -> usize {
        self.redirects
    }

    pub(crate) fn most_time(&self) -> Duration {
        self.time
    }

    pub(crate) fn pems(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    /// Returns `true` if an address may be connected to.
    pub(crate) fn may_reach(&self, address: IpAddr) -> bool {
        let address = plain(address);
        is_public(address) || self.networks.iter().any(|network| network.contains(&address))
    }

    /// Checks that an address may be requested. The IP addresses of its name are checked when the name is resolved.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`], named [`InputProblem::FetchRefused`].
    pub(crate) fn check(&self, url: &Url) -> Result<()> {
        let is_plain = match url.scheme() {
            "https" => false,
            "http" => true,
            other => {
                return Err(refused(format!("`{other}` addresses are not fetched"))
                    .hint("give one that begins with `https://`"));
            }
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("the address holds a name or a password, which would be sent")
                .hint("leave out what stands before `@`"));
        }
        let Some(host) = name_of(url) else { return Err(refused("the address names no host")) };
        let port = url.port_or_known_default().unwrap_or_default();
        let of_host: Vec<_> = self.rules.iter().filter(|rule| rule.names(&host)).collect();
        let (usual, scheme) = if is_plain { (80, "http://") } else { (443, "") };
        let shown = if port == usual { host.clone() } else { format!("{host}:{port}") };
        let pattern = format!("{scheme}{shown}");
        if of_host.is_empty() {
            return Err(refused(format!("the host {host} is not allowed"))
                .remedy(Remedy::AllowHost { host: pattern }));
        }
        if !of_host.iter().any(|rule| rule.port.map_or(port == usual, |allowed| allowed == port)) {
            return Err(refused(format!("port {port} of {host} is not allowed"))
                .remedy(Remedy::AllowHost { host: pattern }));
        }
        let fits = |rule: &&Rule| {
            rule.port.map_or(port == usual, |it| it == port) && (rule.is_plain || !is_plain)
        };
        if !of_host.iter().any(fits) {
            return Err(refused(format!("{host} may be asked with TLS only"))
                .remedy(Remedy::AllowPlainHost { host: pattern }));
        }
        let literal = host.trim_matches(['[', ']']).parse::<IpAddr>();
        match literal {
            Ok(address) if !self.may_reach(address) => Err(not_public(&host, address)),
            _ => Ok(()),
        }
    }
}

/// The address may not be fetched.
#[cold]
pub(crate) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, message).with_problem(InputProblem::FetchRefused)
}

/// The host has an address that is not public.
#[cold]
pub(crate) fn not_public(host: &str, address: IpAddr) -> Error {
    let at = if host.trim_matches(['[', ']']) == address.to_string() {
        format!("{host} is an address")
    } else {
        format!("{host} is at {address}, an address")
    };
    refused(format!("{at} of this machine, of a private network or reserved"))
        .remedy(Remedy::AllowNetwork { address: address.to_string() })
}

/// Returns the host of an address without a final dot.
fn name_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(host.strip_suffix('.').unwrap_or(host).to_owned()).filter(|host| !host.is_empty())
}

impl Rule {
    fn parse(text: &str) -> Result<Rule> {
        let wrong = || {
            let message = format!(
                "expected a host such as `example.com`, `*.example.com` or `example.com:8443`, got `{text}`"
            );
            Error::new(ErrorKind::Input, message)
        };
        let trimmed = text.trim();
        let (is_plain, rest) = match trimmed.strip_prefix("http://") {
            Some(rest) => (true, rest),
            None => (false, trimmed.strip_prefix("https://").unwrap_or(trimmed)),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (is_below, name) = match rest.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, rest),
        };
        if !is_below && (name == "*" || name.is_empty()) {
            let names = Names::All;
            let is_all = name == "*";
            return is_all
                .then(|| Rule { text: text.to_owned(), names, port: None, is_plain })
                .ok_or_else(wrong);
        }
        // Parse it like an address: lower case, Punycode, numbers as addresses. A scheme without a default port keeps every
        // port.
        let url = Url::parse(&format!("https://{name}")).map_err(|_| wrong())?;
        let port = name.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let has_user = !url.username().is_empty() || url.password().is_some();
        let host = name_of(&url).filter(|host| is_bare && !has_user && !host.contains('*'));
        let host = host.ok_or_else(wrong)?;
        let names = if is_below { Names::Below(format!(".{host}")) } else { Names::One(host) };
        Ok(Rule { text: text.to_owned(), names, port, is_plain })
    }

    fn names(&self, host: &str) -> bool {
        match &self.names {
            Names::All => true,
            Names::Below(end) => host.len() > end.len() && host.ends_with(end.as_str()),
            Names::One(name) => host == name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(hosts: &[&str]) -> FetchPolicy {
        hosts.iter().try_fold(FetchPolicy::new(), |policy, host| policy.host(host)).unwrap()
    }

    fn why(policy: &FetchPolicy, url: &str) -> String {
        match policy.check(&Url::parse(url).unwrap()) {
            Ok(()) => String::new(),
            Err(error) => {
                assert_eq!(error.input_problem(), Some("fetch-refused"));
                error.to_string()
            }
        }
    }

    #[test]
    fn only_hosts_that_are_allowed_are_asked() {
        let policy = policy(&[
            "Example.com",
            "*.example.org",
            "files.test:8443",
            "http://wiki.test",
            "bücher.test",
        ]);
        for url in [
            "https://example.com/a.pdf",
            "https://EXAMPLE.com./",
            "https://a.example.org",
            "https://a.b.example.org/x?y",
            "https://files.test:8443/",
            "http://wiki.test/a",
            "https://wiki.test/a",
            "https://xn--bcher-kva.test/",
            "https://example.com:443/",
        ] {
            assert_eq!(why(&policy, url), "", "{url}");
        }
        for (url, expected) in [
            ("https://example.net/", "the host example.net is not allowed"),
            ("https://www.example.com/", "the host www.example.com is not allowed"),
            ("https://example.org/", "the host example.org is not allowed"),
            ("https://.example.org/", "the host .example.org is not allowed"),
            ("https://evilexample.org/", "the host evilexample.org is not allowed"),
            ("https://example.com.evil.net/", "the host example.com.evil.net is not allowed"),
            ("https://example.com:8443/", "port 8443 of example.com is not allowed"),
            ("https://files.test/", "port 443 of files.test is not allowed"),
            ("http://example.com/", "example.com may be asked with TLS only"),
            (
                "https://user:word@example.com/",
                "the address holds a name or a password, which would be sent",
            ),
            (
                "https://example.com@evil.net/",
                "the address holds a name or a password, which would be sent",
            ),
            ("file:///etc/passwd", "`file` addresses are not fetched"),
            ("ftp://example.com/", "`ftp` addresses are not fetched"),
            ("data:text/plain,x", "`data` addresses are not fetched"),
        ] {
            assert_eq!(why(&policy, url), expected, "{url}");
        }
        assert_eq!(
            why(&FetchPolicy::new(), "https://example.com/"),
            "the host example.com is not allowed"
        );
    }

    #[test]
    fn addresses_are_refused_however_they_are_written() {
        let policy = policy(&["*", "http://*"]);
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "https://[::1]/",
            "https://[::ffff:169.254.169.254]/",
            "http://169.254.169.254/latest/meta-data/",
            "https://[fd00:ec2::254]/",
            "https://10.0.0.1/",
            "https://[64:ff9b::7f00:1]/",
            "https://0/",
            "http://①②⑦.0.0.1/",
        ] {
            let why = why(&policy, url);
            assert!(
                why.contains("of this machine, of a private network or reserved"),
                "{url}: {why}"
            );
        }
        assert_eq!(why(&policy, "https://1.1.1.1/"), "");
        let policy = policy.network("10.1.0.0/16").unwrap().network("::1").unwrap();
        assert_eq!(why(&policy, "https://10.1.2.3/"), "");
        assert_eq!(why(&policy, "https://[::ffff:10.1.2.3]/"), "");
        assert_eq!(why(&policy, "https://[::1]/"), "");
        assert!(!why(&policy, "https://10.2.0.1/").is_empty());
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for wrong in [
            "",
            " ",
            "a b",
            "example.com/path",
            "*.*.com",
            "exa*mple.com",
            "user@example.com",
            "https://",
            "a:b:c",
            "*.",
            "example.com?x",
        ] {
            let error = FetchPolicy::new().host(wrong).unwrap_err();
            assert!(error.to_string().starts_with("expected a host such as"), "{wrong}: {error}");
        }
        for wrong in ["", "10.0.0.0/33", "example.com", "10.0.0"] {
            assert!(FetchPolicy::new().network(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_refusal_has_the_pattern_that_would_allow_the_address() {
        let policy = policy(&["files.test:8443"]);
        for (url, host) in [
            ("https://a.test/", "a.test"),
            ("https://a.test:444/", "a.test:444"),
            ("http://a.test/", "http://a.test"),
            ("http://a.test:8080/", "http://a.test:8080"),
            ("https://files.test/", "files.test"),
            ("http://files.test:8443/", "http://files.test:8443"),
        ] {
            let error = policy.check(&Url::parse(url).unwrap()).unwrap_err();
            match error.remedies().next() {
                Some(
                    Remedy::AllowHost { host: pattern } | Remedy::AllowPlainHost { host: pattern },
                ) => assert_eq!(pattern, host),
                other => panic!("{url}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_typed_address_allows_its_host_and_no_other() {
        let policy = FetchPolicy::new().typed("https://www.example.com:444/a?b");
        assert!(!policy.is_empty());
        assert_eq!(why(&policy, "https://www.example.com:444/other"), "");
        assert_eq!(why(&policy, "https://example.com:444/"), "");
        assert!(!why(&policy, "https://example.com/").is_empty());
        assert!(!why(&policy, "https://cdn.example.com:444/").is_empty());
        assert!(FetchPolicy::new().typed("http://example.com/").is_empty());
        assert!(
            !why(&FetchPolicy::new().typed("https://127.0.0.1/"), "https://127.0.0.1/").is_empty()
        );
    }
}
