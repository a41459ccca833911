//! What two documents have beside their text: properties, styles, settings, comments, sections, pictures. None of it can be
//! tracked, so it is listed.

use super::formats::{Property, Side, difference};
use super::{Difference, DifferenceKind};
use crate::error::Result;
use crate::package::resolve;
use crate::story::{Document, shorten};
use crate::styles::Styles;
use crate::xml::{Id, Tree};
use mitt_package::{counted, either};
use std::collections::{BTreeMap, BTreeSet};

/// Most differences of one kind.
const MAX_LISTED: usize = 200;
/// Properties that every save writes anew.
const OWN_PROPERTIES: &[&str] =
    &["created", "modified", "revision", "lastModifiedBy", "lastPrinted"];
/// Settings that every save writes anew, or that do not change the document.
const OWN_SETTINGS: &[&str] = &[
    "rsids",
    "zoom",
    "view",
    "proofState",
    "trackRevisions",
    "revisionView",
    "compat",
    "shapeDefaults",
    "hdrShapeDefaults",
    "footnotePr",
    "endnotePr",
    "themeFontLang",
    "hideSpellingErrors",
    "hideGrammaticalErrors",
    "decimalSymbol",
    "listSeparator",
    "attachedTemplate",
];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) differences: Vec<Difference>,
    pub(super) warnings: Vec<String>,
}

impl Found {
    fn add(&mut self, kind: DifferenceKind, place: String, before: &str, after: &str) {
        if self.differences.len() < 10 * MAX_LISTED {
            let (before, after) = (shorten(before, 400), shorten(after, 400));
            self.differences.push(Difference { kind, place, before, after });
        }
    }
}

/// Compares what is not text.
pub(super) fn compare(
    old: &mut Document,
    new: &mut Document,
    same_numbering: bool,
) -> Result<Found> {
    let mut found = Found::default();
    sections(old, new, &mut found);
    styles(old, new, &mut found)?;
    comments(old, new, &mut found)?;
    properties(old, new, &mut found)?;
    if !found.differences.is_empty() {
        found.warnings.push(
            "differences of page settings, styles, comments and properties are listed, but are not tracked changes: rejecting all leaves those of the new document"
                .to_owned(),
        );
    }
    settings(old, new, &mut found)?;
    if !same_numbering {
        found.warnings.push(
            "the definitions of lists differ, which is not a tracked change; numbers may differ"
                .to_owned(),
        );
    }
    if text_of(old, "theme")? != text_of(new, "theme")? {
        found.warnings.push("the themes differ, which is not a tracked change".to_owned());
    }
    media(old, new, &mut found)?;
    Ok(found)
}

/// Returns the content of the first part of a kind.
pub(super) fn text_of(document: &mut Document, kind: &str) -> Result<String> {
    let Some(name) = document.package.related(kind)?.into_iter().next() else {
        return Ok(String::new());
    };
    Ok(document.package.tree(&name)?.map(|tree| tree.serialize()).unwrap_or_default())
}

fn sections(old: &Document, new: &Document, found: &mut Found) {
    let none = Styles::default();
    let all = |document: &Document| -> Vec<Vec<Property>> {
        let tree = document.tree(0);
        let side = Side { tree, styles: &none, same_numbering: true };
        section_nodes(tree).into_iter().map(|it| side.properties(Some(it))).collect()
    };
    let (before, after) = (all(old), all(new));
    if before.len() != after.len() {
        let count = |all: &[Vec<Property>]| counted(all.len(), "section");
        found.add(
            DifferenceKind::Formatted,
            "sections".to_owned(),
            &count(&before),
            &count(&after),
        );
    }
    for (number, (before, after)) in before.iter().zip(&after).enumerate().take(MAX_LISTED) {
        if let Some((before, after)) = difference(before, after) {
            let place = format!("page settings of section {}", number + 1);
            found.add(DifferenceKind::Formatted, place, &before, &after);
        }
    }
}

