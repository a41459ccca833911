//! The workbook part, and the cells of all sheets.

use super::cell::FormulaKind;
use super::sheet::SheetText;
use super::strings::{Strings, decoded};
use super::styles::Styles;
use super::written::{CellEdit, Content};
use crate::error::{Error, Result, invalid};
use crate::formula::{Names, TableArea, translated};
use crate::package::Package;
use crate::refs::{self, At};
use crate::value::Scalar;
use crate::world::World;
use crate::xml::{TagKind, XmlToken, unescape, xml_tokens};

/// Most bytes of XML of all sheets together, 256 MiB.
pub(crate) const MAX_SHEET_BYTES: usize = 256 << 20;

#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) part: String,
    /// `visible`, `hidden` or `veryHidden`.
    pub(crate) state: String,
    /// `None` for a sheet that is no worksheet, such as a chart sheet.
    pub(crate) text: Option<SheetText>,
}

/// A name of the workbook or of one sheet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Defined {
    pub(crate) name: String,
    pub(crate) scope: Option<usize>,
    pub(crate) formula: String,
    pub(crate) is_hidden: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    pub(crate) part: String,
    pub(crate) name: String,
    pub(crate) area: TableArea,
}

/// A cell as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CellView {
    pub(crate) value: Scalar,
    /// Without `=`.
    pub(crate) formula: Option<String>,
    pub(crate) kind: Option<FormulaKind>,
    pub(crate) style: u32,
}

#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) package: Package,
    pub(crate) part: String,
    pub(crate) xml: String,
    pub(crate) sheets: Vec<Sheet>,
    pub(crate) names: Vec<Defined>,
    pub(crate) tables: Vec<Table>,
    pub(crate) styles: Styles,
    styles_part: Option<String>,
    strings: Strings,
    /// `true` if dates count from 1904.
    pub(crate) from_1904: bool,
    /// `true` if circular references are allowed.
    pub(crate) iterates: bool,
    /// `true` if Excel calculates only when a user asks for it.
    pub(crate) is_manual: bool,
    pub(crate) has_macros: bool,
    pub(crate) is_template: bool,
    pub(crate) is_signed: bool,
    /// `true` if a sheet has only those rows that a batch names, and those with formulas.
    pub(crate) is_excerpt: bool,
    /// Clock and random numbers of calculations.
    pub(crate) world: World,
}

impl Book {
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self> {
        let package = Package::open(bytes)?;
        let other =
            |got: &str| Err(Error::Unsupported(format!("expected a workbook (.xlsx), got {got}")));
        let Some(part) = package.related("", "officeDocument")? else {
            return other("a package without a main part");
        };
        let media_type = package.type_of(&part)?.unwrap_or_default();
        if part.to_lowercase().ends_with(".bin") {
            return other("a binary workbook (.xlsb); save it as .xlsx in Excel");
        }
        let xml = package.text(&part)?;
        let xml = xml.ok_or_else(|| Error::Malformed(format!("the part `{part}` is missing")))?;
        let root = xml_tokens(&xml).find_map(|token| match token {
            XmlToken::Tag(tag) => Some(tag.name),
            _ => None,
        });
        if root != Some("workbook") {
            return other("another kind of document");
        }
        let is_known = [
            "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
            "http://purl.oclc.org/ooxml/spreadsheetml/main",
        ];
        if !is_known.iter().any(|it| xml.contains(it)) {
            return other("a workbook of a trial version of Office");
        }
        let strings = match package.related(&part, "sharedStrings")? {
            Some(name) => Strings::read(package.text(&name)?.unwrap_or_default()),
            None => Strings::default(),
        };
        let styles_part = package.related(&part, "styles")?.filter(|it| package.has(it));
        let styles = match &styles_part {
            Some(name) => package.text(name)?.unwrap_or_default(),
            None => String::new(),
        };
        let has_macros = media_type.contains("macroEnabled")
            || package.names().any(|it| it.to_lowercase().ends_with("vbaproject.bin"));
        let is_signed = package.names().any(|it| it.starts_with("_xmlsignatures/"));
        let mut book = Self {
            is_template: media_type.contains("template"),
            has_macros,
            is_signed,
            is_excerpt: false,
            part,
            xml,
            sheets: Vec::new(),
            names: Vec::new(),
            tables: Vec::new(),
            styles: Styles::read(styles),
            styles_part,
            strings,
            from_1904: false,
            iterates: false,
            is_manual: false,
            package,
            world: World::default(),
        };
        book.read_sheets()?;
        book.refresh()?;
        Ok(book)
    }

