//! Edits of whole sheets and of names.

use super::state::Batch;
use super::{spans, structure};
use crate::book::{Sheet, SheetText};
use crate::calc::Seed;
use crate::error::{Result, invalid};
use crate::formula::{Becomes, SheetPrefix, Token, parse, renamed, renamed_alone, rewrite, tokens};
use crate::package::relations_name;
use crate::refs::{self, Area};
use crate::xml::{
    TagKind, XmlToken, elements, escape, find_tag, first_tag, set_attribute, with_attributes,
    xml_tokens,
};

const SHEET_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";

fn check_name(batch: &Batch, name: &str, own: Option<usize>) -> Result<()> {
    let is_bad = name.is_empty()
        || name.chars().count() > 31
        || name.contains(['\\', '/', '?', '*', '[', ']', ':'])
        || name.starts_with('\'')
        || name.ends_with('\'')
        || name.eq_ignore_ascii_case("history");
    if is_bad {
        return invalid(format!(
            "expected a name of at most 31 characters without \\ / ? * [ ] :, got `{name}`"
        ));
    }
    match batch.book.find(name) {
        Ok(found) if Some(found) != own => invalid(format!("there is already a sheet `{name}`")),
        _ => Ok(()),
    }
}

/// Replaces the list of sheets in the workbook part by a list of whole elements.
fn set_list(batch: &mut Batch, change: impl FnOnce(&mut Vec<String>)) {
    let xml = &batch.book.xml;
    let all = elements(xml, "sheet");
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return };
    let (start, end) = (first.0, last.0 + last.1.len());
    let mut list: Vec<String> = all.iter().map(|it| it.1.to_owned()).collect();
    change(&mut list);
    batch.book.xml = format!("{}{}{}", &xml[..start], list.concat(), &xml[end..]);
}

/// Corrects the numbers of sheets in names and views. `None` for a sheet that is gone.
fn renumber(batch: &mut Batch, to: &dyn Fn(usize) -> Option<usize>) {
    let mut out = String::new();
    let mut skips = false;
    for token in xml_tokens(&batch.book.xml) {
        let raw = match token {
            XmlToken::Tag(tag) if tag.name == "definedName" => {
                if tag.kind == TagKind::Close && skips {
                    skips = false;
                    continue;
                }
                let scope = tag.number("localSheetId").map(|it| to(it as usize));
                match scope {
                    Some(None) => {
                        skips = tag.kind == TagKind::Open;
                        continue;
                    }
                    Some(Some(new)) => set_attribute(tag.raw, "localSheetId", &new.to_string()),
                    None => tag.raw.to_owned(),
                }
            }
            XmlToken::Tag(tag) if tag.name == "workbookView" => {
                with_attributes(tag.raw, |name, value| {
                    let old = value.trim().parse::<usize>().ok()?;
                    matches!(name, "activeTab" | "firstSheet")
                        .then(|| to(old).unwrap_or(0).to_string())
                })
                .unwrap_or_else(|| tag.raw.to_owned())
            }
            XmlToken::Tag(tag) => tag.raw.to_owned(),
            XmlToken::Text(raw) | XmlToken::Other(raw) => raw.to_owned(),
        };
        if !skips {
            out.push_str(&raw);
        }
    }
    batch.book.xml = out;
    if let Some((at, list)) = crate::xml::element(&batch.book.xml, "definedNames")
        && crate::xml::children(list).is_empty()
    {
        let end = at + list.len();
        batch.book.xml = format!("{}{}", &batch.book.xml[..at], &batch.book.xml[end..]);
    }
    for seed in &mut batch.seeds {
        seed.sheet = to(seed.sheet).unwrap_or(usize::MAX);
    }
    batch.seeds.retain(|it| it.sheet != usize::MAX);
    batch.new_formulas.retain_mut(|it| match to(it.0) {
        Some(new) => {
            it.0 = new;
            true
        }
        None => false,
    });
}

