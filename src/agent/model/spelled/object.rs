//! An answer that is one JSON object: what it says is told while it comes, its calls when it is whole.
//!
//! Takes an answer of another form for words, and never for a call.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Piece;
use super::read::{self, Written};

/// Reads an answer that is an object.
#[derive(Default)]
pub(super) struct Reader {
    text: String,
    state: State,
    /// How much of the text was told, or is no words.
    told: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    /// Before the words.
    #[default]
    Before,
    /// Within the string of what is said.
    Says,
    /// The rest is read at the end.
    Behind,
    /// It is no such object.
    Words,
}

#[derive(Deserialize)]
struct Answer<'a> {
    say: Option<String>,
    #[serde(borrow)]
    calls: Option<&'a RawValue>,
}

impl Reader {
    /// Take in more; what is certain of it.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        // What has not begun by then is read at the end, and not from its beginning with every piece.
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
            pieces.push(Piece::Words(self.text.split_off(self.told)));
        }
        pieces
    }

    /// The rest. An answer that was stopped has no calls but those of a whole object.
    pub(super) fn finish(&mut self, is_stopped: bool) -> Vec<Piece> {
        let text = std::mem::take(&mut self.text);
        let body = behind_fence(&text).trim_end().trim_end_matches('`');
        let answer: Option<Answer<'_>> = serde_json::from_str(body).ok();
        let Some(Answer { say, calls }) =
            answer.filter(|it| it.say.is_some() || it.calls.is_some())
        else {
            return self.unfinished(&text, is_stopped);
        };
        let mut pieces = Vec::new();
        if self.state == State::Before {
            // Calls came first.
            pieces.extend(say.map(Piece::Words));
        }
        let Some(calls) = calls.map(RawValue::get).filter(|calls| *calls != "null") else {
            return pieces;
        };
        let is_empty = |text: &str| text.chars().filter(|c| !c.is_whitespace()).eq("[]".chars());
        match read::calls(calls) {
            Some(calls) => pieces.extend(calls.into_iter().map(Piece::Call)),
            None if is_empty(calls) => {}
            None => pieces.push(Piece::Call(read::broken(calls))),
        }
        pieces
    }

    /// What is left of an answer that is not such an object, or not a whole one.
    fn unfinished(&self, text: &str, is_stopped: bool) -> Vec<Piece> {
        match self.state {
            State::Before => vec![Piece::Words(text.to_owned())],
            State::Behind if !is_stopped => {
                let rest = text[self.told..].split_once("\"calls\"").map(|(_, rest)| rest);
                let rest = rest.map(|rest| rest.trim_start().trim_start_matches(':').trim());
                let is_call = |rest: &&str| rest.contains('{');
                let broken: Option<Written> = rest.filter(is_call).map(read::broken);
                broken.map(Piece::Call).into_iter().collect()
            }
            State::Says | State::Behind | State::Words => Vec::new(),
        }
    }

    /// Find the string of what is said, if it comes first.
    fn begin(&mut self) {
        let mut rest = behind_fence(&self.text).trim_start();
        for (index, word) in ["{", "\"say\"", ":", "\""].into_iter().enumerate() {
            match rest.strip_prefix(word) {
                Some(after) => rest = after.trim_start_matches(if index < 3 { WHITE } else { &[] }),
                None if word.starts_with(rest) || may_be_fence(&self.text) => return,
                // Another order of its members, or what is no object at all.
                None if index == 0 => {
                    self.state = State::Words;
                    return;
                }
                None => return,
            }
        }
        self.told = self.text.len() - rest.len();
        self.state = State::Says;
    }

    /// What of the string is whole: no escape is cut, and no pair of surrogates.
    fn say(&mut self) -> Option<Piece> {
        let rest = &self.text[self.told..];
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
                    // Two in a row are no pair: neither waits for more.
                    was_half = is_half && !was_half;
                    if was_half {
                        continue;
                    }
                }
                // Bytes within a character are none of those above.
                _ => (at, was_half) = (at + 1, false),
            }
            whole = at;
        }
        let raw = &rest[..whole];
        // What is no JSON string, such as one with line breaks, is told as it is.
        let said = serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_else(|_| raw.to_owned());
        self.told += whole;
        if is_over {
            self.told += 1;
            self.state = State::Behind;
        }
        (!said.is_empty()).then_some(Piece::Words(said))
    }
}

const FENCE: &str = "```";

/// Where the words of an answer begin at the latest, in bytes.
const BEGINNING: usize = 4 << 10;

const WHITE: &[char] = &[' ', '\t', '\n', '\r'];

/// What is behind the first line of a fence, if there is one: models that are not held to a form like to write them.
fn behind_fence(text: &str) -> &str {
    match text.trim_start().strip_prefix(FENCE) {
        Some(rest) => rest.split_once('\n').map_or("", |(_, body)| body),
        None => text,
    }
}

/// Whether a fence may have begun, whose first line is not there yet.
fn may_be_fence(text: &str) -> bool {
    let text = text.trim_start();
    FENCE.starts_with(text) || (text.starts_with(FENCE) && !text.contains('\n'))
}
