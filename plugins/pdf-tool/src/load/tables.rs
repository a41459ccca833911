//! Reads the tables of a file that say where its objects are.

use crate::lex::Lexer;
use crate::load::{Loader, MAX_NUMBER, MAX_SECTIONS, Place};
use crate::object::Dict;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Loader {
    /// Reads the chain of tables. Returns `false` if it is damaged.
    pub(super) fn tables(&mut self) -> bool {
        let file = Rc::clone(&self.file);
        let tail = file.len().saturating_sub(2048);
        let Some(at) = file[tail..].windows(9).rposition(|it| it == b"startxref") else {
            return false;
        };
        let Some(start) = Lexer::new(&file, tail + at + 9).unsigned() else { return false };
        let mut todo = vec![start];
        let mut seen = BTreeSet::new();
        while let Some(offset) = todo.pop() {
            if !seen.insert(offset) {
                continue;
            }
            if seen.len() > MAX_SECTIONS {
                return false;
            }
            let Some(section) = self.section(&file, offset) else { return false };
            let next =
                |key: &str| section.get(key).as_int().and_then(|it| usize::try_from(it).ok());
            // The hybrid part comes before older ones, so it is pushed last.
            todo.extend(next("Prev"));
            todo.extend(next("XRefStm"));
            if self.trailer.is_empty() {
                self.trailer = section;
            } else {
                for key in ["Root", "Info", "ID", "Encrypt"] {
                    if !self.trailer.has(key) && section.has(key) {
                        self.trailer.set(key, section.get(key).clone());
                    }
                }
            }
        }
        self.sections = seen.len();
        self.trailer.has("Root")
    }

    /// Reads one table or table stream. Returns its trailer.
    fn section(&mut self, file: &[u8], offset: usize) -> Option<Dict> {
        let mut lexer = Self::lexer(file, offset.checked_add(self.base)?);
        lexer.skip_space();
        let is_table = lexer.keyword(b"xref");
        if self.newest.is_none() {
            self.newest = Some((offset, !is_table));
        }
        if is_table {
            return self.table(lexer);
        }
        let (number, generation) = lexer.header()?;
        let stream = self.body(lexer, number, generation, None).ok()?;
        let stream = stream.as_stream()?;
        if !stream.dict.get("Type").is_name("XRef") {
            return None;
        }
        let data = self.unpack(stream)?;
        let ints = |key: &str| -> Vec<usize> {
            let values = stream.dict.get(key).as_array().unwrap_or_default();
            values.iter().filter_map(|it| usize::try_from(it.as_int()?).ok()).collect()
        };
        let widths = ints("W");
        let [kind, first, second] = widths[..] else { return None };
        if kind > 8 || first > 8 || second > 8 || kind + first + second == 0 {
            return None;
        }
        let mut index = ints("Index");
        if index.is_empty() {
            index = vec![0, usize::try_from(stream.dict.get("Size").as_int()?).ok()?];
        }
        let mut rows = data.chunks_exact(kind + first + second);
        for range in index.chunks_exact(2) {
            for number in range[0]..range[0].saturating_add(range[1]) {
                let Some(row) = rows.next() else { break };
                let value =
                    |part: &[u8]| part.iter().fold(0_usize, |sum, it| sum << 8 | usize::from(*it));
                let number = u32::try_from(number).ok().filter(|it| *it <= MAX_NUMBER)?;
                let is_used = if kind == 0 { 1 } else { value(&row[..kind]) };
                let one = value(&row[kind..kind + first]);
                let place = match is_used {
                    0 => None,
                    1 => Some(Place::At(one.saturating_add(self.base))),
                    2 => u32::try_from(one).ok().map(Place::In),
                    _ => None,
                };
                self.note(number, place);
            }
        }
        Some(stream.dict.clone())
    }

    /// Notes an entry unless a newer table has one. Free entries are noted as places that hold nothing.
    fn note(&mut self, number: u32, place: Option<Place>) {
        self.places.entry(number).or_insert(place.unwrap_or(Place::At(usize::MAX)));
    }

    fn table(&mut self, mut lexer: Lexer<'_>) -> Option<Dict> {
        loop {
            lexer.skip_space();
            if lexer.keyword(b"trailer") {
                let value = lexer.value(&mut self.budget, true).ok()?;
                return value.as_dict().cloned();
            }
            let first = lexer.unsigned()?;
            let count = lexer.unsigned()?;
            // Some writers count from one instead of zero; such tables do not fit, and are built anew.
            for number in first..first.checked_add(count)? {
                let mut entry = lexer.clone();
                let Some(offset) = entry.unsigned() else { break };
                entry.unsigned()?;
                entry.skip_space();
                let is_used = match entry.word() {
                    b"n" => true,
                    b"f" => false,
                    _ => return None,
                };
                lexer = entry;
                let number = u32::try_from(number).ok().filter(|it| *it <= MAX_NUMBER)?;
                self.note(
                    number,
                    (is_used && offset > 0).then_some(Place::At(offset.saturating_add(self.base))),
                );
            }
        }
    }
}