    fn read_sheets(&mut self) -> Result<()> {
        let relations = self.package.relations(&self.part)?;
        let mut bytes = 0;
        let mut sheets = Vec::new();
        for token in xml_tokens(&self.xml) {
            let XmlToken::Tag(tag) = token else { continue };
            if !tag.opens("sheet") {
                continue;
            }
            let name = tag.text("name").unwrap_or_default();
            let id = tag.text("id").unwrap_or_default();
            let relation = relations.iter().find(|it| it.id == id && !it.is_external);
            let part = relation.map(|it| it.target.clone()).unwrap_or_default();
            let text = if relation.is_some_and(|it| it.kind == "worksheet") {
                self.package.text(&part)?
            } else {
                None
            };
            bytes += text.as_ref().map_or(0, String::len);
            if bytes > MAX_SHEET_BYTES {
                return Err(Error::Malformed(format!(
                    "the sheets have more than {MAX_SHEET_BYTES} bytes"
                )));
            }
            let text = text.map(|text| SheetText::read(text, &name)).transpose()?;
            let state = tag.text("state").unwrap_or_else(|| "visible".to_owned());
            sheets.push(Sheet { name, part, state, text });
        }
        if sheets.is_empty() {
            return Err(Error::Malformed("the workbook has no sheets".to_owned()));
        }
        self.sheets = sheets;
        Ok(())
    }

    /// Reads names, settings and tables anew, after parts have changed.
    pub(crate) fn refresh(&mut self) -> Result<()> {
        let mut names = Vec::new();
        let mut open: Option<Defined> = None;
        for token in xml_tokens(&self.xml) {
            match token {
                XmlToken::Tag(tag) if tag.opens("workbookPr") => {
                    self.from_1904 =
                        tag.attribute("date1904").is_some_and(|it| matches!(it, "1" | "true"));
                }
                XmlToken::Tag(tag) if tag.opens("calcPr") => {
                    self.iterates =
                        tag.attribute("iterate").is_some_and(|it| matches!(it, "1" | "true"));
                    self.is_manual = tag.attribute("calcMode") == Some("manual");
                }
                XmlToken::Tag(tag) if tag.opens("definedName") && tag.kind == TagKind::Open => {
                    open = Some(Defined {
                        name: tag.text("name").unwrap_or_default(),
                        scope: tag.number("localSheetId").map(|it| it as usize),
                        formula: String::new(),
                        is_hidden: tag
                            .attribute("hidden")
                            .is_some_and(|it| matches!(it, "1" | "true")),
                    });
                }
                XmlToken::Tag(tag) if tag.closes("definedName") => names.extend(open.take()),
                XmlToken::Text(text) => {
                    if let Some(open) = &mut open {
                        open.formula.push_str(&unescape(text));
                    }
                }
                _ => {}
            }
        }
        self.names = names;
        let mut tables = Vec::new();
        for (number, sheet) in self.sheets.iter().enumerate() {
            for relation in self.package.relations(&sheet.part)? {
                if relation.kind == "table"
                    && !relation.is_external
                    && let Some(xml) = self.package.text(&relation.target)?
                {
                    tables.extend(table(number, relation.target, &xml));
                }
            }
        }
        self.tables = tables;
        Ok(())
    }

    /// Returns the index of a worksheet by its name.
    pub(crate) fn find(&self, name: &str) -> Result<usize> {
        // A name in quotation marks, as it stands in formulas, is understood too.
        let inner = name.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
        let plain = inner.map_or(name.to_owned(), |it| it.replace("''", "'"));
        let lower = plain.to_lowercase();
        match self.sheets.iter().position(|it| it.name.to_lowercase() == lower) {
            Some(index) => Ok(index),
            None => {
                let all: Vec<_> = self.sheets.iter().map(|it| format!("`{}`", it.name)).collect();
                Err(Error::NotFound(format!("no sheet `{name}`; there are {}", all.join(", "))))
            }
        }
    }

