//! Charts: their titles, sources, and the values that they keep of cells.

use super::state::Batch;
use crate::book::Book;
use crate::error::{Error, Result, invalid};
use crate::formula::{SheetPrefix, Token, tokens};
use crate::refs::{Area, At, quoted_sheet};
use crate::value::Scalar;
use crate::xml::{children, element, elements, escape, first_tag, inner_text};

/// Most values of a series that are kept.
const MAX_POINTS: u64 = 20_000;

/// A chart: its part, the sheet where it stands, and its title.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) part: String,
    pub(crate) sheet: usize,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) sources: Vec<String>,
}

/// Returns the charts of all sheets.
pub(crate) fn all(book: &Book) -> Result<Vec<Chart>> {
    let mut found = Vec::new();
    for (sheet, it) in book.sheets.iter().enumerate() {
        for drawing in book.package.relations(&it.part)? {
            if drawing.kind != "drawing" || drawing.is_external {
                continue;
            }
            for relation in book.package.relations(&drawing.target)? {
                if relation.kind == "chart"
                    && !relation.is_external
                    && let Some(xml) = book.package.text(&relation.target)?
                {
                    let file = relation.target.rsplit('/').next().unwrap_or_default();
                    found.push(Chart {
                        name: file.trim_end_matches(".xml").to_owned(),
                        part: relation.target.clone(),
                        sheet,
                        title: title(&xml),
                        sources: elements(&xml, "f").iter().map(|it| inner_text(it.1)).collect(),
                    });
                }
            }
        }
    }
    Ok(found)
}

fn title(xml: &str) -> String {
    let chart = element(xml, "chart").map_or("", |it| it.1);
    let own =
        children(chart).into_iter().find(|it| first_tag(it).is_some_and(|tag| tag.name == "title"));
    own.map(|it| elements(it, "t").iter().map(|it| inner_text(it.1)).collect()).unwrap_or_default()
}

pub(crate) fn set(
    batch: &mut Batch,
    chart: &str,
    new_title: Option<&str>,
    series: Option<u32>,
    values: Option<&str>,
    categories: Option<&str>,
) -> Result<()> {
    let charts = all(&batch.book)?;
    let wanted = charts
        .iter()
        .find(|it| it.name.eq_ignore_ascii_case(chart) || it.title.eq_ignore_ascii_case(chart));
    let Some(found) = wanted else {
        let names: Vec<_> =
            charts.iter().map(|it| format!("`{}` ({})", it.name, it.title)).collect();
        return Err(Error::NotFound(format!("no chart `{chart}`; there are {}", names.join(", "))));
    };
    let mut xml = batch.book.package.text(&found.part)?.unwrap_or_default();
    if let Some(new) = new_title {
        xml = titled(&xml, new)?;
        batch.changed(format!("chart {}: title `{}` → `{new}`", found.name, found.title));
    }
    let number = series.unwrap_or(1);
    for (source, tags) in [(values, ["val", "yVal"]), (categories, ["cat", "xVal"])] {
        let Some(source) = source else { continue };
        let (sheet, rest) = batch.book.place(source)?;
        let Some(area) = crate::refs::area(rest) else {
            return invalid(format!("expected a range such as `Sheet1!B2:B9`, got `{source}`"));
        };
        let all_series = elements(&xml, "ser");
        let Some((at, old)) =
            number.checked_sub(1).and_then(|it| all_series.get(it as usize)).copied()
        else {
            return invalid(format!(
                "the chart `{}` has {} series, got {number}",
                found.name,
                all_series.len()
            ));
        };
        let part = tags.iter().find_map(|tag| element(old, tag));
        let Some((inner, part)) = part else {
            return invalid(format!(
                "series {number} of the chart `{}` has no {}",
                found.name, tags[0]
            ));
        };
        let Some((place, formula)) = element(part, "f") else {
            return invalid(format!(
                "series {number} of the chart `{}` has no source in cells",
                found.name
            ));
        };
        let fixed = |at: At| format!("${}${}", crate::refs::column_name(at.column), at.row);
        let reference = format!(
            "{}!{}:{}",
            quoted_sheet(&batch.book.sheets[sheet].name),
            fixed(area.first),
            fixed(area.last)
        );
        let open = &formula[..formula.find('>').map_or(0, |it| it + 1)];
        let close = &formula[formula.rfind("</").unwrap_or(formula.len())..];
        let line =
            format!("chart {}: series {number} {} → {reference}", found.name, inner_text(formula));
        let mut new = format!(
            "{}{open}{}{close}{}",
            &part[..place],
            escape(&reference),
            &part[place + formula.len()..]
        );
        if tags[0] == "cat" && has_text(batch, sheet, area)? {
            // A source of numbers shows no texts.
            new = new.replace("numRef", "strRef").replace("numCache", "strCache");
        }
        let start = at + inner;
        xml = format!("{}{new}{}", &xml[..start], &xml[start + part.len()..]);
        batch.changed(line);
        batch.seeds.push(crate::calc::Seed { sheet, area, includes_itself: false });
        batch.has_values = true;
    }
    batch.book.package.set(&found.part, xml);
    Ok(())
}

