//! Hints for templates of other programs: jxls has commands in comments and `${name}` in cells. They are not filled; a
//! message names
//! the form that is.

use super::book::Book;
use super::grid::Grid;
use super::layout::Layout;
use super::package::Package;
use super::plan::Templates;
use super::warnings::Warnings;
use crate::shared::xml_tokens::{XmlToken, unescape, xml_tokens};
use mitt_base::error::InputProblem;
use mitt_base::{Error, Result, text};

/// Most commands in an error.
const MAX_LISTED: usize = 10;

/// Refuses a template with commands of jxls in its comments.
pub(super) fn check(package: &mut Package<'_>) -> Result<()> {
    let book = Book::read(package)?;
    let mut found = Vec::new();
    for sheet in &book.sheets {
        let comments = package.relationships(&sheet.part)?;
        for comment in comments.into_iter().filter(|it| it.kind == "comments" && !it.external) {
            let Some(xml) = package.text(&comment.target)? else { continue };
            commands(&sheet.name, &xml, &mut found);
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    let mut error = Error::input("the template has commands of jxls in its comments")
        .with_problem(InputProblem::UnsupportedType);
    let more = found.len().saturating_sub(MAX_LISTED);
    for line in found.into_iter().take(MAX_LISTED) {
        error = error.detail(line);
    }
    if more > 0 {
        error = error.detail(format!("{more} more commands"));
    }
    Err(error.hint("write the marks into cells, `{{name}}` for `${name}`, and delete the comments"))
}

fn commands(sheet: &str, xml: &str, found: &mut Vec<String>) {
    let (mut place, mut full) = (String::new(), String::new());
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag) if tag.opens("comment") => {
                place = tag.text("ref").unwrap_or_default();
                full.clear();
            }
            XmlToken::Tag(tag) if tag.closes("comment") => {
                for line in full.lines().filter(|line| line.trim_start().starts_with("jx:")) {
                    if let Some(form) = form(line.trim()) {
                        let line = text::one_line(text::cut_chars(line.trim(), 80).0);
                        found.push(format!("{sheet}!{place}: `{line}`: {form}"));
                    }
                }
            }
            XmlToken::Text(raw) => full.push_str(&unescape(raw)),
            _ => {}
        }
    }
}

/// Returns what to write for a command of jxls.
fn form(command: &str) -> Option<String> {
    let name = command.strip_prefix("jx:")?.split(['(', ' ']).next()?;
    let argument = |key: &str| {
        let at = command.find(&format!("{key}="))? + key.len() + 1;
        let rest = command.get(at..)?.trim_start_matches(['"', '\'']);
        let end = rest.find(['"', '\'']).unwrap_or(rest.len());
        Some(text::one_line(rest.get(..end)?))
    };
    Some(match name {
        "each" => {
            let list = argument("items").unwrap_or_else(|| "items".to_owned());
            match argument("direction").as_deref() {
                Some("RIGHT") => format!("a column is repeated by `{{{{{list}.*}}}}` in its cells"),
                _ if argument("multisheet").is_some() => {
                    format!("a sheet is repeated by its name, as in `{{{{{list}.name}}}}`")
                }
                _ => format!(
                    "rows are repeated from `{{{{#{list}}}}}` to `{{{{/{list}}}}}`, or by `{{{{{list}.name}}}}` in their cells"
                ),
            }
        }
        "if" => {
            let condition = argument("condition").unwrap_or_else(|| "total > 0".to_owned());
            format!(
                "rows that depend on a condition stand from `{{{{#if {condition}}}}}` to `{{{{/if}}}}`"
            )
        }
        "grid" => "columns are repeated by `{{months.*}}` in their cells".to_owned(),
        "image" => "a picture is `{{logo|picture}}` in its cell".to_owned(),
        _ => "this command is not needed here".to_owned(),
    })
}

/// Warns of `${name}` in cells.
pub(super) fn check_cells<'a>(
    book: &Book,
    grids: &[Option<Grid<'a>>],
    templates: &Templates<'a>,
    layout: &Layout<'_>,
    warnings: &mut Warnings,
) {
    for (sheet, grid) in grids.iter().enumerate() {
        let name = book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        for row in grid.iter().flat_map(|grid| &grid.rows) {
            for cell in row.cells.iter().filter(|cell| templates.is_foreign(cell)) {
                let place = layout.place(sheet, name, row.at(cell.column));
                let what = "`${…}` is no placeholder here and stays as it is; write `{{…}}`";
                warnings.add(what, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_jxls_have_a_form_here() {
        for (command, expected) in [
            (
                "jx:each(items=\"employees\" var=\"e\" lastCell=\"D4\")",
                "`{{#employees}}` to `{{/employees}}`",
            ),
            ("jx:each(items='months' var='m' direction=\"RIGHT\" lastCell='D4')", "`{{months.*}}`"),
            ("jx:each(items=\"d\" multisheet=\"names\")", "by its name"),
            ("jx:if(condition=\"a > 1\" lastCell=\"B2\")", "`{{#if a > 1}}`"),
            ("jx:image(src=\"x\")", "`{{logo|picture}}`"),
            ("jx:area(lastCell=\"D9\")", "not needed"),
        ] {
            let form = form(command).unwrap();
            assert!(form.contains(expected), "{command}: {form}");
        }
    }
}
