//! What sheets have besides cells: merged cells, rules, charts, notes; and the names of the workbooks.

use super::map::Maps;
use super::report::Report;
use super::rows::Sheets;
use super::side::Side;
use crate::edit::{Chart, charts};
use crate::error::Result;
use crate::refs;
use crate::xml::{before_extensions, children, elements, first_tag, inner_text};
use std::collections::{BTreeMap, BTreeSet};

/// Compares lists of things that have a place and a description. `add` is called with kind, place, before and after.
fn listed(
    kind: &str,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    place: &dyn Fn(&str) -> String,
    report: &mut Report,
) {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (a, b) = (old.get(name), new.get(name));
        if a == b {
            continue;
        }
        let verb = match (a, b) {
            (None, _) => " added",
            (_, None) => " removed",
            _ => "",
        };
        report.add(|| {
            let text = |it: Option<&String>| it.cloned().unwrap_or_default();
            [format!("{kind}{verb}"), place(name), text(a), text(b)]
        });
    }
}

pub(super) fn names(old: &Side, new: &Side, maps: &Maps, report: &mut Report) {
    let sheet = |side: &Side, scope: Option<usize>| {
        scope.and_then(|it| side.book.sheets.get(it)).map(|it| it.name.clone())
    };
    let renamed = |name: String| {
        maps.names.iter().find(|it| it.0 == name).map_or(name.clone(), |it| it.1.clone())
    };
    let key = |name: &str, scope: Option<String>| match scope {
        Some(scope) => format!("{name} (in {scope})"),
        None => name.to_owned(),
    };
    let kept = |name: &str| !name.starts_with("_xlnm._Filter");
    let (mut a, mut b) = (BTreeMap::new(), BTreeMap::new());
    for it in old.book.names.iter().filter(|it| kept(&it.name)) {
        let scope = sheet(old, it.scope).map(renamed);
        a.insert(key(&it.name, scope), maps.formula(&old.book, &it.formula, it.scope));
    }
    for it in new.book.names.iter().filter(|it| kept(&it.name)) {
        b.insert(key(&it.name, sheet(new, it.scope)), it.formula.clone());
    }
    listed("name", &a, &b, &|name| name.to_owned(), report);
}

/// Returns a list of areas as it should be in the new sheet.
fn areas(text: &str, maps: &Maps, sheet: Option<usize>) -> String {
    let moved = |part: &str| match (refs::area(part), sheet) {
        (Some(area), Some(sheet)) => maps.area(sheet, area).to_string(),
        (Some(area), None) => area.to_string(),
        (None, _) => part.to_owned(),
    };
    text.split_ascii_whitespace().map(moved).collect::<Vec<_>>().join(" ")
}

fn attribute(raw: &str, name: &str) -> String {
    first_tag(raw).and_then(|tag| tag.text(name)).unwrap_or_default()
}

fn put(list: &mut BTreeMap<String, String>, place: String, text: String) {
    let all = list.entry(place).or_default();
    if !all.is_empty() {
        all.push_str("; ");
    }
    all.push_str(&text);
}

/// Merged cells, validations and conditional formats of a sheet.
#[derive(Default)]
struct Rules {
    merged: BTreeMap<String, String>,
    validations: BTreeMap<String, String>,
    marks: BTreeMap<String, String>,
}

/// Returns rules with places and formulas as in the new workbook; `sheet` is the number of an old one.
fn rules(side: &Side, number: usize, maps: &Maps, sheet: Option<usize>) -> Rules {
    let mut found = Rules::default();
    let Some(text) = &side.book.sheets[number].text else { return found };
    let tail = before_extensions(&text.tail);
    let formula = |raw: &str| {
        let text = inner_text(raw);
        match sheet {
            Some(_) => maps.formula(&side.book, &text, sheet),
            None => text,
        }
    };
    for (_, it) in elements(tail, "mergeCell") {
        let place = areas(&attribute(it, "ref"), maps, sheet);
        put(&mut found.merged, place, String::from("merged"));
    }
    for (_, it) in elements(tail, "dataValidation") {
        let place = areas(&attribute(it, "sqref"), maps, sheet);
        let mut parts = vec![attribute(it, "type"), attribute(it, "operator")];
        parts.extend(children(it).into_iter().map(formula));
        parts.push(attribute(it, "error"));
        parts.retain(|it| !it.is_empty());
        put(&mut found.validations, place, parts.join(" "));
    }
    for (_, it) in elements(tail, "conditionalFormatting") {
        let place = areas(&attribute(it, "sqref"), maps, sheet);
        for rule in children(it) {
            let mut parts = vec![attribute(rule, "type"), attribute(rule, "operator")];
            parts.push(attribute(rule, "text"));
            for child in children(rule) {
                match first_tag(child).map(|tag| tag.name) {
                    Some("formula") => parts.push(formula(child)),
                    // Scales, bars and symbols have their values in attributes.
                    _ => parts.push(child.split_ascii_whitespace().collect::<Vec<_>>().join(" ")),
                }
            }
            if let Some(number) = first_tag(rule).and_then(|tag| tag.number("dxfId")) {
                parts.push(side.book.styles.difference_look(number));
            }
            parts.retain(|it| !it.is_empty());
            put(&mut found.marks, place.clone(), parts.join(" "));
        }
    }
    found
}

