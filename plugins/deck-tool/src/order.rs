//! The list of slides and what follows it: sections and custom shows.

use crate::deck::Deck;
use crate::error::{Error, Result, invalid};
use crate::package::relation_of;
use crate::xml::{Id, Ns, Splices, Xml};
use std::collections::BTreeSet;

/// Most slides of a presentation that grows.
const MAX_SLIDES: usize = 2_000;
/// Ids of slides are below; those of masters and layouts begin here.
const MAX_ID: u32 = 0x7fff_ffff;

/// The entries of slides in the list, with their ids.
fn entries(xml: &Xml) -> Vec<(Id, u32)> {
    let list = Deck::slide_list(xml);
    let all = list.into_iter().flat_map(|it| xml.named(it, Ns::P, "sldId"));
    all.filter_map(|it| Some((it, xml.number(it, "id")?))).collect()
}

/// Returns the entries of slides in sections.
fn in_sections(xml: &Xml) -> Vec<(Id, u32)> {
    let lists = xml.below(xml.root()).filter(|&it| xml.is(it, Ns::P14, "sectionLst"));
    let all = lists.flat_map(|it| xml.below(it).filter(|&it| xml.is(it, Ns::P14, "sldId")));
    all.filter_map(|it| Some((it, xml.number(it, "id")?))).collect()
}

/// Adds a slide at a position from 0, and returns its id.
///
/// # Errors
/// [`Error::Invalid`] - there are too many slides.
pub(crate) fn add(deck: &mut Deck, part: &str, position: usize) -> Result<u32> {
    let main = deck.main.clone();
    let slides = deck.slides()?;
    if slides.len() >= MAX_SLIDES {
        return invalid(format!("expected at most {MAX_SLIDES} slides"));
    }
    let xml = deck.presentation()?;
    let taken: BTreeSet<u32> = entries(&xml).into_iter().map(|it| it.1).collect();
    let next = taken.last().map_or(256, |it| it.saturating_add(1)).max(256);
    let id =
        if next < MAX_ID { next } else { (256..).find(|it| !taken.contains(it)).unwrap_or(256) };
    let relation = deck.package.relate(&main, "slide", part, false)?;
    let xml = deck.presentation()?;
    let root = xml.root();
    let entry = format!("<p:sldId id=\"{id}\" r:id=\"{relation}\"/>");
    let mut splices = Splices::default();
    match Deck::slide_list(&xml) {
        Some(list) => {
            place(&xml, list, &xml.declared(list, entry), &slides_of(&xml), position, &mut splices)
        }
        None => {
            let list = xml.declared(root, format!("<p:sldIdLst>{entry}</p:sldIdLst>"));
            let before = ["handoutMasterIdLst", "notesMasterIdLst", "sldMasterIdLst"];
            match before.iter().find_map(|it| xml.child(root, Ns::P, it)) {
                Some(before) => splices.insert(xml.range(before).end, list),
                None => xml.prepend(root, &list, &mut splices),
            }
        }
    }
    into_section(&xml, id, &order(&xml), position, &mut splices);
    deck.package.splice(&main, splices)?;
    Ok(id)
}

fn slides_of(xml: &Xml) -> Vec<Id> {
    entries(xml).into_iter().map(|it| it.0).collect()
}

fn order(xml: &Xml) -> Vec<u32> {
    entries(xml).into_iter().map(|it| it.1).collect()
}

/// Inserts an entry at a position of a list.
fn place(xml: &Xml, list: Id, entry: &str, all: &[Id], position: usize, out: &mut Splices) {
    match (position.checked_sub(1).and_then(|it| all.get(it)), all.first()) {
        (Some(&before), _) => out.insert(xml.range(before).end, entry),
        (None, Some(&first)) if position == 0 => out.insert(xml.range(first).start, entry),
        _ => xml.append(list, entry, out),
    }
}

/// Puts a slide into the section of the slide before it, or of the one behind it if it is the first.
fn into_section(xml: &Xml, id: u32, others: &[u32], position: usize, out: &mut Splices) {
    let all = in_sections(xml);
    let find = |wanted: Option<&u32>| all.iter().find(|it| Some(&it.1) == wanted).map(|it| it.0);
    let new = |like: Id| format!("<{}sldId id=\"{id}\"/>", xml.prefix(like));
    if let Some(before) = find(position.checked_sub(1).and_then(|it| others.get(it))) {
        out.insert(xml.range(before).end, new(before));
    } else if let Some(behind) = find(others.get(position)) {
        out.insert(xml.range(behind).start, new(behind));
    } else {
        let mut lists = xml.below(xml.root()).filter(|&it| xml.is(it, Ns::P14, "section"));
        let Some(section) = lists.next() else { return };
        if let Some(list) = xml.child(section, Ns::P14, "sldIdLst") {
            xml.append(list, &format!("<{}sldId id=\"{id}\"/>", xml.prefix(list)), out);
        }
    }
}

/// Moves a slide to a position from 0.
///
/// # Errors
/// [`Error::Malformed`] - the list cannot be read.
pub(crate) fn shift(deck: &mut Deck, id: u32, position: usize) -> Result<()> {
    let main = deck.main.clone();
    let xml = deck.presentation()?;
    let all = entries(&xml);
    let Some(&(node, _)) = all.iter().find(|it| it.1 == id) else { return Ok(()) };
    let Some(list) = xml.parent(node) else { return Ok(()) };
    let others: Vec<(Id, u32)> = all.iter().copied().filter(|it| it.1 != id).collect();
    let nodes: Vec<Id> = others.iter().map(|it| it.0).collect();
    let ids: Vec<u32> = others.iter().map(|it| it.1).collect();
    if all.get(position).is_some_and(|it| it.1 == id) {
        return Ok(());
    }
    let mut splices = Splices::default();
    place(&xml, list, xml.xml(node), &nodes, position, &mut splices);
    xml.remove(node, &mut splices);
    for (entry, _) in in_sections(&xml).into_iter().filter(|it| it.1 == id) {
        xml.remove(entry, &mut splices);
        into_section(&xml, id, &ids, position, &mut splices);
    }
    deck.package.splice(&main, splices)
}

/// Removes a slide from the list, from sections and from custom shows.
///
/// # Errors
/// [`Error::Malformed`] - the list cannot be read.
pub(crate) fn forget(deck: &mut Deck, id: u32) -> Result<()> {
    let main = deck.main.clone();
    let xml = deck.presentation()?;
    let Some((node, _)) = entries(&xml).into_iter().find(|it| it.1 == id) else { return Ok(()) };
    let relation = relation_of(&xml, node)
        .ok_or_else(|| Error::Malformed(format!("the slide s{id} has no relationship")))?;
    let mut splices = Splices::default();
    xml.remove(node, &mut splices);
    in_sections(&xml)
        .into_iter()
        .filter(|it| it.1 == id)
        .for_each(|it| xml.remove(it.0, &mut splices));
    let shows = xml.child(xml.root(), Ns::P, "custShowLst");
    for entry in shows.into_iter().flat_map(|it| xml.below(it)) {
        if xml.is(entry, Ns::P, "sld") && relation_of(&xml, entry).as_deref() == Some(&relation) {
            xml.remove(entry, &mut splices);
        }
    }
    deck.package.splice(&main, splices)?;
    deck.package.unrelate(&main, &BTreeSet::from([relation]))
}