    /// Returns the source of a worksheet.
    pub(crate) fn text(&self, sheet: usize) -> Result<&SheetText> {
        let Some(sheet) = self.sheets.get(sheet) else { return invalid("no such sheet") };
        let why = || Error::Invalid(format!("the sheet `{}` has no cells", sheet.name));
        sheet.text.as_ref().ok_or_else(why)
    }

    pub(crate) fn text_mut(&mut self, sheet: usize) -> Result<&mut SheetText> {
        let Some(sheet) = self.sheets.get_mut(sheet) else { return invalid("no such sheet") };
        let why = Error::Invalid(format!("the sheet `{}` has no cells", sheet.name));
        sheet.text.as_mut().ok_or(why)
    }

    /// Reads `Sheet!B7`, `'My sheet'!B2:C5` or, in a workbook of one sheet, `B7`.
    pub(crate) fn place<'a>(&self, text: &'a str) -> Result<(usize, &'a str)> {
        let text = text.trim();
        match refs::qualified(text) {
            Some((name, rest)) => Ok((self.find(&name)?, rest)),
            None if self.sheets.len() == 1 => Ok((0, text)),
            None => match self.find(text) {
                Ok(sheet) => Ok((sheet, "")),
                Err(_) => invalid(format!(
                    "expected a place such as `{}!B7`, got `{text}`",
                    self.sheets[0].name
                )),
            },
        }
    }

    /// Reads the place of one cell.
    pub(crate) fn cell_place(&self, text: &str) -> Result<(usize, At)> {
        let (sheet, rest) = self.place(text)?;
        match refs::cell(rest) {
            Some(at) => Ok((sheet, at)),
            None => invalid(format!("expected one cell such as `Sheet1!B7`, got `{text}`")),
        }
    }

    pub(crate) fn shared_text(&self, index: usize) -> Option<String> {
        self.strings.get(index)
    }

    /// Returns the source of a shared text.
    pub(super) fn shared_item(&self, index: usize) -> Option<&str> {
        self.strings.item(index)
    }

    /// Returns the source of all shared texts.
    pub(crate) fn shared_source(&self) -> &str {
        self.strings.source()
    }

    /// Replaces the source of all shared texts, which keep their numbers.
    pub(crate) fn set_shared_source(&mut self, xml: String) -> Result<()> {
        if let Some(name) = self.package.related(&self.part, "sharedStrings")? {
            self.package.set(&name, xml.clone());
        }
        self.strings = Strings::read(xml);
        Ok(())
    }

    pub(crate) fn shared_count(&self) -> usize {
        self.strings.len()
    }

    /// Returns a cell as it is now, with edits that were noted.
    pub(crate) fn cell(&mut self, sheet: usize, at: At) -> Result<CellView> {
        let strings = &self.strings;
        let Some(text) = self.sheets.get_mut(sheet).and_then(|it| it.text.as_mut()) else {
            return Ok(CellView::default());
        };
        let mut view = CellView::default();
        let mut follower = None;
        if let Some(source) = text.cell(at) {
            view.style = source.style();
            view.value = source.value(&|index| strings.get(index));
            if let Some(formula) = source.formula() {
                match (&formula.kind, formula.text.is_empty()) {
                    (FormulaKind::Shared(group), true) => follower = Some(*group),
                    (_, false) => view.formula = Some(formula.text),
                    _ => {}
                }
                view.kind = Some(formula.kind);
            }
        }
        if let Some(group) = follower
            && let Some((first, formula)) = text.shared().get(&group)
        {
            let (rows, columns) = (
                i64::from(at.row) - i64::from(first.row),
                i64::from(at.column) - i64::from(first.column),
            );
            view.formula = Some(translated(formula, rows, columns));
        }
        if let Some(edit) = text.pending(at) {
            apply(&mut view, edit);
        }
        Ok(view)
    }

    /// Splices all noted edits into the sheets.
    pub(crate) fn flush(&mut self) {
        for sheet in &mut self.sheets {
            if let Some(text) = &mut sheet.text {
                text.flush();
            }
        }
    }

    /// Writes the file; the sheets are used up. A template becomes a workbook, because a file that ends in `.xlsx` must not be one.
    pub(crate) fn save(&mut self) -> Result<Vec<u8>> {
        self.flush();
        if self.is_template
            && let Some(types) = self.package.text(crate::package::CONTENT_TYPES)?
        {
            self.package.set(
                crate::package::CONTENT_TYPES,
                types
                    .replace("sheet.template.main+xml", "sheet.main+xml")
                    .replace("spreadsheetml.template.main+xml", "spreadsheetml.sheet.main+xml"),
            );
        }
        for sheet in &mut self.sheets {
            // All sources go before the archive is written, because they are most of the memory.
            if let Some(text) = sheet.text.take().filter(|it| it.is_changed) {
                self.package.set(&sheet.part, text.into_source());
            }
        }
        if let (Some(part), Some(xml)) = (&self.styles_part, self.styles.written()) {
            self.package.set(part, xml);
        }
        let old = self.package.text(&self.part)?;
        if old.as_ref() != Some(&self.xml) {
            self.package.set(&self.part, self.xml.clone());
        }
        self.package.save()
    }

    /// Refuses an excerpt, where cells may be read that it does not have.
    pub(crate) fn needs_whole(&self) -> Result<()> {
        if self.is_excerpt { invalid("an excerpt does not have all cells") } else { Ok(()) }
    }

    pub(crate) fn has_styles(&self) -> bool {
        self.styles_part.is_some() && self.styles.has_formats()
    }
}

