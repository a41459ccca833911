//! Which attributes hold words of people, and which hold words of the file format.
//!
//! Redacting `center` must not change `<w:jc w:val="center"/>`. Values of the format that have a hit are counted, and named
//! in a warning.

use crate::xml::{Id, Ns, Tree};
use std::collections::BTreeSet;

/// Attributes that hold words of people.
const FREE: &[&str] = &[
    "author",
    "initials",
    "name",
    "descr",
    "title",
    "tooltip",
    "anchor",
    "alt",
    "string",
    "instr",
    "displayText",
    "value",
    "lastValue",
    "docLocation",
    "userId",
    "providerId",
    "href",
    "tgtFrame",
    "Target",
    "src",
    "Value",
    "invalidUrl",
    "action",
];
/// Elements of Word whose attribute `val` holds words of people.
const FREE_VALUES: &[&str] = &[
    "alias",
    "tag",
    "docVar",
    "helpText",
    "statusText",
    "default",
    "listEntry",
    "docPart",
    "description",
    "lvlText",
    "category",
    "query",
    "connectString",
    "dataSource",
    "headerSource",
    "addressFieldName",
    "mailSubject",
    "mappedName",
    "attachedSchema",
    "documentType",
    "name",
    "format",
    "entryMacro",
    "exitMacro",
    "sourceFileName",
    "src",
];
/// Attributes with words of the format, or with names of fonts.
const FIXED: &[&str] = &[
    "style",
    "path",
    "coordsize",
    "coordorigin",
    "eqn",
    "points",
    "adj",
    "Requires",
    "Ignorable",
    "PreserveElements",
    "PreserveAttributes",
    "ProcessContent",
    "ascii",
    "hAnsi",
    "cs",
    "eastAsia",
    "asciiTheme",
    "hAnsiTheme",
    "typeface",
    "panose",
    "dateFormat",
    "prefixMappings",
    "ContentType",
    "PartName",
    "Extension",
    "Type",
    "script",
    "sig",
    "rot",
    "from",
    "to",
    "font",
];
/// Elements whose names are those of fonts and of styles of the format.
const FIXED_NAMES: &[&str] = &["font", "lsdException", "latentStyles", "altName"];

/// Words in the names of parts that programs give, without numbers.
const PART_NAMES: &[&str] = &[
    "_rels",
    "activex",
    "afchunk",
    "app",
    "attachedtoolbars",
    "chart",
    "chartex",
    "charts",
    "colors",
    "comments",
    "commentsextended",
    "commentsextensible",
    "commentsids",
    "contenttypes",
    "control",
    "core",
    "custom",
    "customizations",
    "customxml",
    "data",
    "diagrams",
    "docprops",
    "document",
    "documenttasks",
    "drawing",
    "drawings",
    "embeddings",
    "endnotes",
    "font",
    "fonts",
    "fonttable",
    "footer",
    "footnotes",
    "glossary",
    "header",
    "hyperlink",
    "image",
    "ink",
    "item",
    "itemprops",
    "layout",
    "media",
    "microsoft_excel_sheet",
    "microsoft_excel_worksheet",
    "microsoft_office_excel_worksheet",
    "microsoft_powerpoint_presentation",
    "microsoft_word_document",
    "mimetype",
    "numbering",
    "oleobject",
    "package",
    "people",
    "printersettings",
    "quickstyle",
    "rels",
    "rid",
    "settings",
    "style",
    "styles",
    "styleswitheffects",
    "theme",
    "themeoverride",
    "thumbnail",
    "webextension",
    "webextensions",
    "taskpanes",
    "websettings",
    "word",
];

