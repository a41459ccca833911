//! The attributes and comments of the parts of Office files that may hold words of people.
//!
//! The three tools for Office files search different attributes. This is the union of their lists: what a tool does not remove is then
//! found again in the new file, and nothing is written.

use mitt_base::{Error, ErrorKind, Result};
use regex::Regex;

/// Attributes that hold words of people, by their local names: those of `docx_tool`, `sheet_tool` and `deck_tool`.
const TEXTS: &[&str] = &[
    "Target",
    "Value",
    "action",
    "altText",
    "altTextSummary",
    "anchor",
    "author",
    "caption",
    "codeName",
    "colHeaderCaption",
    "command",
    "comment",
    "connection",
    "customList",
    "customMenu",
    "dataCaption",
    "ddeService",
    "ddeTopic",
    "description",
    "destinationFile",
    "displayText",
    "dn",
    "docLocation",
    "email",
    "errorCaption",
    "fmlaLink",
    "fmlaRange",
    "formatCode",
    "grandTotalCaption",
    "headerRowCellStyle",
    "help",
    "hidden-text",
    "href",
    "initials",
    "instr",
    "invalidUrl",
    "label",
    "lastModifiedBy",
    "lastValue",
    "location",
    "macro",
    "maxDate",
    "maxValue",
    "minDate",
    "minValue",
    "missingCaption",
    "name",
    "odcFile",
    "oldName",
    "parameterType",
    "phldrT",
    "providerId",
    "rowHeaderCaption",
    "serverCommand",
    "sheet",
    "sheetName",
    "sourceFile",
    "sourceName",
    "src",
    "statusBar",
    "string",
    "table",
    "text",
    "textlink",
    "tgtFrame",
    "uniqueName",
    "url",
    "user",
    "userId",
    "userName",
    "v",
    "value",
];

/// Elements whose attribute `val` holds words of people.
const VALUES: &[&str] = &[
    "addressFieldName",
    "alias",
    "aliases",
    "attachedSchema",
    "category",
    "connectString",
    "customFilter",
    "dataSource",
    "default",
    "description",
    "docPart",
    "docVar",
    "documentType",
    "entryMacro",
    "exitMacro",
    "filter",
    "format",
    "headerSource",
    "helpText",
    "inputCells",
    "item",
    "listEntry",
    "lvlText",
    "mailSubject",
    "mappedName",
    "name",
    "query",
    "sheetName",
    "sourceFileName",
    "src",
    "statusText",
    "tag",
];

/// Attributes that `inspect_office` shows: they are listed by it.
const SHOWN: &[&str] = &[
    "alt",
    "descr",
    "display",
    "displayName",
    "error",
    "errorTitle",
    "prompt",
    "promptTitle",
    "title",
    "tooltip",
];

/// Attributes whose values have blanks or signs, and are words of the format.
const FORMAT: &[&str] = &[
    "ContentType",
    "Extension",
    "Ignorable",
    "MustUnderstand",
    "PartName",
    "PreserveAttributes",
    "PreserveElements",
    "ProcessContent",
    "Requires",
    "Type",
    "activeCell",
    "adj",
    "coordorigin",
    "coordsize",
    "dateFormat",
    "encoding",
    "eqn",
    "fmla",
    "from",
    "path",
    "points",
    "prefixMappings",
    "progId",
    "ref",
    "rot",
    "schemaLocation",
    "script",
    "sig",
    "spans",
    "sqref",
    "style",
    "to",
    "topLeftCell",
    "type",
    "typeface",
    "uri",
    "version",
];

/// Longest word of the format.
const MAX_VOCABULARY: usize = 64;

/// A tag without its brackets, or a comment.
const TAG: &str = r#"(?s)<!--(?<comment>.*?)-->|<(?<name>[A-Za-z_][\w.:-]*)(?<rest>(?:[^<>"']|"[^"]*"|'[^']*')*)>"#;

/// An attribute in either kind of quotes.
const ATTRIBUTE: &str = r#"([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')"#;

/// Finds the attributes and comments of a part.
pub(super) struct Attributes {
    tag: Regex,
    attribute: Regex,
}

impl Attributes {
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - a defect of this program.
    pub(super) fn new() -> Result<Attributes> {
        let compiled = |pattern: &str| {
            Regex::new(pattern).map_err(|error| Error::new(ErrorKind::Host, error.to_string()))
        };
        Ok(Attributes { tag: compiled(TAG)?, attribute: compiled(ATTRIBUTE)? })
    }

