//! `mitt mcp`

use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::start;
use crate::args::{Global, Mcp};
use mitt_base::Result;
use mitt_serve::mcp::{Client, Server, ServerOptions};

/// Serves one client over standard input and output. Standard output carries only the protocol.
pub(crate) async fn mcp(global: &Global, command: &Mcp) -> Result<ExitCode> {
    let folder = match (&command.out, command.no_out) {
        (Some(folder), _) => Some(folder.clone()),
        (None, true) => None,
        (None, false) => documents(),
    };
    let options = ServerOptions { folder, ..ServerOptions::default() };
    let parts = start::parts(global, &command.serving, options)?;
    let server = &Server::new(parts.host.clone(), parts.options.clone())?;
    let _started = parts.compiling_detached(global).start(server);
    let client = Client { tenant: command.tenant.clone(), id: None };
    let stop = CancellationToken::new();
    let mut served = pin!(server.serve_stdio(client, stop.clone()));
    tokio::select! {
        done = &mut served => done?,
        signal = start::asked_to_end() => {
            tracing::info!(signal = signal?, "ending");
            // Answers of calls that end in time are still sent.
            tokio::select! {
                () = start::end(server, command.grace) => {
                    stop.cancel();
                    served.await?;
                }
                done = &mut served => done?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the default folder for files: `Mitt` in the user's documents, or in the home folder if the system has no
/// documents folder. `None` if there is neither; files are then in memory, and results say so.
fn documents() -> Option<PathBuf> {
    let parent = dirs::document_dir().filter(|folder| folder.is_dir()).or_else(dirs::home_dir)?;
    parent.is_dir().then(|| parent.join("Mitt"))
}
