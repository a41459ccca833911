//! Gives inserted blocks the looks of their place: paragraphs those of the mark, tables those of the template's first table.

use super::insertion::Inserted;
use super::tree::{Element, Node};

/// Properties of a paragraph that inserted paragraphs take from that of the mark.
const TAKEN: [&str; 6] =
    ["w:pStyle", "w:spacing", "w:ind", "w:contextualSpacing", "w:jc", "w:textAlignment"];

/// Order of the properties of a paragraph.
const PARAGRAPH_ORDER: [&str; 35] = [
    "w:pStyle",
    "w:keepNext",
    "w:keepLines",
    "w:pageBreakBefore",
    "w:framePr",
    "w:widowControl",
    "w:numPr",
    "w:suppressLineNumbers",
    "w:pBdr",
    "w:shd",
    "w:tabs",
    "w:suppressAutoHyphens",
    "w:kinsoku",
    "w:wordWrap",
    "w:overflowPunct",
    "w:topLinePunct",
    "w:autoSpaceDE",
    "w:autoSpaceDN",
    "w:bidi",
    "w:adjustRightInd",
    "w:snapToGrid",
    "w:spacing",
    "w:ind",
    "w:contextualSpacing",
    "w:mirrorIndents",
    "w:suppressOverlap",
    "w:jc",
    "w:textDirection",
    "w:textAlignment",
    "w:textboxTightWrap",
    "w:outlineLvl",
    "w:divId",
    "w:cnfStyle",
    "w:rPr",
    "w:sectPr",
];

/// Properties of a table that inserted tables take from the template's.
const OF_TABLES: [&str; 5] = ["w:tblBorders", "w:shd", "w:tblCellMar", "w:tblLook", "w:tblStyle"];

/// Order of the properties of a table.
const TABLE_ORDER: [&str; 15] = [
    "w:tblStyle",
    "w:tblpPr",
    "w:tblOverlap",
    "w:bidiVisual",
    "w:tblStyleRowBandSize",
    "w:tblStyleColBandSize",
    "w:tblW",
    "w:jc",
    "w:tblCellSpacing",
    "w:tblInd",
    "w:tblBorders",
    "w:shd",
    "w:tblLayout",
    "w:tblCellMar",
    "w:tblLook",
];

/// Order of the properties of a cell.
const CELL_ORDER: [&str; 12] = [
    "w:cnfStyle",
    "w:tcW",
    "w:gridSpan",
    "w:hMerge",
    "w:vMerge",
    "w:tcBorders",
    "w:shd",
    "w:noWrap",
    "w:tcMar",
    "w:textDirection",
    "w:tcFitText",
    "w:vAlign",
];

/// Properties of cells that inserted cells take from the template's.
const OF_CELLS: [&str; 4] = ["w:tcBorders", "w:shd", "w:tcMar", "w:vAlign"];

/// The looks of the first table of a template.
#[derive(Default)]
pub(super) struct Model {
    table: Option<Element>,
    head: Option<CellLooks>,
    row: Option<CellLooks>,
}

/// The looks of a cell.
struct CellLooks {
    cell: Option<Element>,
    paragraph: Option<Element>,
    run: Option<Element>,
}

impl Model {
    /// Reads the looks of the first table with a style or borders and several rows, or else of the first one: a table of one
    /// row often only arranges a letterhead.
    pub(super) fn of(root: &Element) -> Model {
        let (mut first, mut found) = (None, None);
        root.visit(&mut |element| {
            if !element.is("w:tbl") {
                return;
            }
            first = first.or(Some(element));
            let has_looks = element.find("w:tblPr").is_some_and(|it| {
                it.find("w:tblStyle").is_some() || it.find("w:tblBorders").is_some()
            });
            if has_looks && element.elements().filter(|it| it.is("w:tr")).count() > 1 {
                found = found.or(Some(element));
            }
        });
        let found = found.or(first);
        let Some(table) = found else { return Model::default() };
        let mut rows = table.elements().filter(|it| it.is("w:tr")).map(CellLooks::of);
        let head = rows.next().flatten();
        let row = rows.next().flatten();
        Model { table: table.find("w:tblPr").cloned(), head, row }
    }
}

impl CellLooks {
    fn of(row: &Element) -> Option<CellLooks> {
        let cell = row.find("w:tc")?;
        let paragraph = cell.find("w:p");
        let run = paragraph.and_then(|it| it.find("w:r")).and_then(|it| it.find("w:rPr"));
        Some(CellLooks {
            cell: cell.find("w:tcPr").cloned(),
            paragraph: paragraph.and_then(|it| it.find("w:pPr")).cloned(),
            run: run.cloned(),
        })
    }
}

/// Gives blocks the looks of their place.
pub(super) fn dress(blocks: &mut [Node], inserted: &Inserted, model: &Model) {
    for block in blocks.iter_mut().filter_map(Node::element_mut) {
        if block.is("w:tbl") {
            if inserted.is_table {
                dress_table(block, model);
            }
        } else if block.is("w:p") && is_plain(block) {
            dress_paragraph(block, inserted.paragraph.as_ref(), inserted.run.as_ref());
        }
    }
}

