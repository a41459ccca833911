//! The state of filling a template: its values, and what may still be created.

use std::collections::BTreeSet;

use super::insertion::Inserted;
use super::lists::Restarts;
use super::scope::{MAX_NESTING, Scope};
use super::tree::{Element, MAX_ELEMENTS, Node};
use crate::Cancel;
use crate::shared::picture::Gallery;
use mitt_base::{Error, ErrorKind, Result, text};

/// Name of the placeholder for the text.
pub(super) const CONTENT: &str = "content";

/// Most items over all repetitions.
const MAX_ITEMS: usize = 5_000_000;

/// Most bytes of text in all filled paragraphs together.
const MAX_TEXT: usize = 64 << 20;

/// Sign around the number of a drawing in a text. XML cannot hold it, so no value has it.
pub(super) const DRAWING: char = '\u{FFFE}';

/// Width of the text of a template that states none, in twentieths of a point: A4 with margins of an inch.
const DEFAULT_WIDTH: u32 = 9_026;

/// The state of filling parts.
pub(super) struct Filler<'v, 'a> {
    pub(super) scope: Scope<'v>,
    /// Name of the current part in messages.
    pub(super) part: &'static str,
    /// The text for the placeholder, until it is inserted.
    pub(super) content: Option<Vec<Node>>,
    /// `true` if there is a text for the placeholder.
    pub(super) has_content: bool,
    /// What marks insert as blocks, by number.
    pub(super) inserted: Vec<Inserted>,
    /// Pictures of the current part, by number; a relationship is named when the part is complete.
    pub(super) drawings: Vec<Element>,
    /// Pictures by name.
    pub(super) gallery: Gallery<'v>,
    /// Names of the files that marks insert, if only they are wanted.
    pub(super) files: Option<BTreeSet<String>>,
    /// Width of the text in twentieths of a point.
    pub(super) width: u32,
    /// Width of the cell around, in twentieths of a point.
    pub(super) room: Option<u32>,
    /// Numbered lists that begin again.
    pub(super) restarts: Restarts,
    pub(super) warnings: Vec<String>,
    /// Elements that may still be created.
    left: usize,
    /// Bytes of text that may still be written.
    text_left: usize,
    /// Items that may still be repeated.
    items_left: usize,
    /// Number of repetitions around.
    depth: usize,
    /// Names of values from which characters were removed that XML cannot hold.
    pub(super) cleaned: Vec<String>,
    /// Text that looks like a mark but is none.
    pub(super) almost: Vec<String>,
    /// Text that looks like a mark of another program.
    pub(super) foreign: Vec<String>,
    cancel: &'a Cancel,
}

impl<'v, 'a> Filler<'v, 'a> {
    pub(super) fn new(
        scope: Scope<'v>,
        content: Option<Vec<Node>>,
        gallery: Gallery<'v>,
        cancel: &'a Cancel,
    ) -> Filler<'v, 'a> {
        Filler {
            scope,
            part: "text",
            has_content: content.is_some(),
            content,
            inserted: Vec::new(),
            drawings: Vec::new(),
            gallery,
            files: None,
            width: DEFAULT_WIDTH,
            room: None,
            restarts: Restarts::default(),
            warnings: Vec::new(),
            left: MAX_ELEMENTS,
            text_left: MAX_TEXT,
            items_left: MAX_ITEMS,
            depth: 0,
            cleaned: Vec::new(),
            almost: Vec::new(),
            foreign: Vec::new(),
            cancel,
        }
    }

    /// Calls `each` within each item of a name.
    pub(super) fn for_each(
        &mut self,
        name: &str,
        is_unless: bool,
        each: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some(items) = self.scope.items(name, self.part) else { return Ok(()) };
        self.nested(name, &mut |filler| match is_unless {
            true if items.len() == 0 => each(filler),
            true => Ok(()),
            false => (0..items.len()).try_for_each(|index| {
                filler.cancel.check()?;
                filler.items_left = filler.items_left.checked_sub(1).ok_or_else(|| {
                    let message = format!("values: expected at most {MAX_ITEMS} items that parts are repeated for, there are more");
                    Error::new(ErrorKind::Arguments, message).hint("give shorter lists")
                })?;
                let thing = items.get(index);
                if let Some(thing) = thing {
                    filler.scope.enter(name, thing, index + 1);
                }
                let result = each(filler);
                if thing.is_some() {
                    filler.scope.leave();
                }
                result
            }),
        })
    }

    /// Calls `inner` one level deeper, unless there are too many.
    pub(super) fn nested(
        &mut self,
        name: &str,
        inner: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if self.depth >= MAX_NESTING {
            self.scope.problem(format!(
                "`{}` ({}): at most {MAX_NESTING} parts in each other",
                text::one_line(name),
                self.part
            ));
            return Ok(());
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Records a problem of a mark.
    pub(super) fn problem(&mut self, mark: &str, what: &str) {
        let problem = format!("`{{{{{}}}}}` ({}): {what}", text::one_line(mark), self.part);
        self.scope.problem(problem);
    }

    /// Counts elements that are created.
    pub(super) fn take(&mut self, elements: usize) -> Result<()> {
        self.left = self.left.checked_sub(elements).ok_or_else(|| {
            let message = format!(
                "values: expected at most {MAX_ELEMENTS} elements in the filled file, the repeated parts make more"
            );
            Error::new(ErrorKind::Arguments, message)
                .hint("give fewer rows, or deliver them as a workbook")
        })?;
        Ok(())
    }

    /// Counts bytes of text that are written.
    pub(super) fn take_text(&mut self, bytes: usize) -> Result<()> {
        self.text_left = self.text_left.checked_sub(bytes).ok_or_else(|| {
            let message = format!("values: expected at most {MAX_TEXT} bytes of text in the filled file, they make more");
            Error::new(ErrorKind::Arguments, message).hint("give shorter texts or fewer rows")
        })?;
        Ok(())
    }
}
