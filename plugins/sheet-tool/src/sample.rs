//! Small workbooks for tests.

use crate::zip::Zip;

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

/// A workbook to be made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// Name, attributes and source: the rows, or the whole part if it begins with `<worksheet`.
    sheets: Vec<(String, String, String)>,
    /// What follows the list of sheets in the workbook part.
    names: String,
    /// Name and content of other parts.
    parts: Vec<(String, String)>,
    /// Relationships of parts: owner, kind and target.
    relations: Vec<(String, String, String)>,
}

impl Sample {
    pub(crate) fn sheet(self, name: &str, rows: &str) -> Self {
        self.sheet_with(name, "", rows)
    }

    /// Adds a sheet with attributes in the list of sheets.
    pub(crate) fn sheet_with(mut self, name: &str, attributes: &str, rows: &str) -> Self {
        self.sheets.push((name.into(), attributes.into(), rows.into()));
        self
    }

    pub(crate) fn names(mut self, xml: &str) -> Self {
        self.names = xml.into();
        self
    }

    pub(crate) fn part(mut self, name: &str, content: &str) -> Self {
        self.parts.push((name.into(), content.into()));
        self
    }

    /// Relates a part to another one by a kind such as `drawing`.
    pub(crate) fn relation(mut self, part: &str, kind: &str, target: &str) -> Self {
        self.relations.push((part.into(), kind.into(), target.into()));
        self
    }

    pub(crate) fn styles(self, xml: &str) -> Self {
        let xml = format!("<styleSheet xmlns=\"{MAIN}\">{xml}</styleSheet>");
        self.part("xl/styles.xml", &xml).relation("xl/workbook.xml", "styles", "xl/styles.xml")
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (mut list, mut types, mut parts) = (String::new(), String::new(), Vec::new());
        let mut relations = self.relations.clone();
        for (at, (name, attributes, source)) in self.sheets.iter().enumerate() {
            let at = at + 1;
            list += &format!(
                "<sheet name=\"{name}\" {attributes} sheetId=\"{at}\" r:id=\"rIdS{at}\"/>"
            );
            types += &format!(
                "<Override PartName=\"/xl/worksheets/sheet{at}.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>"
            );
            let part = format!("xl/worksheets/sheet{at}.xml");
            relations.push(("xl/workbook.xml".into(), format!("worksheet#S{at}"), part.clone()));
            let source = if source.starts_with("<worksheet") {
                source.clone()
            } else {
                format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{source}</sheetData></worksheet>")
            };
            parts.push((part, source.into_bytes()));
        }
        let names = &self.names;
        let workbook = format!(
            "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>{list}</sheets>{names}</workbook>"
        );
        parts.push(("xl/workbook.xml".into(), workbook.into_bytes()));
        relations.push((String::new(), "officeDocument".into(), "xl/workbook.xml".into()));
        let mut owners: Vec<&String> = relations.iter().map(|it| &it.0).collect();
        owners.sort();
        owners.dedup();
        for owner in owners {
            let own = relations.iter().filter(|it| it.0 == *owner).enumerate();
            let all: String = own
                .map(|(at, (_, kind, target))| {
                    let number = (at + 1).to_string();
                    let (kind, id) = kind.split_once('#').unwrap_or((kind, &number));
                    format!("<Relationship Id=\"rId{id}\" Type=\"{OFFICE}/{kind}\" Target=\"/{target}\"/>")
                })
                .collect();
            let xml =
                format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{all}</Relationships>");
            parts.push((crate::package::relations_name(owner), xml.into_bytes()));
        }
        parts.extend(self.parts.iter().map(|it| (it.0.clone(), it.1.clone().into_bytes())));
        parts.push(("[Content_Types].xml".into(), format!("<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>{types}</Types>").into_bytes()));
        Zip::empty().rewrite(&parts, &[]).unwrap()
    }
}

/// Returns a workbook of sheets by name and rows, with names.
pub(crate) fn workbook(sheets: &[(&str, &str)], names: &str) -> Vec<u8> {
    let tail = "<mergeCells count=\"1\"><mergeCell ref=\"F8:G9\"/></mergeCells>";
    let sheet = |all: Sample, it: &(&str, &str)| {
        let (name, rows) = it;
        let xml =
            format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData>{tail}</worksheet>");
        all.sheet(name, &xml)
    };
    sheets.iter().fold(Sample::default(), sheet).names(names).bytes()
}

/// Returns rows of cells: numbers, formulas behind `=`, other texts; empty texts are no cells. `@2` at the end is a format.
pub(crate) fn rows(cells: &[&[&str]]) -> String {
    numbered(cells.iter().enumerate().map(|(at, row)| (at as u32 + 1, *row)))
}

pub(crate) fn numbered<'a>(cells: impl Iterator<Item = (u32, &'a [&'a str])>) -> String {
    let mut out = String::new();
    for (number, row) in cells {
        out += &format!("<row r=\"{number}\">");
        for (column, cell) in row.iter().enumerate() {
            let at = format!("{}{number}", crate::refs::column_name(column as u32 + 1));
            let (cell, style) = match cell.rsplit_once('@') {
                Some((cell, style)) if style.parse::<u32>().is_ok() => {
                    (cell, format!(" s=\"{style}\""))
                }
                _ => (*cell, String::new()),
            };
            let text = crate::xml::escape(cell);
            out += &match cell {
                "" if style.is_empty() => continue,
                "" => format!("<c r=\"{at}\"{style}/>"),
                cell if cell.starts_with('=') => {
                    format!("<c r=\"{at}\"{style}><f>{}</f><v>0</v></c>", &text[1..])
                }
                cell if cell.parse::<f64>().is_ok() => {
                    format!("<c r=\"{at}\"{style}><v>{text}</v></c>")
                }
                _ => format!("<c r=\"{at}\"{style} t=\"inlineStr\"><is><t>{text}</t></is></c>"),
            };
        }
        out += "</row>";
    }
    out
}
