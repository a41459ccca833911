//! Copies of a sheet with the parts that belong to it: drawings with their charts, comments, tables, settings of printers.
//! Pictures
//! are shared.

use super::adjust::{FORMULA_ATTRIBUTES, FORMULAS};
use super::package::{Package, rels_of};
use crate::shared::xml_tokens::{
    TagKind, XmlToken, escape, set_attribute, unescape, with_attributes, without_attributes,
    xml_tokens,
};
use mitt_base::Result;

/// Kinds of parts that are copied.
const COPIED: [&str; 10] = [
    "drawing",
    "chart",
    "chartUserShapes",
    "chartStyle",
    "chartColorStyle",
    "themeOverride",
    "comments",
    "vmlDrawing",
    "table",
    "printerSettings",
];
/// Kinds of parts that all copies use together.
const SHARED: [&str; 3] = ["image", "hdphoto", "hyperlink"];

/// What stands in a formula for another one; `None` if it stays.
pub(super) type Renamer<'r> = dyn FnMut(&str) -> Option<String> + 'r;

/// Names of tables: of the template and of a copy.
#[derive(Clone, Debug)]
pub(super) struct TableName {
    pub(super) old: String,
    pub(super) new: String,
    /// The number of the copy.
    pub(super) id: u32,
}

/// Returns a part with its formulas renamed; `None` if nothing changes.
pub(super) fn renamed(xml: &str, rename: &mut Renamer<'_>) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut name = "";
    let mut all = xml_tokens(xml);
    loop {
        let start = all.offset();
        let Some(token) = all.next() else { break };
        let new = match token {
            XmlToken::Tag(tag) => {
                name = if tag.kind == TagKind::Open { tag.name } else { "" };
                with_attributes(tag.raw, |attribute, raw| {
                    let is_formula = FORMULA_ATTRIBUTES.contains(&attribute);
                    is_formula.then(|| rename(&unescape(raw))).flatten()
                })
            }
            XmlToken::Text(raw) if FORMULAS.contains(&name) => {
                rename(&unescape(raw)).map(|new| escape(&new))
            }
            _ => None,
        };
        if let Some(new) = new {
            out.push_str(&xml[copied..start]);
            out.push_str(&new);
            copied = all.offset();
        }
    }
    (copied > 0).then(|| out + &xml[copied..])
}

/// Returns the first kind of part of a sheet that cannot be copied, at any depth.
pub(super) fn obstacle(package: &mut Package<'_>, part: &str) -> Result<Option<&'static str>> {
    for it in package.relationships(part)? {
        if it.external || SHARED.contains(&it.kind.as_str()) {
            continue;
        }
        if !COPIED.contains(&it.kind.as_str()) {
            return Ok(Some(match it.kind.as_str() {
                "pivotTable" => "a pivot table",
                "slicer" | "timeline" => "a slicer",
                "queryTable" => "a query",
                "threadedComment" => "a threaded comment",
                "ctrlProp" | "control" | "activeXControl" => "a control",
                "oleObject" | "package" => "an embedded object",
                "diagramData" | "diagramLayout" => "SmartArt",
                "chartEx" => "a chart of a kind that only Excel 2016 and later have",
                _ => "a part that is not known",
            }));
        }
        if let Some(what) = obstacle(package, &it.target)? {
            return Ok(Some(what));
        }
    }
    Ok(None)
}

/// Returns the names of the tables of a sheet, with their parts.
pub(super) fn tables(package: &mut Package<'_>, part: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for it in package.relationships(part)?.into_iter().filter(|it| it.kind == "table") {
        let xml = package.text(&it.target)?.unwrap_or_default();
        names.extend(xml_tokens(&xml).find_map(|token| match token {
            XmlToken::Tag(tag) if tag.opens("table") => tag.text("displayName"),
            _ => None,
        }));
    }
    Ok(names)
}

