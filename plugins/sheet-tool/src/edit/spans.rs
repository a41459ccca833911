//! References to several sheets at once, such as `Jan:Mar!B5`, when sheets are deleted or moved.

use super::state::Batch;
use super::structure::everywhere;
use crate::calc::Seed;
use crate::error::Result;
use crate::formula::{Becomes, SheetPrefix, rewrite};
use std::cell::RefCell;

/// Corrects the references whose first or last sheet is about to go: they end at its neighbour. One that has no other sheet is lost.
pub(super) fn shorten(batch: &mut Batch, gone: usize) -> Result<()> {
    respan(batch, Some(gone), &|first, last| match (first, last) {
        (first, last) if first == last => None,
        (first, last) if first == gone => Some((first + 1, last)),
        (first, last) if last == gone => Some((first, last - 1)),
        other => Some(other),
    })
}

/// Corrects the references whose first sheet is about to stand behind the last one, or the reverse: they end at its neighbour.
pub(super) fn keep_order(batch: &mut Batch, from: usize, to: usize) -> Result<()> {
    respan(batch, None, &|first, last| match (first, last) {
        (first, last) if first == last => Some((first, last)),
        (first, last) if first == from && to >= last => Some((first + 1, last)),
        (first, last) if last == from && to <= first => Some((first, last - 1)),
        other => Some(other),
    })
}

/// Gives all references to several sheets other ends, by the numbers of the sheets from left to right.
fn respan(
    batch: &mut Batch,
    except: Option<usize>,
    change: &dyn Fn(usize, usize) -> Option<(usize, usize)>,
) -> Result<()> {
    let names: Vec<String> = batch.book.sheets.iter().map(|it| it.name.clone()).collect();
    let lower: Vec<String> = names.iter().map(|it| it.to_lowercase()).collect();
    let number = |name: &str| lower.iter().position(|it| *it == name.to_lowercase());
    let seeds = RefCell::new(Vec::new());
    let rewritten = |formula: &str| {
        rewrite(formula, |reference| {
            let SheetPrefix::Span(first, last) = &reference.sheet else { return Becomes::Same };
            let (Some(first), Some(last)) = (number(first), number(last)) else {
                return Becomes::Same;
            };
            let old = (first.min(last), first.max(last));
            match change(old.0, old.1) {
                None => Becomes::LostSheet,
                Some(new) if new == old => Becomes::Same,
                Some((first, last)) if first == last => {
                    // Its formula is one as any other from now on.
                    let area = reference.area();
                    seeds.borrow_mut().push(Seed { sheet: first, area, includes_itself: false });
                    Becomes::OtherSheets(SheetPrefix::One(names[first].clone()))
                }
                Some((first, last)) => Becomes::OtherSheets(SheetPrefix::Span(
                    names[first].clone(),
                    names[last].clone(),
                )),
            }
        })
    };
    everywhere(batch, &rewritten, except)?;
    batch.seeds.extend(seeds.into_inner());
    Ok(())
}
