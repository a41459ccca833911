//! `mitt open`: Mitt's page in the browser of this machine's user.
//!
//! The server listens on loopback alone, but other users of the machine reach loopback too. So it needs a token, which a file
//! that only this user can read holds. The browser gets the token by a link that works once.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::serve::serve_with;
use crate::args::{Global, Open, Serve};
use crate::output::{Output, note};
use crate::runs::{make_private, service_folder};
use mitt::internal::{DEFAULT_TENANT, write_private};
use mitt_base::{Error, ErrorKind, Result};
use mitt_serve::http::Token;
use serde::{Deserialize, Serialize};

/// Default port.
const PORT: u16 = 6488;
/// Name of the file about the server, below the folder of the state.
const SERVER_FILE: &str = "server.json";
/// Time in which a server that is there makes a link.
const LINK_TIME: Duration = Duration::from_secs(2);
/// Time in which a server that starts has opened its port.
const START_TIME: Duration = Duration::from_secs(10);
/// Most bytes of its response.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024;

/// What a later `mitt open` needs to know of this server. Kept between starts, so that open pages stay logged in.
#[derive(Deserialize, Serialize)]
struct OpenServer {
    token: String,
    /// `None` while the server starts.
    address: Option<SocketAddr>,
    /// Port of the last start.
    port: u16,
}

/// Starts a server and opens its page, or opens the page of the server that is there.
pub(crate) async fn open(global: &Global, command: Open, output: &Output) -> Result<ExitCode> {
    let state = match &command.service.state {
        Some(folder) => folder.clone(),
        None => service_folder().ok_or_else(|| {
            Error::new(ErrorKind::Host, "this system has no folder for the state")
                .hint("name one with --state")
        })?,
    };
    let folder = state.join("open");
    let unwritable = |error: std::io::Error| {
        Error::new(ErrorKind::Host, format!("cannot write {}", folder.display()))
            .hint("name another folder with --state")
            .caused_by(error)
    };
    make_private(&folder).map_err(unwritable)?;
    // The lock lasts as long as the process.
    let lock = File::create(folder.join("lock")).map_err(unwritable)?;
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        let link = running_link(&folder).await.ok_or_else(|| {
            Error::new(ErrorKind::Host, "Mitt runs already, but it makes no link")
                .hint("end it, or name another folder with --state")
        })?;
        note("Mitt runs already; its options stay as they are");
        return show(&link, command.no_browser, output).map(|()| ExitCode::SUCCESS);
    }
    let last = read(&folder);
    let port = port(command.port, last.as_ref());
    // Pages that are still open send their cookie to the program that has the port of last time.
    let token = match &last {
        Some(server) if server.port == port => server.token.clone(),
        _ => Token::generate()?.reveal().to_owned(),
    };
    // Without an address, so that no other `mitt open` sends the token to the owner of the port of last time.
    write(&folder, &OpenServer { token: token.clone(), address: None, port })?;
    let tokens = folder.join("tokens.yaml");
    let entry = Token::from_text(&token).entry(DEFAULT_TENANT);
    let text = format!("schema: 1\ntokens:\n{entry}\n");
    write_private(&folder, "tokens.yaml", text.as_bytes())?;
    let mut serve = Serve::defaults();
    serve.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    serve.tokens = Some(tokens);
    serve.service = command.service;
    serve.service.state = Some(state);
    serve.serving = command.serving;
    serve.is_open = true;
    let (no_browser, output) = (command.no_browser, *output);
    let ended = serve_with(global, serve, move |server| {
        let (address, token) = (server.address(), token.clone());
        let known =
            OpenServer { token: token.clone(), address: Some(address), port: address.port() };
        write(&folder, &known)?;
        let link = format!("http://{}{}", server.address(), server.login_link(&token)?);
        note("Mitt serves its page until Ctrl-C ends it");
        show(&link, no_browser, &output)
    })
    .await;
    drop(lock);
    ended
}

