//! Several pages on each sheet.

use crate::content::Matrix;
use crate::error::{Result, invalid};
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};
use crate::write::real;

/// Names of paper with width and height in points.
const PAPER: [(&str, f64, f64); 7] = [
    ("a3", 841.89, 1190.55),
    ("a4", 595.28, 841.89),
    ("a5", 419.53, 595.28),
    ("b5", 498.9, 708.66),
    ("letter", 612.0, 792.0),
    ("legal", 612.0, 1008.0),
    ("tabloid", 792.0, 1224.0),
];
/// Points between pages and to the edges.
const GAP: f64 = 14.0;

/// Reads a size of paper, its shorter side first.
fn paper(text: &str) -> Result<(f64, f64)> {
    let name = text.trim().to_lowercase();
    if let Some((_, width, height)) = PAPER.iter().find(|it| it.0 == name) {
        return Ok((*width, *height));
    }
    let sides = name.split_once('x').and_then(|(width, height)| {
        Some((width.trim().parse::<f64>().ok()?, height.trim().parse::<f64>().ok()?))
    });
    match sides {
        Some((width, height))
            if (72.0..=14_400.0).contains(&width) && (72.0..=14_400.0).contains(&height) =>
        {
            Ok((width.min(height), width.max(height)))
        }
        _ => {
            let names: Vec<&str> = PAPER.iter().map(|it| it.0).collect();
            invalid(format!(
                "expected a paper of {} or points such as `595x842`, 72 to 14400 each, got `{}`",
                names.join(", "),
                crate::text::line(text, 40)
            ))
        }
    }
}

/// Puts two or four pages on each sheet. Returns warnings.
///
/// # Errors
///
/// `invalid-argument` - the number or the paper is not known. `malformed` - the content of a page cannot be read.
pub(crate) fn arrange(pdf: &mut Pdf, on_one: usize, size: &str) -> Result<Vec<String>> {
    if !matches!(on_one, 2 | 4) {
        return invalid(format!("expected a `count` of 2 or 4 pages on a sheet, got {on_one}"));
    }
    let (short, long) = paper(size)?;
    let old = pdf.pages.clone();
    let (mut links, mut fields, mut others) = (0, 0, 0);
    for page in &old {
        for annotation in pdf.annotations(*page) {
            let Some(dict) = pdf.object(annotation) else { continue };
            match pdf.value(dict, "Subtype").as_name() {
                Some(b"Link") => links += 1,
                Some(b"Widget") => fields += 1,
                Some(b"Popup") => {}
                _ => others += 1,
            }
        }
    }
    let bookmarks = pdf.outline().len();
    let is_wide = pdf.pages.first().is_some_and(|it| {
        let (_, width, height) = pdf.seen(*it);
        width > height
    });
    // Two pages lie beside each other if they are high, and four as one.
    let turns = (on_one == 2) != is_wide;
    let (width, height) = if turns { (long, short) } else { (short, long) };
    let (columns, rows) = match (on_one, is_wide) {
        (2, false) => (2, 1),
        (2, true) => (1, 2),
        _ => (2, 2),
    };
    #[expect(clippy::cast_precision_loss, reason = "at most two")]
    let share = |whole: f64, count: usize| (whole - GAP * (count as f64 + 1.0)) / count as f64;
    let (cell_width, cell_height) = (share(width, columns), share(height, rows));
    let mut sheets = Vec::new();
    for group in old.chunks(on_one) {
        let mut content = Vec::new();
        let mut names = Dict::new();
        for (at, page) in group.iter().enumerate() {
            let form = pdf.page_form(*page)?;
            let scale = (cell_width / form.width).min(cell_height / form.height);
            let (shown_width, shown_height) = (form.width * scale, form.height * scale);
            #[expect(clippy::cast_precision_loss, reason = "at most four")]
            let (column, row) = ((at % columns) as f64, (at / columns) as f64);
            let left = GAP + column * (cell_width + GAP) + (cell_width - shown_width) / 2.0;
            let top = height - GAP - row * (cell_height + GAP) - (cell_height - shown_height) / 2.0;
            let place: Matrix = form.place(left, top - shown_height, shown_width, shown_height);
            content.extend(format!("q {} cm /P{at} Do Q\n", place.0.map(real).join(" ")).bytes());
            names.set(format!("P{at}"), Object::Ref(form.number));
        }
        let content = pdf.add(Stream::deflated(Dict::new(), &content));
        let sheet = Dict::new()
            .with("Type", Object::name("Page"))
            .with("MediaBox", Object::numbers(&[0.0, 0.0, width, height]))
            .with("Contents", Object::Ref(content))
            .with("Resources", Dict::new().with("XObject", names));
        sheets.push(pdf.add(sheet));
    }
    let first = pdf.pages.len();
    pdf.pages.extend(&sheets);
    let order: Vec<usize> = (first..pdf.pages.len()).collect();
    // What belongs to the old pages goes with them. It is counted here.
    pdf.catalog_mut().remove("PageLabels");
    let forgotten = pdf.select(&order)?;
    let mut warnings = Vec::new();
    for (count, what) in
        [(links, "Links"), (bookmarks, "Bookmarks"), (others, "Comments and drawings of comments")]
    {
        if count > 0 {
            warnings.push(format!("{what} are not on the sheets: {count}."));
        }
    }
    if fields > 0 {
        warnings.push(format!(
            "Form fields are not on the sheets, nor are their values: {fields}. Do `flatten` before to keep what they show."
        ));
    }
    warnings.extend(forgotten.into_iter().filter(|it| it.contains("tags")));
    Ok(warnings)
}
