//! Keeps a conversation short enough for its model: the results of old calls are shortened first.

use crate::model::Message;
use mitt_base::tokens::TextSize;

/// Messages at the end that stay whole, because the model is working on them.
const RECENT: usize = 6;

/// Characters of an old result that are kept.
const KEPT: usize = 300;

/// Most length of a conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    pub(crate) characters: usize,
    /// Estimated tokens.
    pub(crate) tokens: u64,
}

impl Length {
    fn holds(self, size: TextSize) -> bool {
        size.characters <= self.characters as u64 && size.tokens() <= self.tokens
    }

    /// Returns what is left next to a text.
    fn without(self, size: TextSize) -> Length {
        let characters = usize::try_from(size.characters).unwrap_or(usize::MAX);
        Length {
            characters: self.characters.saturating_sub(characters),
            tokens: self.tokens.saturating_sub(size.tokens()),
        }
    }

    /// Returns whether a text is more than a quarter of it.
    fn is_quarter(self, size: TextSize) -> bool {
        size.characters > self.characters as u64 / 4 || size.tokens() > self.tokens / 4
    }
}

/// Shortens results of calls, from the oldest on, until the conversation is no longer than `limit`. Words of people, answers of
/// the model and its calls stay. Returns how many results were shortened.
pub(crate) fn compact(messages: &mut [Message], limit: Length) -> usize {
    if is_short(messages, limit) {
        return 0;
    }
    let old = messages.len().saturating_sub(RECENT);
    let recent: TextSize = messages[old..].iter().map(size).sum();
    shorten(&mut messages[..old], limit.without(recent))
}

/// Shortens results, from the first on, until `messages` are no longer than `limit`.
fn shorten(messages: &mut [Message], limit: Length) -> usize {
    let mut length: TextSize = messages.iter().map(size).sum();
    let mut shortened = 0;
    for message in messages {
        if limit.holds(length) {
            break;
        }
        let whole = size(message);
        if let Message::Assistant(answer) = message
            && !answer.reasoning.is_empty()
        {
            answer.reasoning.clear();
            length = length - whole + size(message);
            continue;
        }
        let Message::Tool { content, .. } = message else { continue };
        let before = content.chars().count();
        if before <= KEPT * 2 {
            continue;
        }
        let kept: String = content.chars().take(KEPT).collect();
        let left = before - KEPT;
        *content = format!(
            "{kept}\n[{left} characters were left out to save space. Make the call again if you need them, or name its table by the `$ref` it had.]"
        );
        length = length - whole + size(message);
        shortened += 1;
    }
    shortened
}

/// Like [`compact`], for a model with a small context: all results but the last may be shortened.
pub(crate) fn compact_hard(messages: &mut [Message], limit: Length) -> usize {
    let last = messages.iter().rposition(|it| matches!(it, Message::Tool { .. }));
    let end = last.unwrap_or(0);
    let behind: TextSize = messages[end..].iter().map(size).sum();
    shorten(&mut messages[..end], limit.without(behind))
}

/// Returns the estimated tokens of a conversation.
pub(crate) fn tokens(messages: &[Message]) -> u64 {
    messages.iter().map(size).sum::<TextSize>().tokens()
}

/// Returns whether the conversation is still too long, and a summary of what was done before the last answer would make it much
/// shorter.
pub(crate) fn is_worth_a_summary(messages: &[Message], limit: Length) -> bool {
    if is_short(messages, limit) {
        return false;
    }
    let length: TextSize = messages.iter().map(size).sum();
    let Some(last) = messages.iter().rposition(|it| matches!(it, Message::Assistant(_))) else {
        return false;
    };
    let before = messages[..last].iter();
    let done = before.filter(|it| matches!(it, Message::Assistant(_) | Message::Tool { .. }));
    !limit.holds(length) && limit.is_quarter(done.map(size).sum())
}

/// Returns whether the number of bytes alone shows that the conversation is within `limit`. That holds for most, and exact
/// measuring goes character by character.
fn is_short(messages: &[Message], limit: Length) -> bool {
    let most = |message| sum(message, |text| TextSize::most_of(text.len()));
    limit.holds(messages.iter().map(most).sum())
}

fn size(message: &Message) -> TextSize {
    sum(message, TextSize::of)
}

/// Returns the sum over the texts of a message.
fn sum(message: &Message, of: impl Fn(&str) -> TextSize) -> TextSize {
    match message {
        Message::System(text) | Message::User { text, .. } => of(text),
        Message::Assistant(answer) => {
            let thoughts = answer.reasoning.iter().map(|thought| match &thought.state {
                // The service receives the state and no text.
                Some(state) => of(&state.to_string()),
                None => of(&thought.text),
            });
            of(&answer.text)
                + answer.calls.iter().map(|call| of(&call.arguments)).sum()
                + thoughts.sum()
        }
        Message::Tool { content, .. } => of(content),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelResponse, Reasoning};

    fn result(content: &str) -> Message {
        Message::Tool { call_id: "c".into(), content: content.into(), is_error: false }
    }

    #[test]
    fn old_results_go_first_and_only_as_many_as_needed() {
        let mut messages = vec![Message::user("数".repeat(5_000))];
        messages.extend((0..10).map(|_| result(&"x".repeat(1_000))));
        let whole = messages.clone();
        let limit = |characters| Length { characters, tokens: u64::MAX };
        assert_eq!(compact(&mut messages, limit(15_000)), 0);
        assert_eq!(messages, whole);
        assert_eq!(compact(&mut messages, limit(13_500)), 3);
        assert_eq!(messages[0], whole[0], "what the user said stays");
        assert_eq!(messages[4..], whole[4..]);
        let Message::Tool { content, .. } = &messages[1] else { panic!("no result") };
        assert!(
            content.starts_with("xxx") && content.contains("[700 characters were left out"),
            "{content}"
        );
        // The last messages stay, whatever the limit.
        assert_eq!(compact(&mut messages, limit(10)), 1);
        assert_eq!(messages[messages.len() - RECENT..], whole[whole.len() - RECENT..]);
    }

    /// Reasoning is sent back with each request and counts like other text.
    #[test]
    fn thoughts_of_old_turns_are_dropped() {
        let thought = |text: &str| ModelResponse {
            text: "so".into(),
            reasoning: vec![Reasoning { text: text.into(), state: None }],
            ..ModelResponse::default()
        };
        let mut messages = vec![Message::user("go on")];
        messages.extend((0..10).map(|_| Message::Assistant(thought(&"x".repeat(1_000)))));
        let limit = |characters| Length { characters, tokens: u64::MAX };
        assert_eq!(compact(&mut messages, limit(20_000)), 0);
        let kept = |messages: &[Message]| {
            let has =
                |it: &&Message| matches!(it, Message::Assistant(it) if !it.reasoning.is_empty());
            messages.iter().filter(has).count()
        };
        assert_eq!(kept(&messages), 10);
        compact(&mut messages, limit(8_100));
        assert_eq!(kept(&messages), 8);
        compact(&mut messages, limit(10));
        assert_eq!(kept(&messages), RECENT);
    }

    #[test]
    fn tokens_count_as_characters_do() {
        let mut messages = vec![Message::user("数".repeat(100))];
        messages.extend((0..10).map(|_| result(&"数".repeat(1_000))));
        let limit = |tokens| Length { characters: 400_000, tokens };
        assert_eq!(compact(&mut messages, limit(10_100)), 0);
        assert_eq!(compact(&mut messages, limit(9_500)), 1);
        assert!(!is_worth_a_summary(&messages, limit(9_500)));
    }
}