/// Returns `true` if one of the first cells of an area has a text.
fn has_text(batch: &mut Batch, sheet: usize, area: Area) -> Result<bool> {
    let last = At {
        row: area.last.row.min(area.first.row + 100),
        column: area.last.column.min(area.first.column + 100),
    };
    for row in area.first.row..=last.row {
        for column in area.first.column..=last.column {
            if matches!(batch.book.cell(sheet, At { row, column })?.value, Scalar::Text(_)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the chart with a plain title.
fn titled(xml: &str, new: &str) -> Result<String> {
    let Some((at, chart)) = element(xml, "chart") else {
        return invalid("the chart cannot be read");
    };
    let own =
        children(chart).into_iter().find(|it| first_tag(it).is_some_and(|tag| tag.name == "title"));
    let prefix = first_tag(chart).map_or("", |tag| tag.prefix());
    if let Some(old) = own {
        let texts = elements(old, "t");
        let Some((first, text)) = texts.first() else {
            return invalid("the title of the chart comes from a cell; change the cell");
        };
        let open = &text[..text.find('>').map_or(text.len(), |it| it + 1)];
        let close = &text[text.rfind("</").unwrap_or(text.len())..];
        let mut title = old.to_owned();
        // Further runs of the old title become empty.
        for (start, other) in texts.iter().skip(1).rev() {
            let open = &other[..other.find('>').map_or(other.len(), |it| it + 1)];
            let close = &other[other.rfind("</").unwrap_or(other.len())..];
            title.replace_range(*start..start + other.len(), &format!("{open}{close}"));
        }
        title.replace_range(*first..first + text.len(), &format!("{open}{}{close}", escape(new)));
        let start = at + (old.as_ptr() as usize - chart.as_ptr() as usize);
        return Ok(format!("{}{title}{}", &xml[..start], &xml[start + old.len()..]));
    }
    let a = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"";
    let title = format!(
        "<{prefix}title><{prefix}tx><{prefix}rich><a:bodyPr {a}/><a:p {a}><a:r><a:t>{}</a:t></a:r></a:p></{prefix}rich></{prefix}tx><{prefix}overlay val=\"0\"/></{prefix}title>",
        escape(new)
    );
    let open = at + chart.find('>').map_or(0, |it| it + 1);
    let out = format!("{}{title}{}", &xml[..open], &xml[open..]);
    Ok(out.replace(
        &format!("<{prefix}autoTitleDeleted val=\"1\"/>"),
        &format!("<{prefix}autoTitleDeleted val=\"0\"/>"),
    ))
}

/// Writes the values of changed cells into the charts that show them.
pub(crate) fn refresh(batch: &mut Batch, changed: &[(usize, Area)]) -> Result<()> {
    for chart in all(&batch.book)? {
        let Some(xml) = batch.book.package.text(&chart.part)? else { continue };
        let mut new = xml.clone();
        let mut sources: Vec<(usize, &str)> = ["numRef", "strRef", "multiLvlStrRef"]
            .iter()
            .flat_map(|name| elements(&xml, name))
            .collect();
        sources.sort_by_key(|it| it.0);
        for (at, source) in sources.into_iter().rev() {
            let Some((_, formula)) = element(source, "f") else { continue };
            let Some((sheet, area)) = source_area(&batch.book, &inner_text(formula)) else {
                continue;
            };
            let touched = changed.iter().any(|it| it.0 == sheet && it.1.meet(&area).is_some());
            if !touched {
                continue;
            }
            batch.book.needs_whole()?;
            let kinds = ["numCache", "strCache", "multiLvlStrCache"];
            let cache = kinds.iter().find_map(|name| element(source, name));
            let Some((start, cache)) = cache else { continue };
            let is_plain = first_tag(cache).is_some_and(|it| it.name != "multiLvlStrCache");
            // Without a cache a chart is drawn from its cells; an old one would be wrong.
            let fresh = if is_plain && area.size() <= MAX_POINTS {
                cached(batch, sheet, area, cache)?
            } else {
                String::new()
            };
            new.replace_range(at + start..at + start + cache.len(), &fresh);
        }
        if new != xml {
            batch.book.package.set(&chart.part, new);
        }
    }
    Ok(())
}

/// Returns the one area of a source.
pub(crate) fn source_area(book: &Book, formula: &str) -> Option<(usize, Area)> {
    match &tokens(formula)[..] {
        [only] => match &only.token {
            Token::Reference(reference) => match &reference.sheet {
                SheetPrefix::One(name) => Some((book.find(name).ok()?, reference.area())),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn cached(batch: &mut Batch, sheet: usize, area: Area, old: &str) -> Result<String> {
    let Some(tag) = first_tag(old) else { return Ok(old.to_owned()) };
    let prefix = tag.prefix();
    let code = match tag.name {
        "numCache" => element(old, "formatCode").map_or("", |it| it.1),
        _ => "",
    };
    let mut points = String::new();
    let mut index = 0;
    for row in area.first.row..=area.last.row {
        for column in area.first.column..=area.last.column {
            let view = batch.book.cell(sheet, At { row, column })?;
            let value = match (&view.value, tag.name) {
                (Scalar::Number(number), "numCache") => Some(crate::book::digits(*number)),
                (Scalar::Empty, _) | (_, "numCache") => None,
                (value, _) => {
                    let code = batch.book.styles.code(view.style);
                    Some(escape(&crate::display::formatted(value, &code, batch.book.from_1904)))
                }
            };
            if let Some(value) = value {
                points.push_str(&format!(
                    "<{prefix}pt idx=\"{index}\"><{prefix}v>{value}</{prefix}v></{prefix}pt>"
                ));
            }
            index += 1;
        }
    }
    let name = tag.name;
    Ok(format!("<{prefix}{name}>{code}<{prefix}ptCount val=\"{index}\"/>{points}</{prefix}{name}>"))
}
