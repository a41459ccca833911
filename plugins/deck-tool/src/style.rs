//! How text of a shape looks, with all that it inherits: sizes, spacing, margins, and what happens to text that does not
//! fit.

use crate::scene::Scene;
use crate::shapes::Shape;
use crate::text::Paragraph;
use crate::xml::{Id, Ns, Xml};

/// EMU of a point.
pub(crate) const POINT: f64 = 12_700.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spacing {
    /// A part of the height of a line.
    Part(f64),
    /// Points.
    Fixed(f64),
}

/// The look of a paragraph.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Look {
    /// Size in points.
    pub(crate) size: f64,
    pub(crate) is_bold: bool,
    pub(crate) font: String,
    /// Margin and first indent in EMU.
    pub(crate) margin: f64,
    pub(crate) indent: f64,
    pub(crate) line: Spacing,
    pub(crate) before: Spacing,
    pub(crate) after: Spacing,
}

/// What happens to text that is larger than its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fit {
    /// It stands out of the shape.
    None,
    /// PowerPoint makes it smaller, by what is written here.
    Shrink { scale: f64, spacing: f64 },
    /// The shape grows.
    Grow,
}

/// The box of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Box {
    /// Insets in EMU: left, top, right, bottom.
    pub(crate) insets: [f64; 4],
    pub(crate) fit: Fit,
    pub(crate) wraps: bool,
    pub(crate) is_vertical: bool,
    pub(crate) columns: f64,
}

/// A place that has properties: a part and an element.
type Source<'a> = (&'a Xml, Id);

/// Returns the properties of the box of a shape's text.
pub(crate) fn text_box(scene: &Scene, shape: &Shape) -> Box {
    let bodies: Vec<Source<'_>> = scene
        .chain(shape)
        .into_iter()
        .filter_map(|(xml, it)| Some((xml, xml.child(it.body?, Ns::A, "bodyPr")?)))
        .collect();
    let attr = |name: &str| {
        bodies.iter().find_map(|(xml, it)| xml.attr(*it, name).map(|value| value.into_owned()))
    };
    let number = |name: &str, default: f64| {
        attr(name)
            .and_then(|it| it.parse().ok())
            .filter(|it: &f64| it.is_finite())
            .unwrap_or(default)
    };
    let fit = bodies.iter().find_map(|(xml, it)| {
        xml.children(*it).find_map(|child| match xml.local(child) {
            "noAutofit" => Some(Fit::None),
            "spAutoFit" => Some(Fit::Grow),
            "normAutofit" => Some(Fit::Shrink {
                scale: percent(xml, child, "fontScale").unwrap_or(1.0),
                spacing: percent(xml, child, "lnSpcReduction").unwrap_or(0.0),
            }),
            _ => None,
        })
    });
    Box {
        insets: [
            number("lIns", 91_440.0),
            number("tIns", 45_720.0),
            number("rIns", 91_440.0),
            number("bIns", 45_720.0),
        ],
        fit: fit.unwrap_or(Fit::None),
        wraps: attr("wrap").as_deref() != Some("none"),
        is_vertical: attr("vert").is_some_and(|it| it != "horz"),
        columns: number("numCol", 1.0).clamp(1.0, 16.0),
    }
}

/// Reads `90000` or `90%` as 0.9.
pub(crate) fn percent(xml: &Xml, id: Id, name: &str) -> Option<f64> {
    let text = xml.attr(id, name)?;
    match text.strip_suffix('%') {
        Some(text) => text.parse::<f64>().ok().map(|it| it / 100.0),
        None => text.parse::<f64>().ok().map(|it| it / 100_000.0),
    }
}

/// Returns lists of levels that a shape's text follows, the nearest first.
fn lists<'a>(scene: &'a Scene, shape: &'a Shape) -> Vec<Source<'a>> {
    let of_shapes = scene
        .chain(shape)
        .into_iter()
        .filter_map(|(xml, it)| Some((xml, xml.child(it.body?, Ns::A, "lstStyle")?)));
    let mut out: Vec<Source<'a>> = of_shapes.collect();
    out.extend(scene.text_style(shape));
    let presentation = &*scene.presentation;
    let default = presentation.child(presentation.root(), Ns::P, "defaultTextStyle");
    out.extend(default.map(|it| (presentation, it)));
    out
}

/// Returns properties of paragraphs that apply to one, the nearest first.
pub(crate) fn sources<'a>(
    scene: &'a Scene,
    shape: &'a Shape,
    paragraph: &Paragraph,
) -> Vec<Source<'a>> {
    let slide = &*scene.slide.xml;
    let own = slide.child(paragraph.node, Ns::A, "pPr");
    let mut out: Vec<Source<'a>> = own.map(|it| (slide, it)).into_iter().collect();
    let level = format!("lvl{}pPr", paragraph.level + 1);
    for (xml, list) in lists(scene, shape) {
        out.extend(xml.child(list, Ns::A, &level).map(|it| (xml, it)));
    }
    out
}

/// Returns the look of a paragraph of a shape.
pub(crate) fn look(scene: &Scene, shape: &Shape, paragraph: &Paragraph) -> Look {
    let sources = sources(scene, shape, paragraph);
    let runs: Vec<Source<'_>> = sources
        .iter()
        .filter_map(|(xml, it)| Some((*xml, xml.child(*it, Ns::A, "defRPr")?)))
        .collect();
    let number = |name: &str| sources.iter().find_map(|(xml, it)| xml.number::<f64>(*it, name));
    let spacing = |local: &str| {
        sources.iter().find_map(|(xml, it)| {
            let node = xml.children(xml.child(*it, Ns::A, local)?).next()?;
            match xml.local(node) {
                "spcPct" => percent(xml, node, "val").map(Spacing::Part),
                _ => xml.number::<f64>(node, "val").map(|it| Spacing::Fixed(it / 100.0)),
            }
        })
    };
    let size = runs.iter().find_map(|(xml, it)| xml.number::<f64>(*it, "sz"));
    let font = runs.iter().find_map(|(xml, it)| {
        xml.child(*it, Ns::A, "latin")
            .and_then(|it| xml.attr(it, "typeface"))
            .map(|it| it.into_owned())
    });
    Look {
        size: size.map_or(18.0, |it| it / 100.0),
        is_bold: runs.iter().find_map(|(xml, it)| xml.flag(*it, "b")).unwrap_or(false),
        font: theme_font(scene, font.as_deref().unwrap_or("+mn-lt")),
        margin: number("marL").unwrap_or(0.0),
        indent: number("indent").unwrap_or(0.0),
        line: spacing("lnSpc").unwrap_or(Spacing::Part(1.0)),
        before: spacing("spcBef").unwrap_or(Spacing::Part(0.0)),
        after: spacing("spcAft").unwrap_or(Spacing::Part(0.0)),
    }
}

/// Returns the name of a font of the theme for `+mn-lt` and `+mj-lt`.
pub(crate) fn theme_font(scene: &Scene, font: &str) -> String {
    let which = match font {
        font if font.starts_with("+mj") => "majorFont",
        font if font.starts_with("+mn") => "minorFont",
        font => return font.to_owned(),
    };
    let found = scene.theme.as_ref().and_then(|theme| {
        let fonts =
            theme.path(theme.root(), Ns::A, &["themeElements", "fontScheme", which, "latin"])?;
        theme.attr(fonts, "typeface").map(|it| it.into_owned())
    });
    found.unwrap_or_default()
}
