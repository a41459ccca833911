//! How a field looks: font, size, colors, border.

use crate::draw::Face;
use crate::file::Pdf;
use crate::form::Field;
use crate::lex::{Budget, Lexer};
use crate::object::{Dict, Object};
use crate::write::real;

/// What a default appearance says.
pub(crate) struct Look {
    pub(crate) face: Face,
    pub(crate) size: f64,
    pub(crate) color: [f64; 3],
    /// The font is another one than the field asks for.
    pub(crate) substitute: Option<String>,
}

/// Returns what the default appearance of a field says.
pub(crate) fn look(pdf: &Pdf, field: &Field) -> Look {
    let own = pdf.inherited(field.number, "DA");
    let of_widget =
        field.widgets.first().and_then(|it| pdf.object(*it)).map(|it| pdf.value(it, "DA").clone());
    let of_form = pdf.form().map(|(_, form)| pdf.value(form, "DA").clone());
    let bytes = [Some(own), of_widget, of_form]
        .into_iter()
        .flatten()
        .find_map(|it| it.as_str().map(<[u8]>::to_vec));
    let bytes = bytes.unwrap_or_default();
    let mut look = Look { face: Face::Helvetica, size: 0.0, color: [0.0; 3], substitute: None };
    let mut lexer = Lexer::new(&bytes, 0);
    let mut budget = Budget(1_000);
    let mut operands: Vec<Object> = Vec::new();
    loop {
        lexer.skip_space();
        if lexer.peek().is_none() {
            break;
        }
        if let Ok(value) = lexer.value(&mut budget, false) {
            operands.push(value);
            continue;
        }
        let operator = lexer.word();
        let numbers: Vec<f64> = operands.iter().filter_map(Object::as_f64).collect();
        match (operator, &numbers[..]) {
            (b"Tf", [size]) => {
                look.size = size.clamp(0.0, 300.0);
                let name = operands.first().and_then(Object::as_name).unwrap_or_default();
                (look.face, look.substitute) = face(pdf, name);
            }
            (b"g", [gray]) => look.color = [gray.clamp(0.0, 1.0); 3],
            (b"rg", [r, g, b]) => look.color = [*r, *g, *b].map(|it| it.clamp(0.0, 1.0)),
            (b"k", [c, m, y, k]) => {
                look.color = [c, m, y].map(|it| ((1.0 - it) * (1.0 - k)).clamp(0.0, 1.0))
            }
            (b"", _) => lexer.at += 1,
            _ => {}
        }
        operands.clear();
        if budget.0 == 0 {
            break;
        }
    }
    look
}

/// Returns the standard font that is like one of the form.
fn face(pdf: &Pdf, name: &[u8]) -> (Face, Option<String>) {
    let fonts =
        pdf.form().and_then(|(_, form)| pdf.dict(form, "DR")).and_then(|it| pdf.dict(it, "Font"));
    let font = fonts.and_then(|it| pdf.resolve(it.find(name)?).as_dict());
    let base = font.and_then(|it| pdf.text(it, "BaseFont"));
    let base = base.unwrap_or_else(|| String::from_utf8_lossy(name).into_owned());
    let plain = base.split_once('+').map_or(base.as_str(), |it| it.1).to_lowercase();
    let is = |parts: &[&str]| parts.iter().any(|it| plain.starts_with(it));
    let is_bold = plain.contains("bold") || plain == "hebo";
    if is(&["helv", "arial", "hebo"]) {
        return (if is_bold { Face::HelveticaBold } else { Face::Helvetica }, None);
    }
    if is(&["times", "tiro"]) {
        return (Face::Times, None);
    }
    if is(&["cour", "cobo"]) {
        return (Face::Courier, None);
    }
    (Face::Helvetica, Some(base))
}

/// Returns the width of the border of a field.
pub(crate) fn border(pdf: &Pdf, widget: &Dict, marks: &Dict) -> f64 {
    if !marks.has("BC") {
        return 0.0;
    }
    let style = pdf.dict(widget, "BS").and_then(|it| pdf.value(it, "W").as_f64());
    style
        .or_else(|| pdf.numbers(widget.get("Border")).get(2).copied())
        .unwrap_or(1.0)
        .clamp(0.0, 10.0)
}

/// Draws background and border of a field.
pub(crate) fn background(pdf: &Pdf, marks: &Dict, width: f64, height: f64, border: f64) -> Vec<u8> {
    let color = |key: &str, operators: [&str; 3]| {
        let numbers = pdf.numbers(marks.get(key));
        let operator = match numbers.len() {
            1 => operators[0],
            3 => operators[1],
            4 => operators[2],
            _ => return None,
        };
        let numbers: Vec<String> = numbers.iter().map(|it| real(*it)).collect();
        Some(format!("{} {operator}", numbers.join(" ")))
    };
    let mut out = String::new();
    if let Some(fill) = color("BG", ["g", "rg", "k"]) {
        out.push_str(&format!("q {fill} 0 0 {} {} re f Q\n", real(width), real(height)));
    }
    if let Some(stroke) = color("BC", ["G", "RG", "K"]).filter(|_| border > 0.0) {
        let half = border / 2.0;
        let rect =
            [half, half, (width - border).max(0.0), (height - border).max(0.0)].map(real).join(" ");
        out.push_str(&format!("q {stroke} {} w {rect} re S Q\n", real(border)));
    }
    out.into_bytes()
}