/// Returns the properties of the sections in order.
pub(super) fn section_nodes(tree: &Tree) -> Vec<Id> {
    let Some(root) = tree.root() else { return Vec::new() };
    tree.descendants(root)
        .filter(|&it| tree.is(it, "sectPr"))
        .filter(|&it| !tree.parent(it).is_some_and(|it| tree.is(it, "sectPrChange")))
        .collect()
}

/// Returns the properties of the styles by kind and name.
fn style_properties(document: &mut Document) -> Result<BTreeMap<(String, String), Vec<Property>>> {
    let mut out = BTreeMap::new();
    let styles = Styles::read(&mut document.package)?;
    let Some(name) = document.package.related("styles")?.into_iter().next() else { return Ok(out) };
    let Some(tree) = document.package.tree(&name)? else { return Ok(out) };
    let tree: &Tree = tree;
    let Some(root) = tree.root() else { return Ok(out) };
    let side = Side { tree, styles: &styles, same_numbering: false };
    let groups = ["pPr", "rPr", "tblPr", "trPr", "tcPr"];
    for it in tree.elements(root).take(20_000) {
        let (key, owners) = match tree.name(it) {
            "style" => {
                let name = tree.value(it, "name").unwrap_or_default().into_owned();
                let kind = tree.attr(it, "type").unwrap_or_default().into_owned();
                ((kind, name), vec![it])
            }
            "docDefaults" => {
                let owners = ["pPrDefault", "rPrDefault"].map(|name| tree.child(it, name));
                (
                    (String::new(), "document defaults".to_owned()),
                    owners.into_iter().flatten().collect(),
                )
            }
            _ => continue,
        };
        let mut all = Vec::new();
        for owner in owners {
            for group in groups {
                all.extend(side.properties(tree.child(owner, group)));
            }
            let own = side.properties(Some(owner));
            all.extend(
                own.into_iter().filter(|it| matches!(it.0.as_str(), "basedOn" | "tblStylePr")),
            );
        }
        out.insert(key, all);
    }
    Ok(out)
}

fn styles(old: &mut Document, new: &mut Document, found: &mut Found) -> Result<()> {
    let (before, after) = (style_properties(old)?, style_properties(new)?);
    for (key, own) in &before {
        let Some(other) = after.get(key) else { continue };
        if let Some((before, after)) = difference(own, other) {
            let place = format!("style \"{}\"", key.1);
            found.add(DifferenceKind::Formatted, place, &before, &after);
        }
    }
    let only = |these: &BTreeMap<_, Vec<Property>>, others: &BTreeMap<_, Vec<Property>>| {
        these.keys().filter(|it| !others.contains_key(*it)).count()
    };
    let (gone, come) = (only(&before, &after), only(&after, &before));
    if gone + come > 0 {
        found.warnings.push(format!(
            "{} {} only in the old document and {come} only in the new one, which is not a tracked change",
            counted(gone, "style"),
            either(gone, "is", "are")
        ));
    }
    Ok(())
}

fn comments(old: &mut Document, new: &mut Document, found: &mut Found) -> Result<()> {
    let mut before = old.comments()?;
    for it in new.comments()? {
        let same = before.iter().position(|other| {
            (&other.author, &other.text, &other.on) == (&it.author, &it.text, &it.on)
        });
        match same {
            Some(at) => {
                let other = before.remove(at);
                if other.is_resolved != it.is_resolved {
                    let state = |it: bool| if it { "resolved" } else { "open" };
                    let place = format!("comment {}", it.id);
                    let (before, after) = (state(other.is_resolved), state(it.is_resolved));
                    found.add(DifferenceKind::Changed, place, before, after);
                }
            }
            None => {
                let place = format!("comment {} by {}", it.id, it.author);
                found.add(DifferenceKind::Inserted, place, "", &it.text);
            }
        }
    }
    for it in before {
        let place = format!("old comment {} by {}", it.id, it.author);
        found.add(DifferenceKind::Deleted, place, &it.text, "");
    }
    Ok(())
}