/// Adds a sheet with this content behind all others.
fn insert(batch: &mut Batch, name: &str, xml: String) -> Result<usize> {
    let folder = batch.book.part.rsplit_once('/').map_or("", |it| it.0).to_owned();
    let stem = if folder.is_empty() {
        "worksheets/sheet".to_owned()
    } else {
        format!("{folder}/worksheets/sheet")
    };
    let part = batch.book.package.free_name(&stem, ".xml");
    batch.book.package.add(&part, xml.clone(), SHEET_TYPE)?;
    let main = batch.book.part.clone();
    let id = batch.book.package.relate(&main, "worksheet", &part)?;
    let all = elements(&batch.book.xml, "sheet");
    let numbers = all.iter().filter_map(|it| first_tag(it.1)?.number("sheetId"));
    let number = numbers.max().unwrap_or(0) + 1;
    let template = all.first().map(|it| it.1.to_owned()).unwrap_or_default();
    // The prefix of relationships is that of the other sheets.
    let prefix = first_tag(&template).map(|it| it.prefix().to_owned()).unwrap_or_default();
    let r = template
        .split_once(":id=")
        .and_then(|it| it.0.rsplit(' ').next())
        .unwrap_or("r")
        .to_owned();
    // Some writers declare the prefix at each sheet.
    let declaration = format!("xmlns:{r}=");
    let own =
        template.split_once(&declaration).and_then(|it| it.1.get(1..)?.split(['"', '\'']).next());
    let own = own.map_or(String::new(), |uri| format!(" {declaration}\"{uri}\""));
    set_list(batch, |list| {
        list.push(format!(
            "<{prefix}sheet{own} name=\"{}\" sheetId=\"{number}\" {r}:id=\"{id}\"/>",
            escape(name)
        ));
    });
    let text = SheetText::read(xml, name)?;
    batch.book.sheets.push(Sheet {
        name: name.to_owned(),
        part,
        state: "visible".to_owned(),
        text: Some(text),
    });
    Ok(batch.book.sheets.len() - 1)
}

pub(crate) fn add(batch: &mut Batch, name: &str, before: Option<&str>) -> Result<()> {
    check_name(batch, name, None)?;
    let position = before.map(|it| batch.book.find(it)).transpose()?;
    let uri = if batch.book.xml.contains("purl.oclc.org/ooxml") {
        "http://purl.oclc.org/ooxml/spreadsheetml/main"
    } else {
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    };
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<worksheet xmlns=\"{uri}\"><sheetData/></worksheet>"
    );
    let index = insert(batch, name, xml)?;
    batch.changed(format!("{}: new sheet", refs::quoted_sheet(name)));
    match position {
        Some(position) => reorder(batch, index, position),
        None => Ok(()),
    }
}

fn reorder(batch: &mut Batch, from: usize, to: usize) -> Result<()> {
    let count = batch.book.sheets.len();
    let mut order: Vec<usize> = (0..count).collect();
    let moved = order.remove(from);
    order.insert(to.min(order.len()), moved);
    set_list(batch, |list| {
        let old = std::mem::take(list);
        list.extend(order.iter().filter_map(|it| old.get(*it).cloned()));
    });
    let mut old: Vec<Option<Sheet>> =
        std::mem::take(&mut batch.book.sheets).into_iter().map(Some).collect();
    batch.book.sheets = order.iter().filter_map(|it| old.get_mut(*it)?.take()).collect();
    renumber(batch, &|it| order.iter().position(|old| *old == it));
    (batch.has_moved, batch.has_values) = (true, true);
    batch.book.refresh()
}

pub(crate) fn relocate(batch: &mut Batch, sheet: &str, position: u32) -> Result<()> {
    let index = batch.book.find(sheet)?;
    let count = batch.book.sheets.len();
    if position == 0 || position as usize > count {
        return invalid(format!("expected a position from 1 to {count}, got {position}"));
    }
    batch.changed(format!("{}: position {} → {position}", refs::quoted_sheet(sheet), index + 1));
    batch.book.flush();
    spans::keep_order(batch, index, position as usize - 1)?;
    reorder(batch, index, position as usize - 1)
}