/// Returns `true` for a paragraph without a style, numbering or border of its own.
fn is_plain(paragraph: &Element) -> bool {
    paragraph.find("w:pPr").is_none_or(|it| {
        ["w:pStyle", "w:numPr", "w:pBdr", "w:jc", "w:spacing"]
            .iter()
            .all(|name| it.find(name).is_none())
    })
}

fn dress_paragraph(paragraph: &mut Element, looks: Option<&Element>, run: Option<&Element>) {
    if let Some(looks) = looks {
        let taken = taken(Some(looks), &TAKEN);
        match paragraph.find_mut("w:pPr") {
            // What the paragraph has itself stays.
            Some(own) => {
                let more = taken.into_iter().filter(|it| own.find(&it.name).is_none());
                let more: Vec<Element> = more.collect();
                set_in_order(own, &more, &PARAGRAPH_ORDER);
            }
            None => {
                let mut own = Element::new("w:pPr", "");
                set_in_order(&mut own, &taken, &PARAGRAPH_ORDER);
                paragraph.children.insert(0, Node::Element(own));
            }
        }
    }
    if let Some(run) = run {
        dress_runs(paragraph, run);
    }
}

/// Gives runs the formatting that they do not have themselves.
fn dress_runs(element: &mut Element, looks: &Element) {
    for inner in element.elements_mut() {
        if !inner.is("w:r") {
            if inner.is("w:hyperlink") {
                dress_runs(inner, looks);
            }
            continue;
        }
        match inner.find_mut("w:rPr") {
            Some(own) => {
                for property in looks.elements() {
                    if own.find(&property.name).is_none() && !property.is("w:rStyle") {
                        own.children.push(Node::Element(property.clone()));
                    }
                }
            }
            None => inner.children.insert(0, Node::Element(looks.clone())),
        }
    }
}

/// Sets properties in the order of the format.
fn set_in_order(properties: &mut Element, taken: &[Element], order: &[&str]) {
    for property in taken {
        properties.children.retain(|node| node.element().is_none_or(|it| it.name != property.name));
        properties.children.push(Node::Element(property.clone()));
    }
    let place = |node: &Node| {
        let name = node.element().map_or("", |it| it.name.as_str());
        order.iter().position(|it| *it == name).unwrap_or(order.len())
    };
    properties.children.sort_by_key(place);
}

fn taken(from: Option<&Element>, names: &[&str]) -> Vec<Element> {
    let all = from.into_iter().flat_map(Element::elements);
    all.filter(|it| names.contains(&it.name.as_str())).cloned().collect()
}

fn dress_table(table: &mut Element, model: &Model) {
    let Some(looks) = &model.table else { return };
    if let Some(properties) = table.find_mut("w:tblPr") {
        set_in_order(properties, &taken(Some(looks), &OF_TABLES), &TABLE_ORDER);
    }
    for (index, row) in table.elements_mut().filter(|it| it.is("w:tr")).enumerate() {
        let looks = match index {
            0 => model.head.as_ref(),
            _ => model.row.as_ref().or(model.head.as_ref()),
        };
        let Some(looks) = looks else { continue };
        for cell in row.elements_mut().filter(|it| it.is("w:tc")) {
            if let Some(properties) = cell.find_mut("w:tcPr") {
                set_in_order(properties, &taken(looks.cell.as_ref(), &OF_CELLS), &CELL_ORDER);
            }
            for paragraph in cell.elements_mut().filter(|it| it.is("w:p")) {
                let side = paragraph.find("w:pPr").and_then(|it| it.find("w:jc")).cloned();
                let mut own = Element::new("w:pPr", "");
                let mut all = taken(looks.paragraph.as_ref(), &TAKEN);
                all.extend(side);
                set_in_order(&mut own, &all, &PARAGRAPH_ORDER);
                paragraph.children.retain(|node| node.element().is_none_or(|it| !it.is("w:pPr")));
                paragraph.children.insert(0, Node::Element(own));
                if let Some(run) = &looks.run {
                    dress_runs(paragraph, run);
                }
            }
        }
    }
}

/// Fits tables and drawings into a cell. `width` is that of the text for which they were made.
pub(super) fn fit(blocks: &mut [Node], width: Option<u32>, room: u32) {
    let width = f64::from(width.unwrap_or(9_026)).max(1.0);
    let ratio = (f64::from(room) / width).min(1.0);
    let most = f64::from(room) * 635.0;
    for block in blocks.iter_mut().filter_map(Node::element_mut) {
        let mut drawing = 1.0;
        block.visit_mut(&mut |element| match element.name.as_str() {
            "w:tblW" | "w:tcW" | "w:gridCol" => {
                if element.get("w:type").is_none_or(|it| it == "dxa")
                    && let Some(value) = element.get("w:w").and_then(|it| it.parse::<f64>().ok())
                {
                    let value = (value * ratio).round().max(1.0);
                    element.set("w:w", Some(&value.to_string()));
                }
            }
            "wp:extent" | "a:ext" => {
                let side = |key: &str| element.get(key)?.parse::<f64>().ok();
                if let (Some(width), Some(height)) = (side("cx"), side("cy")) {
                    if element.is("wp:extent") {
                        drawing = (most / width.max(1.0)).min(1.0);
                    }
                    let scaled = |side: f64| (side * drawing).round().max(1.0).to_string();
                    element.set("cx", Some(&scaled(width)));
                    element.set("cy", Some(&scaled(height)));
                }
            }
            _ => {}
        });
    }
}
