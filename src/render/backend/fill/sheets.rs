//! Sheets whose names have placeholders: `{{departments.name}}` is copied for each item, `Report {{year}}` gets another
//! name.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::book::Book;
use super::formula::{self, Becomes, Enclosing, Reference, sheet_name};
use super::layout::{Layout, SheetLayout};
use super::package::Package;
use super::placeholder::{Token, is_template, tokens};
use super::problems::Problems;
use super::scope::{Level, Scope, Values};
use super::sheet_copies::{self, TableName, renamed};
use super::shift::MAX_PARTS;
use super::shown::in_text;
use super::warnings::Warnings;
use crate::shared::xml_tokens::{TagKind, XmlToken, escape, set_attribute, unescape, xml_tokens};
use mitt_base::{Error, ErrorKind, Result};

/// Most sheets that one workbook gets.
const MAX_SHEETS: usize = 500;

/// Most UTF-16 units of the name of a sheet.
const MAX_NAME: usize = 31;

const WORKSHEET: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";

/// A sheet of the template whose name has placeholders.
struct TemplateSheet<'v> {
    /// Its index.
    sheet: usize,
    name: String,
    /// The list for whose items it is copied.
    list: Option<String>,
    copies: Vec<SheetCopy<'v>>,
}

struct SheetCopy<'v> {
    name: String,
    scope: Scope<'v>,
    tables: Vec<TableName>,
}

/// Copies and renames the sheets of a template.
pub(super) fn copy<'v>(
    package: &mut Package<'_>,
    values: &Values<'v>,
    layout: &mut Layout<'v>,
    warnings: &mut Warnings,
) -> Result<()> {
    let book = Book::read(package)?;
    layout.sheets = vec![SheetLayout::default(); book.sheets.len()];
    if !book.sheets.iter().any(|sheet| is_template(&sheet.name)) {
        return Ok(());
    }
    let mut problems = Problems::default();
    let mut templates = plan(&book, values, (&mut problems, warnings));
    check(package, &book, &templates, &mut problems)?;
    fail(&mut problems, values)?;
    name_tables(package, &book, &mut templates)?;
    let mut others = Others { templates: &templates, problems: &mut problems };
    let parts = copies(package, &book, &mut others)?;
    others.rename_rest(package, &book)?;
    let xml = others.workbook(package, &book, &parts)?;
    fail(&mut problems, values)?;
    package.set(&book.part, xml);
    forget_titles(package)?;
    let mut sheets = Vec::new();
    for (number, sheet) in book.sheets.iter().enumerate() {
        match templates.iter().find(|it| it.sheet == number) {
            None => sheets.push(SheetLayout::default()),
            Some(template) => sheets.extend(template.copies.iter().map(|copy| SheetLayout {
                name: Some(sheet.name.clone()),
                scope: copy.scope.clone(),
                is_new: true,
                ..SheetLayout::default()
            })),
        }
    }
    // Formulas anywhere may name the sheets.
    sheets.iter_mut().for_each(|sheet| sheet.is_new = true);
    layout.sheets = sheets;
    Ok(())
}

fn fail(problems: &mut Problems, values: &Values<'_>) -> Result<()> {
    std::mem::take(problems).into_error(&values.names()).map_or(Ok(()), Err)
}

