//! Reads an answer that is one JSON object: its text while it arrives, its calls once it is complete.
//!
//! Takes an answer of another form for text, and never for a call.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::AnswerPart;
use super::read::{self, WrittenCall};

/// Reads an answer that is an object.
#[derive(Default)]
pub(super) struct Reader {
    text: String,
    state: State,
    /// Bytes that were returned or are not part of the text.
    returned: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    /// Before the text.
    #[default]
    Before,
    /// Within the string of the text.
    Says,
    /// Behind it; the rest is read at the end.
    Behind,
    /// The answer is no such object.
    Words,
}

#[derive(Deserialize)]
struct CallObject<'a> {
    say: Option<String>,
    #[serde(borrow)]
    calls: Option<&'a RawValue>,
}

impl Reader {
    /// Adds text, and returns the pieces that are certain.
    pub(super) fn push(&mut self, text: &str) -> Vec<AnswerPart> {
        // A text that has not begun by then is read at the end, and not from the beginning with every piece.
        let may_begin = self.text.len() <= BEGINNING;
        self.text.push_str(text);
        let mut pieces = Vec::new();
        if self.state == State::Before && may_begin {
            self.begin();
        }
        if self.state == State::Says {
            pieces.extend(self.say());
        }
        if self.state == State::Words {
            pieces.push(AnswerPart::Text(self.text.split_off(self.returned)));
        }
        pieces
    }

    /// Returns the remaining pieces. If the answer was stopped, only calls of a complete object count.
    pub(super) fn finish(&mut self, is_stopped: bool) -> Vec<AnswerPart> {
        let text = std::mem::take(&mut self.text);
        let body = behind_fence(&text).trim_end().trim_end_matches('`');
        let answer: Option<CallObject<'_>> = serde_json::from_str(body).ok();
        let Some(CallObject { say, calls }) =
            answer.filter(|it| it.say.is_some() || it.calls.is_some())
        else {
            return self.unfinished(&text, is_stopped);
        };
        let mut pieces = Vec::new();
        if self.state == State::Before {
            // The calls came first.
            pieces.extend(say.map(AnswerPart::Text));
        }
        let Some(calls) = calls.map(RawValue::get).filter(|calls| *calls != "null") else {
            return pieces;
        };
        let is_empty = |text: &str| text.chars().filter(|c| !c.is_whitespace()).eq("[]".chars());
        match read::calls(calls) {
            Some(calls) => pieces.extend(calls.into_iter().map(AnswerPart::Call)),
            None if is_empty(calls) => {}
            None => pieces.push(AnswerPart::Call(read::broken(calls))),
        }
        pieces
    }

    /// Returns the rest of an answer that is no such object, or not a complete one.
    fn unfinished(&self, text: &str, is_stopped: bool) -> Vec<AnswerPart> {
        match self.state {
            State::Before => vec![AnswerPart::Text(text.to_owned())],
            State::Behind if !is_stopped => {
                let rest = text[self.returned..].split_once("\"calls\"").map(|(_, rest)| rest);
                let rest = rest.map(|rest| rest.trim_start().trim_start_matches(':').trim());
                let is_call = |rest: &&str| rest.contains('{');
                let broken: Option<WrittenCall> = rest.filter(is_call).map(read::broken);
                broken.map(AnswerPart::Call).into_iter().collect()
            }
            State::Says | State::Behind | State::Words => Vec::new(),
        }
    }

    /// Finds the string of the text, if it is the first member.
    fn begin(&mut self) {
        let mut rest = behind_fence(&self.text).trim_start();
        for (index, word) in ["{", "\"say\"", ":", "\""].into_iter().enumerate() {
            match rest.strip_prefix(word) {
                Some(after) => rest = after.trim_start_matches(if index < 3 { WHITE } else { &[] }),
                None if word.starts_with(rest) || may_be_fence(&self.text) => return,
                // The members have another order, or this is no object at all.
                None if index == 0 => {
                    self.state = State::Words;
                    return;
                }
                None => return,
            }
        }
        self.returned = self.text.len() - rest.len();
        self.state = State::Says;
    }

    /// Returns the complete part of the string: no escape is cut, and no surrogate pair.
    fn say(&mut self) -> Option<AnswerPart> {
        let rest = &self.text[self.returned..];
        let bytes = rest.as_bytes();
        let (mut at, mut whole) = (0, 0);
        let (mut is_over, mut was_half) = (false, false);
        while at < bytes.len() {
            match bytes[at] {
                b'"' => {
                    is_over = true;
                    break;
                }
                b'\\' => {
                    let length = if bytes.get(at + 1) == Some(&b'u') { 6 } else { 2 };
                    let Some(escape) = bytes.get(at..at + length) else { break };
                    at += length;
                    let is_half = length == 6
                        && matches!(
                            escape[2..4],
                            [b'd' | b'D', b'8'..=b'9' | b'a' | b'b' | b'A' | b'B']
                        );
                    // The second half is not held back for another one.
                    was_half = is_half && !was_half;
                    if was_half {
                        continue;
                    }
                }
                // Continuation bytes of a character match none of the cases above.
                _ => (at, was_half) = (at + 1, false),
            }
            whole = at;
        }
        let raw = &rest[..whole];
        // Text that is no valid JSON string, such as one with line breaks, is returned as it is.
        let said = serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_else(|_| raw.to_owned());
        self.returned += whole;
        if is_over {
            self.returned += 1;
            self.state = State::Behind;
        }
        (!said.is_empty()).then_some(AnswerPart::Text(said))
    }
}

const FENCE: &str = "```";

/// Most bytes of an answer before its text begins.
const BEGINNING: usize = 4 << 10;

const WHITE: &[char] = &[' ', '\t', '\n', '\r'];

/// Returns the text behind the first line of a fence, if there is one. Models like to write one if no form is enforced.
fn behind_fence(text: &str) -> &str {
    match text.trim_start().strip_prefix(FENCE) {
        Some(rest) => rest.split_once('\n').map_or("", |(_, body)| body),
        None => text,
    }
}

/// Returns `true` if a fence may have begun whose first line has not ended.
fn may_be_fence(text: &str) -> bool {
    let text = text.trim_start();
    FENCE.starts_with(text) || (text.starts_with(FENCE) && !text.contains('\n'))
}
