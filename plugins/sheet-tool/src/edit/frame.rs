//! Edits of what surrounds the cells of a sheet: widths, frozen panes, filters, merged cells, rules, protection.

use super::kinds::{Rule, RuleKind};
use super::state::Batch;
use crate::book::Format;
use crate::error::{Error, Result, invalid};
use crate::formula::parse;
use crate::refs::{self, Area, At, Axis};
use crate::value::Scalar;
use crate::xml::{
    before_extensions, children, element, elements, escape, find_tag, first_tag, set_attribute,
};
use mitt_package::counted;

/// Elements behind the rows in the order that Excel wants.
const TAIL: [&str; 36] = [
    "sheetCalcPr",
    "sheetProtection",
    "protectedRanges",
    "scenarios",
    "autoFilter",
    "sortState",
    "dataConsolidate",
    "customSheetViews",
    "mergeCells",
    "phoneticPr",
    "conditionalFormatting",
    "dataValidations",
    "hyperlinks",
    "printOptions",
    "pageMargins",
    "pageSetup",
    "headerFooter",
    "rowBreaks",
    "colBreaks",
    "customProperties",
    "cellWatches",
    "ignoredErrors",
    "smartTags",
    "drawing",
    "legacyDrawing",
    "legacyDrawingHF",
    "drawingHF",
    "picture",
    "oleObjects",
    "controls",
    "webPublishItems",
    "tableParts",
    "extLst",
    "AlternateContent",
    "worksheet",
    "",
];
pub(super) const HEAD: [&str; 6] =
    ["sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData"];

/// Puts an element in its place among others: in front of the first one that must stand behind it.
pub(crate) fn placed(xml: &str, name: &str, new: &str, order: &[&str]) -> String {
    let rank = order.iter().position(|it| *it == name).unwrap_or(order.len());
    let mut all = crate::xml::xml_tokens(xml);
    let mut depth = 0_i32;
    loop {
        let at = all.offset();
        let Some(token) = all.next() else { return format!("{xml}{new}") };
        let crate::xml::XmlToken::Tag(tag) = token else { continue };
        let of = order.iter().position(|it| *it == tag.name);
        let is_open = tag.kind != crate::xml::TagKind::Close;
        let is_end = !is_open && tag.name == "worksheet";
        // The head begins with the root, the tail with the end of the rows.
        let is_top = depth == i32::from(order[0] == "sheetPr");
        if is_end || is_open && is_top && of.is_some_and(|it| it > rank) {
            return format!("{}{new}{}", &xml[..at], &xml[at..]);
        }
        match tag.kind {
            crate::xml::TagKind::Open => depth += 1,
            crate::xml::TagKind::Close if tag.name != "sheetData" => depth -= 1,
            _ => {}
        }
    }
}

pub(super) fn replace(xml: &str, at: usize, old: &str, new: &str) -> String {
    format!("{}{new}{}", &xml[..at], &xml[at + old.len()..])
}

pub(super) fn area(batch: &Batch, range: &str) -> Result<(usize, Area, Axis)> {
    let (sheet, rest) = batch.book.place(range)?;
    match refs::wide_area(rest) {
        Some((area, axis)) => Ok((sheet, area, axis)),
        None => invalid(format!("expected a range such as `Sheet1!B2:C5`, got `{range}`")),
    }
}

