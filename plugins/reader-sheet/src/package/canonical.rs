//! Brings a package into the one form that every reader of workbooks knows.
//!
//! The parts of a package may have any names: relationships say which is which. Programs count on the names that Excel
//! gives, and the library that reads sheets does so too.

use super::xml::{attribute, elements};
use super::{Package, Relationship};
use crate::open::Kind;
use std::borrow::Cow;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;

/// The parts that a reader expects beside the workbook, by the kind of their relationship.
const BESIDE: [(&str, &str); 2] =
    [("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")];

/// What the workbook's own part says.
#[derive(Default)]
pub(crate) struct Workbook {
    /// In order; the part is missing for a sheet without one.
    pub(crate) sheets: Vec<SheetPart>,
    /// The workbook asks to be calculated before its values are shown.
    pub(crate) wants_calculation: bool,
}

pub(crate) struct SheetPart {
    pub(crate) kind: Kind,
    pub(crate) part: Option<String>,
}

/// What the workbook says of its sheets, and the package with every part where it is expected: as it is, or as a copy.
/// None for a package without a workbook.
pub(crate) fn canonical<'a>(
    bytes: &'a [u8],
    package: &mut Package<'a>,
) -> Option<(Workbook, Cow<'a, [u8]>)> {
    let path = package.workbook()?;
    let folder = path.rfind('/').map_or("", |slash| &path[..=slash]).to_owned();
    let mut relationships = package.relationships(&path)?;
    let ids = sheet_ids(package, &path)?;
    let mut workbook = Workbook { wants_calculation: ids.wants_calculation, sheets: Vec::new() };
    let mut is_canonical = package.relationships("").is_some_and(|root| {
        root.iter().any(|relationship| {
            relationship.kind == "officeDocument" && relationship.target == path
        })
    });
    for id in ids.sheets {
        let found = relationships.iter_mut().find(|relationship| relationship.id == id);
        let Some(relationship) = found else {
            is_canonical = false;
            workbook.sheets.push(SheetPart { kind: Kind::Missing, part: None });
            let target = format!("{folder}missing.xml");
            relationships.push(Relationship { id, kind: "dialogsheet".to_owned(), target });
            continue;
        };
        let kind = match relationship.kind.as_str() {
            _ if !package.has(&relationship.target) => Kind::Missing,
            "worksheet" => Kind::Worksheet,
            "chartsheet" => Kind::Chart,
            _ => Kind::Program,
        };
        workbook.sheets.push(SheetPart { kind, part: Some(relationship.target.clone()) });
        if !matches!(relationship.kind.as_str(), "worksheet" | "chartsheet" | "dialogsheet") {
            is_canonical = false;
            relationship.kind = "dialogsheet".to_owned();
        }
    }
    // What has to be copied under another name.
    let mut moved = Vec::new();
    for (kind, name) in BESIDE {
        let expected = format!("{folder}{name}");
        if let Some(relationship) = relationships.iter().find(|one| one.kind == kind)
            && !relationship.target.eq_ignore_ascii_case(&expected)
            && package.has(&relationship.target)
        {
            is_canonical = false;
            moved.push((relationship.target.clone(), expected));
        }
    }
    is_canonical &= has_plain_targets(package, &path);
    if is_canonical {
        return Some((workbook, Cow::Borrowed(bytes)));
    }
    let copy = copy(package, &path, &relationships, &moved).ok()?;
    Some((workbook, Cow::Owned(copy)))
}

struct SheetIds {
    sheets: Vec<String>,
    wants_calculation: bool,
}

fn sheet_ids(package: &mut Package<'_>, path: &str) -> Option<SheetIds> {
    let mut ids = SheetIds { sheets: Vec::new(), wants_calculation: false };
    elements(&package.read(path)?, |element| match element.local_name().as_ref() {
        "sheet" => ids.sheets.push(attribute(element, "id").unwrap_or_default()),
        "calcPr" => {
            ids.wants_calculation = attribute(element, "fullCalcOnLoad")
                .is_some_and(|value| matches!(value.as_str(), "1" | "true"));
        }
        _ => {}
    });
    Some(ids)
}

/// Whether the workbook names its sheets without going up and down through folders.
fn has_plain_targets(package: &mut Package<'_>, workbook: &str) -> bool {
    let (folder, name) = workbook.rsplit_once('/').unwrap_or(("", workbook));
    let slash = if folder.is_empty() { "" } else { "/" };
    let Some(xml) = package.read(&format!("{folder}{slash}_rels/{name}.rels")) else {
        return false;
    };
    let mut is_plain = true;
    elements(&xml, |element| {
        let target = attribute(element, "Target").unwrap_or_default();
        let is_external = attribute(element, "TargetMode").is_some_and(|mode| mode == "External");
        is_plain &= is_external || !target.contains("./") && !target.contains('\\');
    });
    is_plain
}

/// The package with new relationships, and some parts under new names.
fn copy(
    package: &mut Package<'_>,
    workbook: &str,
    relationships: &[Relationship],
    moved: &[(String, String)],
) -> ZipResult<Vec<u8>> {
    let (folder, name) = workbook.rsplit_once('/').unwrap_or(("", workbook));
    let slash = if folder.is_empty() { "" } else { "/" };
    let own = format!("{folder}{slash}_rels/{name}.rels");
    let replaced = |path: &str| {
        let is = |other: &str| super::key(path) == super::key(other);
        is(&own) || is("_rels/.rels") || moved.iter().any(|(_, to)| is(to))
    };
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, index) in package.in_order() {
        if !replaced(&path) {
            let file = package.zip.by_index_raw(index)?;
            writer.raw_copy_file_rename(file, path)?;
        }
    }
    for (from, to) in moved {
        if let Some(index) = package.parts.get(&super::key(from)) {
            let file = package.zip.by_index_raw(*index)?;
            writer.raw_copy_file_rename(file, to)?;
        }
    }
    let options = SimpleFileOptions::default();
    writer.start_file("_rels/.rels", options)?;
    let root = Relationship {
        id: "rId1".to_owned(),
        kind: "officeDocument".to_owned(),
        target: workbook.to_owned(),
    };
    writer.write_all(write_relationships(&[root]).as_bytes())?;
    writer.start_file(own, options)?;
    writer.write_all(write_relationships(relationships).as_bytes())?;
    Ok(writer.finish()?.into_inner())
}

fn write_relationships(relationships: &[Relationship]) -> String {
    use quick_xml::escape::escape;
    let mut xml = String::from(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">",
    );
    for Relationship { id, kind, target } in relationships {
        xml.push_str(&format!(
            "<Relationship Id=\"{}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}\" \
             Target=\"/{}\"/>",
            escape(id.as_str()),
            escape(kind.as_str()),
            escape(target.as_str())
        ));
    }
    xml.push_str("</Relationships>");
    xml
}
