//! The address of a database, and TLS to it.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::Host;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use mitt_base::{Error, ErrorKind, Result};

/// Time in which a connection is made.
const CONNECT: Duration = Duration::from_secs(5);

/// Time after which a connection that acknowledges nothing is lost.
const SILENCE: Duration = Duration::from_secs(15);

/// Time between two signs of life of a connection without data.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Largest file of root certificates, in bytes.
const MAX_CERTIFICATES_BYTES: u64 = 4 * 1024 * 1024;

/// A connection and what drives it.
pub(super) type Opened = (Client, Connection<Socket, Encrypted<Socket>>);

/// Where a database is. `Display` and `Debug` show its host and name, never the password.
#[derive(Clone)]
pub(super) struct Address {
    config: Config,
    tls: MakeTls,
    place: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)
    }
}

impl Address {
    /// Reads an address like `postgres://user:password@host/database`. An encrypted connection always checks the
    /// certificate.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it is no such address, or the file of `sslrootcert` has no certificates. The message never
    /// quotes the address, which has a password.
    pub(super) fn parse(text: &str) -> Result<Address> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(wrong("expected an address that begins with `postgres://`"));
        }
        let (address, options) = text.split_once('?').unwrap_or((text, ""));
        let (mut kept, mut roots) = (Vec::new(), Vec::new());
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslrootcert", path)) => roots.push(certificates(path)?),
                // The certificate is checked in any case.
                Some(("sslmode", "verify-full" | "verify-ca")) => kept.push("sslmode=require"),
                _ => kept.push(option),
            }
        }
        let plain = if kept.is_empty() {
            address.to_owned()
        } else {
            format!("{address}?{}", kept.join("&"))
        };
        let mut config: Config = plain
            .parse()
            .map_err(|_| wrong("the address cannot be read, or has an unknown option"))?;
        if config.get_hosts().is_empty() || config.get_dbname().is_none_or(str::is_empty) {
            return Err(wrong("expected a host and a database"));
        }
        config.connect_timeout(CONNECT).tcp_user_timeout(SILENCE);
        config
            .keepalives_idle(SIGN_OF_LIFE)
            .keepalives_interval(SIGN_OF_LIFE)
            .keepalives_retries(2);
        let mut tls = mitt_net::tls_config(true, &roots).map_err(|error| wrong(&error))?;
        tls.alpn_protocols = vec![b"postgresql".to_vec()];
        let place = place(&config);
        Ok(Address { config, tls: MakeTls(TlsConnector::from(Arc::new(tls))), place })
    }

    /// Connects; the database shows `name` as that of the program. The caller drives the connection.
    pub(super) async fn connect(
        &self,
        name: &str,
    ) -> std::result::Result<Opened, tokio_postgres::Error> {
        let mut config = self.config.clone();
        config.application_name(name).connect(self.tls.clone()).await
    }
}

/// Returns the hosts and the name of a database.
fn place(config: &Config) -> String {
    let ports = config.get_ports();
    let host = |(index, host): (usize, &Host)| {
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}:{port}", path.display()),
        }
    };
    let hosts: Vec<_> = config.get_hosts().iter().enumerate().map(host).collect();
    format!("{}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}

/// Reads a file of root certificates.
fn certificates(path: &str) -> Result<Vec<u8>> {
    let path =
        percent_decode_str(path).decode_utf8().map_err(|_| wrong("sslrootcert is no path"))?;
    let failed =
        |error: io::Error| wrong("the file of sslrootcert cannot be read").caused_by(error);
    let length = std::fs::metadata(&*path).map_err(failed)?.len();
    if length > MAX_CERTIFICATES_BYTES {
        let message =
            format!("sslrootcert: expected at most {MAX_CERTIFICATES_BYTES} bytes, got {length}");
        return Err(wrong(&message));
    }
    std::fs::read(&*path).map_err(failed)
}

#[cold]
fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::Input, message).at("address of the database").hint(
        "write `postgres://user:password@host:5432/database`; `@`, `/`, `:` and the like in the password are percent-encoded",
    )
}

/// Makes TLS connections.
#[derive(Clone)]
struct MakeTls(TlsConnector);

/// Makes one TLS connection to a host of this name.
pub(super) struct Tls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// A connection that is encrypted.
pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for MakeTls {
    type Stream = Encrypted<S>;
    type TlsConnect = Tls;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<Tls> {
        // A socket of the system has no name and is not encrypted.
        let name = if domain.is_empty() { "localhost" } else { domain };
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        Ok(Tls { connector: self.0.clone(), name })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, stream).await.map(Encrypted) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address =
            Address::parse("postgres://me:s3cret@db.example:6543/runs?sslmode=verify-full");
        let address = address.unwrap();
        assert_eq!(address.to_string(), "db.example:6543/runs");
        assert!(!format!("{address:?}").contains("s3cret"));
    }

    #[test]
    fn wrong_addresses_are_refused_without_quoting_them() {
        for text in [
            "mysql://me:s3cret@host/db",
            "postgres://me:s3cret@host",
            "postgres://me:s3cret@host/db?sslmode=sometimes",
            "postgres://me:s3cret@host/db?s3cret=1",
            "postgres://me:s3cret/@host:x/db",
            "postgres://me:s3cret@host/db?sslrootcert=not-there",
        ] {
            let error = Address::parse(text).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Input, "{text}");
            assert!(!error.render().contains("s3cret"), "{}", error.render());
            assert_eq!(error.hints().len(), 1);
        }
    }
}