pub(crate) fn freeze(batch: &mut Batch, at: &str) -> Result<()> {
    let (sheet, cell) = batch.book.cell_place(at)?;
    let text = batch.book.text_mut(sheet)?;
    let prefix = text.prefix.clone();
    let (columns, rows) = (cell.column - 1, cell.row - 1);
    let pane = match (columns, rows) {
        (0, 0) => String::new(),
        _ => {
            let active = match (columns, rows) {
                (0, _) => "bottomLeft",
                (_, 0) => "topRight",
                _ => "bottomRight",
            };
            let x = if columns > 0 { format!(" xSplit=\"{columns}\"") } else { String::new() };
            let y = if rows > 0 { format!(" ySplit=\"{rows}\"") } else { String::new() };
            format!(
                "<{prefix}pane{x}{y} topLeftCell=\"{cell}\" activePane=\"{active}\" state=\"frozen\"/>"
            )
        }
    };
    let head = match element(&text.head, "sheetView") {
        Some((start, view)) => {
            let end = view.find('>').map_or(view.len(), |it| it + 1);
            let tag = view[..end].trim_end_matches(['>', '/']).trim_end();
            // Selections belong to the old panes.
            let rest: String = children(view)
                .into_iter()
                .filter(|it| {
                    first_tag(it).is_some_and(|tag| !matches!(tag.name, "pane" | "selection"))
                })
                .collect();
            let new = match (pane.is_empty(), rest.is_empty()) {
                (true, true) => format!("{tag}/>"),
                _ => format!("{tag}>{pane}{rest}</{prefix}sheetView>"),
            };
            replace(&text.head, start, view, &new)
        }
        None => {
            let new = format!(
                "<{prefix}sheetViews><{prefix}sheetView workbookViewId=\"0\">{pane}</{prefix}sheetView></{prefix}sheetViews>"
            );
            placed(&text.head, "sheetViews", &new, &HEAD)
        }
    };
    text.set_head(head);
    batch.changed(format!("{at}: frozen rows {rows}, columns {columns}"));
    Ok(())
}

pub(crate) fn filter(batch: &mut Batch, range: &str) -> Result<()> {
    let (sheet, rest) = batch.book.place(range)?;
    let text = batch.book.text_mut(sheet)?;
    let prefix = text.prefix.clone();
    let old =
        element(before_extensions(&text.tail), "autoFilter").map(|it| (it.0, it.1.to_owned()));
    if let Some((_, old)) = &old
        && old.contains("filterColumn")
    {
        let hidden = text.rows.iter().any(|row| super::structure::is_hidden(text.row_text(row)));
        if hidden {
            batch.warn(format!("rows of {range} that the old filter hid stay hidden"));
        }
    }
    let text = batch.book.text_mut(sheet)?;
    let new = if rest.is_empty() {
        String::new()
    } else {
        match refs::area(rest) {
            Some(area) => format!("<{prefix}autoFilter ref=\"{area}\"/>"),
            None => {
                return invalid(format!(
                    "expected a range with a head such as `Sheet1!A1:D20`, got `{range}`"
                ));
            }
        }
    };
    let tail = match &old {
        Some((at, old)) => replace(&text.tail, *at, old, &new),
        None if new.is_empty() => text.tail.clone(),
        None => placed(&text.tail, "autoFilter", &new, &TAIL),
    };
    text.set_tail(tail);
    batch.changed(format!("{range}: {}", if new.is_empty() { "no filter" } else { "filter" }));
    Ok(())
}

pub(crate) fn merge(batch: &mut Batch, range: &str, is_on: bool) -> Result<()> {
    let (sheet, area, axis) = area(batch, range)?;
    if axis != Axis::Cells || is_on && area.is_cell() {
        return invalid(format!("expected a range such as `Sheet1!B2:C5`, got `{range}`"));
    }
    let text = batch.book.text(sheet)?;
    let prefix = text.prefix.clone();
    let old =
        element(before_extensions(&text.tail), "mergeCells").map(|it| (it.0, it.1.to_owned()));
    let mut all: Vec<Area> = old
        .iter()
        .flat_map(|it| children(&it.1))
        .filter_map(|it| refs::area(first_tag(it)?.attribute("ref")?))
        .collect();
    let count = all.len();
    all.retain(|it| is_on || it.meet(&area).is_none());
    if is_on {
        if let Some(other) = all.iter().find(|it| it.meet(&area).is_some()) {
            return invalid(format!("{range} overlaps the merged cells {other}"));
        }
        all.push(area);
        // Only the first cell keeps its value, as in Excel.
        for row in area.first.row..=area.last.row {
            for column in area.first.column..=area.last.column {
                let at = At { row, column };
                let view = batch.book.cell(sheet, at)?;
                if at != area.first && (view.value != Scalar::Empty || view.formula.is_some()) {
                    return invalid(format!(
                        "{}: only the first of merged cells may have a value; clear it first",
                        batch.place(sheet, at)
                    ));
                }
            }
        }
    } else if all.len() == count {
        return invalid(format!("there are no merged cells in {range}"));
    }
    let items: String = all.iter().map(|it| format!("<{prefix}mergeCell ref=\"{it}\"/>")).collect();
    let new = if all.is_empty() {
        String::new()
    } else {
        format!("<{prefix}mergeCells count=\"{}\">{items}</{prefix}mergeCells>", all.len())
    };
    let text = batch.book.text_mut(sheet)?;
    let tail = match &old {
        Some((at, old)) => replace(&text.tail, *at, old, &new),
        None => placed(&text.tail, "mergeCells", &new, &TAIL),
    };
    text.set_tail(tail);
    batch.changed(format!("{range}: {}", if is_on { "merged" } else { "not merged" }));
    Ok(())
}

