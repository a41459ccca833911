//! What cannot be blackened is taken out: embedded objects with their previews, data of charts, pictures.

use crate::deck::Deck;
use crate::error::Result;
use crate::package::relations_name;
use crate::xml::{Id, Splices, Xml};
use std::collections::BTreeSet;

/// A black picture of one point.
const BLACK: [u8; 67] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0,
    0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 96, 0, 0, 0, 2, 0, 1, 72,
    175, 164, 113, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

/// Returns the parts that refer to a part, with the ids of their relationships.
fn referrers(deck: &Deck, target: &str) -> Result<Vec<(String, BTreeSet<String>)>> {
    let mut out = Vec::new();
    let names = deck.package.names();
    for part in names.iter().map(String::as_str).chain([""]).filter(|it| !it.ends_with(".rels")) {
        let relations = deck.package.relations(part)?.into_iter();
        let to_it = relations.filter(|it| !it.is_external && it.target == target);
        let ids: BTreeSet<String> = to_it.map(|it| it.id).collect();
        if !ids.is_empty() {
            out.push((part.to_owned(), ids));
        }
    }
    Ok(out)
}

/// Lets all relationships to a part lead to another one.
fn retarget(deck: &mut Deck, from: &str, to: &str) -> Result<()> {
    for (part, ids) in referrers(deck, from)? {
        let name = relations_name(&part);
        let xml = deck.package.xml(&name)?;
        let mut splices = Splices::default();
        for id in xml.children(xml.root()) {
            if xml.attr(id, "Id").is_some_and(|it| ids.contains(&*it)) {
                xml.set_attr(id, "Target", &format!("/{to}"), &mut splices);
            }
        }
        deck.package.splice(&name, splices)?;
    }
    Ok(())
}

/// Replaces a picture by a black one.
///
/// # Errors
/// [`crate::Error::Malformed`] - relationships cannot be read.
pub(crate) fn blacken_picture(deck: &mut Deck, part: &str) -> Result<()> {
    let black = match deck.package.added_like(&BLACK) {
        Some(black) => black,
        None => {
            let black = deck.package.free_name("ppt/media/redacted1.png");
            deck.package.put(&black, BLACK.to_vec());
            deck.package.set_media_type(&black, "image/png")?;
            black
        }
    };
    if black == part {
        return Ok(());
    }
    retarget(deck, part, &black)?;
    deck.package.remove(part)
}

/// Gives a part a name that says nothing.
///
/// # Errors
/// [`crate::Error::Malformed`] - relationships cannot be read.
pub(crate) fn rename(deck: &mut Deck, part: &str) -> Result<()> {
    let extension = part.rsplit('.').next().filter(|it| it.len() <= 5).unwrap_or("bin");
    let new = deck.package.free_name(&format!("ppt/redacted/part1.{extension}"));
    let media_type = deck.package.media_type(part)?;
    let relations = deck.package.relations(part)?;
    let bytes = deck.package.bytes(part)?;
    deck.package.put(&new, bytes);
    deck.package.set_media_type(&new, &media_type)?;
    for relation in &relations {
        deck.package.relate_as(&new, relation)?;
    }
    retarget(deck, part, &new)?;
    deck.package.remove(part)
}

/// Returns the frames on sheets that show a part as an object: their sheet and element.
fn frame(xml: &Xml, id: Id) -> Option<Id> {
    std::iter::successors(Some(id), |&at| xml.parent(at))
        .find(|&it| xml.local(it) == "graphicFrame")
}

/// Makes the pictures black that show an embedded object from outside.
///
/// # Errors
/// [`crate::Error::Malformed`] - a part cannot be read.
pub(crate) fn blacken_previews(deck: &mut Deck, part: &str) -> Result<usize> {
    let mut pictures = BTreeSet::new();
    for (sheet, ids) in referrers(deck, part)? {
        if sheet.is_empty() || !is_xml(&sheet) {
            continue;
        }
        let xml = deck.package.xml(&sheet)?;
        let users = xml.below(xml.root()).filter(|&it| refers(&xml, it, &ids));
        for frame in users.filter_map(|it| frame(&xml, it)).collect::<BTreeSet<Id>>() {
            for id in xml.below(frame) {
                for (_, relation) in xml.relations(id).into_iter().filter(|it| !ids.contains(&it.1))
                {
                    let relation = deck.package.relation(&sheet, &relation)?;
                    if relation.kind() == "image" && !relation.is_external {
                        pictures.insert(relation.target);
                    }
                }
            }
            // Older programs have the picture in a drawing of its own.
            for relation in
                deck.package.relations(&sheet)?.iter().filter(|it| it.kind() == "vmlDrawing")
            {
                let images = deck.package.relations(&relation.target)?.into_iter();
                pictures.extend(
                    images.filter(|it| it.kind() == "image" && !it.is_external).map(|it| it.target),
                );
            }
        }
    }
    for picture in &pictures {
        blacken_picture(deck, picture)?;
    }
    Ok(pictures.len())
}

/// Takes an embedded object out of the presentation. Returns what was left of it.
///
/// # Errors
/// [`crate::Error::Malformed`] - a part cannot be read.
pub(crate) fn remove(deck: &mut Deck, part: &str) -> Result<&'static str> {
    blacken_previews(deck, part)?;
    let mut is_gone = true;
    for (sheet, ids) in referrers(deck, part)? {
        if sheet.is_empty() || !is_xml(&sheet) {
            is_gone = false;
            continue;
        }
        let xml = deck.package.xml(&sheet)?;
        let mut splices = Splices::default();
        let mut done = BTreeSet::new();
        let mut is_used = false;
        for id in xml.below(xml.root()).filter(|&it| refers(&xml, it, &ids)) {
            match (xml.local(id), frame(&xml, id)) {
                ("externalData" | "control", _) => xml.remove(id, &mut splices),
                (_, Some(frame)) if done.insert(frame) => {
                    // The picture of the object, which is black now, takes its place.
                    let picture = xml.below(frame).find(|&it| xml.local(it) == "pic");
                    let picture = picture.map_or_else(String::new, |it| xml.xml(it).to_owned());
                    let picture = match xml.parent(frame) {
                        Some(parent) => xml.declared(parent, picture),
                        None => picture,
                    };
                    splices.replace(xml.range(frame), picture);
                }
                (_, Some(_)) => {}
                _ => is_used = true,
            }
        }
        deck.package.splice(&sheet, splices)?;
        if is_used {
            is_gone = false;
        } else {
            deck.package.unrelate(&sheet, &ids)?;
        }
    }
    if is_gone {
        deck.package.remove(part)?;
        return Ok("was removed");
    }
    deck.package.put(part, Vec::new());
    Ok("was emptied")
}

fn refers(xml: &Xml, id: Id, ids: &BTreeSet<String>) -> bool {
    xml.relations(id).iter().any(|it| ids.contains(&it.1))
}

fn is_xml(part: &str) -> bool {
    part.ends_with(".xml")
}