pub(crate) fn delete(batch: &mut Batch, sheet: &str) -> Result<()> {
    let index = batch.book.find(sheet)?;
    let visible = batch
        .book
        .sheets
        .iter()
        .enumerate()
        .filter(|it| it.0 != index && it.1.state == "visible")
        .count();
    if visible == 0 {
        return invalid("a workbook needs a visible sheet");
    }
    batch.book.flush();
    let lower = batch.book.sheets[index].name.to_lowercase();
    let lost = |formula: &str| {
        rewrite(formula, |reference| match &reference.sheet {
            SheetPrefix::One(name) if name.to_lowercase() == lower => Becomes::LostSheet,
            _ => Becomes::Same,
        })
    };
    spans::shorten(batch, index)?;
    structure::everywhere(batch, &lost, Some(index))?;
    for table in batch.book.tables.clone() {
        if table.area.sheet == index {
            batch.warn(format!("the table `{}` went with its sheet", table.name));
        }
    }
    let removed = batch.book.sheets.remove(index);
    // Its own parts go too, but not what others may use.
    for relation in batch.book.package.relations(&removed.part)? {
        let is_own = matches!(
            relation.kind.as_str(),
            "table" | "comments" | "threadedComment" | "vmlDrawing" | "printerSettings"
        );
        if is_own && !relation.is_external {
            batch.book.package.remove(&relation.target)?;
        }
    }
    let relations = batch.book.package.relations(&batch.book.part)?;
    if let Some(relation) = relations.iter().find(|it| it.target == removed.part) {
        let main = batch.book.part.clone();
        batch.book.package.unrelate(&main, &relation.id)?;
    }
    batch.book.package.remove(&removed.part)?;
    set_list(batch, |list| drop(list.remove(index)));
    renumber(batch, &|it| match it.cmp(&index) {
        std::cmp::Ordering::Less => Some(it),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(it - 1),
    });
    (batch.has_moved, batch.has_values) = (true, true);
    batch.changed(format!("{}: deleted sheet", refs::quoted_sheet(sheet)));
    batch.book.refresh()
}

pub(crate) fn rename(batch: &mut Batch, sheet: &str, name: &str) -> Result<()> {
    let index = batch.book.find(sheet)?;
    check_name(batch, name, Some(index))?;
    batch.book.flush();
    let old = batch.book.sheets[index].name.clone();
    structure::everywhere(batch, &|formula| renamed(formula, &old, name), None)?;
    set_list(batch, |list| {
        let end = list[index].find('>').map_or(list[index].len(), |it| it + 1);
        list[index] = set_attribute(&list[index][..end], "name", name) + &list[index][end..];
    });
    // Sources of pivot tables name the sheet too.
    for (part, _) in structure::related(&batch.book)? {
        let Some(xml) = batch.book.package.text(&part)? else { continue };
        if let Some(new) = super::pivots::renamed(&xml, &old, name) {
            batch.book.package.set(&part, new);
        }
    }
    batch.book.sheets[index].name = name.to_owned();
    let uses = |word: &str| {
        let mut texts = batch.book.sheets.iter().filter_map(|it| it.text.as_ref());
        texts.any(|it| it.data.contains(word))
    };
    let (by_text, shows_formulas) = (uses("INDIRECT("), uses("FORMULATEXT("));
    if by_text {
        batch.warn(format!("formulas with INDIRECT may still use the old name `{old}`"));
    }
    if by_text || shows_formulas {
        (batch.has_moved, batch.has_values) = (true, true);
    }
    batch.changed(format!("{}: renamed to `{name}`", refs::quoted_sheet(&old)));
    batch.book.refresh()
}