fn operator(rule: &Rule) -> Result<(&'static str, usize)> {
    Ok(match rule.operator.as_deref().unwrap_or("between") {
        "between" => ("between", 2),
        "not-between" => ("notBetween", 2),
        "=" => ("equal", 1),
        "<>" => ("notEqual", 1),
        "<" => ("lessThan", 1),
        "<=" => ("lessThanOrEqual", 1),
        ">" => ("greaterThan", 1),
        ">=" => ("greaterThanOrEqual", 1),
        other => {
            return invalid(format!(
                "expected between, not-between, =, <>, <, <=, > or >=, got `{other}`"
            ));
        }
    })
}

/// Returns a value of a rule as a formula.
fn operand(batch: &Batch, value: &str) -> Result<String> {
    if let Some(formula) = value.strip_prefix('=') {
        return match parse(formula, &batch.book) {
            Ok(_) => Ok(super::content::stored_formula(formula, &batch.book)),
            Err(why) => invalid(why),
        };
    }
    if let Some((serial, _)) = crate::moment::serial(value, batch.book.from_1904) {
        return Ok(serial.to_string());
    }
    match value.parse::<f64>() {
        Ok(_) => Ok(value.to_owned()),
        Err(_) => Ok(format!("\"{}\"", value.replace('"', "\"\""))),
    }
}

fn formulas(batch: &Batch, rule: &Rule) -> Result<(Option<&'static str>, Vec<String>)> {
    if rule.kind == RuleKind::Formula {
        let [formula] = &rule.values[..] else { return invalid("expected one formula") };
        let formula =
            if formula.starts_with('=') { formula.clone() } else { format!("={formula}") };
        return Ok((None, vec![operand(batch, &formula)?]));
    }
    let (name, count) = operator(rule)?;
    if rule.values.len() != count {
        return invalid(format!("expected {}, got {}", counted(count, "value"), rule.values.len()));
    }
    let values: Result<Vec<_>> = rule.values.iter().map(|it| operand(batch, it)).collect();
    Ok((Some(name), values?))
}