    /// Adds the values and comments of a part that may hold words of people. `part` is its name in small letters.
    pub(super) fn add(&self, part: &str, xml: &str, texts: &mut Vec<String>) {
        // All of this XML is made by programs of users.
        let is_custom =
            part.contains("customxml/") && !part.contains("itemprops") && !part.ends_with(".rels");
        for tag in self.tag.captures_iter(xml) {
            if let Some(comment) = tag.name("comment") {
                texts.push(comment.as_str().to_owned());
                continue;
            }
            let (element, rest) = (local(&tag["name"]), &tag["rest"]);
            for found in self.attribute.captures_iter(rest) {
                let value = found.get(2).or_else(|| found.get(3)).map_or("", |it| it.as_str());
                if value.is_empty() || found[1].starts_with("xmlns") {
                    continue;
                }
                if is_custom || is_text(element, local(&found[1]), value, rest) {
                    texts.push(value.to_owned());
                }
            }
        }
    }
}

/// Returns `true` if an attribute may hold words of people. `rest` has all attributes of the element.
fn is_text(element: &str, name: &str, value: &str, rest: &str) -> bool {
    let is_name = matches!(element, "sheet" | "docPr" | "cNvPr" | "tableColumn") && name == "name";
    if SHOWN.contains(&name) || is_name {
        return false;
    }
    match (element, name) {
        // `inspect_office` shows addresses; other targets are names of parts.
        ("Relationship", "Target") => false,
        // A place among shared items, a truth value, an error.
        ("x" | "b" | "e", "v") => false,
        (_, "val") if VALUES.contains(&element) => true,
        // A choice of a list is searched by its text, too.
        _ if TEXTS.contains(&name) => !is_schema(value),
        _ => !FORMAT.contains(&name) && !rest.contains("TargetMode") && !is_vocabulary(value),
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Returns `true` for the address of a schema.
fn is_schema(value: &str) -> bool {
    ["http://schemas.", "http://purl.oclc.org/", "http://www.w3.org/", "urn:schemas"]
        .iter()
        .any(|start| value.starts_with(start))
}

/// Returns `true` for a value in the form of names, numbers and ids of the format.
fn is_vocabulary(value: &str) -> bool {
    let is_sign = |it: u8| it.is_ascii_alphanumeric() || b"_.:#%+-{}".contains(&it);
    is_schema(value) || (value.len() <= MAX_VOCABULARY && value.bytes().all(is_sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(part: &str, xml: &str) -> Vec<String> {
        let mut texts = Vec::new();
        Attributes::new().unwrap().add(part, xml, &mut texts);
        texts
    }

    #[test]
    fn attributes_of_all_three_tools_are_listed_in_both_quotes() {
        for (xml, expected) in [
            (r#"<s v="13900139000"/>"#, "13900139000"),
            (r#"<w:tag w:val="13800138000"/>"#, "13800138000"),
            (r#"<w:docVar w:name="a" w:val='13800138000'/>"#, "13800138000"),
            (
                r#"<w:fldSimple w:instr='HYPERLINK "mailto:li@corp.example"'>"#,
                "mailto:li@corp.example",
            ),
            (r#"<w:listItem w:displayText="Li Wei" w:value='4'/>"#, "Li Wei"),
            (r#"<connection id="1" command = "SELECT '13800138000'"/>"#, "13800138000"),
            ("<sharedItems minValue='13900139000'/>", "13900139000"),
            (r#"<p15:presenceInfo userId='li@corp.example'/>"#, "li@corp.example"),
            ("<a new='13800138000 or 2'/>", "13800138000 or 2"),
            ("<!-- call 13800138000 -->", "call 13800138000"),
            ("<x:a\n  other='a > b, c'\n/>", "a > b, c"),
        ] {
            let found = texts("word/document.xml", xml);
            assert!(found.iter().any(|it| it.contains(expected)), "{xml}: {found:?}");
        }
        assert_eq!(texts("customxml/item1.xml", "<a phone='13800138000'/>"), ["13800138000"]);
    }

    #[test]
    fn words_of_the_format_and_what_is_shown_already_are_not_listed() {
        for xml in [
            r#"<w:jc w:val="center"/>"#,
            r#"<a xmlns:r="http://schemas.example/a b"/>"#,
            r#"<x v="13900139000"/>"#,
            r#"<v:shape coordsize="21600, 21600" path="m 1 2 l 3 4"/>"#,
            r#"<c r="A1" t="str"/>"#,
            r#"<dataValidation prompt="Call 138"/>"#,
            r#"<Relationship Id="rId1" Target="mailto:li@corp.example" TargetMode="External"/>"#,
            "text without = \"a tag\"",
        ] {
            assert_eq!(texts("xl/workbook.xml", xml), [""; 0], "{xml}");
        }
    }
}
