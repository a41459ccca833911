//! Colours of text and of what stands behind it, where both are solid, and the contrast between them.

use crate::scene::{Scene, Sheet};
use crate::shapes::Shape;
use crate::style::{percent, sources};
use crate::text::{RunKind, paragraphs};
use crate::xml::{Id, Ns, Xml};

/// Red, green and blue from 0 to 1.
pub(crate) type Rgb = [f64; 3];

/// What fills a shape or a background.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fill {
    None,
    Solid(Rgb),
    Unknown,
}

fn parse(hex: &str) -> Option<Rgb> {
    let value = u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 6)?;
    Some([16, 8, 0].map(|shift| f64::from(value >> shift & 0xff) / 255.0))
}

/// Returns a colour of the theme by its name in the master's map, such as `tx1`.
fn of_theme(scene: &Scene, name: &str) -> Option<Rgb> {
    let mapped = mapped(scene, name);
    let theme = scene.theme.as_ref()?;
    let scheme = theme.path(theme.root(), Ns::A, &["themeElements", "clrScheme"])?;
    let color = theme.children(theme.child(scheme, Ns::A, &mapped)?).next()?;
    match theme.local(color) {
        "sysClr" => parse(&theme.attr(color, "lastClr")?),
        _ => parse(&theme.attr(color, "val")?),
    }
}

fn mapped(scene: &Scene, name: &str) -> String {
    let of_sheet = |sheet: &Sheet| {
        let xml = &*sheet.xml;
        let map = xml.path(xml.root(), Ns::P, &["clrMapOvr"])?;
        let map = xml.child(map, Ns::A, "overrideClrMapping")?;
        xml.attr(map, name).map(|it| it.into_owned())
    };
    let of_master = |sheet: &Sheet| {
        let map = sheet.xml.child(sheet.xml.root(), Ns::P, "clrMap")?;
        sheet.xml.attr(map, name).map(|it| it.into_owned())
    };
    of_sheet(&scene.slide)
        .or_else(|| scene.layout.as_ref().and_then(of_sheet))
        .or_else(|| scene.master.as_ref().and_then(of_master))
        .unwrap_or_else(|| name.to_owned())
}

/// Returns the colour that an element such as `solidFill` has; `None` if it is not known.
fn solid(scene: &Scene, xml: &Xml, fill: Id, placeholder: Option<Rgb>) -> Option<Rgb> {
    let color = xml.children(fill).next()?;
    let name = xml.attr(color, "val").unwrap_or_default();
    let mut rgb = match xml.local(color) {
        "srgbClr" => parse(&name)?,
        "schemeClr" if name == "phClr" => placeholder?,
        "schemeClr" => of_theme(scene, &name)?,
        "sysClr" => parse(&xml.attr(color, "lastClr")?)?,
        "prstClr" if name == "black" => [0.0; 3],
        "prstClr" if name == "white" => [1.0; 3],
        _ => return None,
    };
    let value = |local: &str| xml.child(color, Ns::A, local).and_then(|it| percent(xml, it, "val"));
    if value("alpha").is_some_and(|it| it < 0.5) {
        return None;
    }
    // Luminance in the simple form: towards black, then towards white.
    let (factor, offset) = (value("lumMod").unwrap_or(1.0), value("lumOff").unwrap_or(0.0));
    let (shade, tint) = (value("shade").unwrap_or(1.0), value("tint").unwrap_or(1.0));
    for part in &mut rgb {
        *part = (*part * factor + offset).clamp(0.0, 1.0) * shade;
        *part = 1.0 - (1.0 - *part) * tint;
    }
    Some(rgb)
}

fn fill(scene: &Scene, xml: &Xml, properties: Id) -> Option<Fill> {
    xml.children(properties).find_map(|it| match xml.local(it) {
        "noFill" => Some(Fill::None),
        "solidFill" => Some(solid(scene, xml, it, None).map_or(Fill::Unknown, Fill::Solid)),
        "gradFill" | "blipFill" | "pattFill" | "grpFill" => Some(Fill::Unknown),
        _ => None,
    })
}

fn of_shape(scene: &Scene, shape: &Shape) -> Fill {
    for (xml, it) in scene.chain(shape) {
        let own = xml.any(it.node, "spPr").and_then(|it| fill(scene, xml, it));
        if let Some(own) = own {
            return own;
        }
        let style =
            xml.child(it.node, Ns::P, "style").and_then(|it| xml.child(it, Ns::A, "fillRef"));
        if let Some(style) = style.filter(|&it| xml.attr(it, "idx").as_deref() != Some("0")) {
            return solid(scene, xml, style, None).map_or(Fill::Unknown, Fill::Solid);
        }
    }
    match shape.kind.name() {
        "text" => Fill::None,
        _ => Fill::Unknown,
    }
}