fn plan<'v>(
    book: &Book,
    values: &Values<'v>,
    (problems, warnings): (&mut Problems, &mut Warnings),
) -> Vec<TemplateSheet<'v>> {
    let plain = book.sheets.iter().filter(|sheet| !is_template(&sheet.name));
    let mut taken: BTreeSet<String> = plain.map(|sheet| sheet.name.to_lowercase()).collect();
    let mut templates = Vec::new();
    for (sheet, part) in book.sheets.iter().enumerate().filter(|it| is_template(&it.1.name)) {
        let place = format!("name of the sheet `{}`", part.name);
        let mut found = None;
        for token in tokens(&part.name) {
            let mark = match token {
                Token::Text(_) => continue,
                Token::Value(mark) => mark,
                _ => {
                    problems.other(format!(
                        "{place}: expected a value, as in `{{{{departments.name}}}}`"
                    ));
                    continue;
                }
            };
            for name in values.names_of(mark, &None) {
                let Some((list, rows)) = values.list(&name, &None) else { continue };
                match &found {
                    None => found = Some((list.to_owned(), rows)),
                    Some((first, _)) if first == list => {}
                    Some((first, _)) => problems.other(format!(
                        "{place}: expected a sheet for one list, got `{first}` and `{list}`"
                    )),
                }
            }
        }
        let scopes: Vec<Scope<'v>> = match &found {
            None => vec![None],
            Some((list, rows)) => {
                let count = rows.count();
                if count > MAX_SHEETS {
                    problems.other(format!(
                        "{place}: expected at most {MAX_SHEETS} sheets, got {count}"
                    ));
                    continue;
                }
                if count == 0 {
                    warnings
                        .add("the list of a sheet has no items, and one empty sheet stays", list);
                }
                let list: Rc<str> = list.as_str().into();
                let level = |index| Level::new(None, list.clone(), *rows, index);
                match count {
                    0 => vec![level(None)],
                    _ => (0..count).map(|index| level(Some(index))).collect(),
                }
            }
        };
        let mut copies = Vec::new();
        for scope in scopes {
            let mut text = String::new();
            for token in tokens(&part.name) {
                match token {
                    Token::Text(piece) => text.push_str(piece),
                    Token::Value(mark) => {
                        text.push_str(&in_text(values, mark, &scope, (&place, &mut *problems)));
                    }
                    _ => {}
                }
            }
            let fallback = found.as_ref().map_or("Sheet", |(list, _)| list.as_str());
            let name = valid_name(&text, fallback, &mut taken);
            if name != text {
                warnings.add(
                    "names of sheets were changed, as Excel allows no such name, or no name twice",
                    format!("{text} -> {name}"),
                );
            }
            copies.push(SheetCopy { name, scope, tables: Vec::new() });
        }
        let list = found.map(|(list, _)| list);
        templates.push(TemplateSheet { sheet, name: part.name.clone(), list, copies });
    }
    let count: usize = templates.iter().map(|it| it.copies.len()).sum();
    if count + book.sheets.len() > MAX_SHEETS {
        problems.other(format!("expected at most {MAX_SHEETS} sheets, got {count}"));
    }
    templates
}

/// Returns a name that Excel allows and no other sheet has.
fn valid_name(text: &str, fallback: &str, taken: &mut BTreeSet<String>) -> String {
    let clean: String = text
        .chars()
        .map(|c| match c {
            '[' | ']' | ':' | '*' | '?' | '/' | '\\' => '_',
            c if c.is_control() || !crate::shared::xml::is_legal(c) => ' ',
            c => c,
        })
        .collect();
    let clean = clean.trim().trim_matches('\'').trim();
    let clean = if clean.is_empty() { fallback } else { clean };
    let clean = if clean.eq_ignore_ascii_case("history") { "History_" } else { clean };
    let mut number = 1_u32;
    loop {
        let end = if number == 1 { String::new() } else { format!(" ({number})") };
        let room = MAX_NAME - end.len();
        let mut units = 0;
        let start: String = clean
            .chars()
            .take_while(|c| {
                units += c.len_utf16();
                units <= room
            })
            .collect();
        let name = format!("{}{end}", start.trim_end().trim_end_matches('\''));
        if taken.insert(name.to_lowercase()) {
            return name;
        }
        number += 1;
    }
}

