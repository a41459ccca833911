//! A theme as data for the template: colours and sizes, available families of fonts, and texts of headers and footers with
//! their placeholders filled.

use serde_json::{Value, json};

use super::fonts::Faces;
use crate::model::language::Language;
use crate::model::theme::{MM, RunningSegment, running_segments};
use crate::shared::table::TableRoom;
use crate::{Color, Paper, Running, Theme, ThemeLayout};
use mitt_base::{Error, ErrorKind, Remedy, Result, text};

/// Most families in a message about an unknown name.
const MAX_LISTED: usize = 12;

/// Size of a slide, in points: 16:9, as wide as in office programs.
const SLIDE_POINTS: (f64, f64) = (960.0, 540.0);

/// Values for placeholders in headers and footers.
pub(super) struct RunningValues<'a> {
    pub(super) title: &'a str,
    pub(super) author: &'a str,
    pub(super) date: &'a str,
}

/// Returns the theme as data.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - a missing family of fonts, or margins that leave no space for text.
pub(super) fn look(
    theme: &Theme,
    paper: Paper,
    faces: &Faces,
    language: &Language,
    values: &RunningValues<'_>,
) -> Result<Value> {
    let (width, height) = page(theme, paper);
    theme.check_room(width, height)?;
    let fonts = &theme.fonts;
    for (name, families) in
        [("text", &fonts.text), ("headings", &fonts.headings), ("code", &fonts.code)]
    {
        families.iter().try_for_each(|family| check_family(name, family, faces))?;
    }
    let headings = if fonts.headings.is_empty() { &fonts.text } else { &fonts.headings };
    let colors = &theme.colors;
    let [header, footer] = theme.running(language.of_all());
    let line = |running: &Running| {
        json!({
            "left": filled(&running.left, values), "center": filled(&running.center, values),
            "right": filled(&running.right, values), "first": running.first,
        })
    };
    Ok(json!({
        "layout": theme.layout,
        "colors": colors,
        "ink": colors.accent.ink(),
        "dark": colors.page.ink() == Color::new(0xFF, 0xFF, 0xFF),
        "fonts": {
            "text": families(&fonts.text, faces), "headings": families(headings, faces),
            "code": families(&fonts.code, faces),
        },
        "sizes": theme.sizes,
        "margins": theme.margins,
        "width": width,
        "height": height,
        "logo": theme.logo.as_ref().map(|logo| json!({
            "path": super::world::logo_path(logo.kind),
            "height": logo.height,
            "description": logo.description,
        })),
        "header": line(&header),
        "footer": line(&footer),
    }))
}

/// Returns the space for tables.
pub(super) fn room(theme: &Theme, paper: Paper) -> TableRoom {
    let (width, height) = page(theme, paper);
    let beside = (theme.margins.left + theme.margins.right) * MM;
    TableRoom {
        upright: width - beside,
        turned: (theme.layout != ThemeLayout::Slides).then_some(height - beside),
        scale: theme.sizes.text / Theme::default().sizes.text,
    }
}

/// Returns width and height of a page, in points.
fn page(theme: &Theme, paper: Paper) -> (f64, f64) {
    match (theme.layout, paper) {
        (ThemeLayout::Slides, _) => SLIDE_POINTS,
        (_, Paper::A4) => (210.0 * MM, 297.0 * MM),
        (_, Paper::Letter) => (612.0, 792.0),
    }
}

fn check_family(of: &str, family: &str, faces: &Faces) -> Result<()> {
    if faces.book.contains_family(&family.to_lowercase()) {
        return Ok(());
    }
    let mut names: Vec<&str> = faces.book.families().map(|(name, _)| name).collect();
    names.sort_unstable();
    let shown = text::one_line(text::cut_bytes(family, 100));
    let message = format!("theme: fonts.{of}: there is no font `{shown}`");
    let near = text::nearest(family, names.iter().copied());
    let hint = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let some: Vec<_> = names.iter().take(MAX_LISTED).map(|it| format!("`{it}`")).collect();
            let more = if names.len() > MAX_LISTED { ", …" } else { "" };
            format!("there are {}{more}", some.join(", "))
        }
    };
    Err(Error::new(ErrorKind::Arguments, message).hint(hint).remedy(Remedy::FontFile))
}

/// Returns families, each with whether it lacks Chinese: Chinese text does not use the punctuation of such a family.
fn families(families: &[String], faces: &Faces) -> Vec<Value> {
    let has_han = |family: &str| {
        let mut members = faces.book.select_family(family);
        members
            .any(|at| faces.book.info(at).is_some_and(|info| info.coverage.contains('中' as u32)))
    };
    let families = families.iter().map(|family| {
        let family = family.to_lowercase();
        json!({ "name": family, "latin": !has_han(&family) })
    });
    families.collect()
}

/// Returns a text with its placeholders filled, except for page numbers, which only the layout knows.
fn filled(text: &str, values: &RunningValues<'_>) -> Vec<Value> {
    // A theme built in code may contain placeholders that its file format refuses; they are shown as text.
    let segments =
        running_segments(text).unwrap_or_else(|_| vec![RunningSegment::Text(text.to_owned())]);
    let segments = segments.into_iter().filter_map(|segment| match segment {
        RunningSegment::Text(text) => Some(json!({ "text": text })),
        RunningSegment::Name("page") => Some(json!({ "page": true })),
        RunningSegment::Name("pages") => Some(json!({ "pages": true })),
        RunningSegment::Name(name) => {
            let text = match name {
                "title" => values.title,
                "author" => values.author,
                _ => values.date,
            };
            (!text.is_empty()).then(|| json!({ "text": text }))
        }
    });
    segments.collect()
}
