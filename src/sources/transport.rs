//! Starts a program or sets up HTTP, and returns the transport for the protocol.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use mitt_base::{Error, ErrorKind, Result};
use process_wrap::tokio::CommandWrap;
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use tokio::process::Command;

use super::config::{Server, Transport};
use super::expand::expanded;
use super::http::WeighingClient;
use super::last_words::LastWords;
use super::program::Program;
use super::supervisor::COMMAND;

/// Variables that every program may need and that hold no secret. No others are passed on.
const INHERITED_VARIABLES: [&str; 14] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TERM",
    "SystemRoot",
    "TEMP",
    "USERPROFILE",
    "APPDATA",
    "PATHEXT",
];

/// Longest time for connecting to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The transport of the protocol.
pub(crate) enum Pipe {
    Child(Box<Program>),
    Http(Box<StreamableHttpClientTransport<WeighingClient>>),
}

/// Starts the program or sets up HTTP. Variables are read now.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the description of the server cannot be used; [`ErrorKind::Host`] - the program cannot be started.
pub(crate) fn pipe(server: &Server) -> Result<(Pipe, LastWords)> {
    let variable = |name: &str| std::env::var(name).ok();
    let full = |text: &str, key: &str| {
        expanded(text, &format!("mcpServers.{}.{key}", server.name), &variable)
    };
    let words = LastWords::default();
    match &server.transport {
        Transport::Stdio { command, args, env, folder } => {
            let name = full(command, "command")?;
            let mut program = command_of(server, &name)?;
            for arg in args {
                program.arg(full(arg, "args")?);
            }
            program.env_clear();
            let handed_on =
                INHERITED_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
            program.envs(handed_on);
            for (name, value) in env {
                program.env(name, full(value, &format!("env.{name}"))?);
            }
            if let Some(folder) = folder {
                program.current_dir(full(folder, "cwd")?);
            }
            Ok((Pipe::Child(Box::new(started(server, &name, program, &words)?)), words))
        }
        Transport::Http { url, headers } => {
            let address = checked(&full(url, "url")?, server)?;
            let mut all = HashMap::new();
            for (name, value) in headers {
                let wrong = || wrong(server, &format!("headers.{name}"), "expected a header");
                let value = full(value, &format!("headers.{name}"))?;
                let mut value = HeaderValue::from_str(&value).map_err(|_| wrong())?;
                value.set_sensitive(true);
                all.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?, value);
            }
            let client = client(server, address.scheme() == "https")?;
            let client = WeighingClient::new(client, words.clone());
            let config =
                StreamableHttpClientTransportConfig::with_uri(address.as_str()).custom_headers(all);
            let transport = StreamableHttpClientTransport::with_client(client, config);
            Ok((Pipe::Http(Box::new(transport)), words))
        }
    }
}

/// Returns the command that starts a program: through its supervisor if it has one.
fn command_of(server: &Server, name: &str) -> Result<Command> {
    match supervisor(server) {
        Some(supervisor) => {
            if !is_there(server, name) {
                return Err(not_started(server, name));
            }
            let mut command = Command::new(supervisor);
            command.args([COMMAND, name]);
            Ok(command)
        }
        None => Ok(Command::new(name)),
    }
}

fn supervisor(server: &Server) -> Option<&Path> {
    server.supervisor.as_deref().filter(|_| cfg!(target_os = "linux"))
}

/// Returns `true` if such a program may exist. It is checked here because the supervisor could report it only after its
/// start.
fn is_there(server: &Server, name: &str) -> bool {
    let Transport::Stdio { env, .. } = &server.transport else { return true };
    if name.contains('/') {
        // A relative path is resolved in the folder of the server, by the supervisor.
        let path = Path::new(name);
        return !path.is_absolute() || path.is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    env.contains_key("PATH") || std::env::split_paths(&path).any(|it| it.join(name).is_file())
}

fn not_started(server: &Server, name: &str) -> Error {
    let message = format!("the MCP server `{}` cannot be started: `{name}`", server.name);
    Error::new(ErrorKind::Host, message).hint("install the program, or name its whole path")
}

fn started(
    server: &Server,
    name: &str,
    mut program: Command,
    words: &LastWords,
) -> Result<Program> {
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut command = CommandWrap::from(program);
    // Programs such as `npx` start others, and all of them must end.
    match supervisor(server) {
        #[cfg(target_os = "linux")]
        Some(_) => {
            // Ctrl-C must reach only Mitt.
            command.command_mut().process_group(0);
            command.wrap(super::program::Supervised);
        }
        _ => {
            command.wrap(process_wrap::tokio::KillOnDrop);
            #[cfg(unix)]
            command.wrap(process_wrap::tokio::ProcessGroup::leader());
            #[cfg(windows)]
            command.wrap(process_wrap::tokio::JobObject);
        }
    }
    let started = Program::start(command, words);
    let (program, errors) = started.map_err(|error| not_started(server, name).caused_by(error))?;
    tokio::spawn(words.clone().collect(errors));
    Ok(program)
}

/// Checks an address that secrets may be sent to.
fn checked(url: &str, server: &Server) -> Result<Url> {
    let address = Url::parse(url).map_err(|_| wrong(server, "url", "expected an address"))?;
    let host = address.host_str().unwrap_or_default();
    let here = host.trim_start_matches('[').trim_end_matches(']');
    let is_here = here == "localhost" || here.parse().is_ok_and(|it: IpAddr| it.is_loopback());
    match address.scheme() {
        "https" => Ok(address),
        "http" if is_here => Ok(address),
        "http" => Err(wrong(server, "url", "expected `https`, as `http` is for this machine only")),
        _ => Err(wrong(server, "url", "expected an address with `https`")),
    }
}

fn wrong(server: &Server, key: &str, what: &str) -> Error {
    Error::new(ErrorKind::Input, format!("mcpServers.{}.{key}: {what}", server.name))
}

fn client(server: &Server, with_certificates: bool) -> Result<reqwest::Client> {
    let failed = |problem: String| {
        let message = format!("the MCP server `{}` cannot be asked: {problem}", server.name);
        Error::new(ErrorKind::Host, message)
    };
    let tls = mitt_net::tls_config(with_certificates, &[]).map_err(failed)?;
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        // A header with a secret is for this server only.
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Servers;

    fn server(entry: &str) -> Server {
        let text = format!(r#"{{"mcpServers": {{"s": {entry}}}}}"#);
        Servers::parse(&text, "mcp.json").unwrap().named("s").unwrap().clone()
    }

    #[tokio::test]
    async fn secrets_go_to_safe_addresses_only() {
        for (url, expected) in [
            ("http://10.0.0.7/mcp", Some("expected `https`")),
            ("http://localhost.example.org/mcp", Some("expected `https`")),
            ("ftp://localhost/", Some("expected an address with `https`")),
            ("no address", Some("expected an address")),
            ("${MITT_TEST_NOT_SET}/mcp", Some("the variable `MITT_TEST_NOT_SET` is not set")),
            ("http://localhost:1/mcp", None),
            ("http://127.0.0.1:1/mcp", None),
            ("http://[::1]:1/mcp", None),
        ] {
            let piped = pipe(&server(&format!(r#"{{"url": "{url}"}}"#))).map(|_| ());
            match (piped, expected) {
                (Ok(()), None) => {}
                (Err(error), Some(part)) => {
                    assert!(error.to_string().contains(part), "{url}: {error}");
                }
                (other, _) => panic!("{url}: {other:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_named() {
        let error = pipe(&server(r#"{"command": "no-such-program-1"}"#)).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "the MCP server `s` cannot be started: `no-such-program-1`");
    }
}
