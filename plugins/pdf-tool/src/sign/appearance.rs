//! What a signature shows: a text and a picture in the rectangle of its field.

use super::request::{Appearance, Signing, common_name, has_place};
use crate::appearance::wrap;
use crate::content::Matrix;
use crate::draw::{Face, NOT_EMBEDDED, Pen, Typesetter};
use crate::error::{Error, Result, invalid};
use crate::file::Pdf;
use crate::form::Field;
use crate::object::{Dict, Object, Stream};
use crate::text::counted;
use crate::write::real;
use mitt_signature::time_text;

/// Longest text, in characters.
const MAX_TEXT: usize = 1_000;
/// Largest and smallest size of the letters, in points.
const SIZES: (f64, f64) = (12.0, 3.0);
/// Between the edge of the rectangle and what it shows, in points.
const INSET: f64 = 2.0;
const BLACK: [f64; 3] = [0.0; 3];

/// Where the field is.
pub(super) struct PlaceOnPage {
    /// Index of the page.
    pub(super) page: usize,
    /// The rectangle in the coordinates of the page.
    pub(super) rect: [f64; 4],
}

/// What the text can say.
pub(super) struct Facts<'a> {
    pub(super) signing: &'a Signing,
    pub(super) subject: &'a str,
    pub(super) now: i64,
}

/// Returns where the field is or will be.
///
/// # Errors
///
/// `invalid` - the rectangle is none, or the field has a place already. `not-found` - there is no such page.
pub(super) fn place(pdf: &Pdf, signing: &Signing, existing: Option<&Field>) -> Result<PlaceOnPage> {
    let wanted = signing.appearance.as_ref();
    if let Some(field) = existing {
        if let Some(it) = wanted {
            if it.page.is_some() || it.rect.is_some() {
                return invalid(format!(
                    "the field `{}` has its place in the document; leave out `page` and `rect`",
                    crate::text::line(&field.name, 100)
                ));
            }
            if !has_place(field) {
                return invalid(format!(
                    "the field `{}` has no place on a page, so that it shows nothing; leave out `visible`, or sign a new field",
                    crate::text::line(&field.name, 100)
                ));
            }
        }
        let rect = field.rect.unwrap_or_default();
        return Ok(PlaceOnPage { page: field.page.unwrap_or(1) - 1, rect });
    }
    let Some(wanted) = wanted else { return Ok(PlaceOnPage { page: 0, rect: [0.0; 4] }) };
    let number = wanted.page.unwrap_or(1);
    let Some(page) = number.checked_sub(1).and_then(|it| pdf.pages.get(it)) else {
        return Err(Error::NotFound(format!(
            "there is no page {number}; the document has {}",
            counted(pdf.pages.len(), "page")
        )));
    };
    let (frame, width, height) = pdf.seen(*page);
    let Some(rect) = wanted.rect else {
        return invalid("expected a `rect` of left, bottom, right, top in points for a new field");
    };
    let [left, bottom, right, top] = rect;
    let is_rect =
        rect.iter().all(|it| it.is_finite()) && right - left >= 5.0 && top - bottom >= 5.0;
    let is_inside = left >= -0.5 && bottom >= -0.5 && right <= width + 0.5 && top <= height + 0.5;
    if !is_rect || !is_inside {
        return invalid(format!(
            "expected a `rect` of left, bottom, right, top of at least 5 points on page {number}, which is {} x {} points; got {}",
            real(width),
            real(height),
            rect.map(real).join(", ")
        ));
    }
    Ok(PlaceOnPage { page: number - 1, rect: frame.bounds(rect) })
}

