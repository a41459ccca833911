//! Asks the person at the terminal before a destructive tool is called: `mitt exec --ask`.

use std::io::{self, BufRead as _};

use async_trait::async_trait;

use crate::output::note;
use crate::person;
use crate::progress::Progress;
use mitt::{ApprovalRequest, Approver, Decision};
use mitt_base::text;

/// A person at the terminal.
pub(super) struct Terminal {
    pub(super) progress: Progress,
}

#[async_trait]
impl Approver for Terminal {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let read = async {
            note("Go on? [y/N]");
            let read = tokio::task::spawn_blocking(|| {
                let mut line = String::new();
                io::stdin().lock().read_line(&mut line).map(|_| line)
            });
            read.await.ok()?.ok()
        };
        ask(request, &self.progress, read).await
    }
}

/// Shows the question to the person at the terminal. `read` waits for the answer, and returns `None` if there is none.
pub(in crate::commands) async fn ask(
    request: &ApprovalRequest,
    progress: &Progress,
    read: impl Future<Output = Option<String>> + Send,
) -> Decision {
    if !person::is_there() {
        return Decision::Deny("there is no terminal to ask on".to_owned());
    }
    // The spinner would overwrite what the user types.
    progress.finish();
    if let Err(problem) = show(request) {
        return Decision::Deny(problem);
    }
    let answer = read.await;
    progress.go_on();
    match answer {
        Some(answer) if person::is_yes(&answer) => Decision::Approve,
        _ => Decision::Deny("the user said no".to_owned()),
    }
}

/// Shows what the person decides about; the error says why it cannot be decided.
fn show(request: &ApprovalRequest) -> Result<(), String> {
    let arguments = request.preview()?;
    let title = text::one_line(request.title.as_deref().unwrap_or(&request.tool));
    note(&format!("{title} ({}, version {}) with", request.tool, request.version));
    arguments.iter().for_each(|line| note(&format!("  {line}")));
    note("It may destroy something.");
    Ok(())
}
