//! `mitt serve` and `mitt token`

use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::start;
use crate::args::{Global, MakeToken, Serve};
use crate::output::{Output, note};
use mitt_base::Result;
use mitt_serve::http::{HttpLimits, HttpOptions, HttpServer, Token};
use mitt_serve::mcp::ServerOptions;

/// Serves agents over HTTP until a signal. A second signal ends running calls too.
pub(crate) async fn serve(global: &Global, command: Serve) -> Result<ExitCode> {
    serve_with(global, command, |_| Ok(())).await
}

/// Does what [`serve`] does, and calls `listening` once the port is open.
///
/// # Errors
///
/// Those of [`HttpServer::bind`] and of `listening`; what the service needs is missing.
pub(super) async fn serve_with(
    global: &Global,
    command: Serve,
    listening: impl FnOnce(&HttpServer) -> Result<()>,
) -> Result<ExitCode> {
    let limits = HttpLimits {
        connections: command.max_connections,
        sessions: command.max_sessions,
        sessions_per_client: command.max_sessions_per_client,
        // Each session may have a stream, on its own connection, besides its requests.
        streams_per_client: command.max_sessions_per_client,
        requests_per_client: command.max_requests_per_client,
        connections_per_client: command
            .max_sessions_per_client
            .saturating_add(command.max_requests_per_client),
        connections_per_address: command.max_connections_per_address,
        body_bytes: command.max_body,
        session_idle: command.session_idle,
        grace: command.grace,
        ..HttpLimits::default()
    };
    let options = ServerOptions {
        // These limits cover the sessions of all revisions.
        max_sessions: command.max_sessions,
        max_sessions_per_tenant: command.max_sessions_per_tenant,
        max_sessions_per_client: command.max_sessions_per_client,
        idle: command.session_idle,
        link_life: command.link_life,
        files: command.out.clone(),
        shares_sessions: command.share_sessions,
        ..ServerOptions::default()
    };
    let parts = start::parts(global, &command.serving, options)?;
    let options = HttpOptions {
        listen: command.listen,
        tokens: command.tokens.clone(),
        hosts: command.hosts.clone(),
        origins: command.origins.clone(),
        public_url: command.public_url.clone(),
        limits,
    };
    let server = HttpServer::bind(parts.host.clone(), parts.options.clone(), options).await?;
    #[cfg(feature = "service")]
    super::service::add(&server, &parts.host, global, &command).await?;
    listening(&server)?;
    let _started = parts.start(server.server());
    tracing::info!(address = %server.address(), "listening; MCP is at /mcp");
    let stop = CancellationToken::new();
    let served = server.serve(stop.clone());
    let signals = async {
        let signal = wait(&server).await?;
        tracing::info!(signal, "ending");
        stop.cancel();
        start::asked_to_end().await
    };
    tokio::select! {
        () = served => {}
        again = signals => tracing::warn!(signal = again?, "ending at once"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for the signal to end. The signal to reload tokens is handled meanwhile.
async fn wait(server: &HttpServer) -> Result<&'static str> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let mut hangup = signal(SignalKind::hangup()).map_err(|error| {
            mitt_base::Error::new(mitt_base::ErrorKind::Host, "signals cannot be heard")
                .caused_by(error)
        })?;
        let reload = async {
            while hangup.recv().await.is_some() {
                if let Err(error) = server.reload_tokens() {
                    tracing::error!(error = %error.render(), "the tokens stay as they were");
                }
            }
            std::future::pending().await
        };
        tokio::select! {
            signal = start::asked_to_end() => signal,
            never = reload => never,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = server;
        start::asked_to_end().await
    }
}

/// Makes a token.
pub(crate) fn token(command: &MakeToken, output: &Output) -> Result<ExitCode> {
    let token = Token::generate()?;
    output.line(token.reveal())?;
    note(&format!(
        "its line of the file of tokens (`schema: 1`, then the list `tokens:`):\n{}",
        token.entry(&command.tenant)
    ));
    Ok(ExitCode::SUCCESS)
}
