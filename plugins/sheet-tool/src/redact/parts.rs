//! Masks hits in any part of XML: texts across the runs of one paragraph, attributes, formulas.

use super::terms::{Terms, covered};
use crate::xml::{Tag, TagKind, XmlToken, attributes, escape, unescape, xml_tokens};

/// Tags within a paragraph or a shared text: runs, their texts and their looks.
const INLINE: [&str; 40] = [
    "r",
    "t",
    "rPr",
    "b",
    "i",
    "u",
    "strike",
    "outline",
    "shadow",
    "condense",
    "extend",
    "sz",
    "color",
    "rFont",
    "family",
    "scheme",
    "charset",
    "vertAlign",
    "solidFill",
    "srgbClr",
    "schemeClr",
    "sysClr",
    "prstClr",
    "lumMod",
    "lumOff",
    "alpha",
    "tint",
    "shade",
    "latin",
    "ea",
    "cs",
    "sym",
    "effectLst",
    "highlight",
    "hlinkClick",
    "endParaRPr",
    "span",
    "font",
    "noFill",
    "proofErr",
];
/// Elements whose text is a number or an address for programs, not a content.
pub(super) const STRUCTURE: [&str; 34] = [
    "col",
    "row",
    "colOff",
    "rowOff",
    "Anchor",
    "Row",
    "Column",
    "SizeWithCells",
    "MoveWithCells",
    "AutoFill",
    "AutoLine",
    "Visible",
    "TextHAlign",
    "TextVAlign",
    "AppVersion",
    "DocSecurity",
    "ScaleCrop",
    "LinksUpToDate",
    "SharedDoc",
    "HyperlinksChanged",
    "TotalTime",
    "i2",
    "i4",
    "i8",
    "bool",
    "sqref",
    "Val",
    "Min",
    "Max",
    "Inc",
    "Page",
    "Dx",
    "Checked",
    "DropLines",
];
/// Elements whose text is a formula.
const FORMULAS: [&str; 11] = [
    "f",
    "formula",
    "formula1",
    "formula2",
    "definedName",
    "FmlaLink",
    "FmlaRange",
    "FmlaGroup",
    "FmlaTxbx",
    "FmlaPict",
    "FmlaMacro",
];
/// Attributes that hold texts of the user in any form.
const TEXTS: [&str; 62] = [
    "name",
    "displayName",
    "descr",
    "title",
    "alt",
    "caption",
    "prompt",
    "promptTitle",
    "error",
    "errorTitle",
    "v",
    "location",
    "tooltip",
    "display",
    "author",
    "user",
    "userName",
    "comment",
    "description",
    "help",
    "statusBar",
    "uniqueName",
    "sourceFile",
    "odcFile",
    "connection",
    "command",
    "serverCommand",
    "url",
    "sourceName",
    "text",
    "string",
    "formatCode",
    "dn",
    "sheet",
    "sheetName",
    "table",
    "textlink",
    "fmlaLink",
    "fmlaRange",
    "customMenu",
    "macro",
    "customList",
    "codeName",
    "headerRowCellStyle",
    "dataCaption",
    "grandTotalCaption",
    "errorCaption",
    "missingCaption",
    "rowHeaderCaption",
    "colHeaderCaption",
    "altText",
    "altTextSummary",
    "href",
    "src",
    "destinationFile",
    "ddeService",
    "ddeTopic",
    "oldName",
    "hidden-text",
    "userId",
    "parameterType",
    "providerId",
];
/// Attributes that are numbers, addresses or links between parts.
const LINKS: [&str; 30] = [
    "id",
    "r",
    "ref",
    "sqref",
    "s",
    "t",
    "si",
    "cm",
    "vm",
    "spans",
    "style",
    "embed",
    "link",
    "pict",
    "r1",
    "r2",
    "topLeftCell",
    "activeCell",
    "uid",
    "xfId",
    "numFmtId",
    "fontId",
    "fillId",
    "borderId",
    "count",
    "uniqueCount",
    "sheetId",
    "shapeId",
    "localSheetId",
    "dxfId",
];
/// Elements whose attribute `val` is a text of the user.
const VALUES: [&str; 5] = ["sheetName", "filter", "customFilter", "inputCells", "item"];

/// A part without its hits.
#[derive(Debug, Default)]
pub(super) struct Cleaned {
    pub(super) xml: String,
    pub(super) hits: usize,
    /// Formulas that were replaced as a whole.
    pub(super) formulas: usize,
}

/// Returns `true` if an attribute holds a text of the user rather than a word of the format.
pub(super) fn is_text(element: &str, attribute: &str, value: &str) -> bool {
    if LINKS.contains(&attribute) || element.starts_with('?') {
        return false;
    }
    if TEXTS.contains(&attribute) {
        // Places of shared items.
        return !(attribute == "v" && matches!(element, "x" | "b" | "e"));
    }
    if attribute == "val" {
        return VALUES.contains(&element) || value.contains(' ') || !value.is_ascii();
    }
    // A word of the format is short and has no blanks. Addresses of schemas are no content.
    let is_address = value.starts_with("http://") && value.contains("schemas.");
    !is_address && (value.contains(' ') && value.parse::<f64>().is_err() || !value.is_ascii())
}

/// Masks all hits of a part; `None` if there are none.
pub(super) fn cleaned(xml: &str, terms: &Terms) -> Option<Cleaned> {
    let mut cleaner = Cleaner {
        terms,
        out: Cleaned { xml: String::with_capacity(xml.len()), ..Cleaned::default() },
        block: Vec::new(),
        open: Vec::new(),
        has_texts: false,
    };
    for token in xml_tokens(xml) {
        cleaner.token(token);
    }
    cleaner.flush();
    (cleaner.out.hits > 0).then_some(cleaner.out)
}

