//! Everything around the cells: drawings, charts, notes, rules, headers, properties, caches, links, connections.

use super::found::Found;
use super::parts::cleaned;
use super::proof::{check, in_bytes};
use super::terms::Terms;
use crate::book::Book;
use crate::error::Result;
use crate::package::CONTENT_TYPES;
use crate::xml::{
    XmlToken, elements, first_tag, inner_text, set_attribute, without_attributes, xml_tokens,
};
use mitt_package::{counted, either};

/// Most parts that a warning names.
const MAX_NAMES: usize = 20;
/// Properties whose texts are dates.
const DATES: [&str; 3] = ["created", "modified", "lastPrinted"];

pub(super) fn clean(book: &mut Book, terms: &Terms, found: &mut Found) -> Result<()> {
    remove(book, terms, found)?;
    for sheet in 0..book.sheets.len() {
        let name = book.sheets[sheet].name.clone();
        let Some(text) = &mut book.sheets[sheet].text else { continue };
        let mut hits = 0;
        if let Some(new) = cleaned(&text.head, terms) {
            (hits, found.lost) = (hits + new.hits, found.lost + new.formulas);
            text.set_head(new.xml);
        }
        if let Some(new) = cleaned(&text.tail, terms) {
            (hits, found.lost) = (hits + new.hits, found.lost + new.formulas);
            text.set_tail(new.xml);
        }
        if hits > 0 {
            found.note(&format!("rules, headers and settings of the sheet `{name}`"), hits);
        }
    }
    let names: Vec<String> = book.package.names().map(str::to_owned).collect();
    let (mut pictures, mut embedded) = (Vec::new(), Vec::new());
    for name in names {
        let is_sheet =
            book.sheets.iter().any(|it| it.part.eq_ignore_ascii_case(&name) && it.text.is_some());
        if is_sheet || name == CONTENT_TYPES || name == book.part || !book.package.has(&name) {
            continue;
        }
        let lower = name.to_lowercase();
        let is_xml = [".xml", ".rels", ".vml"].iter().any(|it| lower.ends_with(it));
        let is_embedded = lower.contains("/embeddings/");
        if !is_xml {
            let file = name.rsplit('/').next().unwrap_or_default();
            let file = terms.masked(file).map_or(file.to_owned(), |it| it.0);
            let bytes = book.package.bytes(&name)?.unwrap_or_default();
            let is_archive = bytes.starts_with(b"PK\x03\x04");
            if lower.contains("/media/") {
                pictures.push(file);
            } else if is_embedded {
                let has_hit =
                    if is_archive { check(bytes, terms).is_err() } else { in_bytes(&bytes, terms) };
                if has_hit {
                    found.note("an embedded file", 1);
                    found.warnings.push(format!(
                        "the embedded file {file} had a hit, so it is empty now; delete its object"
                    ));
                    book.package.set(&name, Vec::new());
                } else if !is_archive {
                    embedded.push(file);
                }
                continue;
            }
            if let Some((new, hits)) = plain(&bytes, terms) {
                found.note(&terms.masked(&name).map_or(name.clone(), |it| it.0), hits);
                book.package.set(&name, new);
            }
            continue;
        }
        let Some(xml) = book.package.text(&name)? else { continue };
        let (xml, removed) = prepared(&lower, xml, terms);
        let (new, hits) = match cleaned(&xml, terms).filter(|_| !lower.ends_with(".rels")) {
            Some(new) => {
                found.lost += new.formulas;
                (new.xml, new.hits + removed)
            }
            None => (xml, removed),
        };
        if hits == 0 {
            continue;
        }
        found.note(&terms.masked(&name).map_or(name.clone(), |it| it.0), hits);
        let mut new = new;
        if lower.contains("pivotcachedefinition")
            && let Some((at, tag)) = crate::xml::find_tag(&new, "pivotCacheDefinition")
        {
            let raw = set_attribute(tag.raw, "refreshOnLoad", "1");
            new = format!("{}{raw}{}", &new[..at], &new[at + tag.raw.len()..]);
        }
        book.package.set(&name, new);
    }
    let listed = |all: &[String]| {
        let more = if all.len() > MAX_NAMES { " …" } else { "" };
        format!("{}{more}", all[..all.len().min(MAX_NAMES)].join(", "))
    };
    if !pictures.is_empty() {
        found.warnings.push(format!(
            "{} not searched for text; look at {}: {}",
            counted_were(pictures.len(), "picture"),
            either(pictures.len(), "it", "them"),
            listed(&pictures)
        ));
    }
    if !embedded.is_empty() {
        found.warnings.push(format!(
            "{} searched only as bytes; delete {} may have the words: {}",
            counted_were(embedded.len(), "embedded file"),
            either(embedded.len(), "it if it", "them if they"),
            listed(&embedded)
        ));
    }
    Ok(())
}

/// Returns a number with its noun and the verb: `1 picture was`, `2 pictures were`.
fn counted_were(count: usize, noun: &str) -> String {
    format!("{} {}", counted(count, noun), either(count, "was", "were"))
}

