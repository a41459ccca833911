//! Text that is put on pages: page numbers, headers, footers, watermarks.

use crate::content::Matrix;
use crate::draw::{Face, Line, NOT_EMBEDDED, Pen, Typesetter};
use crate::error::{Result, invalid};
use crate::file::Pdf;
use crate::object::{Dict, Object};
use crate::position::Position;
use crate::write::real;

/// Most characters of a text.
const MAX_TEXT: usize = 2_000;

/// A text that is put on pages.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// The text. `{page}` and `{pages}` are numbers, `{label}` the label of the page.
    pub(crate) text: String,
    /// Indexes of pages.
    pub(crate) pages: Vec<usize>,
    /// Where.
    pub(crate) position: Position,
    /// Size in points.
    pub(crate) size: f64,
    /// Red, green and blue, 0 to 1.
    pub(crate) color: [f64; 3],
    /// Degrees, against the clock.
    pub(crate) angle: f64,
    /// 0 to 1.
    pub(crate) opacity: f64,
    /// Distance from the edges in points.
    pub(crate) margin: f64,
    /// Number of the first of the pages; that of the document if there is none.
    pub(crate) start: Option<u32>,
    /// Behind what is there.
    pub(crate) is_behind: bool,
}

/// Reads a color such as `#FF0000` or `red`.
///
/// # Errors
///
/// `invalid-argument` - it is none.
pub(crate) fn color(text: &str) -> Result<[f64; 3]> {
    let named = match text.trim().to_lowercase().as_str() {
        "black" => Some("000000"),
        "white" => Some("FFFFFF"),
        "red" => Some("FF0000"),
        "green" => Some("008000"),
        "blue" => Some("0000FF"),
        "gray" | "grey" => Some("808080"),
        _ => None,
    };
    let hex = named.unwrap_or_else(|| text.trim().trim_start_matches('#'));
    let part = |at: usize| {
        u8::from_str_radix(hex.get(at..at + 2)?, 16).ok().map(|it| f64::from(it) / 255.0)
    };
    match (hex.len(), part(0), part(2), part(4)) {
        (6, Some(r), Some(g), Some(b)) => Ok([r, g, b]),
        _ => invalid(format!("expected a color such as `FF0000`, got `{text}`")),
    }
}

impl Pdf {
    /// Returns the matrix from what is seen, with its origin at the lower left, to the page; and width and height as seen.
    pub(crate) fn seen(&self, page: u32) -> (Matrix, f64, f64) {
        let [x, y, right, top] = self.page_box(page);
        let (width, height) = (right - x, top - y);
        match self.rotation(page) {
            90 => (Matrix([0.0, 1.0, -1.0, 0.0, x + width, y]), height, width),
            180 => (Matrix([-1.0, 0.0, 0.0, -1.0, x + width, y + height]), width, height),
            270 => (Matrix([0.0, -1.0, 1.0, 0.0, x, y + height]), height, width),
            _ => (Matrix([1.0, 0.0, 0.0, 1.0, x, y]), width, height),
        }
    }

