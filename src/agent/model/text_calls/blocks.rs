//! Finds blocks of calls in an answer that arrives in arbitrary pieces.
//!
//! Knows the word behind the fence in this conversation, and takes no other block for a call.

use super::super::arguments::Brackets;
use super::AnswerPart;
use super::read;

const FENCE: &str = "```";

/// Most backticks in a row that may be a fence.
const MAX_FENCE: usize = 64;

/// Most bytes of white space behind a fence whose line has not ended.
const MAX_BLANK: usize = 256;

/// Reads an answer with blocks. Each byte is read a fixed number of times, however the answer is cut.
pub(super) struct Reader {
    opening: String,
    /// Text that was not returned yet, from `start` on.
    text: String,
    start: usize,
    /// The block that begins at `start`.
    block: Option<Block>,
    /// `true` after a block. Text behind one is dropped, because the model makes up results in it.
    is_called: bool,
}

/// A block that has not ended, with the state of the search for its end.
#[derive(Default)]
struct Block {
    /// Bytes of it that were searched.
    seen: usize,
    brackets: Brackets,
    /// `true` if its last line has only white space so far.
    is_blank: bool,
    /// `true` after a fence outside of a string, which valid JSON never has.
    is_broken: bool,
}

impl Block {
    fn new() -> Block {
        Block { is_blank: true, ..Block::default() }
    }

    /// Searches the new part of `content`, the beginning of the block.
    fn see(&mut self, content: &str) {
        let new = content.get(self.seen..).unwrap_or_default();
        self.is_blank = match new.rfind('\n') {
            Some(end) => new[end..].trim().is_empty(),
            None => self.is_blank && new.trim().is_empty(),
        };
        self.brackets.see(content);
        self.seen = self.seen.max(content.len());
    }
}

impl Reader {
    pub(super) fn new(mark: &str) -> Reader {
        let opening = format!("{FENCE}{mark}");
        Reader { opening, text: String::new(), start: 0, block: None, is_called: false }
    }

    /// Adds text, and returns the pieces that are certain.
    pub(super) fn push(&mut self, text: &str) -> Vec<AnswerPart> {
        self.text.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        self.text.drain(..self.start);
        self.start = 0;
        pieces
    }

    /// Returns the remaining pieces. If the answer was stopped, incomplete calls are dropped.
    pub(super) fn finish(&mut self, is_stopped: bool) -> Vec<AnswerPart> {
        let rest = std::mem::take(&mut self.text);
        let mut pieces = Vec::new();
        match self.block.take() {
            Some(_) => {
                // The answer may end with a part of the closing fence.
                let content = rest.trim_end().trim_end_matches('`');
                match read::calls(content) {
                    Some(calls) => pieces.extend(calls.into_iter().map(AnswerPart::Call)),
                    None if is_stopped || content.trim().is_empty() => {}
                    None => pieces.push(AnswerPart::Call(read::broken(content))),
                }
            }
            None => self.words(&rest, &mut pieces),
        }
        pieces
    }

    /// Finds the next piece. Returns `true` if there may be another one.
    fn step(&mut self, pieces: &mut Vec<AnswerPart>) -> bool {
        match self.block.take() {
            None => self.find_opening(pieces),
            Some(block) => self.find_end(block, pieces),
        }
    }

    fn find_opening(&mut self, pieces: &mut Vec<AnswerPart>) -> bool {
        let text = &self.text[self.start..];
        let Some(at) = text.find(&self.opening) else {
            let words = text.len() - self.beginning();
            self.emit_text(words, pieces);
            return false;
        };
        let Some(next) = text[at + self.opening.len()..].chars().next() else {
            // The next character decides whether the word ends here.
            self.emit_text(at, pieces);
            return false;
        };
        let is_block = !(next.is_alphanumeric() || matches!(next, '-' | '_'));
        self.emit_text(if is_block { at } else { at + self.opening.len() }, pieces);
        if is_block {
            self.start += self.opening.len();
            (self.block, self.is_called) = (Some(Block::new()), true);
        }
        true
    }

    /// Returns this many bytes as text.
    fn emit_text(&mut self, bytes: usize, pieces: &mut Vec<AnswerPart>) {
        self.words(&self.text[self.start..self.start + bytes], pieces);
        self.start += bytes;
    }

    /// Returns the length of the longest end of the text with which an opening may begin.
    fn beginning(&self) -> usize {
        let text = &self.text[self.start..];
        let lengths = (1..self.opening.len()).rev();
        // The opening is ASCII, so no character is cut.
        let fits = |length: &usize| text.ends_with(&self.opening[..*length]);
        lengths.into_iter().find(fits).unwrap_or(0)
    }

    /// Finds the end of a block: a fence in a line of its own, or right behind complete JSON.
    fn find_end(&mut self, mut block: Block, pieces: &mut Vec<AnswerPart>) -> bool {
        let text = &self.text[self.start..];
        let Some(at) = text[block.seen..].find(FENCE).map(|at| block.seen + at) else {
            // Two backticks of a fence may be there already.
            block.see(text.trim_end_matches('`'));
            self.block = Some(block);
            return false;
        };
        let (content, rest) = text.split_at(at);
        block.see(content);
        // A longer run is searched piece by piece, so that it is read once and not again with each delta.
        let ticks = rest.bytes().take(MAX_FENCE).take_while(|byte| *byte == b'`').count();
        let rest = &rest[ticks..];
        let is_alone = block.is_blank;
        let calls =
            if block.is_broken || block.brackets.is_string() { None } else { read::calls(content) };
        block.is_broken |= !block.brackets.is_string();
        // If the fence stands alone, the line behind it is short or not blank.
        let line = || rest.split_once('\n').map_or(rest, |(line, _)| line);
        let is_end = is_alone && line().trim().is_empty();
        let has_ended = || rest.len() > MAX_BLANK || rest.contains('\n');
        match calls {
            Some(calls) => pieces.extend(calls.into_iter().map(AnswerPart::Call)),
            None if is_end && !has_ended() => {
                // Its line has not ended: it may be the beginning of a fence in an argument.
                self.block = Some(block);
                return false;
            }
            None if is_end => {
                if !content.trim().is_empty() {
                    pieces.push(AnswerPart::Call(read::broken(content)));
                }
            }
            None => {
                block.see(&text[..text.len() - rest.len()]);
                self.block = Some(block);
                return true;
            }
        }
        self.start = self.text.len() - rest.len();
        true
    }

    fn words(&self, text: &str, pieces: &mut Vec<AnswerPart>) {
        if !self.is_called && !text.is_empty() {
            pieces.push(AnswerPart::Text(text.to_owned()));
        }
    }
}