/// Makes what the field shows. Returns warnings.
///
/// # Errors
///
/// `invalid` - the text is too long. `unsupported`, `malformed` - the picture, or a character of the text.
pub(super) fn draw(
    pdf: &mut Pdf,
    widget: u32,
    place: &PlaceOnPage,
    facts: &Facts<'_>,
    typesetter: &dyn Typesetter,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let default = Appearance::default();
    let wanted = facts.signing.appearance.as_ref().unwrap_or(&default);
    let rect = place.rect;
    let turn = pdf.pages.get(place.page).map_or(0, |it| pdf.rotation(*it));
    let (mut width, mut height) = (rect[2] - rect[0], rect[3] - rect[1]);
    if turn == 90 || turn == 270 {
        std::mem::swap(&mut width, &mut height);
    }
    let mut resources = Dict::new();
    let mut content = Vec::new();
    let mut left = INSET;
    let text = text(wanted, facts)?;
    if let Some((name, bytes)) = &wanted.picture {
        let (drawing, turned, more) = pdf.drawing(name, bytes.clone())?;
        warnings.extend(more);
        // Beside a text, a picture has the left part.
        let share = if text.is_empty() { 1.0 } else { 0.4 };
        let room = ((width * share - 2.0 * INSET).max(1.0), (height - 2.0 * INSET).max(1.0));
        let scale = (room.0 / drawing.width).min(room.1 / drawing.height);
        let (wide, high) = (drawing.width * scale, drawing.height * scale);
        let x = INSET + (room.0 - wide) / 2.0;
        let matrix = turned.then(drawing.place(x, (height - high) / 2.0, wide, high));
        resources.set("XObject", Dict::new().with("Picture", Object::Ref(drawing.number)));
        content.extend(format!("q {} cm /Picture Do Q\n", matrix.0.map(real).join(" ")).bytes());
        left = width * share + INSET;
    }
    if !text.is_empty() {
        let room = ((width - left - INSET).max(1.0), (height - 2.0 * INSET).max(1.0));
        let (size, lines, is_fit) = fitted(&text, room);
        if !is_fit {
            warnings.push(
                "The rectangle of the signature is too small for its text; a part of it is not seen."
                    .to_owned(),
            );
        }
        let mut pen = Pen::new(typesetter, size, BLACK);
        pen.prepare(pdf, &lines)?;
        #[expect(clippy::cast_precision_loss, reason = "few lines")]
        let high = lines.len() as f64 * size * 1.2;
        let y = height - (height - high).max(0.0) / 2.0 - 0.95 * size;
        for (count, part) in lines.iter().enumerate().filter(|it| !it.1.is_empty()) {
            let set = pen.line(pdf, part, Face::Helvetica, size)?;
            if set.has_foreign() && !warnings.iter().any(|it| it == NOT_EMBEDDED) {
                warnings.push(NOT_EMBEDDED.to_owned());
            }
            // What the host has set may be wider than it was thought to be.
            let scale = if set.width() > room.0 { room.0 / set.width() } else { 1.0 };
            content.extend(
                format!(
                    "q {0} 0 0 {0} {1} {2} cm ",
                    real(scale),
                    real(left),
                    real(y - 1.2 * size * as_f64(count))
                )
                .bytes(),
            );
            content.extend(set.draw(size, BLACK, &mut resources, &format!("Mitt{count}")));
            content.extend(b"Q\n");
        }
    }
    let matrix = match turn {
        90 => Matrix([0.0, 1.0, -1.0, 0.0, height, 0.0]),
        180 => Matrix([-1.0, 0.0, 0.0, -1.0, width, height]),
        270 => Matrix([0.0, -1.0, 1.0, 0.0, 0.0, width]),
        _ => Matrix::IDENTITY,
    };
    let form = Dict::new()
        .with("Type", Object::name("XObject"))
        .with("Subtype", Object::name("Form"))
        .with("BBox", Object::numbers(&[0.0, 0.0, width, height]))
        .with("Matrix", Object::numbers(&matrix.0))
        .with("Resources", resources);
    let form = pdf.add(Stream::deflated(form, &content));
    if let Some(dict) = pdf.object_mut(widget) {
        dict.set("AP", Dict::new().with("N", Object::Ref(form)));
        if !text.is_empty() {
            // For people who do not see it, and for rules about content.
            dict.set("Contents", Object::text(&text));
        }
        // A hidden field would show nothing.
        let flags = dict.get("F").as_int().unwrap_or(0);
        dict.set("F", (flags & !0b10_0011) | 132);
    }
    Ok(warnings)
}

#[expect(clippy::cast_precision_loss, reason = "few lines")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Returns the text with all that is filled in.
fn text(wanted: &Appearance, facts: &Facts<'_>) -> Result<String> {
    let reason = facts.signing.reason.as_deref().unwrap_or_default();
    let location = facts.signing.location.as_deref().unwrap_or_default();
    let template = match &wanted.text {
        Some(text) => text.as_str(),
        None if wanted.picture.is_some() => "",
        None if reason.is_empty() => "{name}\n{date}",
        None => "{name}\n{date}\n{reason}",
    };
    if template.chars().count() > MAX_TEXT {
        return invalid(format!("expected a text of at most {MAX_TEXT} characters"));
    }
    let mut out = String::new();
    let mut rest = template;
    let (name, date) = (common_name(facts.subject), time_text(facts.now));
    // In one pass, so that what is filled in is not filled in again.
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [
            ("{name}", name.as_str()),
            ("{date}", &date),
            ("{reason}", reason),
            ("{location}", location),
        ];
        match known.into_iter().find(|it| rest.starts_with(it.0)) {
            Some((key, value)) => {
                out.push_str(value);
                rest = &rest[key.len()..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Ok(out
        .chars()
        .filter(|it| *it == '\n' || !it.is_control())
        .collect::<String>()
        .trim()
        .to_owned())
}

/// Returns the largest size at which a text fits, and its lines there; `false` if it fits at none.
fn fitted(text: &str, room: (f64, f64)) -> (f64, Vec<String>, bool) {
    let mut size = SIZES.0;
    loop {
        let lines = wrap(text, room.0, &|it| Face::Helvetica.width(it, size));
        let is_fit = as_f64(lines.len()) * size * 1.2 <= room.1;
        if is_fit || size <= SIZES.1 {
            return (size, lines, is_fit);
        }
        size -= 0.5;
    }
}
