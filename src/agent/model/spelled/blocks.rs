//! Blocks of calls between the words of an answer, which may be cut anywhere.
//!
//! Knows the word behind the fence that this conversation has, and takes no other block for a call.

use super::Piece;
use super::read;

const FENCE: &str = "```";

/// Reads an answer with blocks.
pub(super) struct Reader {
    opening: String,
    /// What was not told yet.
    text: String,
    /// The block that `text` begins in, as far as it was looked at for its end.
    block: Option<usize>,
    /// There was a block. Words behind one are not told: the model makes up results in them.
    is_called: bool,
}

impl Reader {
    pub(super) fn new(mark: &str) -> Reader {
        let opening = format!("{FENCE}{mark}");
        Reader { opening, text: String::new(), block: None, is_called: false }
    }

    /// Take in more; what is certain of it.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        self.text.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// The rest. An answer that was stopped has no calls but whole ones.
    pub(super) fn finish(&mut self, is_stopped: bool) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.text);
        let mut pieces = Vec::new();
        match self.block.take() {
            Some(_) => {
                // The end of a fence may stand at the end of the answer, as far as it came.
                let content = rest.trim_end().trim_end_matches('`');
                match read::calls(content) {
                    Some(calls) => pieces.extend(calls.into_iter().map(Piece::Call)),
                    None if is_stopped || content.trim().is_empty() => {}
                    None => pieces.push(Piece::Call(read::broken(content))),
                }
            }
            None => self.words(&rest, &mut pieces),
        }
        pieces
    }

    /// Whether there may be more to find.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.block {
            None => self.find_opening(pieces),
            Some(seen) => self.find_end(seen, pieces),
        }
    }

    fn find_opening(&mut self, pieces: &mut Vec<Piece>) -> bool {
        let Some(at) = self.text.find(&self.opening) else {
            let kept = self.beginning();
            let words: String = self.text.drain(..self.text.len() - kept).collect();
            self.words(&words, pieces);
            return false;
        };
        let rest = &self.text[at + self.opening.len()..];
        let Some(next) = rest.chars().next() else {
            // What follows decides whether the word is whole.
            let words: String = self.text.drain(..at).collect();
            self.words(&words, pieces);
            return false;
        };
        let is_block = !(next.is_alphanumeric() || matches!(next, '-' | '_'));
        let until = if is_block { at } else { at + self.opening.len() };
        let words: String = self.text.drain(..until).collect();
        self.words(&words, pieces);
        if is_block {
            self.text.drain(..self.opening.len());
            (self.block, self.is_called) = (Some(0), true);
        }
        true
    }

    /// Length of the end of the text that an opening may begin with.
    fn beginning(&self) -> usize {
        let lengths = (1..self.opening.len()).rev();
        // Only the mark's signs and backticks are in it, so that no character is cut.
        let fits = |length: &usize| self.text.ends_with(&self.opening[..*length]);
        lengths.into_iter().find(fits).unwrap_or(0)
    }

    /// A block ends with a fence in a line of its own, or right behind what is whole.
    fn find_end(&mut self, seen: usize, pieces: &mut Vec<Piece>) -> bool {
        let Some(at) = self.text[seen..].find(FENCE).map(|at| seen + at) else {
            // Two signs of a fence may be there already.
            self.block = Some(self.text.trim_end_matches('`').len().max(seen));
            return false;
        };
        let (content, rest) = self.text.split_at(at);
        let rest = rest.trim_start_matches('`');
        let line = content.rfind('\n').map_or(content, |end| &content[end..]);
        let is_alone = line.trim().is_empty();
        let calls = match read::may_be_whole(content) {
            true => read::calls(content),
            false => None,
        };
        match (calls, rest.find('\n')) {
            (Some(calls), _) => pieces.extend(calls.into_iter().map(Piece::Call)),
            (None, None) if is_alone && rest.trim().is_empty() => {
                // Its line has not ended: it may be the beginning of a fence in an argument.
                self.block = Some(at);
                return false;
            }
            (None, Some(end)) if is_alone && rest[..end].trim().is_empty() => {
                if !content.trim().is_empty() {
                    pieces.push(Piece::Call(read::broken(content)));
                }
            }
            _ => {
                self.block = Some(self.text.len() - rest.len());
                return true;
            }
        }
        self.text = rest.to_owned();
        self.block = None;
        true
    }

    fn words(&self, text: &str, pieces: &mut Vec<Piece>) {
        if !self.is_called && !text.is_empty() {
            pieces.push(Piece::Words(text.to_owned()));
        }
    }
}
