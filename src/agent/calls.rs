//! The calls of one turn: those that only read are made at the same time, the others in order.

use futures_util::{StreamExt as _, stream};

use crate::model::{Message, ModelCall};
use crate::offer::{ACTIVATE, Offer};
use mitt::{CallOptions, CallReport, ErrorKind, Session, TableResults};

/// Calls that are made at the same time, at most; the session has limits of its own.
const AT_ONCE: usize = 8;

/// What came of the calls of a turn.
pub(crate) struct Made {
    /// A result for each call, in the order of the calls.
    pub(crate) messages: Vec<Message>,
    /// What the session says of those that it made.
    pub(crate) reports: Vec<CallReport>,
    /// The last of the calls whose arguments or name were wrong; none if another one was made.
    pub(crate) wrong: Option<String>,
}

/// Make the calls of a turn.
pub(crate) async fn make(session: &Session, offer: &mut Offer, calls: &[ModelCall]) -> Made {
    let tools = session.registry().tools().await;
    let only_reads = |call: &ModelCall| {
        let tool = tools.iter().find(|tool| tool.name.to_string() == call.name);
        tool.is_some_and(|tool| tool.policy().read_only || !tool.can_change())
    };
    let limit = session.host().session_limits().result_characters;
    let mut made = Made { messages: Vec::new(), reports: Vec::new(), wrong: None };
    let mut is_any_right = false;
    let mut rest = calls;
    while let Some(first) = rest.first() {
        if first.name == ACTIVATE && offer.has_catalogue() {
            let activated = offer.activate(&session.registry(), &first.arguments, limit).await;
            is_any_right |= !activated.is_error;
            if activated.is_error {
                made.wrong = Some(activated.text.clone());
            }
            made.messages.push(Message::Tool {
                call_id: first.id.clone(),
                content: activated.text,
                is_error: activated.is_error,
            });
            rest = &rest[1..];
            continue;
        }
        let n_readers = rest.iter().take_while(|call| only_reads(call)).count();
        let (now, later) = rest.split_at(n_readers.max(1));
        rest = later;
        let reports: Vec<_> =
            stream::iter(now).map(|call| one(session, call)).buffered(AT_ONCE).collect().await;
        for (call, report) in now.iter().zip(reports) {
            match &report.result {
                Err(error)
                    if matches!(error.kind(), ErrorKind::Arguments | ErrorKind::UnknownTool) =>
                {
                    made.wrong = Some(error.render());
                }
                _ => is_any_right = true,
            }
            made.messages.push(Message::Tool {
                call_id: call.id.clone(),
                content: report.for_model(limit).to_string(),
                is_error: report.failure().is_some(),
            });
            made.reports.push(report);
        }
    }
    if is_any_right {
        made.wrong = None;
    }
    made
}

async fn one(session: &Session, call: &ModelCall) -> CallReport {
    let options = CallOptions::new().tables(TableResults::MODEL);
    session.call_with(&call.name, &call.arguments, options).await
}
