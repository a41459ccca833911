//! The address of NATS servers, and TLS to them.

use std::fmt;
use std::io;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use mitt_base::{Error, ErrorKind, Result};

/// Time in which a connection is made.
const CONNECT: Duration = Duration::from_secs(5);

/// Time between two signs of life of a connection. One that misses two of them is lost.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// First and longest wait before a lost connection is made again.
const WAIT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Largest file of root certificates, in bytes.
const MAX_CERTIFICATES_BYTES: u64 = 4 * 1024 * 1024;

/// Port of a server that names none.
const PORT: u16 = 4222;

/// Copies of each stream that a cluster of NATS can have.
const REPLICAS: [usize; 3] = [1, 3, 5];

/// Where NATS servers are. `Display` and `Debug` show hosts and ports, never the password.
#[derive(Clone)]
pub(super) struct Address {
    hosts: Vec<String>,
    user: Option<(String, String)>,
    token: Option<String>,
    is_tls: bool,
    roots: Vec<Vec<u8>>,
    /// Copies of what is stored; `None` for one, or for what is there already.
    pub(super) replicas: Option<usize>,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hosts.join(","))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Address {
    /// Reads an address like `nats://user:password@host:4222,host2:4222?replicas=3`. With `tls://`, a connection without TLS
    /// is refused; an encrypted one always checks the certificate. A name without a password is a token.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it is no such address, or the file of `tls_ca` has no certificates. The message never quotes
    /// the address, which has a password.
    pub(super) fn parse(text: &str) -> Result<Address> {
        let (is_tls, rest) = match text.split_once("://") {
            Some(("nats", rest)) => (false, rest),
            Some(("tls", rest)) => (true, rest),
            _ => return Err(wrong("expected an address that begins with `nats://` or `tls://`")),
        };
        let (servers, options) = rest.split_once('?').unwrap_or((rest, ""));
        let servers = servers.strip_suffix('/').unwrap_or(servers);
        let (login, hosts) = match servers.rsplit_once('@') {
            Some((login, hosts)) => (Some(login), hosts),
            None => (None, servers),
        };
        let (mut user, mut token) = (None, None);
        match login.map(|login| login.split_once(':').ok_or(login)) {
            Some(Ok((name, password))) => user = Some((decoded(name)?, decoded(password)?)),
            Some(Err(secret)) => token = Some(decoded(secret)?),
            None => {}
        }
        let hosts = hosts.split(',').map(host).collect::<Result<Vec<_>>>()?;
        let mut address = Address { hosts, user, token, is_tls, roots: Vec::new(), replicas: None };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("tls_ca", path)) => address.roots.push(certificates(path)?),
                Some(("replicas", count)) => {
                    let count = count.parse().ok().filter(|count| REPLICAS.contains(count));
                    let message = "the option `replicas` is not 1, 3 or 5";
                    address.replicas = Some(count.ok_or_else(|| wrong(message))?);
                }
                _ => {
                    return Err(wrong("expected the options `replicas` and `tls_ca`, got another"));
                }
            }
        }
        Ok(address)
    }

    /// Returns what a connection is made with.
    ///
    /// # Errors
    ///
    /// A root certificate cannot be used.
    pub(super) fn options(&self) -> Result<ConnectOptions> {
        let tls = mitt_net::tls_config(true, &self.roots).map_err(|error| wrong(&error))?;
        let mut options = ConnectOptions::new()
            .name("mitt")
            .connection_timeout(CONNECT)
            .ping_interval(SIGN_OF_LIFE)
            .require_tls(self.is_tls)
            .tls_client_config(tls)
            .reconnect_delay_callback(|tries| {
                let factor = 1 << tries.min(10);
                (WAIT.0 * factor).min(WAIT.1)
            });
        if let Some((user, password)) = &self.user {
            options = options.user_and_password(user.clone(), password.clone());
        }
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        Ok(options)
    }

    /// Returns the servers, without user and password.
    pub(super) fn servers(&self) -> Result<Vec<ServerAddr>> {
        let scheme = if self.is_tls { "tls" } else { "nats" };
        let server = |host: &String| format!("{scheme}://{host}").parse();
        let servers = self.hosts.iter().map(server).collect::<io::Result<_>>();
        servers.map_err(|_| wrong("a host cannot be read"))
    }
}