/// Returns `true` for the name of a part that says nothing: `word/theme/theme1.xml`.
pub(super) fn is_part_name(name: &str) -> bool {
    let is_known = |segment: &str| {
        let stem = segment.split('.').next().unwrap_or_default();
        let word = stem.trim_matches(|it: char| it.is_ascii_digit() || matches!(it, '[' | ']'));
        let word = word.to_ascii_lowercase();
        let word = if word == "content_types" { "contenttypes" } else { &word };
        word.is_empty() || PART_NAMES.contains(&word)
    };
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let extension = file.rsplit('.').next().unwrap_or_default();
    extension.len() <= 5 && folder.split('/').chain([file]).all(is_known)
}

/// Knows the styles that people made.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub(super) custom_styles: BTreeSet<String>,
}

impl Attributes {
    /// Remembers the styles of a part that are not those of Word.
    pub(super) fn learn(&mut self, tree: &Tree) {
        let Some(root) = tree.root() else { return };
        for it in tree.elements(root).filter(|&it| tree.is(it, "style")).take(20_000) {
            if tree.attr(it, "customStyle").is_some_and(|it| matches!(&*it, "1" | "true" | "on"))
                && let Some(id) = tree.attr(it, "styleId")
            {
                self.custom_styles.insert(id.into_owned());
            }
        }
    }

    /// Returns `true` if an attribute holds words of people. `attribute` is as written.
    pub(super) fn is_free(&self, tree: &Tree, id: Id, attribute: &str, value: &str) -> bool {
        if attribute.starts_with("xmlns") || FIXED.contains(&local(attribute)) {
            return false;
        }
        let element = tree.local(id);
        let name = local(attribute);
        if element == "Relationship" {
            // Other targets are names of parts, which are searched as such.
            let is_external =
                tree.attr(id, "TargetMode").is_some_and(|it| it.eq_ignore_ascii_case("external"));
            return name == "Target" && is_external;
        }
        if tree.ns(id) == Ns::W {
            let parent = tree.parent(id);
            let is_style = parent.is_some_and(|it| tree.is(it, "style"));
            match (element, name) {
                ("style", "styleId")
                | ("pStyle" | "rStyle" | "tblStyle" | "basedOn" | "next" | "link", "val") => {
                    return self.custom_styles.contains(value);
                }
                ("name" | "aliases", "val") if is_style => {
                    let own = parent.and_then(|it| tree.attr(it, "styleId"));
                    return own.is_some_and(|it| self.custom_styles.contains(&*it));
                }
                (_, "val") if FREE_VALUES.contains(&element) => return true,
                (_, "name") if FIXED_NAMES.contains(&element) => return false,
                _ => {}
            }
        }
        if FREE.contains(&name) {
            return !is_schema(value);
        }
        !is_vocabulary(value)
    }

    /// Names an attribute for people.
    pub(super) fn kind(&self, tree: &Tree, id: Id, attribute: &str) -> &'static str {
        match (tree.local(id), local(attribute)) {
            (_, "descr" | "title" | "alt") => "alternative text",
            (_, "author" | "initials" | "userId" | "providerId") => "author",
            ("docVar", _) => "document variable",
            (_, "instr") => "field instruction",
            ("bookmarkStart", _) => "bookmark",
            ("alias" | "tag" | "listItem" | "ddList" | "listEntry", _) => "content control",
            ("hyperlink" | "hlinkClick", _) => "link",
            ("property", _) => "property",
            _ => "value of the file",
        }
    }
}

pub(super) fn local(attribute: &str) -> &str {
    attribute.rsplit(':').next().unwrap_or(attribute)
}

/// Returns `true` for the address of a schema.
fn is_schema(value: &str) -> bool {
    ["http://schemas.", "http://purl.oclc.org/", "http://www.w3.org/", "urn:schemas"]
        .iter()
        .any(|it| value.starts_with(it))
}

/// Returns `true` for a value in the form of names, numbers and ids of the format.
fn is_vocabulary(value: &str) -> bool {
    let is_name = |it: u8| it.is_ascii_alphanumeric() || b"_.:#%+-{}".contains(&it);
    is_schema(value) || value.len() <= 64 && value.bytes().all(is_name)
}
