//! Fills fields: checks their values and sets them.

use crate::appearance::show;
use crate::draw::Pen;
use crate::error::{Result, invalid, unsupported};
use crate::file::Pdf;
use crate::form::{Field, FieldKind};
use crate::object::{Dict, Object, Stream};
use crate::text::{counted, line};
use crate::write::real;

/// Longest text of a field.
const MAX_TEXT: usize = 100_000;

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
                    "field `{name}` takes at most {}, got {}",
                    counted(most, "character"),
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
    pen: &mut Pen<'_>,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    match field.kind {
        FieldKind::CheckBox | FieldKind::Radio => {
            set_state(pdf, field, value);
        }
        FieldKind::Text => {
            pdf.set(field.number, "V", Object::text(value));
            remove(pdf, field.number, "RV");
            warnings = show(pdf, field, value, pen)?;
        }
        FieldKind::Combo | FieldKind::List => {
            let values: Vec<&str> = value.lines().collect();
            let stored = match values[..] {
                [] => Object::text(""),
                [one] => Object::text(one),
                _ => values.iter().map(|it| Object::text(it)).collect::<Vec<_>>().into(),
            };
            pdf.set(field.number, "V", stored);
            remove(pdf, field.number, "I");
            warnings = show(pdf, field, value, pen)?;
        }
        FieldKind::Button | FieldKind::Signature => {}
    }
    Ok(warnings)
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
        pdf.set(
            *widget,
            "AS",
            if is_on { Object::Name(name.as_slice().into()) } else { Object::name("Off") },
        );
    }
    pdf.set(field.number, "V", Object::Name(name.as_slice().into()));
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
    pdf.set(widget, "AP", Dict::new().with("N", states));
}