/// Returns the notes and the threads of comments of a sheet, by cell.
fn notes(side: &Side, number: usize, maps: &Maps, sheet: Option<usize>) -> Result<Rules> {
    let mut found = Rules::default();
    for relation in side.book.package.relations(&side.book.sheets[number].part)? {
        let name = match relation.kind.as_str() {
            "comments" => "comment",
            "threadedComment" => "threadedComment",
            _ => continue,
        };
        let xml = side.book.package.text(&relation.target)?.unwrap_or_default();
        for (_, comment) in elements(&xml, name) {
            let place = areas(&attribute(comment, "ref"), maps, sheet);
            let text = elements(comment, "text").first().map_or(String::new(), |it| match name {
                "comment" => crate::book::plain(it.1),
                _ => inner_text(it.1),
            });
            match name {
                "comment" => put(&mut found.validations, place, text),
                _ => put(&mut found.marks, place, text),
            }
        }
    }
    // A thread has a note too, which repeats its text for older programs.
    let threads = found.marks.clone();
    found.validations.retain(|place, _| !threads.contains_key(place));
    Ok(found)
}

pub(super) fn sheet(it: &Sheets<'_>, maps: &Maps, report: &mut Report) -> Result<()> {
    let place = |rest: &str| it.new.place(it.new_sheet, rest);
    let a = rules(it.old, it.old_sheet, maps, Some(it.old_sheet));
    let b = rules(it.new, it.new_sheet, maps, None);
    listed("merge", &a.merged, &b.merged, &place, report);
    listed("validation", &a.validations, &b.validations, &place, report);
    listed("conditional format", &a.marks, &b.marks, &place, report);
    let a = notes(it.old, it.old_sheet, maps, Some(it.old_sheet))?;
    let b = notes(it.new, it.new_sheet, maps, None)?;
    listed("note", &a.validations, &b.validations, &place, report);
    listed("comment", &a.marks, &b.marks, &place, report);
    Ok(())
}

/// Compares charts of sheets that belong together. Those that nothing distinguishes are matched in their order.
pub(super) fn all_charts(old: &Side, new: &Side, maps: &Maps, report: &mut Report) -> Result<()> {
    let (before, after) = (charts(&old.book)?, charts(&new.book)?);
    let moved = |chart: &Chart| -> Vec<String> {
        chart.sources.iter().map(|it| maps.formula(&old.book, it, None)).collect()
    };
    let mut rest: Vec<&Chart> = after.iter().collect();
    let mut open = Vec::new();
    let partner =
        |chart: &Chart| maps.sheets.get(chart.sheet).and_then(Option::as_ref).map(|it| it.new);
    for chart in &before {
        let sources = moved(chart);
        let same = rest.iter().position(|it| {
            Some(it.sheet) == partner(chart) && it.title == chart.title && it.sources == sources
        });
        match same {
            Some(at) => drop(rest.remove(at)),
            None => open.push((chart, sources)),
        }
    }
    let shown = |title: &str, sources: &[String]| format!("`{title}` {}", sources.join(" "));
    for (chart, sources) in open {
        let here = |it: &&Chart| Some(it.sheet) == partner(chart);
        let by = |test: &dyn Fn(&Chart) -> bool| rest.iter().position(|it| here(it) && test(it));
        let found = by(&|it| it.name == chart.name && it.title == chart.title)
            .or_else(|| by(&|it| it.name == chart.name))
            .or_else(|| by(&|it| it.title == chart.title))
            .or_else(|| by(&|_| true));
        let Some(at) = found else {
            report.add(|| {
                let place = old.place(chart.sheet, &chart.name);
                ["chart removed".into(), place, shown(&chart.title, &sources), String::new()]
            });
            continue;
        };
        let other = rest.remove(at);
        let place = || new.place(other.sheet, &other.name);
        if chart.title != other.title {
            report
                .add(|| ["chart title".into(), place(), chart.title.clone(), other.title.clone()]);
        }
        if sources != other.sources {
            report.add(|| {
                ["chart sources".into(), place(), sources.join(" "), other.sources.join(" ")]
            });
        }
    }
    for chart in rest {
        report.add(|| {
            let place = new.place(chart.sheet, &chart.name);
            ["chart added".into(), place, String::new(), shown(&chart.title, &chart.sources)]
        });
    }
    Ok(())
}

/// Warns of parts that differ and that are not compared.
pub(super) fn others(old: &Side, new: &Side, report: &mut Report) -> Result<()> {
    const KINDS: [(&str, &str); 4] = [
        ("/media/", "pictures"),
        ("/pivottables/", "pivot tables"),
        ("vbaproject", "macros"),
        ("/tables/", "tables"),
    ];
    for (mark, kind) in KINDS {
        let names = |side: &Side| -> BTreeSet<String> {
            side.book
                .package
                .names()
                .map(str::to_lowercase)
                .filter(|it| it.contains(mark))
                .collect()
        };
        let (a, b) = (names(old), names(new));
        let mut is_same = a == b;
        for name in a.iter().take_while(|_| a == b) {
            is_same &= old.book.package.bytes(name)? == new.book.package.bytes(name)?;
            if !is_same {
                break;
            }
        }
        if !is_same {
            report.warn(format!("{kind} differ in the files, and are not compared"));
        }
    }
    Ok(())
}
