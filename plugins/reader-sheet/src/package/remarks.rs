//! Reads comments, text boxes and charts of a worksheet in a package.

use super::drawing::{chart_title, drawing};
use super::xml::{attribute, events, push_reference};
use super::{Package, Relationship};
use crate::intake::{Failure, Intake};
use crate::place::parse_cell;
use quick_xml::events::Event;
use std::collections::HashMap;

/// Start of the placeholder that Excel writes for a threaded comment, for programs that do not support them.
const STAND_IN: &str = "[Threaded comment]";

struct Remark {
    cell: (u32, u32),
    author: String,
    text: String,
}

/// Reads the comments and drawings of a worksheet.
pub(crate) fn read_asides(
    package: &mut Package<'_>,
    sheet: &str,
    intake: &mut Intake<'_>,
) -> Result<(), Failure> {
    let relationships = package.relationships(sheet).unwrap_or_default();
    for relationship in of_kind(&relationships, "comments") {
        let is_binary = relationship.target.to_lowercase().ends_with(".bin");
        match package.read(&relationship.target) {
            Some(part) if is_binary => crate::xlsb::comments(&part, intake)?,
            Some(part) => hand_over(comments(&part), intake)?,
            None => intake.problem("its comments are damaged or too large"),
        }
    }
    for relationship in of_kind(&relationships, "threadedComment") {
        let people = people(package);
        match package.read(&relationship.target) {
            Some(part) => hand_over(conversations(&part, &people), intake)?,
            None => intake.problem("its comments are damaged or too large"),
        }
    }
    for relationship in of_kind(&relationships, "table") {
        let is_binary = relationship.target.to_lowercase().ends_with(".bin");
        match package.read(&relationship.target) {
            Some(part) if is_binary => crate::xlsb::filters(&part, intake),
            Some(part) => filters(&part, intake),
            // The filter of the sheet covers the cells of the sheet.
            None => {}
        }
    }
    for relationship in of_kind(&relationships, "drawing") {
        let Some(part) = package.read(&relationship.target) else {
            intake.problem("its drawings are damaged or too large");
            continue;
        };
        let found = drawing(&part);
        for text in &found.boxes {
            intake.text_box(text)?;
        }
        for title in chart_titles(package, &relationship.target, &found.charts) {
            intake.chart(title.as_deref())?;
        }
        (0..found.pictures).for_each(|_| intake.picture());
    }
    Ok(())
}

pub(crate) fn chart_sheet_title(package: &mut Package<'_>, sheet: &str) -> Option<String> {
    let relationships = package.relationships(sheet)?;
    let drawn = of_kind(&relationships, "drawing").next()?;
    let charts = drawing(&package.read(&drawn.target)?).charts;
    chart_titles(package, &drawn.target, &charts).into_iter().flatten().next()
}

fn chart_titles(package: &mut Package<'_>, drawing: &str, ids: &[String]) -> Vec<Option<String>> {
    let relationships = package.relationships(drawing).unwrap_or_default();
    let title = |id: &String| {
        let chart = relationships.iter().find(|relationship| relationship.id == *id)?;
        chart_title(&package.read(&chart.target)?)
    };
    ids.iter().map(title).collect()
}

fn of_kind<'a>(
    relationships: &'a [Relationship],
    kind: &'a str,
) -> impl Iterator<Item = &'a Relationship> {
    relationships.iter().filter(move |relationship| relationship.kind == kind)
}

fn hand_over(remarks: Vec<Remark>, intake: &mut Intake<'_>) -> Result<(), Failure> {
    for Remark { cell: (row, column), author, text } in remarks {
        intake.comment(row, column, &author, &text)?;
    }
    Ok(())
}

