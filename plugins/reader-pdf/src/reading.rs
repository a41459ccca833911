//! What was read of some pages. The readings of all shares are joined into one of the whole document.

use crate::block::Page;
use crate::comments::Comments;
use crate::eye::Unseen;
use crate::files::Files;
use crate::form::Field;
use crate::outline::{self, Levels};
use crate::{furniture, write};
use mitt_reader_kit::{Content, Error, MAX_CELLS, MAX_TEXT_BYTES};
use serde::{Deserialize, Serialize};

/// Content of consecutive pages, with the metadata of the document.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub(crate) title: Option<String>,
    pub(crate) about: Vec<(String, String)>,
    /// Values of the form. Only the first share has these and the files.
    pub(crate) fields: Vec<Field>,
    pub(crate) files: Files,
    pub(crate) levels: Levels,
    pub(crate) pages: Vec<Page>,
    pub(crate) scanned: Vec<u32>,
    /// Pages that count as pictures because their fonts do not say what their letters are.
    pub(crate) unreadable: Vec<u32>,
    /// Pages that lost something.
    pub(crate) lost: Vec<(u32, Lost)>,
    pub(crate) failed: Vec<(u32, String)>,
    /// Hidden text, by page.
    pub(crate) unseen: Vec<(u32, Unseen)>,
    /// `true` if the document is too large to look for hidden text.
    pub(crate) is_unwatched: bool,
    /// `true` if the document has too many bookmarks to read them.
    pub(crate) lacks_outline: bool,
    /// `true` if Chinese text was encoded as Latin letters.
    pub(crate) is_misread: bool,
    /// `true` if pages of the document are missing.
    pub(crate) is_incomplete: bool,
    pub(crate) page_numbers: usize,
    pub(crate) bytes: usize,
    pub(crate) cells: usize,
    /// Comments of the whole document. Only the first share has them.
    pub(crate) comments: Comments,
}

/// What a page can lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Lost {
    Parts,
    Letters,
    Links,
}

impl Lost {
    fn as_str(self) -> &'static str {
        match self {
            Lost::Parts => "damaged parts",
            Lost::Letters => "text in fonts that do not say what their letters are",
            Lost::Links => "links",
        }
    }
}

impl Reading {
    /// Joins the readings of all shares, in order.
    ///
    /// # Errors
    ///
    /// `quota` - together they have more text or cells than one document may have. `invalid-argument` - there are no
    /// readings.
    pub(crate) fn join(readings: impl IntoIterator<Item = Reading>) -> Result<Reading, Error> {
        let mut readings = readings.into_iter();
        let mut whole =
            readings.next().ok_or_else(|| Error::InvalidArgument("no shares".to_owned()))?;
        for mut next in readings {
            whole.pages.append(&mut next.pages);
            whole.scanned.append(&mut next.scanned);
            whole.unreadable.append(&mut next.unreadable);
            whole.lost.append(&mut next.lost);
            whole.failed.append(&mut next.failed);
            whole.unseen.append(&mut next.unseen);
            whole.is_unwatched |= next.is_unwatched;
            whole.is_misread |= next.is_misread;
            whole.is_incomplete |= next.is_incomplete;
            whole.page_numbers += next.page_numbers;
            whole.bytes += next.bytes;
            whole.cells += next.cells;
        }
        if whole.bytes > MAX_TEXT_BYTES {
            return Err(too_much_text());
        }
        if whole.cells > MAX_CELLS {
            return Err(Error::Quota(format!(
                "its tables have {} cells, and the tables of a document may have {MAX_CELLS}",
                whole.cells
            )));
        }
        Ok(whole)
    }

    /// Returns the content: without lines that are repeated on every page, with levels of headings, as Markdown.
    ///
    /// # Errors
    ///
    /// `malformed` - there are no pages. `quota` - there is more text than one document may have.
    pub(crate) fn content(mut self) -> Result<Content, Error> {
        if self.pages.is_empty() {
            let reason = self.failed.first().map_or("it has no pages", |(_, reason)| reason);
            return Err(Error::Malformed(format!("the document is damaged: {reason}")));
        }
        let mut warnings = self.warnings();
        outline::apply(&self.levels, &mut self.pages);
        let printed = furniture::remove(&mut self.pages);
        warnings.extend(furniture::warnings(&printed, self.page_numbers));
        for page in &mut self.pages {
            page.comments = self.comments.found.remove(&page.number).unwrap_or_default();
            self.bytes += page.comments.iter().map(|comment| comment.text.len()).sum::<usize>();
        }
        if self.bytes > MAX_TEXT_BYTES {
            return Err(too_much_text());
        }
        warnings.extend(self.files.warnings());
        let written = write::write(&self.pages, &self.fields, &self.files.found);
        warnings.extend(written.warnings);
        Ok(Content {
            title: self.title,
            metadata: self.about,
            markdown: written.markdown,
            places: written.places,
            tables: written.tables,
            parts: self.files.into_parts(),
            scanned: self.scanned,
            warnings,
        })
    }

    fn warnings(&self) -> Vec<String> {
        let failed = self.failed.iter();
        let mut warnings: Vec<String> = failed
            .map(|(page, reason)| format!("page {page} could not be read: {reason}"))
            .collect();
        if self.is_incomplete {
            warnings.push("the document is damaged: some of its pages are missing".to_owned());
        }
        warnings.extend(lost(&self.lost));
        if !self.unreadable.is_empty() {
            warnings.push(format!(
                "the fonts on {} do not say what their letters are: the text was left out, to be read as a picture",
                named_pages(&self.unreadable)
            ));
        }
        warnings.extend(Unseen::warnings(&self.unseen));
        if self.is_unwatched {
            let warning = "the document is too large to look for text that nobody sees";
            warnings.push(warning.to_owned());
        }
        if self.is_misread {
            let warning = "the fonts call Chinese letters Latin: they were read as GB 2312";
            warnings.push(warning.to_owned());
        }
        if self.lacks_outline {
            let warning = "the document has too many bookmarks, so the levels of headings do not come from them";
            warnings.push(warning.to_owned());
        }
        let beyond = self.comments.beyond;
        if beyond > 0 {
            warnings
                .push(format!("remarks that were left out because there are too many: {beyond}"));
        }
        warnings
    }
}

pub(crate) fn too_much_text() -> Error {
    Error::Quota(format!("the document has more than {} MiB of text", MAX_TEXT_BYTES >> 20))
}

/// Returns one sentence for each kind of loss, with its pages.
fn lost(lost: &[(u32, Lost)]) -> Vec<String> {
    let mut kinds: Vec<Lost> = Vec::new();
    for (_, what) in lost {
        if !kinds.contains(what) {
            kinds.push(*what);
        }
    }
    let sentence = |what: Lost| {
        let pages = lost.iter().filter(|(_, other)| *other == what).map(|(page, _)| *page);
        let pages = named_pages(&pages.collect::<Vec<_>>());
        format!("{} could not be read on {pages}", what.as_str())
    };
    kinds.into_iter().map(sentence).collect()
}

/// Returns the numbers of pages, as `page 3` or `pages 1, 4, 9`. A long list is cut.
pub(crate) fn named_pages(pages: &[u32]) -> String {
    const MAX_NAMED: usize = 10;
    let first: Vec<String> = pages.iter().take(MAX_NAMED).map(u32::to_string).collect();
    let more = pages.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let word = if pages.len() == 1 { "page" } else { "pages" };
    format!("{word} {}{more}", first.join(", "))
}
