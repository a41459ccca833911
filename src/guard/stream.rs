//! Checks a text that arrives in pieces: text that may still become a find is held back.

use std::sync::Arc;

use crate::compiled::Compiled;
use crate::hit::{Action, Blocked, Hit, MAX_HITS};
use crate::redact::Redactor;
use crate::scan::Scan;

/// The part of a stream that may be passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// The next piece of the text, redacted. Empty while everything is held back.
    pub text: String,
    /// Hits in it that do not block.
    pub hits: Vec<Hit>,
}

/// A guard over one text that arrives in pieces. The pieces that it returns and its hits are together those of
/// [`Guard::apply`](crate::Guard::apply) for the whole text, except that hits have no context and are not limited to 1 000.
///
/// It holds back the text from where a word, a number or an address may have begun: usually less than a word, at most about
/// 160 KiB.
#[derive(Debug)]
pub struct Stream {
    /// `None` if the guard has no rules.
    scan: Option<Scan>,
    redactor: Redactor,
    held: String,
    /// Bytes of the text before `held`.
    base: usize,
    reported: usize,
    /// Why nothing more is passed on.
    blocked: Option<Box<Blocked>>,
}

impl Stream {
    pub(crate) fn new(compiled: &Arc<Compiled>) -> Stream {
        Stream {
            scan: (!compiled.verdicts.is_empty()).then(|| Scan::new(compiled.clone())),
            redactor: Redactor::default(),
            held: String::new(),
            base: 0,
            reported: 0,
            blocked: None,
        }
    }

    /// Takes the next piece, and returns what may be passed on.
    ///
    /// # Errors
    ///
    /// [`Blocked`] - a rule that blocks found something. Text that was held back is lost, and each further piece is refused
    /// as well.
    pub fn push(&mut self, piece: &str) -> Result<Passed, Box<Blocked>> {
        if let Some(blocked) = &self.blocked {
            return Err(blocked.clone());
        }
        let Some(scan) = &mut self.scan else {
            return Ok(Passed { text: piece.to_owned(), hits: Vec::new() });
        };
        let mut hits = Vec::new();
        self.held.push_str(piece);
        scan.feed(piece, &mut hits);
        let until = scan.passable();
        self.pass(hits, until)
    }

    /// Ends the text, and returns the rest of it.
    ///
    /// # Errors
    ///
    /// [`Blocked`] - as for [`Stream::push`].
    pub fn finish(mut self) -> Result<Passed, Box<Blocked>> {
        if let Some(blocked) = self.blocked {
            return Err(blocked);
        }
        let Some(mut scan) = self.scan.take() else { return Ok(Passed::default()) };
        let mut hits = Vec::new();
        scan.finish(&mut hits);
        let until = self.base + self.held.len();
        self.pass(hits, until)
    }

    /// Returns the number of bytes that are held back.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn pass(&mut self, mut hits: Vec<Hit>, until: usize) -> Result<Passed, Box<Blocked>> {
        if let Some(at) = hits.iter().position(|hit| hit.action == Action::Block) {
            hits.truncate(at + 1);
            if let Some(hit) = hits.pop() {
                let blocked = Box::new(Blocked { hit, before: hits });
                self.held = String::new();
                self.blocked = Some(blocked.clone());
                return Err(blocked);
            }
        }
        let mut text = String::new();
        let held = (self.held.as_str(), self.base);
        self.redactor.leave_out_all(held, &hits, &mut text);
        self.redactor.plain(held, until, &mut text);
        let gone = self.redactor.done().saturating_sub(self.base).min(self.held.len());
        if gone == self.held.len() {
            self.held.clear();
        } else if gone > 0 {
            self.held = self.held.split_off(self.held.ceil_char_boundary(gone));
        }
        self.base += gone;
        hits.truncate(MAX_HITS.saturating_sub(self.reported));
        self.reported += hits.len();
        Ok(Passed { text, hits })
    }
}