/// Copies a part with those that belong to it. Returns the name of the copy.
pub(super) fn copy(
    package: &mut Package<'_>,
    part: &str,
    rename: &mut Renamer<'_>,
    tables: &[TableName],
) -> Result<String> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, "xml"));
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = package.free_name(&format!("{folder}/{stem}"), &format!(".{extension}"));
    let is_text = matches!(extension.to_ascii_lowercase().as_str(), "xml" | "vml");
    if is_text {
        let xml = package.text(part)?.unwrap_or_default();
        let xml = renamed(&xml, rename).unwrap_or(xml);
        package.add(&name, own(&xml, tables))?;
    } else if let Some(content) = package.bytes(part)? {
        package.add_file(&name, content)?;
    }
    if let Some(kind) = package.content_type(part)? {
        package.declare(&name, &kind)?;
    }
    let Some(rels) = package.text(&rels_of(part))? else { return Ok(name) };
    let mut targets = Vec::new();
    for it in package.relationships(part)?.into_iter().filter(|it| !it.external) {
        let target = if COPIED.contains(&it.kind.as_str()) && package.has(&it.target) {
            copy(package, &it.target, rename, tables)?
        } else {
            it.target
        };
        targets.push((it.id, target));
    }
    let mut out = String::with_capacity(rels.len());
    for token in xml_tokens(&rels) {
        match token {
            XmlToken::Tag(tag) if tag.opens("Relationship") => {
                let id = tag.text("Id").unwrap_or_default();
                let target = targets.iter().find(|it| it.0 == id);
                out.push_str(&match target {
                    Some((_, target)) => {
                        set_attribute(tag.raw, "Target", &format!("/{}", escape(target)))
                    }
                    None => tag.raw.to_owned(),
                });
            }
            XmlToken::Tag(tag) => out.push_str(tag.raw),
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    package.add(&rels_of(&name), out)?;
    Ok(name)
}

/// Returns a copied part without what only one part may have: the selected tab, names for macros, identifiers; a table with
/// its new
/// name.
fn own(xml: &str, tables: &[TableName]) -> String {
    let mut out = String::with_capacity(xml.len());
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag) if tag.opens("sheetView") => {
                out.push_str(&without_attributes(tag.raw, &["tabSelected"]));
            }
            XmlToken::Tag(tag) if tag.opens("sheetPr") => {
                out.push_str(&without_attributes(tag.raw, &["codeName"]));
            }
            XmlToken::Tag(tag) if tag.opens("worksheet") || tag.opens("table") => {
                let mut text = without_attributes(tag.raw, &["uid"]);
                let name = tag.text("displayName");
                if let Some(table) = tables.iter().find(|it| name.as_ref() == Some(&it.old)) {
                    text = set_attribute(&text, "id", &table.id.to_string());
                    text = set_attribute(&text, "name", &escape(&table.new));
                    text = set_attribute(&text, "displayName", &escape(&table.new));
                }
                out.push_str(&text);
            }
            XmlToken::Tag(tag) => out.push_str(tag.raw),
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    out
}

/// Returns a formula with the names of tables of a copy: `Sales[Price]` becomes `Sales_2[Price]`.
pub(super) fn with_tables(formula: &str, tables: &[TableName]) -> String {
    let mut out = formula.to_owned();
    for table in tables {
        let wanted = format!("{}[", table.old);
        let mut rest = std::mem::take(&mut out);
        while let Some(at) = rest.find(&wanted) {
            let before = rest[..at].chars().next_back();
            let is_whole =
                before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '\\')));
            out.push_str(&rest[..at]);
            out.push_str(if is_whole { &table.new } else { &table.old });
            out.push('[');
            rest = rest[at + wanted.len()..].to_owned();
        }
        out.push_str(&rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_copy_have_names_of_their_own() {
        let tables = [TableName { old: "T".into(), new: "T_2".into(), id: 2 }];
        assert_eq!(
            with_tables("SUM(T[a])+AT[a]+T[[#This Row],[b]]", &tables),
            "SUM(T_2[a])+AT[a]+T_2[[#This Row],[b]]"
        );
    }

    #[test]
    fn only_formulas_are_renamed() {
        let xml = "<c><f>A!B1</f><v>A!B1</v><hyperlink location=\"A!B1\" display=\"A!B1\"/></c>";
        let new = renamed(xml, &mut |text| Some(text.replace('A', "Z"))).unwrap();
        assert_eq!(
            new,
            "<c><f>Z!B1</f><v>A!B1</v><hyperlink location=\"Z!B1\" display=\"A!B1\"/></c>"
        );
        assert_eq!(renamed("<c>A</c>", &mut |_| Some("x".into())), None);
    }
}
