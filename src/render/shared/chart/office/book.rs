//! The workbook in a chart, which "edit data" opens: one sheet with the categories in its first column, and a series in each
//! of the others. Text in it is never a formula.

use std::fmt::Write as _;

use super::formats::Formats;
use super::text::pushed;
use crate::model::chart::description::{ChartDescription, ChartRole, ChartShape};
use crate::shared::ooxml::{Archive, HEAD, OFFICE, RELATIONSHIPS};
use mitt_base::Result;

/// Name of its sheet in references.
pub(super) const SHEET: &str = "Sheet1";

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// Returns the letter of a column, from 0. There are at most 25.
pub(super) fn letter(column: usize) -> char {
    char::from(b'A'.saturating_add(u8::try_from(column).unwrap_or(u8::MAX).min(25)))
}

/// Returns a number in XML's notation.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-5..1e15).contains(&size) => format!("{value:e}"),
        _ => format!("{value}"),
    }
}

/// Returns the file.
pub(super) fn book(
    chart: &ChartDescription,
    names: &[String],
    formats: &Formats,
) -> Result<Vec<u8>> {
    let mut archive = Archive::new();
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    archive.add(
        "[Content_Types].xml",
        &format!(
            "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
             <Override PartName=\"/xl/workbook.xml\" ContentType=\"{kind}.sheet.main+xml\"/>\
             <Override PartName=\"/xl/styles.xml\" ContentType=\"{kind}.styles+xml\"/>\
             <Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"{kind}.worksheet+xml\"/></Types>"
        ),
    )?;
    archive.add(
        "_rels/.rels",
        &format!(
            "{HEAD}<Relationships xmlns=\"{RELATIONSHIPS}\">\
             <Relationship Id=\"rId1\" Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
        ),
    )?;
    archive.add(
        "xl/workbook.xml",
        &format!(
            "{HEAD}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>\
             <sheet name=\"{SHEET}\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
        ),
    )?;
    archive.add(
        "xl/_rels/workbook.xml.rels",
        &format!(
            "{HEAD}<Relationships xmlns=\"{RELATIONSHIPS}\">\
             <Relationship Id=\"rId1\" Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
             <Relationship Id=\"rId2\" Type=\"{OFFICE}/styles\" Target=\"styles.xml\"/></Relationships>"
        ),
    )?;
    archive.add("xl/styles.xml", &styles(formats))?;
    archive.add("xl/worksheets/sheet1.xml", &sheet(chart, names))?;
    archive.finish()
}

/// Returns the number formats of the two axes and of x values, as styles 1 to 3.
fn styles(formats: &Formats) -> String {
    let all = [&formats.values, &formats.second_values, &formats.x];
    let mut xml = format!("{HEAD}<styleSheet xmlns=\"{MAIN}\"><numFmts count=\"{}\">", all.len());
    for (index, code) in all.into_iter().enumerate() {
        let _ =
            write!(xml, "<numFmt numFmtId=\"{}\" formatCode=\"{}\"/>", 164 + index, pushed(code));
    }
    xml.push_str(
        "</numFmts><fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
         <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>\
         <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
         <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs><cellXfs count=\"4\">\
         <xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>",
    );
    for index in 0..3 {
        let _ = write!(
            xml,
            "<xf numFmtId=\"{}\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>",
            164 + index
        );
    }
    xml + "</cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"
}

fn sheet(chart: &ChartDescription, names: &[String]) -> String {
    let mut xml = format!(
        "{HEAD}<worksheet xmlns=\"{MAIN}\"><cols><col min=\"1\" max=\"{}\" width=\"16\" customWidth=\"1\"/></cols><sheetData><row r=\"1\">",
        names.len() + 1
    );
    let text = |xml: &mut String, column: usize, row: usize, text: &str| {
        let _ = write!(
            xml,
            "<c r=\"{}{row}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
            letter(column),
            pushed(text)
        );
    };
    let value = |xml: &mut String, column: usize, row: usize, style: usize, value: f64| {
        let _ = write!(
            xml,
            "<c r=\"{}{row}\" s=\"{style}\"><v>{}</v></c>",
            letter(column),
            number(value)
        );
    };
    text(&mut xml, 0, 1, chart.category_title.as_deref().unwrap_or_default());
    for (index, name) in names.iter().enumerate() {
        text(&mut xml, index + 1, 1, name);
    }
    xml.push_str("</row>");
    for (at, category) in chart.categories.iter().enumerate() {
        let row = at + 2;
        let _ = write!(xml, "<row r=\"{row}\">");
        if chart.kind == ChartShape::Scatter {
            if let Some(x) = chart.x.get(at).copied().flatten() {
                value(&mut xml, 0, row, 3, x.get());
            }
        } else {
            text(&mut xml, 0, row, category)
        }
        for (index, series) in chart.series.iter().enumerate() {
            let style = if series.role == ChartRole::Second { 2 } else { 1 };
            if let Some(it) = series.values.get(at).copied().flatten() {
                value(&mut xml, index + 1, row, style, it.get());
            }
        }
        xml.push_str("</row>");
    }
    xml + "</sheetData></worksheet>"
}