pub(crate) fn validate(
    batch: &mut Batch,
    range: &str,
    rule: &Rule,
    message: Option<&str>,
) -> Result<()> {
    let (sheet, area, axis) = area(batch, range)?;
    let shown = super::shift::shown(area, axis);
    let prefix = batch.book.text(sheet)?.prefix.clone();
    let (kind, operator, values) = match rule.kind {
        RuleKind::Remove => ("", None, Vec::new()),
        RuleKind::List => {
            let values = match &rule.values[..] {
                [one] if one.starts_with('=') => operand(batch, one)?,
                items => {
                    let joined = items.join(",");
                    if items.iter().any(|it| it.contains(','))
                        || joined.chars().count() > 255
                        || items.is_empty()
                    {
                        return invalid(
                            "expected items without commas of together at most 255 characters; put longer lists into cells and give `=Sheet!A1:A9`",
                        );
                    }
                    format!("\"{}\"", joined.replace('"', "\"\""))
                }
            };
            ("list", None, vec![values])
        }
        _ => {
            let (operator, values) = formulas(batch, rule)?;
            let kind = match rule.kind {
                RuleKind::Whole => "whole",
                RuleKind::Decimal => "decimal",
                RuleKind::Date => "date",
                RuleKind::TextLength => "textLength",
                _ => "custom",
            };
            (kind, operator.filter(|it| *it != "between"), values)
        }
    };
    let mut item = String::new();
    if !kind.is_empty() {
        let operator = operator.map_or(String::new(), |it| format!(" operator=\"{it}\""));
        let error = message.map_or(String::new(), |it| {
            format!(" error=\"{}\"", escape(&it.chars().take(225).collect::<String>()))
        });
        let inner: String = values
            .iter()
            .enumerate()
            .map(|(at, it)| {
                format!(
                    "<{prefix}formula{0}>{1}</{prefix}formula{0}>",
                    at + 1,
                    escape(it).replace("&quot;", "\"")
                )
            })
            .collect();
        item = format!(
            "<{prefix}dataValidation type=\"{kind}\"{operator} allowBlank=\"1\" showInputMessage=\"1\" showErrorMessage=\"1\"{error} sqref=\"{shown}\">{inner}</{prefix}dataValidation>"
        );
    }
    let text = batch.book.text_mut(sheet)?;
    let old =
        element(before_extensions(&text.tail), "dataValidations").map(|it| (it.0, it.1.to_owned()));
    let mut items: Vec<String> =
        old.iter().flat_map(|it| children(&it.1)).filter_map(|it| without_area(it, area)).collect();
    items.extend((!item.is_empty()).then_some(item));
    let new = if items.is_empty() {
        String::new()
    } else {
        let open = old.as_ref().and_then(|it| first_tag(&it.1).map(|tag| tag.raw.to_owned()));
        let open = open.unwrap_or_else(|| format!("<{prefix}dataValidations>"));
        let open = set_attribute(&open, "count", &items.len().to_string());
        format!("{open}{}</{prefix}dataValidations>", items.concat())
    };
    let tail = match &old {
        Some((at, old)) => replace(&text.tail, *at, old, &new),
        None => placed(&text.tail, "dataValidations", &new, &TAIL),
    };
    text.set_tail(tail);
    batch.changed(format!("{range}: rule for what may be typed"));
    Ok(())
}

/// Returns an element with `sqref` without an area; `None` if nothing is left of it.
fn without_area(raw: &str, area: Area) -> Option<String> {
    let tag = first_tag(raw)?;
    let old = tag.text("sqref")?;
    let mut left = Vec::new();
    for part in old.split_ascii_whitespace() {
        let Some((one, axis)) = refs::wide_area(part) else {
            left.push(part.to_owned());
            continue;
        };
        let Some(both) = one.meet(&area) else {
            left.push(super::shift::shown(one, axis));
            continue;
        };
        // What is above, below, left and right of the hole.
        let pieces = [
            (one.first.row, one.first.column, both.first.row - 1, one.last.column),
            (both.last.row + 1, one.first.column, one.last.row, one.last.column),
            (both.first.row, one.first.column, both.last.row, both.first.column - 1),
            (both.first.row, both.last.column + 1, both.last.row, one.last.column),
        ];
        left.extend(
            pieces
                .into_iter()
                .filter(|it| it.0 <= it.2 && it.1 <= it.3)
                .map(|it| Area::new(it.0, it.1, it.2, it.3).to_string()),
        );
    }
    let new = set_attribute(tag.raw, "sqref", &left.join(" "));
    (!left.is_empty()).then(|| new + &raw[tag.raw.len()..])
}