impl Names for Book {
    fn sheet(&self, name: &str) -> Option<usize> {
        let lower = name.to_lowercase();
        self.sheets.iter().position(|it| it.name.to_lowercase() == lower)
    }

    fn table(&self, name: &str) -> Option<&TableArea> {
        let lower = name.to_lowercase();
        self.tables.iter().find(|it| it.name.to_lowercase() == lower).map(|it| &it.area)
    }
}

fn apply(view: &mut CellView, edit: &CellEdit) {
    if let Some(style) = edit.style {
        view.style = style;
    }
    match &edit.content {
        Some(Content::Value(value)) => {
            (view.value, view.formula, view.kind) = (value.clone(), None, None);
        }
        Some(Content::Digits(digits)) => {
            let number = digits.parse().map_or(Scalar::Empty, Scalar::Number);
            (view.value, view.formula, view.kind) = (number, None, None);
        }
        Some(Content::Formula { text, array, cached }) => {
            let kind = match array {
                Some(area) => FormulaKind::Array(area.clone(), false),
                None => FormulaKind::Normal,
            };
            (view.value, view.formula, view.kind) =
                (cached.clone(), Some(text.clone()), Some(kind));
        }
        None => {}
    }
    if let Some(cached) = &edit.cached {
        view.value = cached.clone();
    }
}

fn table(sheet: usize, part: String, xml: &str) -> Option<Table> {
    let mut table: Option<Table> = None;
    for token in xml_tokens(xml) {
        let XmlToken::Tag(tag) = token else { continue };
        if tag.opens("table") && table.is_none() {
            table = Some(Table {
                part: part.clone(),
                name: tag.text("displayName").or_else(|| tag.text("name")).unwrap_or_default(),
                area: TableArea {
                    sheet,
                    area: refs::area(&tag.text("ref")?)?,
                    has_header: tag.number("headerRowCount") != Some(0),
                    has_totals: tag.number("totalsRowCount").is_some_and(|count| count > 0),
                    columns: Vec::new(),
                },
            });
        } else if tag.opens("tableColumn")
            && let Some(table) = &mut table
        {
            table.area.columns.push(decoded(&tag.text("name").unwrap_or_default()));
        }
    }
    table
}

/// Returns a formula as a person knows it, with `=` and without the prefixes of newer functions.
pub(crate) fn shown_formula(formula: &str) -> String {
    let mut plain = formula.to_owned();
    for prefix in ["_xlfn.", "_xlws.", "_xlpm.", "_xleta."] {
        if plain.contains(prefix) {
            plain = plain.replace(prefix, "");
        }
    }
    format!("={plain}")
}
