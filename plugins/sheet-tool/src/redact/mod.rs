//! Removes words from everything in a workbook, and proves it: the result is read again by other code.

mod cells;
mod found;
mod package;
mod parts;
mod proof;
mod terms;
#[cfg(test)]
mod tests;

use crate::book::Book;
use crate::edit::{Batch, finish, open, rename};
use crate::error::{Error, Result, invalid};
use crate::refs::quoted_sheet;
use crate::xml::{elements, first_tag};
use found::Found;
use mitt_package::{counted, either};
use terms::Terms;

/// Most rounds until what is calculated anew has no hits either.
const MAX_ROUNDS: usize = 6;

/// A redacted workbook.
#[derive(Debug)]
pub struct Redacted {
    pub bytes: Vec<u8>,
    /// One line each: place and number of hits.
    pub places: Vec<String>,
    pub hits: u32,
    pub warnings: Vec<String>,
}

/// Masks words and patterns in all parts of a workbook.
///
/// # Errors
/// [`Error::Invalid`] - a word or pattern cannot be used. [`Error::Unsupported`] - macros or a signature.
/// [`Error::Malformed`] - the file is damaged, or the check of the result found something.
pub fn redact(
    bytes: Vec<u8>,
    words: &[String],
    patterns: &[String],
    filename: &str,
) -> Result<Redacted> {
    let terms = Terms::new(words, patterns)?;
    let stem = filename.strip_suffix(".xlsx").unwrap_or(filename);
    if terms.has(stem) {
        return invalid(format!("the name `{filename}` has a word that is to be removed"));
    }
    let mut batch = Batch::new(open(bytes)?);
    let mut found = Found::default();
    sheets(&mut batch, &terms, &mut found)?;
    let shared = cells::shared(&mut batch.book, &terms)?;
    let mut round = 0;
    let mut counts = Some(shared);
    // What depends on masked cells is calculated, and may show a hit in turn.
    loop {
        let changed = cells::clean(&mut batch, &terms, counts.take(), &mut found)?;
        if round == 0 {
            names(&mut batch.book, &terms, &mut found)?;
            cells::tables(&mut batch, &terms, &mut found)?;
        }
        if changed == 0 && round > 0 {
            break;
        }
        round += 1;
        if round > MAX_ROUNDS {
            return Err(Error::Unsupported(
                "formulas show hits again and again; replace them by values first".to_owned(),
            ));
        }
        batch.has_values = changed > 0;
        finish(&mut batch, None)?;
        batch.seeds.clear();
    }
    package::clean(&mut batch.book, &terms, &mut found)?;
    let bytes = batch.book.save()?;
    proof::check(bytes.clone(), &terms)?;
    let Found { mut places, left_out, hits, formulas, numbers, lost, mut warnings } = found;
    if left_out > 0 {
        places.push(format!("and {}", counted(left_out, "further place")));
    }
    if formulas > 0 {
        let became = either(formulas, "became a value", "became values");
        let formulas = counted(formulas, "formula");
        warnings.push(format!("{formulas} with or behind a hit {became}"));
    }
    if numbers > 0 {
        let became = either(
            numbers,
            "became a text; formulas that add it",
            "became texts; formulas that add them",
        );
        let numbers = counted(numbers, "number");
        warnings.push(format!("{numbers} {became} up have other results now"));
    }
    if lost > 0 {
        let are = either(lost, "is", "are");
        let formulas = counted(lost, "formula");
        warnings
            .push(format!("{formulas} of names, rules or charts had a hit and {are} #REF! now"));
    }
    if hits == 0 {
        warnings.push("nothing was found; the copy is like the workbook".to_owned());
    }
    // Those of the calculation may name what was removed.
    warnings.extend(batch.warnings);
    warnings.iter_mut().for_each(|it| {
        if let Some((masked, _)) = terms.masked(it) {
            *it = masked;
        }
    });
    Ok(Redacted { bytes, places, hits: u32::try_from(hits).unwrap_or(u32::MAX), warnings })
}

/// Renames sheets, so that formulas follow.
fn sheets(batch: &mut Batch, terms: &Terms, found: &mut Found) -> Result<()> {
    for index in 0..batch.book.sheets.len() {
        let old = batch.book.sheets[index].name.clone();
        let Some((masked, hits)) = terms.masked(&old) else { continue };
        let mut name = masked.clone();
        let mut number = 1;
        while batch.book.find(&name).is_ok() {
            number += 1;
            let short: String = masked.chars().take(28).collect();
            name = format!("{short}{number}");
        }
        rename(batch, &quoted_sheet(&old), &name)?;
        found.note(&format!("name of the sheet {}", index + 1), hits);
        found.warnings.push(format!("the sheet {} is called `{name}` now", index + 1));
    }
    Ok(())
}

/// Removes names of the workbook that have a hit themselves.
fn names(book: &mut Book, terms: &Terms, found: &mut Found) -> Result<()> {
    let mut gone = 0;
    for (at, element) in elements(&book.xml.clone(), "definedName").into_iter().rev() {
        let name = first_tag(element).and_then(|it| it.text("name")).unwrap_or_default();
        let hits = terms.hits(&name).len();
        if hits > 0 {
            gone += 1;
            found.note("a defined name", hits);
            book.xml.replace_range(at..at + element.len(), "");
        }
    }
    if let Some((at, list)) = crate::xml::element(&book.xml, "definedNames")
        && crate::xml::children(list).is_empty()
    {
        let range = at..at + list.len();
        book.xml.replace_range(range, "");
    }
    if gone > 0 {
        let were = either(gone, "was", "were");
        found.warnings.push(format!("{} {were} removed", counted(gone, "defined name")));
    }
    if let Some(new) = parts::cleaned(&book.xml, terms) {
        found.note("defined names and settings of the workbook", new.hits);
        found.lost += new.formulas;
        book.xml = new.xml;
    }
    book.refresh()
}
