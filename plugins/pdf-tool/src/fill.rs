//! Fills fields: values, and appearances that show them.

use crate::draw::{NOT_EMBEDDED, Pen, Typesetter};
use crate::error::{Result, invalid, unsupported};
use crate::file::Pdf;
use crate::form::{Field, FieldKind};
use crate::look::{background, border, look};
use crate::object::{Dict, Object, Stream};
use crate::text::line;
use crate::write::real;

/// Longest text of a field.
const MAX_TEXT: usize = 100_000;
/// Smallest automatic size.
const LEAST_SIZE: f64 = 4.0;

/// Checks a value against a field; returns it as it is stored: states of buttons, export values of choices, lines for
/// several.
///
/// # Errors
///
/// `invalid-argument` - the field does not take it. `unsupported` - the field is not filled here.
pub(crate) fn check(pdf: &Pdf, field: &Field, value: &str) -> Result<String> {
    let name = &field.name;
    if field.is_read_only {
        return invalid(format!(
            "field `{name}` is read-only; draw the text with `add-text` if the user wants it changed"
        ));
    }
    if value.len() > MAX_TEXT {
        return invalid(format!(
            "field `{name}`: expected at most {MAX_TEXT} bytes, got {}",
            value.len()
        ));
    }
    let known = || {
        let texts = field.options.iter().take(20).map(|(value, text)| {
            if value == text {
                format!("`{}`", line(value, 60))
            } else {
                format!("`{}` ({})", line(value, 60), line(text, 60))
            }
        });
        texts.collect::<Vec<_>>().join(", ")
    };
    let chosen = |value: &str| {
        let found = field.options.iter().find(|it| it.0 == value);
        let found = found.or_else(|| field.options.iter().find(|it| it.1 == value));
        let found =
            found.or_else(|| field.options.iter().find(|it| it.1.eq_ignore_ascii_case(value)));
        found.map(|it| it.0.clone())
    };
    match field.kind {
        FieldKind::Text => {
            let value = date(pdf, field, value)?;
            if let Some(most) = field.max_length.filter(|it| *it > 0 && value.chars().count() > *it)
            {
                return invalid(format!(
                    "field `{name}` takes at most {most} characters, got {}",
                    value.chars().count()
                ));
            }
            if !field.has_flag(13) && value.contains('\n') {
                return invalid(format!("field `{name}` has one line; its value has several"));
            }
            Ok(value)
        }
        FieldKind::CheckBox => {
            if let Some(state) = chosen(value) {
                return Ok(state);
            }
            match value.trim().to_lowercase().as_str() {
                "true" | "yes" | "on" | "1" | "x" | "checked" => {
                    Ok(field.options.first().map_or_else(|| "Yes".to_owned(), |it| it.0.clone()))
                }
                "false" | "no" | "off" | "0" | "" | "unchecked" => Ok("Off".to_owned()),
                _ => invalid(format!(
                    "field `{name}` is a check box: expected `true` or `false`, got `{}`",
                    line(value, 60)
                )),
            }
        }
        FieldKind::Radio => match chosen(value) {
            Some(state) => Ok(state),
            None if matches!(value, "" | "Off") && !field.has_flag(15) => Ok("Off".to_owned()),
            None => invalid(format!(
                "field `{name}` has no choice `{}`; there are: {}",
                line(value, 60),
                known()
            )),
        },
        FieldKind::Combo | FieldKind::List => {
            let lines: Vec<&str> = value.lines().collect();
            if lines.len() > 1 && !(field.kind == FieldKind::List && field.has_flag(22)) {
                return invalid(format!("field `{name}` takes one choice, got {}", lines.len()));
            }
            let of = |it: &&str| match chosen(it) {
                Some(value) => Ok(value),
                None if field.has_flag(19) && field.kind == FieldKind::Combo => {
                    Ok((*it).to_owned())
                }
                None => invalid(format!(
                    "field `{name}` has no choice `{}`; there are: {}",
                    line(it, 60),
                    known()
                )),
            };
            Ok(lines.iter().map(of).collect::<Result<Vec<_>>>()?.join("\n"))
        }
        FieldKind::Button => unsupported(format!("field `{name}` is a button; it has no value")),
        FieldKind::Signature => {
            unsupported(format!("field `{name}` is a signature; sign it with `sign_pdf`"))
        }
    }
}

