//! The source of a sheet: its rows, and edits of cells that are spliced into it.

use super::cell::{CellSource, FormulaKind, address, cells, head_tag, last_column};
use super::written::{CellEdit, edited_row};
use crate::error::{Error, Result};
use crate::refs::{self, Area, At};
use crate::xml::{TagKind, XmlToken, set_attribute, xml_tokens};
use memchr::memmem;
use std::collections::BTreeMap;
use std::ops::Range;

/// The place of a row in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSpan {
    pub(crate) number: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The source of a sheet in three parts.
#[derive(Debug)]
pub(crate) struct SheetText {
    /// Everything in front of the rows, with the opening tag of `sheetData`.
    pub(crate) head: String,
    pub(crate) data: String,
    /// Everything behind the rows, with the closing tag of `sheetData`.
    pub(crate) tail: String,
    /// `x:` if all names have this prefix.
    pub(crate) prefix: String,
    pub(crate) rows: Vec<RowSpan>,
    pub(crate) is_changed: bool,
    /// Text of the tag if it was empty, by which an empty sheet stays as it was.
    empty: Option<String>,
    pending: BTreeMap<(u32, u32), CellEdit>,
    shared: Option<BTreeMap<u32, (At, String)>>,
    arrays: Option<Vec<Area>>,
}

impl SheetText {
    pub(crate) fn read(mut xml: String, name: &str) -> Result<Self> {
        let malformed = |why: &str| Error::Malformed(format!("the sheet `{name}` {why}"));
        let mut all = xml_tokens(&xml);
        let mut prefix = None;
        let (start, tag) = loop {
            let at = all.offset();
            match all.next() {
                Some(XmlToken::Tag(tag)) => {
                    prefix.get_or_insert_with(|| tag.prefix().to_owned());
                    if tag.opens("sheetData") {
                        break (at, tag);
                    }
                }
                Some(_) => {}
                None => return Err(malformed("has no cells")),
            }
        };
        let behind = all.offset();
        let prefix = prefix.unwrap_or_default();
        let (head, data, tail, empty) = match tag.kind {
            TagKind::Empty => {
                let open = format!("{}>", tag.raw.trim_end_matches(['>', '/']).trim_end());
                let close = format!("</{prefix}sheetData>{}", &xml[behind..]);
                (format!("{}{open}", &xml[..start]), String::new(), close, Some(tag.raw.to_owned()))
            }
            _ => {
                let close = format!("</{prefix}sheetData");
                let end = memmem::rfind(xml.as_bytes(), close.as_bytes())
                    .filter(|end| *end >= behind)
                    .ok_or_else(|| malformed("is cut off"))?;
                let (head, tail) = (xml[..behind].to_owned(), xml[end..].to_owned());
                // The rows stay where they are, because a copy would double the memory.
                xml.truncate(end);
                xml.drain(..behind);
                (head, xml, tail, None)
            }
        };
        let mut sheet = Self {
            head,
            data,
            tail,
            prefix,
            rows: Vec::new(),
            is_changed: false,
            empty,
            pending: BTreeMap::new(),
            shared: None,
            arrays: None,
        };
        sheet.index(name)?;
        Ok(sheet)
    }

    fn index(&mut self, name: &str) -> Result<()> {
        let rows = index_rows(&self.data, &self.prefix);
        if !rows.windows(2).all(|pair| pair[0].number < pair[1].number) {
            return Err(Error::Unsupported(format!(
                "the rows of the sheet `{name}` are not in order"
            )));
        }
        if rows.last().is_some_and(|row| row.number > refs::MAX_ROW) {
            return Err(Error::Malformed(format!("the sheet `{name}` has too many rows")));
        }
        self.rows = rows;
        Ok(())
    }

    /// Replaces the rows.
    pub(crate) fn set_data(&mut self, data: String) {
        if data == self.data {
            return;
        }
        self.data = data;
        self.reindex();
    }

    fn reindex(&mut self) {
        self.rows = index_rows(&self.data, &self.prefix);
        self.shared = None;
        self.arrays = None;
        self.is_changed = true;
    }

    pub(crate) fn set_head(&mut self, head: String) {
        self.is_changed |= head != self.head;
        self.head = head;
    }

    pub(crate) fn set_tail(&mut self, tail: String) {
        self.is_changed |= tail != self.tail;
        self.tail = tail;
    }

    /// Returns the whole source.
    pub(crate) fn write(&self) -> String {
        match &self.empty {
            Some(tag) if self.data.is_empty() => {
                let open = self.head.rfind('<').unwrap_or(0);
                let close = self.tail.find('>').map_or(0, |at| at + 1);
                format!("{}{tag}{}", &self.head[..open], &self.tail[close..])
            }
            _ => format!("{}{}{}", self.head, self.data, self.tail),
        }
    }