/// Returns the properties of the document by their names.
fn core(document: &mut Document) -> Result<BTreeMap<String, String>> {
    let mut out = BTreeMap::new();
    for relation in document.package.relations("")? {
        if !matches!(relation.kind.as_str(), "core-properties" | "custom-properties") {
            continue;
        }
        let Some(tree) = document.package.tree(&resolve("", &relation.target))? else { continue };
        let tree: &Tree = tree;
        let Some(root) = tree.root() else { continue };
        for it in tree.elements(root).take(MAX_LISTED) {
            let name = match tree.attr(it, "name") {
                Some(name) => name.into_owned(),
                None => tree.local(it).to_owned(),
            };
            let inner =
                tree.descendants(it).filter(|&it| tree.kind(it) == crate::xml::Kind::Element);
            let mut text = tree.text(it);
            text.extend(inner.map(|it| tree.text(it)));
            if !OWN_PROPERTIES.contains(&name.as_str()) && !text.trim().is_empty() {
                out.insert(name, text);
            }
        }
    }
    Ok(out)
}

fn properties(old: &mut Document, new: &mut Document, found: &mut Found) -> Result<()> {
    let (before, after) = (core(old)?, core(new)?);
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let value = |all: &BTreeMap<String, String>| all.get(name).cloned().unwrap_or_default();
        let (before, after) = (value(&before), value(&after));
        if before != after {
            let place = format!("property {name}");
            found.add(DifferenceKind::Changed, place, &before, &after);
        }
    }
    Ok(())
}

fn settings(old: &mut Document, new: &mut Document, found: &mut Found) -> Result<()> {
    let read = |document: &mut Document| -> Result<Vec<Property>> {
        let Some(name) = document.package.related("settings")?.into_iter().next() else {
            return Ok(Vec::new());
        };
        let Some(tree) = document.package.tree(&name)? else { return Ok(Vec::new()) };
        let tree: &Tree = tree;
        let none = Styles::default();
        let side = Side { tree, styles: &none, same_numbering: true };
        let mut all = side.properties(tree.root());
        all.retain(|it| !OWN_SETTINGS.contains(&it.0.as_str()));
        Ok(all)
    };
    let (before, after) = (read(old)?, read(new)?);
    let other = |these: &[Property], others: &[Property]| -> Vec<String> {
        these.iter().filter(|it| !others.contains(it)).map(|it| it.0.clone()).collect()
    };
    let mut names = other(&before, &after);
    names.extend(other(&after, &before));
    names.sort();
    names.dedup();
    names.truncate(20);
    if !names.is_empty() {
        found.warnings.push(format!(
            "settings of the document differ, which is not a tracked change: {}",
            names.join(", ")
        ));
    }
    Ok(())
}

/// Compares the contents of pictures and embedded files.
fn media(old: &Document, new: &Document, found: &mut Found) -> Result<()> {
    let read = |document: &Document| -> Result<BTreeMap<String, Vec<String>>> {
        let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in document.package.names() {
            if name.contains("/media/") || name.contains("/embeddings/") {
                let bytes = document.package.bytes(&name)?.unwrap_or_default();
                let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
                out.entry(format!("{}-{sum:x}", bytes.len())).or_default().push(name);
            }
        }
        Ok(out)
    };
    let (before, after) = (read(old)?, read(new)?);
    for (these, others, side) in [(&before, &after, "old"), (&after, &before, "new")] {
        let mut names: Vec<String> = these
            .iter()
            .filter(|it| !others.contains_key(it.0))
            .flat_map(|it| it.1.iter().map(|it| format!("`{}`", shorten(it, 80))))
            .collect();
        if !names.is_empty() {
            names.truncate(20);
            found.warnings.push(format!(
                "pictures or embedded files that only the {side} document has: {}; their contents are not compared",
                names.join(", ")
            ));
        }
    }
    Ok(())
}
