//! Makes appearances that show the values of fields.

use crate::draw::{NOT_EMBEDDED, Pen, Typesetter};
use crate::error::Result;
use crate::file::Pdf;
use crate::form::{Field, FieldKind};
use crate::look::{Look, background, border, look};
use crate::object::{Dict, Object, Stream};
use crate::text::line;
use crate::write::real;

/// Smallest automatic size.
const LEAST_SIZE: f64 = 4.0;
/// Most places of a field that each have a copy of what the host has set; more of them share one form.
const MAX_COPIES: usize = 4;

/// How a value is laid out in one place of a field.
struct Layout {
    widget: u32,
    marks: Dict,
    /// Width and height before the place is turned.
    width: f64,
    height: f64,
    turn: i64,
    border: f64,
    size: f64,
    lines: Vec<String>,
    /// Cells for one character each.
    cells: Option<usize>,
    has_many_lines: bool,
    /// A part of the text is not seen.
    is_too_small: bool,
    /// What the host has set may be copied here, because the field has few places.
    may_copy: bool,
}

impl Layout {
    fn inset(&self) -> f64 {
        2.0 * self.border.max(1.0)
    }

    /// Returns how wide a line may be.
    fn inner(&self) -> f64 {
        (self.width - 2.0 * self.inset()).max(1.0)
    }

    /// Returns what a line is drawn as, each part with its left end; `None` for the end that the field asks for.
    fn parts(&self, line: &str, look: &Look) -> Vec<(Option<f64>, String)> {
        match self.cells {
            #[expect(clippy::cast_precision_loss, reason = "few cells")]
            Some(cells) if cells > 0 => {
                let cell = self.width / cells as f64;
                let of = |(at, c): (usize, char)| {
                    let c = c.to_string();
                    let left = cell * at as f64 + (cell - look.face.width(&c, self.size)) / 2.0;
                    (Some(left), c)
                };
                line.chars().enumerate().map(of).collect()
            }
            _ => vec![(None, line.to_owned())],
        }
    }
}

/// Cuts text into lines of a width.
pub(crate) fn wrap(text: &str, width: f64, measure: &dyn Fn(&str) -> f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut last_break = 0;
        for c in paragraph.trim_end_matches('\r').chars() {
            line.push(c);
            if c == ' ' || !c.is_ascii() {
                last_break = line.len();
            }
            if c != ' ' && measure(&line) > width && line.chars().count() > 1 {
                let before = line.len() - c.len_utf8();
                let cut = if last_break > 0 && last_break <= before { last_break } else { before };
                let rest = line.split_off(cut);
                lines.push(std::mem::replace(&mut line, rest).trim_end().to_owned());
                last_break = 0;
            }
        }
        lines.push(line);
    }
    lines
}

/// Returns the text that a field shows for a value.
fn shown(field: &Field, value: &str) -> String {
    let text = match field.kind {
        FieldKind::Combo | FieldKind::List => {
            let of = |it: &str| {
                let option = field.options.iter().find(|option| option.0 == it);
                option.map_or(it.to_owned(), |it| it.1.clone())
            };
            value.lines().map(of).collect::<Vec<_>>().join("\n")
        }
        FieldKind::Text if field.has_flag(14) => {
            "*".repeat(value.replace("\r\n", "\n").replace('\t', "    ").chars().count())
        }
        _ => value.replace("\r\n", "\n").replace('\t', "    "),
    };
    text.chars().filter(|it| *it == '\n' || !it.is_control()).collect()
}