pub(crate) fn mark(batch: &mut Batch, range: &str, rule: &Rule, format: &Format) -> Result<()> {
    let (sheet, area, axis) = area(batch, range)?;
    let shown = super::shift::shown(area, axis);
    let prefix = batch.book.text(sheet)?.prefix.clone();
    if rule.kind == RuleKind::Remove {
        let text = batch.book.text_mut(sheet)?;
        let mut tail = text.tail.clone();
        for (at, old) in
            elements(before_extensions(&text.tail), "conditionalFormatting").into_iter().rev()
        {
            tail = replace(&tail, at, old, &without_area(old, area).unwrap_or_default());
        }
        text.set_tail(tail);
        batch.changed(format!("{range}: no conditional formats"));
        return Ok(());
    }
    if !batch.book.has_styles() {
        return invalid("the workbook has no styles, so formats cannot be set");
    }
    let (operator, values) = formulas(batch, rule)?;
    let difference = batch.book.styles.add_difference(format).map_err(Error::Invalid)?;
    let text = batch.book.text_mut(sheet)?;
    // A smaller number comes first, so the new rule takes the first place behind the others.
    let priority = elements(before_extensions(&text.tail), "cfRule")
        .iter()
        .filter_map(|it| first_tag(it.1)?.number("priority"))
        .max()
        .unwrap_or(0)
        + 1;
    let kind = match operator {
        Some(operator) => format!(
            "type=\"cellIs\" dxfId=\"{difference}\" priority=\"{priority}\" operator=\"{operator}\""
        ),
        None => format!("type=\"expression\" dxfId=\"{difference}\" priority=\"{priority}\""),
    };
    let inner: String = values
        .iter()
        .map(|it| {
            format!("<{prefix}formula>{}</{prefix}formula>", escape(it).replace("&quot;", "\""))
        })
        .collect();
    let new = format!(
        "<{prefix}conditionalFormatting sqref=\"{shown}\"><{prefix}cfRule {kind}>{inner}</{prefix}cfRule></{prefix}conditionalFormatting>"
    );
    let tail = match elements(before_extensions(&text.tail), "conditionalFormatting").last() {
        Some((at, old)) => {
            format!("{}{new}{}", &text.tail[..at + old.len()], &text.tail[at + old.len()..])
        }
        None => placed(&text.tail, "conditionalFormatting", &new, &TAIL),
    };
    text.set_tail(tail);
    batch.changed(format!("{range}: conditional format"));
    Ok(())
}

pub(crate) fn protect(batch: &mut Batch, sheet: &str, is_on: bool) -> Result<()> {
    let index = batch.book.find(sheet)?;
    let text = batch.book.text_mut(index)?;
    let prefix = text.prefix.clone();
    let old =
        element(before_extensions(&text.tail), "sheetProtection").map(|it| (it.0, it.1.to_owned()));
    let has_password =
        old.as_ref().is_some_and(|it| it.1.contains("password=") || it.1.contains("hashValue="));
    if has_password {
        return invalid(format!(
            "the protection of `{sheet}` has a password; only its owner can change it"
        ));
    }
    let new = if is_on {
        format!("<{prefix}sheetProtection sheet=\"1\" objects=\"1\" scenarios=\"1\"/>")
    } else {
        String::new()
    };
    let tail = match &old {
        Some((at, old)) => replace(&text.tail, *at, old, &new),
        None if is_on => placed(&text.tail, "sheetProtection", &new, &TAIL),
        None => text.tail.clone(),
    };
    text.set_tail(tail);
    batch.changed(format!(
        "{}: protection {}",
        refs::quoted_sheet(sheet),
        if is_on { "on" } else { "off" }
    ));
    Ok(())
}

/// Sets or adds an element of the tail that has no content, such as `legacyDrawing`.
pub(crate) fn link(batch: &mut Batch, sheet: usize, name: &str, id: &str) -> Result<()> {
    let text = batch.book.text_mut(sheet)?;
    let prefix = text.prefix.clone();
    let mut head = text.head.clone();
    // The prefix of relationships may not be declared yet.
    let r = match head
        .split_once("=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"")
    {
        Some((before, _)) => before.rsplit("xmlns:").next().unwrap_or("r").to_owned(),
        None => {
            if let Some((at, tag)) = find_tag(&head, "worksheet") {
                let raw = set_attribute(
                    tag.raw,
                    "xmlns:r",
                    "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                );
                head = replace(&head, at, tag.raw, &raw);
            }
            "r".to_owned()
        }
    };
    let new = format!("<{prefix}{name} {r}:id=\"{id}\"/>");
    let tail = placed(&text.tail, name, &new, &TAIL);
    text.set_head(head);
    text.set_tail(tail);
    Ok(())
}