    /// Returns the whole source in the place of the rows.
    pub(crate) fn into_source(mut self) -> String {
        if self.data.is_empty() {
            return self.write();
        }
        self.data.reserve_exact(self.head.len() + self.tail.len());
        self.data.insert_str(0, &self.head);
        self.data.push_str(&self.tail);
        self.data
    }

    pub(crate) fn row(&self, number: u32) -> Option<&RowSpan> {
        let at = self.rows.binary_search_by_key(&number, |row| row.number).ok()?;
        self.rows.get(at)
    }

    pub(crate) fn row_text(&self, span: &RowSpan) -> &str {
        self.data.get(span.start..span.end).unwrap_or_default()
    }

    /// Returns the source of a cell, without edits that are not yet spliced in.
    pub(crate) fn cell(&self, at: At) -> Option<CellSource<'_>> {
        let row = self.row(at.row)?;
        cells(self.row_text(row)).find(|cell| cell.column == at.column)
    }

    pub(crate) fn pending(&self, at: At) -> Option<&CellEdit> {
        self.pending.get(&(at.row, at.column))
    }

    /// Notes an edit of a cell. Later ones replace what earlier ones set.
    pub(crate) fn edit(&mut self, at: At, edit: CellEdit) {
        let old = self.pending.entry((at.row, at.column)).or_default();
        if edit.content.is_some() {
            old.content = edit.content;
            old.cached = None;
        }
        if edit.cached.is_some() {
            old.cached = edit.cached;
        }
        if edit.style.is_some() {
            old.style = edit.style;
        }
    }

    /// Returns the area of all cells in the source; `None` if there are none.
    pub(crate) fn used(&self) -> Option<Area> {
        let mut used: Option<Area> = None;
        for row in &self.rows {
            let mut all = cells(self.row_text(row));
            let Some(first) = all.next() else { continue };
            let last = last_column(self.row_text(row))
                .or(all.last().map(|it| it.column))
                .unwrap_or(first.column);
            let area = Area::new(row.number, first.column, row.number, last.max(first.column));
            used = Some(used.map_or(area, |it| it.join(&area)));
        }
        used
    }

    /// Returns the first cell and the text of each shared formula.
    pub(crate) fn shared(&mut self) -> &BTreeMap<u32, (At, String)> {
        if self.shared.is_none() {
            let mut found = BTreeMap::new();
            if memmem::find(self.data.as_bytes(), b"shared").is_some() {
                for row in &self.rows {
                    let text = self.row_text(row);
                    if memmem::find(text.as_bytes(), b"shared").is_none() {
                        continue;
                    }
                    for cell in cells(text) {
                        if let Some(formula) = cell.formula()
                            && let FormulaKind::Shared(group) = formula.kind
                            && !formula.text.is_empty()
                        {
                            let at = At { row: row.number, column: cell.column };
                            found.entry(group).or_insert((at, formula.text));
                        }
                    }
                }
            }
            self.shared = Some(found);
        }
        self.shared.get_or_insert_default()
    }

    /// Returns the areas of array formulas.
    pub(crate) fn arrays(&mut self) -> &[Area] {
        if self.arrays.is_none() {
            let mut found = Vec::new();
            if memmem::find(self.data.as_bytes(), b"\"array\"").is_some() {
                for row in &self.rows {
                    let text = self.row_text(row);
                    if memmem::find(text.as_bytes(), b"\"array\"").is_none() {
                        continue;
                    }
                    found.extend(cells(text).filter_map(|cell| match cell.formula()?.kind {
                        FormulaKind::Array(area, _) => refs::area(&area),
                        _ => None,
                    }));
                }
            }
            self.arrays = Some(found);
        }
        self.arrays.get_or_insert_default()
    }

    /// Splices noted edits into the source.
    pub(crate) fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        let all: Vec<_> = pending.into_iter().collect();
        let implied = self.rows.iter().any(|row| address(head_tag(self.row_text(row))).is_none());
        let mut pieces = Vec::new();
        let mut copied = 0;
        for edits in all.chunk_by(|a, b| a.0.0 == b.0.0) {
            let Some(((number, _), _)) = edits.first() else { continue };
            match self.rows.binary_search_by_key(number, |row| row.number) {
                Ok(at) => {
                    let span = self.rows[at];
                    let row = edited_row(self.row_text(&span), *number, edits, &self.prefix);
                    pieces.push((span.start..span.end, row));
                    copied = span.end;
                }
                Err(at) => {
                    let prefix = &self.prefix;
                    let row = format!("<{prefix}row r=\"{number}\"></{prefix}row>");
                    let row = edited_row(&row, *number, edits, prefix);
                    if !row.contains(&format!("<{prefix}c ")) {
                        continue;
                    }
                    let place = self.rows.get(at).map_or(self.data.len(), |row| row.start);
                    let place =
                        if at > 0 { place.min(self.rows[at - 1].end.max(copied)) } else { place };
                    pieces.push((place..place, row));
                    copied = place;
                }
            }
        }
        pieces.retain(|(range, row)| self.data.get(range.clone()) != Some(row.as_str()));
        if !pieces.is_empty() {
            splice(&mut self.data, &pieces);
            if implied {
                self.data = numbered(&self.rows, &self.data, &self.prefix);
            }
            self.reindex();
        }
        if let Some(used) = self.edited_area(&all) {
            self.grow_dimension(used);
        }
    }

    fn edited_area(&self, all: &[((u32, u32), CellEdit)]) -> Option<Area> {
        let areas =
            all.iter().filter(|it| it.1.content.is_some()).map(|it| Area::cell(it.0.0, it.0.1));
        areas.reduce(|a, b| a.join(&b))
    }

    /// Makes the stored size of the sheet large enough for an area.
    pub(crate) fn grow_dimension(&mut self, area: Area) {
        let Some((at, tag)) = crate::xml::find_tag(&self.head, "dimension") else { return };
        let Some(old) = tag.attribute("ref").and_then(refs::area) else { return };
        let new = if self.rows.len() == 1 && old.is_cell() { area } else { old.join(&area) };
        if new != old {
            let raw = set_attribute(tag.raw, "ref", &new.to_string());
            let head = format!("{}{raw}{}", &self.head[..at], &self.head[at + tag.raw.len()..]);
            self.set_head(head);
        }
    }
}