/// Lays a value out in each place of a field.
fn layouts(pdf: &Pdf, field: &Field, look: &Look, text: &str) -> Vec<Layout> {
    let has_many_lines =
        field.has_flag(13) && field.kind == FieldKind::Text || field.kind == FieldKind::List;
    let cells = field
        .max_length
        .filter(|_| field.has_flag(25) && field.kind == FieldKind::Text && !has_many_lines);
    let mut out = Vec::new();
    for widget in &field.widgets {
        let Some(dict) = pdf.object(*widget) else { continue };
        let Some(rect) = pdf.rect(dict.get("Rect")) else { continue };
        let marks = pdf.dict(dict, "MK").cloned().unwrap_or_default();
        let turn = pdf.value(&marks, "R").as_int().unwrap_or(0).rem_euclid(360);
        let border = border(pdf, dict, &marks);
        let (mut width, mut height) = (rect[2] - rect[0], rect[3] - rect[1]);
        if turn == 90 || turn == 270 {
            std::mem::swap(&mut width, &mut height);
        }
        let mut layout = Layout {
            widget: *widget,
            marks,
            width,
            height,
            turn,
            border,
            size: look.size,
            lines: Vec::new(),
            cells,
            has_many_lines,
            is_too_small: false,
            may_copy: field.widgets.len() <= MAX_COPIES,
        };
        if has_many_lines {
            wrapped(&mut layout, look, text);
        } else {
            in_one_line(&mut layout, look, text);
        }
        out.push(layout);
    }
    out
}

fn wrapped(layout: &mut Layout, look: &Look, text: &str) {
    let (inner, room) = (layout.inner(), layout.height - layout.inset());
    let fits = |size: f64| {
        let lines = wrap(text, inner, &|it| look.face.width(it, size));
        #[expect(clippy::cast_precision_loss, reason = "few lines")]
        let is_fit = lines.len() as f64 * size * 1.2 <= room;
        (lines, is_fit)
    };
    if layout.size == 0.0 {
        layout.size = 12.0;
        while layout.size > LEAST_SIZE && !fits(layout.size).1 {
            layout.size -= 0.5;
        }
    }
    let (lines, is_fit) = fits(layout.size);
    layout.lines = lines;
    layout.is_too_small = !is_fit;
}

fn in_one_line(layout: &mut Layout, look: &Look, text: &str) {
    let inner = layout.inner();
    if layout.size == 0.0 {
        layout.size = ((layout.height - layout.inset()) * 0.75).clamp(LEAST_SIZE, 144.0);
        let wide = look.face.width(text, 1.0);
        if layout.cells.is_none() && wide * layout.size > inner {
            layout.size = (inner / wide).max(LEAST_SIZE);
        }
    }
    layout.is_too_small =
        layout.cells.is_none() && look.face.width(text, layout.size) > inner + 0.5;
    layout.lines = vec![text.to_owned()];
}

/// Lets the host set the values of several fields together, so that they share one font with the letters of all.
///
/// # Errors
///
/// Those of [`Pen::prepare`].
pub(crate) fn prepare(pdf: &mut Pdf, values: &[(&Field, &str)], pen: &mut Pen<'_>) -> Result<()> {
    let mut by_color: Vec<([f64; 3], Vec<String>)> = Vec::new();
    for (field, value) in values {
        if !matches!(field.kind, FieldKind::Text | FieldKind::Combo | FieldKind::List) {
            continue;
        }
        let look = look(pdf, field);
        let layouts = layouts(pdf, field, &look, &shown(field, value));
        let lines = layouts.iter().flat_map(|it| it.lines.iter().map(move |line| (it, line)));
        let parts = lines.flat_map(|(it, line)| it.parts(line, &look)).map(|it| it.1);
        match by_color.iter_mut().find(|it| it.0 == look.color) {
            Some((_, texts)) => texts.extend(parts),
            None => by_color.push((look.color, parts.collect())),
        }
    }
    for (color, texts) in by_color {
        pen.take(color);
        pen.prepare(pdf, &texts)?;
    }
    Ok(())
}

/// Makes the appearances of a field of text or choices.
///
/// # Errors
///
/// `unsupported` - no font has its characters.
pub(crate) fn show(
    pdf: &mut Pdf,
    field: &Field,
    value: &str,
    pen: &mut Pen<'_>,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let look = look(pdf, field);
    let text = shown(field, value);
    if let Some(font) = look.substitute.as_ref().filter(|_| !text.is_empty()) {
        warnings.push(format!(
            "Field `{}` is shown in Helvetica instead of `{}`.",
            field.name,
            line(font, 60)
        ));
    }
    pen.take(look.color);
    let align = pdf.inherited(field.number, "Q").as_int().unwrap_or(0);
    for layout in layouts(pdf, field, &look, &text) {
        if layout.is_too_small {
            warnings.push(format!(
                "Field `{}` is too small for its text; a part of it is not seen.",
                field.name
            ));
        }
        let form = drawn(pdf, &layout, &look, align, pen, &mut warnings)?;
        let form = pdf.add(form);
        pdf.set(layout.widget, "AP", Dict::new().with("N", Object::Ref(form)));
    }
    Ok(warnings)
}