/// Returns a host with its port.
fn host(text: &str) -> Result<String> {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    // An IPv6 address is in brackets.
    let (name, port) = match text.rsplit_once(']') {
        Some((name, port)) => (name.strip_prefix('['), port.strip_prefix(':')),
        None => match text.split_once(':') {
            Some((name, port)) => (Some(name), Some(port)),
            None => (Some(text), None),
        },
    };
    let name = name.filter(|name| !name.is_empty() && name.bytes().all(is_part));
    let name = name.ok_or_else(|| wrong("expected a host"))?;
    let port = port.map_or(Ok(PORT), str::parse).map_err(|_| wrong("a port is not a number"))?;
    if name.contains(':') { Ok(format!("[{name}]:{port}")) } else { Ok(format!("{name}:{port}")) }
}

fn decoded(text: &str) -> Result<String> {
    let text = percent_decode_str(text).decode_utf8();
    text.map(|text| text.into_owned()).map_err(|_| wrong("user or password is not UTF-8"))
}

/// Reads a file of root certificates.
fn certificates(path: &str) -> Result<Vec<u8>> {
    let path = percent_decode_str(path).decode_utf8().map_err(|_| wrong("tls_ca is no path"))?;
    let failed = |error: io::Error| wrong("the file of tls_ca cannot be read").caused_by(error);
    let length = std::fs::metadata(&*path).map_err(failed)?.len();
    if length > MAX_CERTIFICATES_BYTES {
        let message =
            format!("tls_ca: expected at most {MAX_CERTIFICATES_BYTES} bytes, got {length}");
        return Err(wrong(&message));
    }
    let pem = std::fs::read(&*path).map_err(failed)?;
    // At once, and not with the first connection.
    mitt_net::tls_config(false, std::slice::from_ref(&pem)).map_err(|error| wrong(&error))?;
    Ok(pem)
}

#[cold]
fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::Input, message).at("address of the NATS servers").hint(
        "write `nats://user:password@host:4222,host2:4222`; `@`, `/`, `:` and the like in the password are percent-encoded",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address =
            Address::parse("tls://me:s3cr%40t@one.example,two:5222,[::1]:6222?replicas=3");
        let address = address.unwrap();
        assert_eq!(address.to_string(), "one.example:4222,two:5222,[::1]:6222");
        assert!(!format!("{address:?}").contains("s3cr"));
        assert_eq!(address.user, Some(("me".to_owned(), "s3cr@t".to_owned())));
        assert_eq!((address.replicas, address.is_tls), (Some(3), true));
        assert_eq!(address.servers().unwrap().len(), 3);
        let address = Address::parse("nats://t0ken@one").unwrap();
        assert_eq!((address.token.as_deref(), address.user), (Some("t0ken"), None));
        assert_eq!(Address::parse("nats://one/").unwrap().to_string(), "one:4222");
    }

    #[test]
    fn wrong_addresses_are_refused_without_quoting_them() {
        for text in [
            "http://me:s3cret@host",
            "nats://me:s3cret@",
            "nats://me:s3cret@host:port",
            "nats://me:s3cret@host:70000",
            "nats://me:s3cret@host,",
            "nats://me:s3cret@host/path",
            "nats://me:s3cret/@host/x",
            "nats://me:s3cret@host?replicas=2",
            "nats://me:s3cret@host?s3cret=1",
            "nats://me:s3cret@host?tls_ca=not-there",
        ] {
            let error = Address::parse(text).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Input, "{text}");
            assert!(!error.render().contains("s3cret"), "{}", error.render());
            assert_eq!(error.hints().len(), 1);
        }
    }
}
