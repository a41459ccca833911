//! Checks whether a model answers.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;

use super::managed::ModelCheck;
use super::options::{Models, public_error, public_text};
use mitt_agent::model::{ChatEvent, ChatRequest, Message};
use mitt_base::text::{one_line, shortened};
use mitt_base::{Error, Result};

/// Most tokens of the answer to a check. Some services refuse a lower number.
const CHECK_TOKENS: u64 = 16;

/// Longest time of a check. A model that its server loads first may take longer.
const CHECK_TIME: Duration = Duration::from_secs(20);

/// Most bytes of an answer that are kept, and most characters that are shown.
const MAX_ANSWER_BYTES: usize = 1024;
const MAX_ANSWER_CHARACTERS: usize = 80;

/// Most characters of a failure that are shown.
const MAX_FAILURE_CHARACTERS: usize = 1_000;

/// Checks a model with one short request.
pub(crate) async fn check(models: &dyn Models, name: &str) -> ModelCheck {
    let begun = Instant::now();
    let mut last_note = None;
    let answered = tokio::time::timeout(CHECK_TIME, answer(models, name, &mut last_note)).await;
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let answered = answered.unwrap_or_else(|_| {
        let error = Error::model(format!("no answer within {} s", CHECK_TIME.as_secs()));
        Err(match last_note {
            Some(note) => error.detail(note),
            None => error,
        })
    });
    match answered {
        Ok(detail) => ModelCheck { ok: true, detail, milliseconds },
        Err(error) => {
            let error = public_error(models, error);
            let mut detail = error.to_string();
            if let Some(hint) = error.hints().first() {
                detail = format!("{detail}; {hint}");
            }
            let detail = one_line(&shortened(&detail, MAX_FAILURE_CHARACTERS));
            ModelCheck { ok: false, detail, milliseconds }
        }
    }
}

/// Returns the beginning of the model's answer. Notes of the client, such as a repeated request, are left in `last_note`.
async fn answer(models: &dyn Models, name: &str, last_note: &mut Option<String>) -> Result<String> {
    let model = models.open(name, None)?;
    let messages = [Message::user("Say OK.")];
    let mut request = ChatRequest::new(&messages, &[]);
    request.max_tokens = Some(CHECK_TOKENS);
    let mut events = model.chat(request).await?;
    let (mut text, mut has_answer) = (String::new(), false);
    while let Some(event) = events.next().await {
        match event? {
            ChatEvent::Text(more) => {
                has_answer = true;
                if text.len() < MAX_ANSWER_BYTES {
                    text.push_str(&more);
                }
            }
            ChatEvent::Note(note) => *last_note = Some(note),
            // A model that thinks first may use all tokens for that.
            ChatEvent::Reasoning(_) | ChatEvent::Thought(_) | ChatEvent::Call(_) => {
                has_answer = true;
            }
            _ => {}
        }
    }
    if has_answer {
        // Before it is shortened: what is hidden must not be cut in two.
        let text = public_text(models, &text).unwrap_or(text);
        Ok(one_line(&shortened(text.trim(), MAX_ANSWER_CHARACTERS)))
    } else {
        Err(Error::model("the model said nothing"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use async_trait::async_trait;
    use futures_util::stream;

    use super::super::options::ModelInfo;
    use super::*;
    use mitt_agent::model::{ChatModel, ChatStream};

    /// A model that sends these events, or waits forever.
    struct Fixed(Option<Vec<ChatEvent>>);

    #[async_trait]
    impl ChatModel for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }

        async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
            assert_eq!(request.max_tokens, Some(CHECK_TOKENS));
            match self.0.clone() {
                Some(events) => Ok(Box::pin(stream::iter(events.into_iter().map(Ok)))),
                None => {
                    let note = stream::iter([Ok(ChatEvent::Note("try 2 of 4".to_owned()))]);
                    Ok(Box::pin(note.chain(stream::pending())))
                }
            }
        }
    }

    struct Known;

    impl Models for Known {
        fn list(&self) -> Vec<ModelInfo> {
            Vec::new()
        }

        fn open(&self, name: &str, _: Option<&str>) -> Result<Arc<dyn ChatModel>> {
            let events = match name {
                "good" => Some(vec![ChatEvent::Text("O".into()), ChatEvent::Text("K\n".into())]),
                "repeats" => {
                    let [first, second] = ["sk-sec", "ret-1, OK"].map(str::to_owned);
                    Some(vec![ChatEvent::Text(first), ChatEvent::Text(second)])
                }
                "thinks" => Some(vec![ChatEvent::Reasoning("Hm".into())]),
                "silent" => Some(Vec::new()),
                "slow" => None,
                _ => {
                    return Err(Error::model("http://10.0.0.5: no key sk-secret-1").hint("set one"));
                }
            };
            Ok(Arc::new(Fixed(events)))
        }

        fn hidden(&self) -> Vec<(String, String)> {
            vec![("sk-secret-1".to_owned(), "***".to_owned())]
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_is_checked_with_one_short_request() {
        for (name, ok, detail) in [
            ("good", true, "OK"),
            ("repeats", true, "***, OK"),
            ("thinks", true, ""),
            ("silent", false, "the model said nothing"),
            ("slow", false, "no answer within 20 s: try 2 of 4"),
            ("none", false, "http://10.0.0.5: no key ***; set one"),
        ] {
            let checked = check(&Known, name).await;
            assert_eq!((checked.ok, checked.detail.as_str()), (ok, detail), "{name}");
        }
    }
}