pub(crate) fn copy(batch: &mut Batch, sheet: &str, name: &str) -> Result<()> {
    let index = batch.book.find(sheet)?;
    check_name(batch, name, None)?;
    batch.book.flush();
    let source = batch.book.text(index)?.write();
    let part = batch.book.sheets[index].part.clone();
    let (mut xml, mut left) = (source, false);
    for gone in [
        "drawing",
        "legacyDrawing",
        "legacyDrawingHF",
        "drawingHF",
        "picture",
        "oleObjects",
        "controls",
        "tableParts",
        "pageSetup",
    ] {
        while let Some((at, element)) = crate::xml::element(&xml, gone) {
            left |= gone != "pageSetup";
            // Printer settings are kept in a part of their own.
            let new = match gone {
                "pageSetup" => crate::xml::without_attributes(element, &["id"]),
                _ => String::new(),
            };
            let is_same = new == element;
            xml = format!("{}{new}{}", &xml[..at], &xml[at + element.len()..]);
            if is_same || gone == "pageSetup" {
                break;
            }
        }
    }
    if left {
        batch.warn(format!("charts, pictures, notes and tables of `{sheet}` are not in its copy"));
    }
    // Elements that lead to parts which the copy does not have.
    for gone in ["customPr", "pivotSelection"] {
        while let Some((at, element)) = crate::xml::element(&xml, gone) {
            xml = format!("{}{}", &xml[..at], &xml[at + element.len()..]);
        }
    }
    if let Some((at, list)) = crate::xml::element(&xml, "customProperties") {
        xml = format!("{}{}", &xml[..at], &xml[at + list.len()..]);
    }
    xml = xml.replace(" tabSelected=\"1\"", "");
    let new = insert(batch, name, xml)?;
    // Links keep their addresses.
    let relations = batch.book.package.relations(&part)?;
    if relations.iter().any(|it| it.is_external)
        && let Some(old) = batch.book.package.text(&relations_name(&part))?
    {
        let kept: String = xml_tokens(&old)
            .filter_map(|token| match token {
                XmlToken::Tag(tag)
                    if tag.opens("Relationship") && tag.attribute("TargetMode").is_none() =>
                {
                    None
                }
                XmlToken::Tag(tag) => Some(tag.raw),
                XmlToken::Text(raw) | XmlToken::Other(raw) => Some(raw),
            })
            .collect();
        let name = relations_name(&batch.book.sheets[new].part);
        batch.book.package.set(&name, kept);
    }
    let old = batch.book.sheets[index].name.clone();
    structure::rewrite_formulas(&mut batch.book, new, &|formula| {
        renamed_alone(formula, &old, name)
    })?;
    batch.seeds.push(Seed { sheet: new, area: Area::SHEET, includes_itself: true });
    batch.has_values = true;
    batch.changed(format!("{}: copy of {}", refs::quoted_sheet(name), refs::quoted_sheet(&old)));
    reorder(batch, new, index + 1)
}

pub(crate) fn hide(batch: &mut Batch, sheet: &str, is_hidden: bool) -> Result<()> {
    let index = batch.book.find(sheet)?;
    let others = batch
        .book
        .sheets
        .iter()
        .enumerate()
        .filter(|it| it.0 != index && it.1.state == "visible")
        .count();
    if is_hidden && others == 0 {
        return invalid("a workbook needs a visible sheet");
    }
    let state = if is_hidden { "hidden" } else { "visible" };
    set_list(batch, |list| {
        let end = list[index].find('>').map_or(list[index].len(), |it| it + 1);
        let tag = crate::xml::without_attributes(&list[index][..end], &["state"]);
        let tag = if is_hidden { set_attribute(&tag, "state", state) } else { tag };
        list[index] = tag + &list[index][end..];
    });
    batch.book.sheets[index].state = state.to_owned();
    batch.changed(format!("{}: {state}", refs::quoted_sheet(sheet)));
    Ok(())
}

/// Warns of names, rules and charts that use a name which is gone. Formulas in cells show it by their values.
fn warn_of_users(batch: &mut Batch, name: &str) -> Result<()> {
    let has = |formula: &str| {
        tokens(formula)
            .iter()
            .any(|it| matches!(&it.token, Token::Word(word) if word.eq_ignore_ascii_case(name)))
    };
    let mut users = Vec::new();
    for other in batch.book.names.iter().filter(|it| !it.name.eq_ignore_ascii_case(name)) {
        if has(&other.formula) {
            users.push(format!("the name `{}`", other.name));
        }
    }
    for sheet in &batch.book.sheets {
        let Some(text) = &sheet.text else { continue };
        let rules = ["formula", "formula1", "formula2", "f"];
        let all = rules.iter().flat_map(|it| elements(&text.tail, it));
        if all.into_iter().any(|it| has(&crate::xml::inner_text(it.1))) {
            users.push(format!("a rule of the sheet `{}`", sheet.name));
        }
    }
    for chart in super::charts::all(&batch.book)? {
        let uses = |source: &String| {
            tokens(source).iter().any(|it| match &it.token {
                Token::Word(word) | Token::ScopedWord(_, word) => word.eq_ignore_ascii_case(name),
                _ => false,
            })
        };
        if chart.sources.iter().any(uses) {
            users.push(format!("the chart `{}`", chart.name));
        }
    }
    for user in users {
        batch.warn(format!("{user} uses the name `{name}`, which is gone (#NAME?)"));
    }
    Ok(())
}

