//! One question to a model without tools. The guard of the session checks the answer.

use futures_util::StreamExt as _;

use crate::model::{
    ChatEvent, ChatModel, ChatRequest, Message, OutputFormat, StopReason, ToolChoice,
};
use mitt::Session;
use mitt_base::{Error, Result};

/// Most tokens of an answer.
const MAX_TOKENS: u64 = 16_000;

/// Longest answer, in bytes, independent of token counts.
const MAX_BYTES: usize = 1024 * 1024;

/// Returns the model's answer, in the format `output`, if given.
///
/// # Errors
///
/// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - it failed or refused.
/// [`ErrorKind::Blocked`](mitt_base::ErrorKind::Blocked) - a rule that blocks found something in the answer.
pub(super) async fn ask(
    session: &Session,
    model: &dyn ChatModel,
    messages: &[Message],
    output: Option<&OutputFormat>,
) -> Result<String> {
    let mut request = ChatRequest::new(messages, &[]);
    request.tool_choice = &ToolChoice::None;
    (request.output, request.max_tokens) = (output, Some(MAX_TOKENS));
    let mut said = session.guard().stream();
    let mut text = String::new();
    let mut add = |passed: Result<mitt::guard::Passed, _>| -> Result<()> {
        let passed = passed
            .map_err(|it: Box<mitt::guard::Blocked>| Error::from(*it).at("the model's answer"))?;
        session.note_found("answer", &passed.hits);
        text.push_str(&passed.text);
        if text.len() > MAX_BYTES {
            Err(Error::model(format!("the model's answer has more than {MAX_BYTES} bytes")))
        } else {
            Ok(())
        }
    };
    let mut answer = model.chat(request).await?;
    while let Some(event) = answer.next().await {
        match event? {
            ChatEvent::Text(more) => add(said.push(&more))?,
            ChatEvent::Stopped(StopReason::Refused(why)) => {
                let error = Error::model("the model refused to answer");
                return Err(if why.is_empty() { error } else { error.detail(&why) });
            }
            ChatEvent::Stopped(StopReason::Length) => {
                let error = Error::model("the model's answer was cut off at its limit of tokens");
                return Err(error.hint(
                    "start the server with a longer context, take a larger model, or work without a plan",
                ));
            }
            _ => {}
        }
    }
    add(said.finish())?;
    if text.trim().is_empty() {
        Err(Error::model("the model gave an empty answer").retryable(true))
    } else {
        Ok(text)
    }
}