fn background(scene: &Scene) -> Fill {
    let sheets = [Some(&scene.slide), scene.layout.as_ref(), scene.master.as_ref()];
    for sheet in sheets.into_iter().flatten() {
        let xml = &*sheet.xml;
        let Some(node) = xml.path(xml.root(), Ns::P, &["cSld", "bg"]) else { continue };
        if let Some(properties) = xml.child(node, Ns::P, "bgPr") {
            return fill(scene, xml, properties).unwrap_or(Fill::Unknown);
        }
        let Some(reference) = xml.child(node, Ns::P, "bgRef") else { return Fill::Unknown };
        let is_plain = xml.attr(reference, "idx").as_deref() == Some("1001")
            && scene.theme.as_ref().is_some_and(|theme| {
                let list = ["themeElements", "fmtScheme", "bgFillStyleLst", "solidFill"];
                let fills = theme.path(theme.root(), Ns::A, &list[..3]);
                let first = fills.and_then(|it| theme.children(it).next());
                first.is_some_and(|it| theme.is(it, Ns::A, list[3]))
            });
        return match solid(scene, xml, reference, None) {
            Some(color) if is_plain => Fill::Solid(color),
            _ => Fill::Unknown,
        };
    }
    Fill::Solid([1.0; 3])
}

/// Returns the colour behind the text of a shape; `None` if it is no single one.
fn behind(scene: &Scene, shape: &Shape) -> Option<Rgb> {
    match of_shape(scene, shape) {
        Fill::Solid(color) => return Some(color),
        Fill::Unknown => return None,
        Fill::None => {}
    }
    let frame = scene.frame(shape)?;
    let before = scene.slide.shapes.iter().take_while(|it| it.node != shape.node);
    let decorations = scene
        .master
        .iter()
        .chain(&scene.layout)
        .flat_map(|sheet| sheet.shapes.iter().filter(|it| it.placeholder.is_none()));
    // Pictures and shapes of layouts are not distinguished from backgrounds.
    if decorations.filter_map(|it| it.frame).any(|it| it.overlap(&frame) > 0.3 * frame.area()) {
        return None;
    }
    for below in before.collect::<Vec<_>>().into_iter().rev().filter(|it| it.kind.name() != "group")
    {
        let Some(place) = scene.frame(below) else { continue };
        if place.overlap(&frame) <= 0.0 {
            continue;
        }
        match of_shape(scene, below) {
            Fill::Solid(color) if place.contains(&frame) => return Some(color),
            Fill::None => {}
            _ => return None,
        }
    }
    match background(scene) {
        Fill::Solid(color) => Some(color),
        _ => None,
    }
}

/// Returns the colour that properties of text give; `Some(None)` if they give one that is not known, such as a gradient.
fn of_run(scene: &Scene, xml: &Xml, properties: Id) -> Option<Option<Rgb>> {
    // Links have a colour of the theme, whatever else stands here.
    if xml.child(properties, Ns::A, "hlinkClick").is_some() {
        return Some(of_theme(scene, "hlink"));
    }
    xml.children(properties).find_map(|it| match xml.local(it) {
        "solidFill" => Some(solid(scene, xml, it, None)),
        "noFill" | "gradFill" | "blipFill" | "pattFill" | "grpFill" => Some(None),
        _ => None,
    })
}

/// Returns the least contrast between the text of a shape and what is behind it, from 1 to 21; `None` if it is not known.
pub(crate) fn contrast(scene: &Scene, shape: &Shape) -> Option<f64> {
    let back = behind(scene, shape)?;
    let xml = &*scene.slide.xml;
    let mut least = None::<f64>;
    for paragraph in paragraphs(xml, shape.body?) {
        let inherited = sources(scene, shape, &paragraph)
            .into_iter()
            .find_map(|(xml, it)| of_run(scene, xml, xml.child(it, Ns::A, "defRPr")?));
        let style = || {
            let style = xml.child(shape.node, Ns::P, "style")?;
            let font = xml.child(style, Ns::A, "fontRef")?;
            Some(solid(scene, xml, font, None))
        };
        for run in paragraph.runs.iter().filter(|it| it.kind == RunKind::Text && it.end > it.start)
        {
            let own = xml.child(run.node, Ns::A, "rPr").and_then(|it| of_run(scene, xml, it));
            let color =
                own.or_else(style).or(inherited).unwrap_or_else(|| of_theme(scene, "tx1"))?;
            let ratio = ratio(color, back);
            least = Some(least.map_or(ratio, |it| it.min(ratio)));
        }
    }
    least
}

/// Returns the contrast of WCAG.
fn ratio(one: Rgb, other: Rgb) -> f64 {
    let luminance = |rgb: Rgb| {
        let [red, green, blue] = rgb.map(|it| match it {
            it if it <= 0.03928 => it / 12.92,
            it => ((it + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}