struct Cleaner<'a> {
    terms: &'a Terms,
    out: Cleaned,
    /// Pieces of the paragraph: its texts, and what stands between them.
    block: Vec<(bool, String)>,
    open: Vec<&'a str>,
    has_texts: bool,
}

impl<'a> Cleaner<'a> {
    fn token(&mut self, token: XmlToken<'a>) {
        match token {
            XmlToken::Tag(tag) => {
                if !INLINE.contains(&tag.name) {
                    self.flush();
                }
                match tag.kind {
                    TagKind::Open if self.open.len() < 1_000 => self.open.push(tag.name),
                    TagKind::Close if self.open.last() == Some(&tag.name) => drop(self.open.pop()),
                    _ => {}
                }
                let raw = self.tag(&tag);
                self.block.push((false, raw));
            }
            XmlToken::Text(text) => self.text(unescape(text), text),
            XmlToken::Other(raw) => match raw.strip_prefix("<![CDATA[") {
                Some(inner) => {
                    let inner = inner.strip_suffix("]]>").unwrap_or(inner);
                    self.text(inner.to_owned(), raw);
                }
                // A comment of the XML has nothing that a program needs.
                None if self.terms.has(raw) && raw.starts_with("<!--") => self.out.hits += 1,
                None => self.block.push((false, raw.to_owned())),
            },
        }
    }

    fn text(&mut self, text: String, raw: &str) {
        let name = self.open.last().copied().unwrap_or_default();
        let is_run = matches!(name, "r" | "rPr" | "si" | "is" | "p");
        if STRUCTURE.contains(&name) || is_run && text.trim().is_empty() {
            self.block.push((false, raw.to_owned()));
        } else if FORMULAS.contains(&name) {
            let new = self.formula(&text);
            self.block.push((
                false,
                new.map_or(raw.to_owned(), |it| escape(&it).replace("&quot;", "\"")),
            ));
        } else if name == "v" && self.open.iter().any(|it| matches!(*it, "numCache" | "numLit")) {
            // Excel's own mark for a point without a number.
            let is_hit = self.terms.has(&text);
            self.out.hits += usize::from(is_hit);
            self.block.push((false, if is_hit { "#N/A".to_owned() } else { raw.to_owned() }));
        } else {
            self.has_texts = true;
            self.block.push((true, text));
        }
    }

    /// Masks the texts of a formula; without other hits it stays a formula.
    fn formula(&mut self, formula: &str) -> Option<String> {
        let (new, hits) = self.terms.masked(formula)?;
        self.out.hits += hits;
        if let Some(kept) = in_texts(formula, self.terms) {
            return Some(kept);
        }
        drop(new);
        self.out.formulas += 1;
        Some("#REF!".to_owned())
    }

    fn tag(&mut self, tag: &Tag<'_>) -> String {
        if tag.kind == TagKind::Close {
            return tag.raw.to_owned();
        }
        let value = tag.attribute("v").map(unescape);
        // Numbers and dates of pivot tables cannot be masked.
        if matches!(tag.name, "n" | "d") && value.is_some_and(|it| self.terms.has(&it)) {
            self.out.hits += 1;
            let end = if tag.kind == TagKind::Empty { "/>" } else { ">" };
            return format!("<{}m{end}", tag.prefix());
        }
        let mut raw = tag.raw.to_owned();
        if tag.name == "sharedItems" {
            let gone: Vec<&str> = ["minValue", "maxValue", "minDate", "maxDate"]
                .into_iter()
                .filter(|it| tag.text(it).is_some_and(|it| self.terms.has(&it)))
                .collect();
            self.out.hits += gone.len();
            raw = crate::xml::without_attributes(&raw, &gone);
        }
        let mut hits = 0;
        let mut new = raw.clone();
        for attribute in attributes(&raw) {
            let text = unescape(attribute.value);
            if !is_text(tag.name, attribute.local(), &text) {
                continue;
            }
            if let Some((masked, count)) = self.terms.masked(&text) {
                hits += count;
                new = crate::xml::set_attribute(&new, attribute.local(), &masked);
            }
        }
        self.out.hits += hits;
        new
    }

    /// Masks the texts of a paragraph together, and writes it.
    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        let whole: String = if std::mem::take(&mut self.has_texts) {
            block.iter().filter(|it| it.0).map(|it| it.1.as_str()).collect()
        } else {
            String::new()
        };
        let masked = self.terms.masked(&whole);
        let mut rest = masked.as_ref().map_or(whole.as_str(), |it| it.0.as_str());
        for (is_text, raw) in &block {
            if !is_text {
                self.out.xml.push_str(raw);
                continue;
            }
            // A masked text has as many characters.
            let count = raw.chars().count();
            let end = rest.char_indices().nth(count).map_or(rest.len(), |it| it.0);
            self.out.xml.push_str(&escape(&rest[..end]).replace("&quot;", "\""));
            rest = &rest[end..];
        }
        self.out.hits += masked.map_or(0, |it| it.1);
    }
}

/// Returns a formula with masked texts; `None` if there are hits outside of its texts.
pub(super) fn in_texts(formula: &str, terms: &Terms) -> Option<String> {
    let mut hits = Vec::new();
    for spanned in crate::formula::tokens(formula) {
        if let crate::formula::Token::Text(_) = spanned.token {
            let inner = spanned.start + 1..spanned.end.saturating_sub(1).max(spanned.start + 1);
            let found = terms.hits(formula.get(inner.clone())?);
            hits.extend(found.into_iter().map(|it| it.start + inner.start..it.end + inner.start));
        }
    }
    let new = covered(formula, &hits);
    (!terms.has(&new) && new.matches('"').count() == formula.matches('"').count()).then_some(new)
}