/// Returns the comments of a part, without placeholders for threaded comments.
fn comments(xml: &[u8]) -> Vec<Remark> {
    let mut authors = Vec::new();
    let mut found = Vec::new();
    let mut text = None::<String>;
    let mut current = None;
    // Ruby text is not part of the text.
    let mut hints = 0_usize;
    events(xml, |event| match event {
        Event::Start(element) => match element.local_name().as_ref() {
            "author" | "t" if hints == 0 => text = Some(String::new()),
            "rPh" => hints += 1,
            "comment" => {
                let cell = attribute(element, "ref").and_then(|cell| parse_cell(&cell));
                let author = attribute(element, "authorId").and_then(|id| id.parse::<usize>().ok());
                current = cell.map(|cell| (cell, author, String::new()));
            }
            _ => {}
        },
        Event::End(element) => match element.local_name().as_ref() {
            "author" => authors.push(text.take().unwrap_or_default()),
            "rPh" => hints = hints.saturating_sub(1),
            "t" => {
                if let (Some((_, _, whole)), Some(more)) = (&mut current, text.take()) {
                    whole.push_str(&more);
                }
            }
            "comment" => found.extend(current.take()),
            _ => {}
        },
        Event::Text(content) => push(&mut text, &content.xml10_content()),
        Event::GeneralRef(reference) => {
            if let Some(text) = &mut text {
                push_reference(reference, text);
            }
        }
        _ => {}
    });
    let name = |author: Option<usize>| author.and_then(|author| authors.get(author));
    found
        .into_iter()
        .filter(|(_, _, text)| !text.starts_with(STAND_IN))
        .map(|(cell, author, text)| Remark {
            cell,
            author: name(author).cloned().unwrap_or_default(),
            text,
        })
        .collect()
}

/// Reads the filters in a table part that apply to a column.
fn filters(xml: &[u8], intake: &mut Intake<'_>) {
    let mut cells = None;
    let mut is_column = false;
    events(xml, |event| match event {
        Event::Start(element) => match element.local_name().as_ref() {
            "autoFilter" => cells = attribute(element, "ref"),
            "filterColumn" => is_column = true,
            // A column that only hides its button has no criteria.
            _ if is_column => {
                if let Some(cells) = &cells {
                    intake.hidden.filter(cells);
                }
            }
            _ => {}
        },
        Event::End(element) => match element.local_name().as_ref() {
            "autoFilter" => cells = None,
            "filterColumn" => is_column = false,
            _ => {}
        },
        _ => {}
    });
}

/// Returns the names of people by id.
fn people(package: &mut Package<'_>) -> HashMap<String, String> {
    let workbook = package.workbook().unwrap_or_default();
    let relationships = package.relationships(&workbook).unwrap_or_default();
    let mut people = HashMap::new();
    for relationship in of_kind(&relationships, "person") {
        super::elements(&package.read(&relationship.target).unwrap_or_default(), |element| {
            if let (Some(id), Some(name)) =
                (attribute(element, "id"), attribute(element, "displayName"))
            {
                people.insert(id, name);
            }
        });
    }
    people
}

/// Returns threaded comments, in order.
fn conversations(xml: &[u8], people: &HashMap<String, String>) -> Vec<Remark> {
    let mut found: Vec<Remark> = Vec::new();
    let mut is_text = false;
    events(xml, |event| match event {
        Event::Start(element) => match element.local_name().as_ref() {
            "threadedComment" => {
                let cell = attribute(element, "ref").and_then(|cell| parse_cell(&cell));
                let author = attribute(element, "personId").and_then(|id| people.get(&id));
                found.push(Remark {
                    cell: cell.unwrap_or_default(),
                    author: author.cloned().unwrap_or_default(),
                    text: String::new(),
                });
            }
            "text" => is_text = true,
            _ => {}
        },
        Event::End(element) if element.local_name().as_ref() == "text" => is_text = false,
        Event::Text(content) if is_text => {
            if let Some(remark) = found.last_mut() {
                remark.text.push_str(&content.xml10_content());
            }
        }
        Event::GeneralRef(reference) if is_text => {
            if let Some(remark) = found.last_mut() {
                push_reference(reference, &mut remark.text);
            }
        }
        _ => {}
    });
    found
}

fn push(text: &mut Option<String>, more: &str) {
    if let Some(text) = text {
        text.push_str(more);
    }
}