    /// Puts a text on pages. Returns warnings.
    ///
    /// # Errors
    ///
    /// `invalid-argument` - a value is out of range. Those of [`Pen::line`].
    pub(crate) fn stamp(
        &mut self,
        mark: &Mark,
        typesetter: &dyn Typesetter,
    ) -> Result<Vec<String>> {
        if mark.text.trim().is_empty() || mark.text.chars().count() > MAX_TEXT {
            return invalid(format!("expected a text of 1 to {MAX_TEXT} characters"));
        }
        if !(1.0..=500.0).contains(&mark.size) {
            return invalid(format!("expected a `size` from 1 to 500, got {}", mark.size));
        }
        if !(0.0..=1.0).contains(&mark.opacity)
            || !mark.angle.is_finite()
            || !(0.0..=10_000.0).contains(&mark.margin)
        {
            return invalid(
                "expected an `opacity` from 0 to 1, an `angle` in degrees and a `margin` in points",
            );
        }
        let labels = if mark.text.contains("{label}") { self.labels() } else { Vec::new() };
        let mut warnings = Vec::new();
        let total = match mark.start {
            Some(start) => start as usize + mark.pages.len().saturating_sub(1),
            None => self.pages.len(),
        };
        let state = (mark.opacity < 1.0).then(|| {
            let dict = Dict::new().with("Type", Object::name("ExtGState"));
            self.add(dict.with("ca", mark.opacity).with("CA", mark.opacity))
        });
        let mut pen = Pen::new(typesetter, mark.size, mark.color);
        let mut all: Vec<(u32, usize, Vec<String>)> = Vec::new();
        for (order, at) in mark.pages.iter().enumerate() {
            let Some(&page) = self.pages.get(*at) else { continue };
            let number = mark.start.map_or(at + 1, |it| it as usize + order);
            let label = labels.get(*at).cloned().unwrap_or_else(|| number.to_string());
            let text = mark
                .text
                .replace("{page}", &number.to_string())
                .replace("{pages}", &total.to_string());
            let text = text.replace("{label}", &label);
            let lines =
                text.lines().map(|it| it.chars().filter(|it| !it.is_control()).collect::<String>());
            all.push((page, *at, lines.filter(|it| !it.is_empty()).collect()));
        }
        let texts: Vec<String> = all.iter().flat_map(|it| it.2.iter().cloned()).collect();
        pen.prepare(self, &texts)?;
        for (page, at, texts) in all {
            let (frame, width, height) = self.seen(page);
            let mut resources = Dict::new();
            let base = self.free_name(page);
            let mut lines = Vec::new();
            for text in &texts {
                lines.push(pen.line(self, text, Face::Helvetica, mark.size)?);
            }
            if lines.iter().any(Line::has_foreign) && !warnings.iter().any(|it| it == NOT_EMBEDDED)
            {
                warnings.push(NOT_EMBEDDED.to_owned());
            }
            let wide = lines.iter().map(Line::width).fold(0.0, f64::max);
            #[expect(clippy::cast_precision_loss, reason = "few lines")]
            let high = lines.len() as f64 * mark.size * 1.2;
            let (sin, cos) = mark.angle.to_radians().sin_cos();
            // The box of the turned text decides how far it is from the edges.
            let (box_width, box_height) =
                (wide * cos.abs() + high * sin.abs(), wide * sin.abs() + high * cos.abs());
            if box_width > width || box_height > height {
                let sentence =
                    format!("The text is larger than page {}; a part of it is not seen.", at + 1);
                if warnings.len() < 20 {
                    warnings.push(sentence);
                }
            }
            use Position::{
                Bottom, BottomLeft, BottomRight, Center, Left, Right, Top, TopLeft, TopRight,
            };
            let (x, y) =
                mark.position.middle((width, height), (box_width, box_height), mark.margin);
            let middle = Matrix([cos, sin, -sin, cos, x, y]).then(frame);
            let mut content = Vec::new();
            content.extend(format!("{} cm\n", middle.0.map(real).join(" ")).bytes());
            if let Some(state) = state {
                resources.set("ExtGState", Dict::new().with(&base, Object::Ref(state)));
                content.extend(format!("/{base} gs\n").bytes());
            }
            let mut top = high / 2.0;
            for (count, line) in lines.iter().enumerate() {
                top -= mark.size * 1.2;
                let left = match mark.position {
                    TopLeft | Left | BottomLeft => -wide / 2.0,
                    Top | Center | Bottom => -line.width() / 2.0,
                    TopRight | Right | BottomRight => wide / 2.0 - line.width(),
                };
                content.extend(
                    format!("q 1 0 0 1 {} {} cm ", real(left), real(top + 0.3 * mark.size)).bytes(),
                );
                content.extend(line.draw(
                    mark.size,
                    mark.color,
                    &mut resources,
                    &format!("{base}{count}"),
                ));
                content.extend(b"Q\n");
            }
            self.draw_on(page, &content, &resources, mark.is_behind)?;
        }
        Ok(warnings)
    }
}