/// Returns `true` if a row with formulas has a word, which is in lower case.
fn uses(text: &SheetText, lower: &str) -> bool {
    let has_formula = |row: &str| row.contains("<f") || row.contains(":f");
    let mut rows = text.rows.iter().map(|it| text.row_text(it));
    rows.any(|row| has_formula(row) && row.to_lowercase().contains(lower))
}

pub(crate) fn set_name(batch: &mut Batch, name: &str, refers_to: Option<&str>) -> Result<()> {
    let is_word = !name.is_empty()
        && name.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '.' | '\\'))
        && !name.starts_with(|it: char| it.is_ascii_digit() || it == '.');
    if !is_word || matches!(tokens(name).first().map(|it| &it.token), Some(Token::Reference(_))) {
        return invalid(format!("expected a name such as `vat_rate`, got `{name}`"));
    }
    let old = batch
        .book
        .names
        .iter()
        .find(|it| it.scope.is_none() && it.name.eq_ignore_ascii_case(name))
        .cloned();
    let formula = refers_to.map(|it| it.strip_prefix('=').unwrap_or(it).to_owned());
    if let Some(formula) = &formula {
        if let Err(why) = parse(formula, &batch.book) {
            return invalid(format!("name `{name}`: {why}"));
        }
    } else if old.is_none() {
        return invalid(format!("no name `{name}` of the workbook"));
    }
    let xml = batch.book.xml.clone();
    let prefix = find_tag(&xml, "workbook").map_or("", |it| it.1.prefix());
    let item = formula.as_ref().map(|formula| {
        format!(
            "<{prefix}definedName name=\"{}\">{}</{prefix}definedName>",
            escape(name),
            escape(formula).replace("&quot;", "\"")
        )
    });
    let found = elements(&xml, "definedName").into_iter().find(|it| {
        first_tag(it.1).is_some_and(|tag| {
            tag.attribute("localSheetId").is_none()
                && tag.text("name").is_some_and(|it| it.eq_ignore_ascii_case(name))
        })
    });
    batch.book.xml = match (found, crate::xml::element(&xml, "definedNames")) {
        (Some((at, element)), _) => {
            format!("{}{}{}", &xml[..at], item.unwrap_or_default(), &xml[at + element.len()..])
        }
        (None, Some((at, list))) if list.ends_with("/>") => {
            let new = format!(
                "<{prefix}definedNames>{}</{prefix}definedNames>",
                item.unwrap_or_default()
            );
            format!("{}{new}{}", &xml[..at], &xml[at + list.len()..])
        }
        (None, Some((at, list))) => {
            let close = at + list.rfind("</").unwrap_or(list.len());
            format!("{}{}{}", &xml[..close], item.unwrap_or_default(), &xml[close..])
        }
        (None, None) => {
            let end = crate::xml::element(&xml, "externalReferences")
                .or_else(|| crate::xml::element(&xml, "sheets"));
            let end = end.map_or(xml.len(), |it| it.0 + it.1.len());
            let list = format!(
                "<{prefix}definedNames>{}</{prefix}definedNames>",
                item.unwrap_or_default()
            );
            format!("{}{list}{}", &xml[..end], &xml[end..])
        }
    };
    if let Some((at, list)) = crate::xml::element(&batch.book.xml, "definedNames")
        && crate::xml::children(list).is_empty()
    {
        batch.book.xml = format!("{}{}", &batch.book.xml[..at], &batch.book.xml[at + list.len()..]);
    }
    let before = old.map_or("nothing".to_owned(), |it| it.formula);
    batch.changed(format!("name {name}: {before} → {}", formula.as_deref().unwrap_or("nothing")));
    if formula.is_none() {
        warn_of_users(batch, name)?;
    }
    // Formulas that use the name are calculated; a name has no place, so all sheets are looked at.
    let lower = name.to_lowercase();
    for sheet in 0..batch.book.sheets.len() {
        let uses = batch.book.sheets[sheet].text.as_ref().is_some_and(|it| uses(it, &lower));
        if uses {
            batch.seeds.push(Seed { sheet, area: Area::SHEET, includes_itself: true });
        }
    }
    batch.has_values = true;
    batch.book.refresh()
}
