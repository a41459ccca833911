//! Whole slides: copied, deleted, hidden. What belongs to a slide goes with it: notes, charts with their workbooks,
//! diagrams.

use crate::deck::{Deck, Slide};
use crate::error::{Result, malformed};
use crate::order;
use crate::package::Relation;
use crate::xml::{Ns, Splices, Xml};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of parts of which each slide has its own.
const OWN: [&str; 17] = [
    "notesSlide",
    "chart",
    "chartEx",
    "package",
    "oleObject",
    "chartUserShapes",
    "chartStyle",
    "chartColorStyle",
    "themeOverride",
    "diagramData",
    "diagramLayout",
    "diagramQuickStyle",
    "diagramColors",
    "diagramDrawing",
    "vmlDrawing",
    "tags",
    "control",
];
/// Most parts that a copy of a slide has.
const MAX_COPIES: usize = 2_000;

/// Copies a slide to a position from 0, and returns the id of the copy.
///
/// # Errors
/// [`crate::Error::Malformed`] - a part cannot be read.
pub(crate) fn duplicate(
    deck: &mut Deck,
    slide: &Slide,
    position: usize,
    warnings: &mut Vec<String>,
) -> Result<u32> {
    let copy = deck.package.free_name(&slide.part);
    let mut copies = BTreeMap::from([(slide.part.clone(), copy.clone())]);
    copy_part(deck, &slide.part, &copy)?;
    let mut next = vec![(slide.part.clone(), copy.clone())];
    let mut has_comments = false;
    while let Some((from, to)) = next.pop() {
        for relation in deck.package.relations(&from)? {
            let kind = relation.kind().to_owned();
            if kind.eq_ignore_ascii_case("comments") {
                has_comments = true;
                continue;
            }
            let target = match copies.get(&relation.target) {
                Some(copied) if !relation.is_external => copied.clone(),
                None if !relation.is_external
                    && OWN.contains(&&*kind)
                    && deck.package.has(&relation.target) =>
                {
                    if copies.len() >= MAX_COPIES {
                        return malformed("the slide has too many parts to be copied");
                    }
                    let copied = deck.package.free_name(&relation.target);
                    copy_part(deck, &relation.target, &copied)?;
                    copies.insert(relation.target.clone(), copied.clone());
                    next.push((relation.target.clone(), copied.clone()));
                    copied
                }
                _ => relation.target.clone(),
            };
            deck.package.relate_as(&to, &Relation { target, ..relation })?;
        }
    }
    if has_comments {
        warnings.push(format!("Comments of s{} were not copied.", slide.id));
    }
    let xml = deck.package.xml(&copy)?;
    let mut splices = Splices::default();
    renew_id(&xml, &copy, &mut splices);
    deck.package.splice(&copy, splices)?;
    order::add(deck, &copy, position)
}

fn copy_part(deck: &mut Deck, from: &str, to: &str) -> Result<()> {
    let bytes = deck.package.bytes(from)?;
    let media_type = deck.package.media_type(from)?;
    deck.package.put(to, bytes);
    deck.package.set_media_type(to, &media_type)
}

/// Gives a slide another number of creation, by which programs that merge presentations identify slides.
fn renew_id(xml: &Xml, part: &str, out: &mut Splices) {
    let Some(slide) = xml.child(xml.root(), Ns::P, "cSld") else { return };
    let Some(list) = xml.child(slide, Ns::P, "extLst") else { return };
    for id in xml.below(list).filter(|&it| xml.is(it, Ns::P14, "creationId")) {
        let old: u32 = xml.number(id, "val").unwrap_or(1);
        let salt =
            part.bytes().fold(17_u32, |it, byte| it.wrapping_mul(31).wrapping_add(byte.into()));
        xml.set_attr(id, "val", &old.wrapping_add(salt | 1).to_string(), out);
    }
}

/// Deletes a slide, links to it, and the parts that nothing else refers to.
///
/// # Errors
/// [`crate::Error::Malformed`] - a part cannot be read.
pub(crate) fn delete(deck: &mut Deck, slide: &Slide, warnings: &mut Vec<String>) -> Result<()> {
    let before = deck.package.reached()?;
    order::forget(deck, slide.id)?;
    // Parts of the slide itself may refer back to it.
    let rest = reached_without(deck, &slide.part)?;
    for part in rest.iter().chain([&String::new()]) {
        let relations = deck.package.relations(part)?;
        let to_slide = relations.iter().filter(|it| !it.is_external && it.target == slide.part);
        let ids: BTreeSet<String> = to_slide.map(|it| it.id.clone()).collect();
        if ids.is_empty() || part.is_empty() {
            continue;
        }
        if unlink(deck, part, &ids)? {
            let place =
                deck.slides()?.iter().find(|it| it.part == *part).map(|it| format!("s{}", it.id));
            warnings.push(format!(
                "Links on {} to the deleted slide s{} were removed.",
                place.unwrap_or_else(|| format!("`{part}`")),
                slide.id
            ));
        }
        deck.package.unrelate(part, &ids)?;
    }
    drop_orphans(deck, &before)
}

/// Returns the parts that can be reached without going through one.
fn reached_without(deck: &Deck, part: &str) -> Result<BTreeSet<String>> {
    let mut seen = BTreeSet::new();
    let mut next = vec![String::new()];
    while let Some(at) = next.pop() {
        for relation in deck.package.relations(&at)?.into_iter().filter(|it| !it.is_external) {
            let is_other = relation.target != part && deck.package.has(&relation.target);
            if is_other && seen.insert(relation.target.clone()) {
                next.push(relation.target);
            }
        }
    }
    Ok(seen)
}

/// Removes elements that refer to a deleted slide. Returns `true` if they were links that users see.
fn unlink(deck: &mut Deck, part: &str, ids: &BTreeSet<String>) -> Result<bool> {
    let xml = deck.package.xml(part)?;
    let mut splices = Splices::default();
    let mut had_links = false;
    for id in xml.below(xml.root()) {
        let refers = || xml.relations(id).iter().any(|it| ids.contains(&it.1));
        let is_link = xml.local(id).starts_with("hlink");
        if (is_link || xml.is(id, Ns::P, "sld")) && refers() {
            had_links |= is_link;
            xml.remove(id, &mut splices);
        }
    }
    deck.package.splice(part, splices)?;
    Ok(had_links)
}

/// Removes the parts that could be reached before, and cannot be reached now.
///
/// # Errors
/// [`crate::Error::Malformed`] - relationships cannot be read.
pub(crate) fn drop_orphans(deck: &mut Deck, before: &BTreeSet<String>) -> Result<()> {
    let after = deck.package.reached()?;
    for part in before.difference(&after) {
        deck.package.remove(part)?;
    }
    Ok(())
}

pub(crate) fn is_hidden(xml: &Xml) -> bool {
    xml.flag(xml.root(), "show") == Some(false)
}

/// Hides or shows a slide.
///
/// # Errors
/// [`crate::Error::Malformed`] - its part cannot be read.
pub(crate) fn set_hidden(deck: &mut Deck, part: &str, is_hidden: bool) -> Result<()> {
    let xml = deck.package.xml(part)?;
    let mut splices = Splices::default();
    if is_hidden {
        xml.set_attr(xml.root(), "show", "0", &mut splices)
    } else {
        xml.remove_attr(xml.root(), "show", &mut splices)
    }
    deck.package.splice(part, splices)
}
