//! `mitt mcp`

use std::pin::pin;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::serving;
use crate::args::Global;
use crate::args::server::Mcp;
use mitt_base::Result;
use mitt_serve::mcp::{Client, Server, ServerOptions};

/// Serve one client over standard input and output. Standard output is for the protocol alone.
pub(super) async fn mcp(global: &Global, command: &Mcp) -> Result<ExitCode> {
    let options = ServerOptions { folder: command.out.clone(), ..ServerOptions::default() };
    let parts = serving::parts(global, &command.serving, options)?;
    let server = &Server::new(parts.host.clone(), parts.options.clone())?;
    let _started = parts.start(server);
    let client = Client { tenant: command.tenant.clone(), id: None };
    let stop = CancellationToken::new();
    let mut served = pin!(server.serve_stdio(client, stop.clone()));
    tokio::select! {
        done = &mut served => done?,
        signal = serving::asked_to_end() => {
            tracing::info!(signal = signal?, "ending");
            // Answers of calls that end in time still go out.
            tokio::select! {
                () = serving::end(server, command.grace) => {
                    stop.cancel();
                    served.await?;
                }
                done = &mut served => done?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