fn read(folder: &Path) -> Option<OpenServer> {
    serde_json::from_slice(&std::fs::read(folder.join(SERVER_FILE)).ok()?).ok()
}

fn write(folder: &Path, server: &OpenServer) -> Result<()> {
    write_private(folder, SERVER_FILE, &serde_json::to_vec(server).map_err(Error::bug)?)
}

/// Returns a link of the server that another process runs or starts; `None` if it makes none.
async fn running_link(folder: &Path) -> Option<String> {
    let deadline = Instant::now() + START_TIME;
    loop {
        if let Some(link) = read(folder).as_ref().and_then(link_of) {
            return Some(link);
        }
        if Instant::now() >= deadline {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Returns the port to listen on: the one that was named, else the one of last time, else the default one; any other if that is
/// in use.
fn port(named: Option<u16>, last: Option<&OpenServer>) -> u16 {
    if let Some(port) = named {
        return port;
    }
    let wanted = last.map_or(PORT, |server| server.port);
    let is_free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    [wanted, PORT].into_iter().find(|port| is_free(*port)).unwrap_or(0)
}

/// Prints a link, and opens it in the browser.
fn show(link: &str, no_browser: bool, output: &Output) -> Result<()> {
    output.line(link)?;
    if no_browser {
        return Ok(());
    }
    if let Err(error) = open::that_detached(link) {
        note(&format!(
            "no browser can be started ({error}); open the link within ten minutes, once"
        ));
    }
    Ok(())
}

/// Returns a new link of the server that an earlier `mitt open` started; `None` if it does not answer.
fn link_of(server: &OpenServer) -> Option<String> {
    let address = server.address?;
    let mut stream = TcpStream::connect_timeout(&address, LINK_TIME).ok()?;
    stream.set_read_timeout(Some(LINK_TIME)).ok()?;
    stream.set_write_timeout(Some(LINK_TIME)).ok()?;
    let request = format!(
        "POST /v1/session/links HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        address, server.token
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = String::new();
    stream.take(MAX_RESPONSE_BYTES).read_to_string(&mut response).ok()?;
    link_in(&response, address)
}

/// Returns the link in a response of HTTP.
fn link_in(response: &str, address: SocketAddr) -> Option<String> {
    let (head, body) = response.split_once("\r\n\r\n")?;
    if !head.starts_with("HTTP/1.1 201 ") {
        return None;
    }
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    let link = body.get("url")?.as_str()?;
    link.starts_with(&format!("http://{address}/")).then(|| link.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_made_link_of_the_server_counts() {
        let address = "127.0.0.1:6488".parse().unwrap();
        let response = |status: &str, url: &str| {
            format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\r\n{{\"url\":\"{url}\"}}"
            )
        };
        let link = "http://127.0.0.1:6488/open?code=a";
        assert_eq!(link_in(&response("201 Created", link), address).as_deref(), Some(link));
        assert_eq!(link_in(&response("401 Unauthorized", link), address), None);
        for other in ["http://evil.example/", "http://127.0.0.1:35389/open"] {
            assert_eq!(link_in(&response("201 Created", other), address), None);
        }
        assert_eq!(link_in("HTTP/1.1 201 Created\r\n\r\n", address), None);
    }

    /// The port of last time may belong to another program by now.
    #[test]
    fn a_server_that_starts_has_no_address() {
        let server = OpenServer { token: "mitt_a".to_owned(), address: None, port: 6488 };
        assert_eq!(link_of(&server), None);
    }

    #[test]
    fn a_port_that_is_in_use_is_left_to_its_owner() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let used = taken.local_addr().unwrap().port();
        let last = OpenServer { token: "mitt_a".to_owned(), address: None, port: used };
        assert_ne!(port(None, Some(&last)), used);
        assert_eq!(port(Some(7), Some(&last)), 7);
    }
}
