//! Reads OpenDocument texts and presentations, in packages or in one XML file.
//!
//! No published crate reads them with notes, comments and merged cells, so this module parses the XML into the same
//! model as the other formats.

mod around;
mod blocks;
mod inline;
mod lists;
mod look;
mod styles;

use crate::xml::{self, Node};
use crate::{Properties, Source};
use around::Backdrop;
use blocks::Reading;
use mitt_reader_kit::{ENCRYPTED, Error};
use office_oxide::ir::{HeaderFooter, Section};
use std::io::{Cursor, Read};
use styles::Styles;
use zip::ZipArchive;

/// Most bytes of a part. A tree of it has to fit into the memory of a reader.
const MAX_PART_BYTES: u64 = 48 << 20;

/// Reads a document in a package.
pub(crate) fn read(bytes: &[u8], is_slides: bool) -> Result<Source, Error> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    let manifest = part(&mut archive, "META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") || has_part(&archive, "encrypted-package") {
        return Err(Error::Unsupported(ENCRYPTED.to_owned()));
    }
    let content =
        part(&mut archive, "content.xml")?.ok_or_else(|| damaged("it has no `content.xml`"))?;
    let content = xml::root(&content).ok_or_else(|| damaged("`content.xml` ends too early"))?;
    let styles = part(&mut archive, "styles.xml")?.and_then(|text| xml::root(&text));
    let meta = part(&mut archive, "meta.xml")?.and_then(|text| xml::root(&text));
    let objects = formulas(&mut archive)?;
    let trees = Trees { content: &content, styles: styles.as_ref(), meta: meta.as_ref() };
    Ok(document(&trees, objects, is_slides))
}

/// Reads a document that is one XML file.
pub(crate) fn read_flat(bytes: &[u8]) -> Result<Source, Error> {
    if bytes.len() as u64 > MAX_PART_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8_lossy(bytes);
    let root = xml::root(text.trim_start_matches('\u{feff}'))
        .ok_or_else(|| damaged("its XML ends too early"))?;
    let is_slides = root.child("body").is_some_and(|body| body.child("presentation").is_some());
    let trees = Trees { content: &root, styles: Some(&root), meta: Some(&root) };
    Ok(document(&trees, Vec::new(), is_slides))
}

/// The parts of a document. A flat document has all of them in one tree.
struct Trees<'a> {
    content: &'a Node,
    styles: Option<&'a Node>,
    meta: Option<&'a Node>,
}

fn document(trees: &Trees<'_>, formulas: Vec<(String, String)>, is_slides: bool) -> Source {
    let styles = Styles::of(trees.styles.into_iter().chain([trees.content]));
    let body = trees.content.child("body");
    let masters = trees.styles.and_then(|root| root.child("master-styles"));
    let backdrop = Backdrop::of(&styles, body, masters);
    let mut reading = Reading::new(&styles, formulas, backdrop);
    let sections = match body.and_then(|body| body.child("presentation")) {
        Some(slides) => slides
            .nodes()
            .filter(|node| node.name == "page")
            .zip(1..)
            .map(|(page, number)| {
                reading.begin_slide(page, masters, number);
                reading.slide(page)
            })
            .collect(),
        None => {
            let text = body.and_then(|body| body.child("text"));
            let elements = text.map(|text| reading.blocks(text)).unwrap_or_default();
            let mut section = Section { elements, ..Section::default() };
            margins(trees.styles, &mut reading, &mut section);
            vec![section]
        }
    };
    let warnings = reading.into_warnings();
    Source { sections, warnings, properties: properties(trees.meta), is_slides }
}

/// Reads the headers and footers of pages.
fn margins(styles: Option<&Node>, reading: &mut Reading<'_>, section: &mut Section) {
    let masters = styles.and_then(|root| root.child("master-styles"));
    let masters =
        masters.into_iter().flat_map(Node::nodes).filter(|node| node.name == "master-page");
    for master in masters {
        for margin in master.nodes() {
            let slots = match margin.name.as_str() {
                "header" | "header-left" | "header-first" => [
                    &mut section.header,
                    &mut section.first_page_header,
                    &mut section.even_page_header,
                ],
                "footer" | "footer-left" | "footer-first" => [
                    &mut section.footer,
                    &mut section.first_page_footer,
                    &mut section.even_page_footer,
                ],
                _ => continue,
            };
            if let Some(slot) = slots.into_iter().find(|slot| slot.is_none()) {
                let name = if margin.name.starts_with("header") { "a header" } else { "a footer" };
                reading.places.name = Some(name.to_owned());
                *slot = Some(HeaderFooter { content: reading.blocks(margin) });
            }
        }
    }
}

fn properties(meta: Option<&Node>) -> Properties {
    let Some(meta) = meta.and_then(|root| root.child("meta")) else { return Properties::default() };
    let text = |name: &str| meta.child(name).map(Node::text);
    let keywords: Vec<String> =
        meta.nodes().filter(|node| node.name == "keyword").map(Node::text).collect();
    Properties {
        title: text("title"),
        author: text("initial-creator").or_else(|| text("creator")),
        subject: text("subject"),
        keywords: (!keywords.is_empty()).then(|| keywords.join(", ")),
        company: None,
        created: text("creation-date"),
        modified: text("date"),
    }
}

/// Returns formulas by the names of their folders, in the notation of their author.
fn formulas(archive: &mut ZipArchive<Cursor<&[u8]>>) -> Result<Vec<(String, String)>, Error> {
    const MAX_FORMULAS: usize = 2_000;
    let names: Vec<String> = archive
        .file_names()
        .flatten()
        .map(|name| name.into_owned())
        .filter(|name| name.starts_with("Object ") && name.ends_with("/content.xml"))
        .take(MAX_FORMULAS)
        .collect();
    let mut found = Vec::new();
    for name in names {
        let Some(root) = part(archive, &name)?.and_then(|text| xml::root(&text)) else { continue };
        if root.name != "math" {
            continue;
        }
        let text = annotation(&root).unwrap_or_else(|| root.text());
        found.push((name.trim_end_matches("/content.xml").to_owned(), text));
    }
    Ok(found)
}

fn annotation(node: &Node) -> Option<String> {
    node.nodes().find_map(|child| match child.name.as_str() {
        "annotation" => Some(child.text()),
        _ => annotation(child),
    })
}

fn part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<Option<String>, Error> {
    let Ok(file) = archive.by_name(name) else { return Ok(None) };
    let mut bytes = Vec::new();
    // The size in the directory may be wrong.
    file.take(MAX_PART_BYTES + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() as u64 > MAX_PART_BYTES {
        return Err(too_large());
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()))
}

fn has_part(archive: &ZipArchive<Cursor<&[u8]>>, name: &str) -> bool {
    archive.index_for_name(name).is_some()
}

fn too_large() -> Error {
    Error::Quota(format!("a part of the document has more than {MAX_PART_BYTES} bytes"))
}

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::Malformed(format!("the document is damaged: {why}"))
}
