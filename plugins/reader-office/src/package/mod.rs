//! Prepares a package (docx, pptx) for the library. Parts that need it are rewritten, and all others are copied
//! unchanged.

mod archive;
mod chunk;
mod deck;
mod slides;
mod tracked;
mod words;

use crate::MAX_PACKAGE_BYTES;
use crate::notes::Notes;
use crate::numbering::Numbering;
use crate::unseen::{self, Unseen};
use chunk::Chunk;
use mitt_reader_kit::{Content, MAX_TEXT_BYTES};
use office_oxide::core::opc::{OpcReader, PartName};
use office_oxide::core::relationships::{Relationships, TargetMode};
use std::collections::BTreeMap;
use std::io::Cursor;
use words::Words;

/// Most documents that one document may insert.
const MAX_CHUNKS: usize = 200;

/// What was read before the library reads the rest.
#[derive(Default)]
pub(crate) struct Prepared {
    pub(crate) notes: Notes,
    /// Inserted documents, in the order of their marks.
    pub(crate) chunks: Vec<Content>,
    /// `true` if the document has lists whose numbers are not read.
    pub(crate) has_lists: bool,
}

/// Returns the package with its parts rewritten. Returns a package that cannot be opened unchanged, so that the library
/// reports the error.
pub(crate) fn prepare(bytes: Vec<u8>, is_slides: bool, depth: usize) -> (Vec<u8>, Prepared) {
    let mut prepared = Prepared::default();
    let parts = match rewritten(&bytes, is_slides, depth, &mut prepared) {
        Some(parts) if !parts.is_empty() => parts,
        _ => return (bytes, prepared),
    };
    match archive::repack(&bytes, &parts) {
        Some(packed) => (packed, prepared),
        None => {
            // The text lacks what was rewritten.
            prepared.notes.warnings.push(
                "equations, automatic numbers and inserted documents were not read, and text that nobody sees was not left \
                 out: the package is damaged"
                    .to_owned(),
            );
            prepared.notes.unseen = Unseen::default();
            prepared.chunks.clear();
            (bytes, prepared)
        }
    }
}

type Package<'a> = OpcReader<Cursor<&'a [u8]>>;

/// Returns the new contents of parts. The keys are lower case and begin with a slash.
fn rewritten(
    bytes: &[u8],
    is_slides: bool,
    depth: usize,
    prepared: &mut Prepared,
) -> Option<BTreeMap<String, String>> {
    let mut package = OpcReader::new(Cursor::new(bytes)).ok()?;
    if unpacked_size(bytes)? > MAX_PACKAGE_BYTES {
        return None;
    }
    if is_slides {
        Some(slides(&mut package, &mut prepared.notes))
    } else {
        words(&mut package, depth, prepared)
    }
}

/// Returns the rewritten parts of a presentation: those that have equations, or text that people do not see.
fn slides(package: &mut Package<'_>, notes: &mut Notes) -> BTreeMap<String, String> {
    let (mut parts, skipped) = deck::remove(package, &mut notes.unseen);
    if skipped > 0 {
        notes.warnings.push(format!(
            "parts of the presentation in which text that nobody sees was not looked for: {skipped}"
        ));
    }
    for name in package.part_names() {
        if name.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("xml")) {
            continue;
        }
        let key = name.as_str().to_ascii_lowercase();
        let Some(text) = part_text(package, &name) else { continue };
        let stripped = parts.remove(&key).or_else(|| crate::marks::strip(&text));
        let source = stripped.as_deref().unwrap_or(&text);
        let needs = ["oMath", "progId=\"Equation"].iter().any(|needle| source.contains(needle));
        let new = if needs { slides::rewrite(source, notes) } else { None };
        if let Some(new) = new.or(stripped) {
            parts.insert(key, new);
        }
    }
    parts
}