/// Replaces ranges of a text, which are in order, without a second copy of it.
fn splice(text: &mut String, pieces: &[(Range<usize>, String)]) {
    let grows = |(range, new): &(Range<usize>, String)| new.len().saturating_sub(range.len());
    let slack: usize = pieces.iter().map(grows).sum();
    let mut bytes = std::mem::take(text).into_bytes();
    let length = bytes.len();
    bytes.reserve_exact(slack);
    bytes.resize(length + slack, 0);
    // Everything moves to the end, so that what is written never reaches what is still to be read.
    bytes.copy_within(..length, slack);
    let (mut read, mut write) = (0, 0);
    for (range, new) in pieces {
        bytes.copy_within(slack + read..slack + range.start, write);
        write += range.start - read;
        bytes[write..write + new.len()].copy_from_slice(new.as_bytes());
        write += new.len();
        read = range.end;
    }
    bytes.copy_within(slack + read.., write);
    bytes.truncate(write + length - read);
    // Ranges begin and end at tags, so no character is cut.
    *text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
}

/// Adds the numbers of rows, which a row between them would move.
fn numbered(rows: &[RowSpan], new: &str, prefix: &str) -> String {
    let mut out = String::with_capacity(new.len() + rows.len() * 12);
    let mut copied = 0;
    let mut known = rows.iter().peekable();
    for row in index_rows(new, prefix) {
        let text = &new[row.start..row.end];
        let tag = head_tag(text);
        let number = match address(tag).and_then(refs::row) {
            Some(number) => {
                while known.next_if(|it| it.number <= number).is_some() {}
                continue;
            }
            None => known.next().map_or(row.number, |it| it.number),
        };
        out.push_str(&new[copied..row.start]);
        out.push_str(&set_attribute(tag, "r", &number.to_string()));
        copied = row.start + tag.len();
    }
    out.push_str(&new[copied..]);
    out
}

pub(crate) fn index_rows(data: &str, prefix: &str) -> Vec<RowSpan> {
    let bytes = data.as_bytes();
    let (open, close) = (format!("<{prefix}row"), format!("</{prefix}row>"));
    let (open, close) =
        (memmem::Finder::new(open.as_bytes()), memmem::Finder::new(close.as_bytes()));
    let mut rows = Vec::new();
    let (mut at, mut number) = (0, 0);
    while let Some(start) = bytes.get(at..).and_then(|rest| open.find(rest)).map(|it| it + at) {
        let name_end = start + open.needle().len();
        if !matches!(bytes.get(name_end), Some(b' ' | b'>' | b'/' | b'\t' | b'\r' | b'\n')) {
            at = name_end;
            continue;
        }
        let Some(tag_end) = memchr::memchr(b'>', &bytes[start..]).map(|it| it + start + 1) else {
            break;
        };
        let end = match bytes.get(tag_end - 2) {
            Some(b'/') => tag_end,
            _ => match close.find(&bytes[tag_end..]) {
                Some(it) => tag_end + it + close.needle().len(),
                None => break,
            },
        };
        let given = data.get(start..tag_end).and_then(address).and_then(refs::row);
        number = given.unwrap_or(number + 1);
        rows.push(RowSpan { number, start, end });
        at = end;
    }
    rows
}