/// Checks that the parts of sheets that become several can be copied.
fn check(
    package: &mut Package<'_>,
    book: &Book,
    templates: &[TemplateSheet<'_>],
    problems: &mut Problems,
) -> Result<()> {
    for template in templates {
        let Some(part) = book.sheets.get(template.sheet).map(|it| it.part.clone()) else {
            continue;
        };
        let is_sheet = package.text(&part)?.is_some_and(|xml| {
            xml_tokens(&xml).find_map(|token| match token {
                XmlToken::Tag(tag) => Some(tag.name == "worksheet"),
                _ => None,
            }) == Some(true)
        });
        if !is_sheet {
            problems.other(format!("`{}`: only worksheets are copied and renamed", template.name));
            continue;
        }
        if template.copies.len() < 2 {
            continue;
        }
        if let Some(what) = sheet_copies::obstacle(package, &part)? {
            problems.other(format!(
                "`{}`: the sheet has {what}, which cannot be copied; put it on another sheet, or delete it",
                template.name
            ));
        }
    }
    Ok(())
}

/// Gives the tables of copies names and numbers of their own.
fn name_tables(
    package: &mut Package<'_>,
    book: &Book,
    templates: &mut [TemplateSheet<'_>],
) -> Result<()> {
    let parts: Vec<String> = package
        .names()
        .filter(|name| name.to_lowercase().contains("/tables/"))
        .map(str::to_owned)
        .collect();
    let (mut taken, mut last) = (BTreeSet::new(), 0_u32);
    for part in parts.iter().filter(|part| part.to_lowercase().ends_with(".xml")) {
        let xml = package.text(part)?.unwrap_or_default();
        for token in xml_tokens(&xml) {
            if let XmlToken::Tag(tag) = token
                && tag.opens("table")
            {
                last = last.max(tag.number("id").unwrap_or(0).min(u32::MAX / 2));
                taken.extend(tag.text("displayName").map(|it| it.to_lowercase()));
            }
        }
    }
    for template in templates {
        let Some(part) = book.sheets.get(template.sheet) else { continue };
        let tables = sheet_copies::tables(package, &part.part)?;
        for copy in template.copies.iter_mut().skip(1) {
            for old in &tables {
                let mut number = 2_u32;
                let new = loop {
                    let new = format!("{old}_{number}");
                    if taken.insert(new.to_lowercase()) {
                        break new;
                    }
                    number += 1;
                };
                last += 1;
                copy.tables.push(TableName { old: old.clone(), new, id: last });
            }
        }
    }
    Ok(())
}

/// Makes the copies. Returns the parts of each template sheet.
fn copies(
    package: &mut Package<'_>,
    book: &Book,
    others: &mut Others<'_, '_>,
) -> Result<Vec<Vec<String>>> {
    let templates = others.templates;
    let mut parts = Vec::new();
    for (at, template) in templates.iter().enumerate() {
        let Some(part) = book.sheets.get(template.sheet).map(|it| it.part.clone()) else {
            continue;
        };
        let size = package.text(&part)?.map_or(0, |xml| xml.len());
        if size.saturating_mul(template.copies.len()) > 512 << 20 {
            let message = format!("`{}`: its copies would have more than 512 MiB", template.name);
            return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer items"));
        }
        let mut own = vec![part.clone()];
        for (number, copy) in template.copies.iter().enumerate().skip(1) {
            let place = format!("`{}`", template.name);
            let mut rename = |text: &str| {
                let new = others.formula(text, Some((at, number)), &place);
                let text = sheet_copies::with_tables(new.as_deref().unwrap_or(text), &copy.tables);
                (new.is_some() || !copy.tables.is_empty()).then_some(text)
            };
            own.push(sheet_copies::copy(package, &part, &mut rename, &copy.tables)?);
        }
        parts.push(own);
    }
    Ok(parts)
}

/// Names of sheets in formulas.
struct Others<'p, 'v> {
    templates: &'p [TemplateSheet<'v>],
    problems: &'p mut Problems,
}

impl Others<'_, '_> {
    /// Returns a formula with the new names of sheets; `None` if it stays. `from` is the copy that contains it.
    fn formula(&mut self, text: &str, from: Option<(usize, usize)>, place: &str) -> Option<String> {
        if !text.contains("{{") {
            return None;
        }
        let templates = self.templates;
        let find = |name: &str| {
            templates.iter().position(|it| it.name.to_lowercase() == name.to_lowercase())
        };
        // Returns the copy to which a name of a template sheet leads.
        let target = |at: usize| {
            let template = templates.get(at)?;
            match from {
                _ if template.copies.len() == 1 => template.copies.first(),
                Some((own, copy)) if own == at => template.copies.get(copy),
                Some((own, copy)) => {
                    let own = templates.get(own)?;
                    let is_twin = own.list.is_some()
                        && own.list == template.list
                        && own.copies.len() == template.copies.len();
                    template.copies.get(copy).filter(|_| is_twin)
                }
                None => None,
            }
        };
        let mut lost: Option<String> = None;
        let (new, _) = formula::rewrite(text, |reference| {
            let Some(at) = reference.sheet.as_deref().and_then(find) else { return Becomes::Same };
            let named =
                |name: &str| Reference { sheet: Some(name.to_owned()), ..reference.clone() };
            if let Some(copy) = target(at) {
                return Becomes::Other(named(&copy.name));
            }
            let all = templates.get(at).map(|it| it.copies.as_slice()).unwrap_or_default();
            let is_summed = matches!(reference.enclosing, Enclosing::Sum | Enclosing::Many);
            if is_summed && all.len() <= MAX_PARTS as usize {
                return Becomes::Many(all.iter().map(|copy| named(&copy.name)).collect());
            }
            lost.get_or_insert(templates.get(at).map_or_else(String::new, |it| it.name.clone()));
            Becomes::Same
        });
        let mut out = new.unwrap_or_else(|| text.to_owned());
        // Names that belong to a sheet, and ranges over several sheets.
        for (at, template) in templates.iter().enumerate() {
            let old = format!("{}!", sheet_name(&template.name));
            if out.contains(&old) {
                match target(at) {
                    Some(copy) => out = out.replace(&old, &format!("{}!", sheet_name(&copy.name))),
                    None => {
                        lost.get_or_insert(template.name.clone());
                    }
                }
            }
        }
        if let Some(name) = lost {
            self.problems.other(format!("{place}: the formula `{}` names the sheet `{name}`, which becomes several; sum them, as in `SUM('{name}'!B7)`, or put the formula on that sheet", mitt_base::text::one_line(mitt_base::text::cut_chars(text, 80).0)));
            return None;
        }
        (out != text).then_some(out)
    }

    /// Renames sheets in everything that is not copied, and in the first copies.
    fn rename_rest(&mut self, package: &mut Package<'_>, book: &Book) -> Result<()> {
        let mut seen = BTreeSet::new();
        for (number, sheet) in book.sheets.iter().enumerate() {
            let from = self.templates.iter().position(|it| it.sheet == number).map(|at| (at, 0));
            self.rename_in(package, (&sheet.part, &sheet.name), from, &mut seen)?;
        }
        for it in package.relationships(&book.part)? {
            if it.kind != "pivotCacheDefinition" || it.external {
                continue;
            }
            let Some(xml) = package.text(&it.target)? else { continue };
            let source = xml_tokens(&xml).find_map(|token| match token {
                XmlToken::Tag(tag) if tag.opens("worksheetSource") => tag.text("sheet"),
                _ => None,
            });
            if source.is_some_and(|name| is_template(&name)) {
                self.problems.other(format!("`{}`: the source of a pivot table is a sheet whose name has a placeholder; name the sheet without one", it.target));
            }
        }
        Ok(())
    }

    /// Renames sheets in a part and in those that belong to it.
    fn rename_in(
        &mut self,
        package: &mut Package<'_>,
        (part, place): (&str, &str),
        from: Option<(usize, usize)>,
        seen: &mut BTreeSet<String>,
    ) -> Result<()> {
        let lower = part.to_lowercase();
        if !seen.insert(lower.clone()) || !(lower.ends_with(".xml") || lower.ends_with(".vml")) {
            return Ok(());
        }
        if let Some(xml) = package.text(part)? {
            let shown = format!("`{place}`");
            let new = renamed(&xml, &mut |text| self.formula(text, from, &shown));
            if let Some(new) = new {
                package.set(part, new);
            }
        }
        for it in package.relationships(part)?.into_iter().filter(|it| !it.external) {
            if matches!(
                it.kind.as_str(),
                "drawing" | "chart" | "chartEx" | "table" | "ctrlProp" | "vmlDrawing"
            ) {
                self.rename_in(package, (&it.target, place), from, seen)?;
            }
        }
        Ok(())
    }

    /// Returns the workbook part with all sheets and names.
    fn workbook(
        &mut self,
        package: &mut Package<'_>,
        book: &Book,
        parts: &[Vec<String>],
    ) -> Result<String> {
        let templates = self.templates;
        // The new index of the first copy of each sheet.
        let mut index = Vec::new();
        let mut next = 0_usize;
        for number in 0..book.sheets.len() {
            index.push(next);
            next += templates.iter().find(|it| it.sheet == number).map_or(1, |it| it.copies.len());
        }
        let moved = |old: usize| index.get(old).copied().unwrap_or(old);
        let ids = xml_tokens(&book.xml).filter_map(|token| match token {
            XmlToken::Tag(tag) if tag.opens("sheet") => tag.number("sheetId"),
            _ => None,
        });
        let mut last_id = ids.max().unwrap_or(0).min(u32::MAX / 2);
        let mut out = String::with_capacity(book.xml.len());
        let mut sheet = 0_usize;
        let mut all = xml_tokens(&book.xml);
        while let Some(token) = all.next() {
            match token {
                XmlToken::Tag(tag) if tag.opens("sheet") => {
                    let found = templates.iter().zip(parts).find(|it| it.0.sheet == sheet);
                    sheet += 1;
                    let Some((template, parts)) = found else {
                        out.push_str(tag.raw);
                        continue;
                    };
                    for (number, (copy, part)) in template.copies.iter().zip(parts).enumerate() {
                        let name = escape(&copy.name).replace('"', "&quot;");
                        let mut text = set_attribute(tag.raw, "name", &name);
                        if number > 0 {
                            last_id += 1;
                            text = set_attribute(&text, "sheetId", &last_id.to_string());
                            let id = package.relate(&book.part, WORKSHEET, part)?;
                            let key = relation_attribute(tag.raw);
                            text = set_attribute(&text, &key, &id);
                        }
                        out.push_str(&text);
                    }
                }
                XmlToken::Tag(tag) if tag.opens("workbookView") => {
                    let mut text = tag.raw.to_owned();
                    for key in ["activeTab", "firstSheet"] {
                        if let Some(old) = tag.number(key) {
                            text = set_attribute(&text, key, &moved(old as usize).to_string());
                        }
                    }
                    out.push_str(&text);
                }
                XmlToken::Tag(tag) if tag.opens("definedName") && tag.kind == TagKind::Open => {
                    let mut formula = String::new();
                    for token in all.by_ref() {
                        match token {
                            XmlToken::Tag(end) if end.closes("definedName") => break,
                            XmlToken::Text(text) => formula.push_str(&unescape(text)),
                            _ => {}
                        }
                    }
                    let local = tag.number("localSheetId").map(|it| it as usize);
                    let name = tag.text("name").unwrap_or_default();
                    let place = format!("name `{name}`");
                    let at = templates.iter().position(|it| Some(it.sheet) == local);
                    let count = at.and_then(|at| templates.get(at)).map_or(1, |it| it.copies.len());
                    for copy in 0..count {
                        let from = at.map(|at| (at, copy));
                        let new = self.formula(&formula, from, &place);
                        let tables =
                            from.and_then(|(at, copy)| templates.get(at)?.copies.get(copy));
                        let tables = tables.map(|it| it.tables.as_slice()).unwrap_or_default();
                        let new =
                            sheet_copies::with_tables(new.as_deref().unwrap_or(&formula), tables);
                        let open = match local {
                            Some(local) => {
                                let local = (moved(local) + copy).to_string();
                                set_attribute(tag.raw, "localSheetId", &local)
                            }
                            None => tag.raw.to_owned(),
                        };
                        let end = format!("</{}definedName>", tag.prefix());
                        out.push_str(&format!("{open}{}{end}", escape(&new)));
                    }
                }
                XmlToken::Tag(tag) => out.push_str(tag.raw),
                XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
            }
        }
        Ok(out)
    }
}

/// Returns the whole name of the attribute with the relationship of a sheet: `r:id`.
fn relation_attribute(tag: &str) -> String {
    let words = tag.split(|c: char| c.is_whitespace());
    let name = words.filter_map(|word| word.split('=').next()).find(|name| name.ends_with(":id"));
    name.unwrap_or("r:id").to_owned()
}

/// Removes the list of sheets from the properties of the file, which Excel writes anew.
fn forget_titles(package: &mut Package<'_>) -> Result<()> {
    const PART: &str = "docProps/app.xml";
    let Some(xml) = package.text(PART)? else { return Ok(()) };
    let mut out = String::with_capacity(xml.len());
    let mut all = xml_tokens(&xml);
    while let Some(token) = all.next() {
        match token {
            XmlToken::Tag(tag) if tag.opens("TitlesOfParts") || tag.opens("HeadingPairs") => {
                if tag.kind == TagKind::Open {
                    all.by_ref()
                        .find(|it| matches!(it, XmlToken::Tag(end) if end.closes(tag.name)));
                }
            }
            XmlToken::Tag(tag) => out.push_str(tag.raw),
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    package.set(PART, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sheets_are_those_that_excel_allows() {
        let mut taken = BTreeSet::new();
        let long = "a".repeat(40);
        for (text, expected) in [
            ("Sales", "Sales"),
            ("sales", "sales (2)"),
            ("a/b[c]", "a_b_c_"),
            ("'x'", "x"),
            ("", "items"),
            ("history", "History_"),
            (&long, &"a".repeat(31)),
            (&long, &format!("{} (2)", "a".repeat(27))),
            ("销售部", "销售部"),
        ] {
            assert_eq!(valid_name(text, "items", &mut taken), expected, "{text}");
        }
    }
}