/// Makes the appearances of the values that fields have.
///
/// # Errors
///
/// Those of [`show`].
pub(crate) fn show_all(
    pdf: &mut Pdf,
    fields: &[&Field],
    typesetter: &dyn Typesetter,
) -> Result<Vec<String>> {
    let mut pen = Pen::of_fields(typesetter);
    let values: Vec<(&Field, &str)> = fields.iter().map(|it| (*it, it.value.as_str())).collect();
    prepare(pdf, &values, &mut pen)?;
    let mut warnings = Vec::new();
    for (field, value) in values {
        warnings.extend(show(pdf, field, value, &mut pen)?);
    }
    Ok(warnings)
}

/// Returns the form that shows a value.
fn drawn(
    pdf: &mut Pdf,
    layout: &Layout,
    look: &Look,
    align: i64,
    pen: &mut Pen<'_>,
    warnings: &mut Vec<String>,
) -> Result<Stream> {
    let Layout { width, height, border, size, .. } = *layout;
    let (inset, inner) = (layout.inset(), layout.inner());
    let mut resources = Dict::new();
    let mut content = background(pdf, &layout.marks, width, height, border);
    content.extend(b"/Tx BMC q\n");
    let clip = [border, border, (width - 2.0 * border).max(0.0), (height - 2.0 * border).max(0.0)]
        .map(real);
    content.extend(format!("{} re W n\n", clip.join(" ")).bytes());
    let mut y = if layout.has_many_lines {
        height - inset - 0.95 * size
    } else {
        (height - size) / 2.0 + 0.22 * size
    };
    let mut parts = Vec::new();
    for line in &layout.lines {
        for (x, part) in layout.parts(line, look).into_iter().filter(|it| !it.1.is_empty()) {
            parts.push((x, y, pen.line(pdf, &part, look.face, size)?));
        }
        y -= 1.2 * size;
    }
    // What the host has set with the same resources needs no forms of its own.
    let shared = parts.first().filter(|_| layout.may_copy).and_then(|it| it.2.resources()).cloned();
    let shared = shared.filter(|it| parts.iter().all(|part| part.2.resources() == Some(it)));
    for (count, (x, y, set)) in parts.into_iter().enumerate() {
        if set.has_foreign() && !warnings.iter().any(|it| it == NOT_EMBEDDED) {
            warnings.push(NOT_EMBEDDED.to_owned());
        }
        let x = x.unwrap_or_else(|| match align {
            1 => (width - set.width()) / 2.0,
            2 => width - inset - set.width(),
            _ => inset,
        });
        // What the host has set may be wider than it was thought to be.
        let is_wide = set.width() > inner && layout.cells.is_none() && set.is_set();
        let scale = if is_wide { inner / set.width() } else { 1.0 };
        let x = if scale < 1.0 { inset } else { x };
        content.extend(format!("q {0} 0 0 {0} {1} {2} cm ", real(scale), real(x), real(y)).bytes());
        content.extend(match set.inline().filter(|_| shared.is_some()) {
            Some(inline) => inline,
            None => set.draw(size, look.color, &mut resources, &format!("Mitt{}", count + 1)),
        });
        content.extend(b"Q\n");
    }
    content.extend(b"Q EMC\n");
    let matrix = match layout.turn {
        90 => [0.0, 1.0, -1.0, 0.0, height, 0.0],
        180 => [-1.0, 0.0, 0.0, -1.0, width, height],
        270 => [0.0, -1.0, 1.0, 0.0, 0.0, width],
        _ => [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    };
    let form = Dict::new()
        .with("Type", Object::name("XObject"))
        .with("Subtype", Object::name("Form"))
        .with("BBox", Object::numbers(&[0.0, 0.0, width, height]))
        .with("Matrix", Object::numbers(&matrix))
        .with("Resources", shared.unwrap_or_else(|| resources.into()));
    Ok(Stream::deflated(form, &content))
}