/// Returns the text of scripts of a field.
fn script(pdf: &Pdf, field: &Field) -> String {
    let actions = pdf.inherited(field.number, "AA");
    let mut text = String::new();
    for key in ["F", "K"] {
        let Some(action) = actions.as_dict().and_then(|it| pdf.dict(it, key)) else { continue };
        match pdf.value(action, "JS") {
            Object::Str(bytes) => text.push_str(&crate::text::decode(bytes)),
            Object::Stream(stream) => {
                text.push_str(
                    &pdf.decode(stream)
                        .map(|it| crate::text::decode(&it.bytes))
                        .unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
    text
}

/// Writes a date such as `2026-11-27` in the way that a field of dates asks for.
fn date(pdf: &Pdf, field: &Field, value: &str) -> Result<String> {
    let script = script(pdf, field);
    let Some(form) =
        script.split("AFDate_FormatEx(").nth(1).and_then(|it| it.split(['"', '\'']).nth(1))
    else {
        return Ok(value.to_owned());
    };
    let parts: Vec<&str> = value.trim().split('-').collect();
    let is_date = matches!(parts[..], [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2);
    let numbers: Vec<usize> = parts.iter().filter_map(|it| it.parse().ok()).collect();
    let ([year, month, day], true) = (&numbers[..], is_date) else { return Ok(value.to_owned()) };
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let Some(name) =
        month.checked_sub(1).and_then(|it| MONTHS.get(it)).filter(|_| (1..=31).contains(day))
    else {
        return invalid(format!("field `{}`: `{}` is no date", field.name, line(value, 60)));
    };
    let mut out = String::new();
    let mut rest = form;
    while let Some(first) = rest.chars().next() {
        let run = rest.chars().take_while(|it| *it == first).count();
        match (first, run) {
            ('y', 4..) => out.push_str(&format!("{year:04}")),
            ('y', _) => out.push_str(&format!("{:02}", year % 100)),
            ('m', 4..) => out.push_str(name),
            ('m', 3) => out.push_str(&name[..3]),
            ('m', 2) => out.push_str(&format!("{month:02}")),
            ('m', _) => out.push_str(&month.to_string()),
            ('d', 2) => out.push_str(&format!("{day:02}")),
            ('d', 1) => out.push_str(&day.to_string()),
            // Hours and names of days are not in the value.
            ('d' | 'H' | 'h' | 'M' | 's' | 't', _) => return Ok(value.to_owned()),
            (other, _) => out.extend(std::iter::repeat_n(other, run)),
        }
        rest = &rest[first.len_utf8() * run..];
    }
    Ok(out)
}

/// Sets the value of a field and makes its appearances. Returns warnings.
///
/// # Errors
///
/// `unsupported` - no font has its characters.
pub(crate) fn fill(
    pdf: &mut Pdf,
    field: &Field,
    value: &str,
    typesetter: &dyn Typesetter,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    match field.kind {
        FieldKind::CheckBox | FieldKind::Radio => {
            set_state(pdf, field, value);
        }
        FieldKind::Text => {
            set(pdf, field.number, "V", Object::text(value));
            remove(pdf, field.number, "RV");
            warnings = show(pdf, field, value, typesetter)?;
        }
        FieldKind::Combo | FieldKind::List => {
            let values: Vec<&str> = value.lines().collect();
            let stored = match values[..] {
                [] => Object::text(""),
                [one] => Object::text(one),
                _ => values.iter().map(|it| Object::text(it)).collect::<Vec<_>>().into(),
            };
            set(pdf, field.number, "V", stored);
            remove(pdf, field.number, "I");
            warnings = show(pdf, field, value, typesetter)?;
        }
        FieldKind::Button | FieldKind::Signature => {}
    }
    Ok(warnings)
}

fn set(pdf: &mut Pdf, number: u32, key: &str, value: Object) {
    if let Some(dict) = pdf.object_mut(number) {
        dict.set(key, value);
    }
}

fn remove(pdf: &mut Pdf, number: u32, key: &str) {
    if let Some(dict) = pdf.object_mut(number) {
        dict.remove(key);
    }
}

fn set_state(pdf: &mut Pdf, field: &Field, state: &str) {
    // The state is written as its bytes are in the appearance.
    let raw = |pdf: &Pdf, widget: u32| {
        let dict = pdf.object(widget)?;
        let states = pdf.dict(dict, "AP").and_then(|it| pdf.dict(it, "N"))?;
        states.iter().map(|it| it.0).find(|it| crate::text::decode(it) == state).map(<[u8]>::to_vec)
    };
    let mut name = state.as_bytes().to_vec();
    for widget in &field.widgets {
        if pdf.on_state(*widget).is_none() {
            make_check(pdf, *widget, state);
        }
        let found = raw(pdf, *widget);
        let is_on = found.is_some() && state != "Off";
        if let Some(found) = found.filter(|_| is_on) {
            name = found;
        }
        set(
            pdf,
            *widget,
            "AS",
            if is_on { Object::Name(name.clone()) } else { Object::name("Off") },
        );
    }
    set(pdf, field.number, "V", Object::Name(name));
}

/// Makes the two appearances of a check box that has none.
fn make_check(pdf: &mut Pdf, widget: u32, state: &str) {
    let Some(rect) = pdf.object(widget).and_then(|it| pdf.rect(it.get("Rect"))) else { return };
    let (width, height) = (rect[2] - rect[0], rect[3] - rect[1]);
    let size = width.min(height) * 0.8;
    let font = Dict::new()
        .with("Type", Object::name("Font"))
        .with("Subtype", Object::name("Type1"))
        .with("BaseFont", Object::name("ZapfDingbats"));
    let font = pdf.add(font);
    let fonts = Dict::new().with("ZaDb", Object::Ref(font));
    let (x, y) = ((width - 0.846 * size) / 2.0, (height - 0.7 * size) / 2.0);
    let draw = format!("q BT 0 g /ZaDb {} Tf {} {} Td (4) Tj ET Q\n", real(size), real(x), real(y));
    let form = |content: &[u8]| {
        let dict = Dict::new()
            .with("Type", Object::name("XObject"))
            .with("Subtype", Object::name("Form"))
            .with("BBox", Object::numbers(&[0.0, 0.0, width, height]))
            .with("Resources", Dict::new().with("Font", fonts.clone()));
        Stream::deflated(dict, content)
    };
    let (on, off) = (form(draw.as_bytes()), form(b""));
    let (on, off) = (pdf.add(on), pdf.add(off));
    let state = if state == "Off" { "Yes" } else { state };
    let states = Dict::new().with(state, Object::Ref(on)).with("Off", Object::Ref(off));
    set(pdf, widget, "AP", Dict::new().with("N", states).into());
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

/// Makes the appearances of a field of text or choices.
///
/// # Errors
///
/// `unsupported` - no font has its characters.
pub(crate) fn show(
    pdf: &mut Pdf,
    field: &Field,
    value: &str,
    typesetter: &dyn Typesetter,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let look = look(pdf, field);
    let mut text = match field.kind {
        FieldKind::Combo | FieldKind::List => {
            let of = |it: &str| {
                field
                    .options
                    .iter()
                    .find(|option| option.0 == it)
                    .map_or(it.to_owned(), |it| it.1.clone())
            };
            value.lines().map(of).collect::<Vec<_>>().join("\n")
        }
        _ => value.replace("\r\n", "\n").replace('\t', "    "),
    };
    if field.kind == FieldKind::Text && field.has_flag(14) {
        text = "*".repeat(text.chars().count());
    }
    let text: String = text.chars().filter(|it| *it == '\n' || !it.is_control()).collect();
    if let Some(font) = look.substitute.as_ref().filter(|_| !text.is_empty()) {
        warnings.push(format!(
            "Field `{}` is shown in Helvetica instead of `{}`.",
            field.name,
            line(font, 60)
        ));
    }
    let face = look.face;
    let is_many =
        field.has_flag(13) && field.kind == FieldKind::Text || field.kind == FieldKind::List;
    let comb = field
        .max_length
        .filter(|_| field.has_flag(25) && field.kind == FieldKind::Text && !is_many);
    let mut pen = Pen::new(typesetter, look.size, look.color);
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
        let inset = 2.0 * border.max(1.0);
        let inner = (width - 2.0 * inset).max(1.0);
        let measure = |text: &str, size: f64| face.width(text, size);
        let mut size = look.size;
        let lines = if is_many {
            let fits = |size: f64| {
                let lines = wrap(&text, inner, &|it| measure(it, size));
                #[expect(clippy::cast_precision_loss, reason = "few lines")]
                let is_fit = lines.len() as f64 * size * 1.2 <= height - inset;
                (lines, is_fit)
            };
            if size == 0.0 {
                size = 12.0;
                while size > LEAST_SIZE && !fits(size).1 {
                    size -= 0.5;
                }
            }
            let (lines, is_fit) = fits(size);
            if !is_fit {
                warnings.push(format!(
                    "Field `{}` is too small for its text; a part of it is not seen.",
                    field.name
                ));
            }
            lines
        } else {
            if size == 0.0 {
                size = ((height - inset) * 0.75).clamp(LEAST_SIZE, 144.0);
                let wide = measure(&text, 1.0);
                if comb.is_none() && wide * size > inner {
                    size = (inner / wide).max(LEAST_SIZE);
                }
            }
            if comb.is_none() && measure(&text, size) > inner + 0.5 {
                warnings.push(format!(
                    "Field `{}` is too small for its text; a part of it is not seen.",
                    field.name
                ));
            }
            vec![text.clone()]
        };
        pen.resize(size);
        let align = pdf.inherited(field.number, "Q").as_int().unwrap_or(0);
        let mut resources = Dict::new();
        let mut content = background(pdf, &marks, width, height, border);
        content.extend(b"/Tx BMC q\n");
        let clip =
            [border, border, (width - 2.0 * border).max(0.0), (height - 2.0 * border).max(0.0)]
                .map(real);
        content.extend(format!("{} re W n\n", clip.join(" ")).bytes());
        let mut y = if is_many {
            height - inset - 0.95 * size
        } else {
            (height - size) / 2.0 + 0.22 * size
        };
        let mut count = 0;
        for part in &lines {
            if part.is_empty() {
                y -= 1.2 * size;
                continue;
            }
            let cells: Vec<(f64, String)> = match comb {
                #[expect(clippy::cast_precision_loss, reason = "few cells")]
                Some(cells) if cells > 0 => {
                    let cell = width / cells as f64;
                    let of = |(at, c): (usize, char)| {
                        let c = c.to_string();
                        (cell * at as f64 + (cell - measure(&c, size)) / 2.0, c)
                    };
                    part.chars().enumerate().map(of).collect()
                }
                _ => vec![(f64::NAN, part.clone())],
            };
            for (x, part) in cells {
                let set = pen.line(pdf, &part, face)?;
                if set.has_foreign() && !warnings.iter().any(|it| it == NOT_EMBEDDED) {
                    warnings.push(NOT_EMBEDDED.to_owned());
                }
                let x = if x.is_nan() {
                    match align {
                        1 => (width - set.width()) / 2.0,
                        2 => width - inset - set.width(),
                        _ => inset,
                    }
                } else {
                    x
                };
                count += 1;
                // What the host has set may be wider than it was thought to be.
                let scale = if set.width() > inner && comb.is_none() && set.is_set() {
                    inner / set.width()
                } else {
                    1.0
                };
                let x = if scale < 1.0 { inset } else { x };
                content.extend(
                    format!("q {0} 0 0 {0} {1} {2} cm ", real(scale), real(x), real(y)).bytes(),
                );
                content.extend(set.draw(size, look.color, &mut resources, &format!("Mitt{count}")));
                content.extend(b"Q\n");
            }
            y -= 1.2 * size;
        }
        content.extend(b"Q EMC\n");
        let matrix = match turn {
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
            .with("Resources", resources);
        let form = pdf.add(Stream::deflated(form, &content));
        set_appearance(pdf, *widget, form);
    }
    Ok(warnings)
}

fn set_appearance(pdf: &mut Pdf, widget: u32, form: u32) {
    set(pdf, widget, "AP", Dict::new().with("N", Object::Ref(form)).into());
}