/// Returns the rewritten texts of a Word document: the document itself, headers, footers, notes and comments.
fn words(
    package: &mut Package<'_>,
    depth: usize,
    prepared: &mut Prepared,
) -> Option<BTreeMap<String, String>> {
    let main = package.main_document_part().ok()?;
    let relations = package.read_rels_for(&main).ok()?;
    let related = |kind: &str| -> Vec<PartName> {
        relations
            .all()
            .iter()
            .filter(|relation| relation.target_mode == TargetMode::Internal)
            .filter(|relation| relation.rel_type.rsplit('/').next() == Some(kind))
            .filter_map(|relation| main.resolve_relative(&relation.target).ok())
            .collect()
    };
    let mut text_of = |kind: &str| related(kind).first().and_then(|name| part_text(package, name));
    let styles = text_of("styles");
    let numbering = text_of("numbering").map(|text| Numbering::parse(&text, styles.as_deref()));
    let theme = text_of("theme");
    let settings = text_of("settings");
    let mut names = vec![(main.clone(), None)];
    for (kind, place) in [
        ("header", "a header"),
        ("footer", "a footer"),
        ("footnotes", "a footnote"),
        ("endnotes", "an endnote"),
        ("comments", "a comment"),
    ] {
        names.extend(related(kind).into_iter().map(|name| (name, Some(place))));
    }
    let margins: Vec<String> = ["header", "footer"]
        .into_iter()
        .flat_map(related)
        .filter_map(|name| part_text(package, &name))
        .collect();
    let seen = part_text(package, &main)
        .map(|text| unseen::words::Words::new(&text, styles.as_deref(), theme, settings, &margins));
    let mut parts = BTreeMap::new();
    for (name, place) in names {
        let key = name.as_str().to_ascii_lowercase();
        if parts.contains_key(&key) {
            continue;
        }
        let Some(text) = part_text(package, &name) else { continue };
        let mut stripped = crate::marks::strip(&text);
        let tracked = stripped.as_deref().unwrap_or(&text);
        if tracked::is_tracked(tracked)
            && let Some(accepted) = tracked::accept(tracked)
        {
            stripped = Some(accepted);
        }
        let source = stripped.as_deref().unwrap_or(&text);
        if let Some(seen) = &seen
            && let Some(rest) =
                unseen::words::remove(source, seen, place, &mut prepared.notes.unseen)
        {
            stripped = Some(rest);
        }
        let source = stripped.as_deref().unwrap_or(&text);
        let mut new = None;
        if needs_rewriting(source, numbering.is_some()) {
            let Prepared { notes, chunks, .. } = &mut *prepared;
            let mut chunk = |id: &str, is_in_body: bool, notes: &mut Notes| {
                // Only the document itself may insert others.
                let (bytes, name) =
                    target(package, &relations, &main, id).filter(|_| name == main)?;
                insert(&bytes, &name, is_in_body.then_some(&mut *chunks), depth, notes)
            };
            let mut words = Words { numbering: numbering.as_ref(), notes, chunk: &mut chunk };
            new = words::rewrite(source, &mut words);
        }
        if let Some(new) = new.or(stripped) {
            parts.insert(key, new);
        }
    }
    Some(parts)
}

/// Returns paragraphs for an inserted document: its mark if `chunks` can take the document, and its lines otherwise.
fn insert(
    bytes: &[u8],
    name: &str,
    chunks: Option<&mut Vec<Content>>,
    depth: usize,
    notes: &mut Notes,
) -> Option<Vec<String>> {
    if chunks.as_ref().is_some_and(|chunks| chunks.len() >= MAX_CHUNKS) {
        notes.warnings.push(format!("an inserted part was not read: {name}: it is one too many"));
        return None;
    }
    let chunk = chunk::read(bytes, name, depth, notes)?;
    if let (Chunk::Document(content), Some(chunks)) = (&chunk, &chunks) {
        let length = chunks.iter().map(|chunk| chunk.markdown.len()).sum::<usize>();
        if length.saturating_add(content.markdown.len()) > MAX_TEXT_BYTES {
            notes.warnings.push(format!(
                "an inserted part was not read: {name}: the inserted parts have more than {MAX_TEXT_BYTES} bytes of text"
            ));
            return None;
        }
    }
    Some(match (chunk, chunks) {
        (Chunk::Lines(lines), _) => lines,
        (Chunk::Document(content), Some(chunks)) => {
            chunks.push(*content);
            vec![crate::marks::chunk(chunks.len() - 1)]
        }
        (Chunk::Document(content), None) => {
            notes.warnings.extend(content.warnings);
            let lines = content.markdown.lines().filter(|line| !line.is_empty());
            lines.map(str::to_owned).collect()
        }
    })
}

/// Returns whether a text has anything to rewrite.
fn needs_rewriting(text: &str, has_numbering: bool) -> bool {
    has_numbering
        || ["oMath", "ruby", "altChunk", "fldChar", "fldSimple", "OLEObject"]
            .iter()
            .any(|needle| text.contains(needle))
}

/// Returns the bytes of the target of a relationship, and its name.
fn target(
    package: &mut Package<'_>,
    relations: &Relationships,
    main: &PartName,
    id: &str,
) -> Option<(Vec<u8>, String)> {
    let relation = relations.get_by_id(id)?;
    if relation.target_mode != TargetMode::Internal {
        return None;
    }
    let name = main.resolve_relative(&relation.target).ok()?;
    Some((package.read_part(&name).ok()?, name.as_str().to_owned()))
}

fn part_text(package: &mut Package<'_>, name: &PartName) -> Option<String> {
    let bytes = package.read_part(name).ok()?;
    // The library reads other encodings too.
    let bytes = office_oxide::core::xml::ensure_utf8(&bytes).unwrap_or(bytes);
    let text = String::from_utf8(bytes).ok()?;
    Some(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Returns the uncompressed size of all parts, from the central directory.
fn unpacked_size(bytes: &[u8]) -> Option<u64> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut sum = 0_u64;
    for index in 0..archive.len() {
        sum = sum.saturating_add(archive.by_index_raw(index).ok()?.size());
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_parts_share_the_room_for_text() {
        let rich = b"{\\rtf1 \\b four\\b0\\par}";
        let mut notes = Notes::default();
        let full = |less: usize| Content {
            markdown: "x".repeat(MAX_TEXT_BYTES - less),
            ..Content::default()
        };
        let fits = &mut vec![full("**four**\n".len())];
        assert!(insert(rich, "a.rtf", Some(fits), 0, &mut notes).is_some());
        let last = &mut vec![full("**four**".len())];
        assert!(insert(rich, "b.rtf", Some(last), 0, &mut notes).is_none());
        let warnings = notes.into_warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("b.rtf: the inserted parts have more than 67108864 bytes"));
    }
}