/// Masks a part that is text under another name, in UTF-8 or UTF-16; `None` if it has no hits or is no text.
fn plain(bytes: &[u8], terms: &Terms) -> Option<(Vec<u8>, usize)> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\0')
    {
        let is_xml = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
        return if is_xml {
            cleaned(text, terms).map(|it| (it.xml.into_bytes(), it.hits))
        } else {
            terms.masked(text).map(|it| (it.0.into_bytes(), it.1))
        };
    }
    let units: Vec<u16> =
        bytes.chunks_exact(2).map(|it| u16::from_le_bytes([it[0], it[1]])).collect();
    let text = String::from_utf16(&units).ok().filter(|_| bytes.len().is_multiple_of(2))?;
    if text.trim_end_matches('\0').contains(|it: char| it.is_control() && !it.is_whitespace()) {
        return None;
    }
    let (new, hits) = terms.masked(&text)?;
    Some((new.encode_utf16().flat_map(u16::to_le_bytes).collect(), hits))
}

/// Removes parts that a program makes anew: the thumbnail, the order of calculation, and settings of printers with hits.
fn remove(book: &mut Book, terms: &Terms, found: &mut Found) -> Result<()> {
    for relation in book.package.relations("")? {
        if relation.kind == "thumbnail" && !relation.is_external {
            book.package.remove(&relation.target)?;
            book.package.unrelate("", &relation.id)?;
            found.warnings.push("the thumbnail was removed".to_owned());
        }
    }
    let main = book.part.clone();
    for relation in book.package.relations(&main)? {
        if relation.kind == "calcChain" && found.formulas > 0 {
            book.package.remove(&relation.target)?;
            book.package.unrelate(&main, &relation.id)?;
        }
    }
    for sheet in 0..book.sheets.len() {
        let part = book.sheets[sheet].part.clone();
        for relation in book.package.relations(&part)? {
            if relation.kind != "printerSettings" || relation.is_external {
                continue;
            }
            let bytes = book.package.bytes(&relation.target)?.unwrap_or_default();
            if !in_bytes(&bytes, terms) {
                continue;
            }
            found.note("settings of a printer", 1);
            book.package.remove(&relation.target)?;
            book.package.unrelate(&part, &relation.id)?;
            if let Some(text) = &mut book.sheets[sheet].text
                && let Some((at, tag)) = crate::xml::find_tag(&text.tail, "pageSetup")
            {
                let raw = without_attributes(tag.raw, &["id"]);
                let tail = format!("{}{raw}{}", &text.tail[..at], &text.tail[at + tag.raw.len()..]);
                text.set_tail(tail);
            }
        }
    }
    Ok(())
}

/// Removes from a part what cannot be masked because it has a type, and returns the number of hits in it.
fn prepared(name: &str, xml: String, terms: &Terms) -> (String, usize) {
    let gone: &[&str] = match () {
        () if name.ends_with(".rels") => return outside(&xml, terms),
        () if name.ends_with("docprops/custom.xml") => &["property"],
        () if name.ends_with("docprops/core.xml") => &DATES,
        () if name.contains("/externallinks/") => &["cell"],
        () if name.contains("/tables/") => &["calculatedColumnFormula", "totalsRowFormula"],
        () => return (xml, 0),
    };
    let (mut xml, mut count) = (xml, 0);
    for element in gone {
        let mut hits: Vec<_> = elements(&xml, element)
            .into_iter()
            .filter(|(_, raw)| {
                let named = first_tag(raw).and_then(|it| it.text("name"));
                let is_text = *element == "cell"
                    && first_tag(raw).is_some_and(|it| it.attribute("t") == Some("str"));
                !is_text && (terms.has(&inner_text(raw)) || named.is_some_and(|it| terms.has(&it)))
            })
            .map(|(at, raw)| at..at + raw.len())
            .collect();
        count += hits.len();
        // In a damaged part, an element may lie in another one of its name.
        hits.dedup_by(|next, before: &mut std::ops::Range<usize>| {
            let is_inside = next.start < before.end;
            before.end = before.end.max(if is_inside { next.end } else { before.end });
            is_inside
        });
        while let Some(range) = hits.pop() {
            xml.replace_range(range, "");
        }
    }
    (xml, count)
}

/// Replaces addresses outside of the file.
fn outside(xml: &str, terms: &Terms) -> (String, usize) {
    let (mut out, mut count) = (String::with_capacity(xml.len()), 0);
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag) => {
                let is_hit = tag.attribute("TargetMode").is_some()
                    && tag.text("Target").is_some_and(|it| is_left(&it, terms));
                count += usize::from(is_hit);
                if is_hit {
                    out.push_str(&set_attribute(tag.raw, "Target", "about:blank"))
                } else {
                    out.push_str(tag.raw)
                }
            }
            XmlToken::Text(raw) | XmlToken::Other(raw) => out.push_str(raw),
        }
    }
    (out, count)
}

/// Returns `true` if an address has a hit, also behind escapes such as `%20`.
fn is_left(address: &str, terms: &Terms) -> bool {
    terms.has(address) || terms.has(&unquoted(address))
}

fn unquoted(address: &str) -> String {
    let bytes = address.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let code = address
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_inside_of_others_of_their_name_are_removed_once() {
        let terms = Terms::new(&["acme".to_owned()], &[]).unwrap();
        let inner = "<property name=\"Acme\">1</property>";
        let xml = format!("<a><property name=\"Acme\">{inner}</property>{inner}<b/></a>");
        let (left, count) = prepared("docprops/custom.xml", xml, &terms);
        assert!(!left.contains("Acme") && count > 0, "{count}: {left}");
        assert!(left.starts_with("<a>") && left.ends_with("<b/></a>"), "{left}");
    }
}
