//! Widths of columns and heights of rows.

use super::frame::{HEAD, area, placed, replace};
use super::state::Batch;
use crate::book::head_tag;
use crate::error::{Result, invalid};
use crate::refs::{self, Area, Axis};
use crate::xml::{children, element, first_tag, set_attribute};

pub(crate) fn size(batch: &mut Batch, range: &str, size: f64) -> Result<()> {
    let (sheet, area, axis) = area(batch, range)?;
    let text = batch.book.text_mut(sheet)?;
    let prefix = text.prefix.clone();
    match axis {
        Axis::Columns => {
            if !(0.0..=255.0).contains(&size) {
                return invalid(format!("expected a width from 0 to 255 characters, got {size}"));
            }
            let mut columns: Vec<(u32, u32, String)> = Vec::new();
            let old = element(&text.head, "cols").map(|it| (it.0, it.1.to_owned()));
            for tag in old.iter().flat_map(|it| children(&it.1)).filter_map(first_tag) {
                let (min, max) = (tag.number("min").unwrap_or(1), tag.number("max").unwrap_or(1));
                // What is left of it on both sides.
                for (first, last) in
                    [(min, max.min(area.first.column - 1)), (min.max(area.last.column + 1), max)]
                {
                    if first <= last {
                        columns.push((first, last, closed(tag.raw)));
                    }
                }
                if let Some(both) = area.meet(&Area::new(1, min, refs::MAX_ROW, max)) {
                    columns.push((both.first.column, both.last.column, width(tag.raw, size)));
                }
            }
            let mut next = area.first.column;
            let known: Vec<(u32, u32)> = columns.iter().map(|it| (it.0, it.1)).collect();
            while next <= area.last.column {
                match known.iter().find(|it| (it.0..=it.1).contains(&next)) {
                    Some(it) => next = it.1 + 1,
                    None => {
                        let end = known
                            .iter()
                            .map(|it| it.0)
                            .filter(|it| *it > next)
                            .min()
                            .map_or(area.last.column, |it| (it - 1).min(area.last.column));
                        columns.push((next, end, width(&format!("<{prefix}col/>"), size)));
                        next = end + 1;
                    }
                }
            }
            columns.sort_by_key(|it| it.0);
            let inner: String = columns
                .iter()
                .map(|(min, max, raw)| {
                    let raw = set_attribute(raw, "min", &min.to_string());
                    set_attribute(&raw, "max", &max.to_string())
                })
                .collect();
            let new = format!("<{prefix}cols>{inner}</{prefix}cols>");
            let head = match &old {
                Some((at, old)) => replace(&text.head, *at, old, &new),
                None => placed(&text.head, "cols", &new, &HEAD),
            };
            text.set_head(head);
        }
        Axis::Rows => {
            if !(0.0..=409.5).contains(&size) || area.rows() > 10_000 {
                return invalid(format!(
                    "expected a height from 0 to 409.5 points for at most 10000 rows, got {size}"
                ));
            }
            text.flush();
            let mut data = String::with_capacity(text.data.len() + 64);
            let mut copied = 0;
            let tagged = |tag: &str| {
                let tag = set_attribute(tag, "ht", &size.to_string());
                set_attribute(&tag, "customHeight", "1")
            };
            let mut number = area.first.row;
            for row in text.rows.clone() {
                while number < row.number && number <= area.last.row {
                    data.push_str(&text.data[copied..row.start]);
                    copied = row.start;
                    data.push_str(&tagged(&format!("<{prefix}row r=\"{number}\"/>")));
                    number += 1;
                }
                if row.number == number && number <= area.last.row {
                    let tag = head_tag(text.row_text(&row)).to_owned();
                    data.push_str(&text.data[copied..row.start]);
                    data.push_str(&tagged(&tag));
                    copied = row.start + tag.len();
                    number += 1;
                }
            }
            data.push_str(&text.data[copied..]);
            for number in number..=area.last.row {
                data.push_str(&tagged(&format!("<{prefix}row r=\"{number}\"/>")));
            }
            text.set_data(data);
        }
        Axis::Cells => {
            return invalid(format!(
                "expected columns such as `Sheet1!B:D` or rows such as `Sheet1!2:5`, got `{range}`"
            ));
        }
    }
    batch.changed(format!("{range}: size {size}"));
    Ok(())
}

/// Returns a tag without content that closes itself.
fn closed(raw: &str) -> String {
    format!("{}/>", raw.trim_end_matches(['>', '/']).trim_end())
}

fn width(raw: &str, size: f64) -> String {
    let raw = &closed(raw);
    let raw = set_attribute(raw, "width", &size.to_string());
    set_attribute(&raw, "customWidth", "1")
}
