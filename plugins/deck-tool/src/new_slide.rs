//! New slides on the layouts of the presentation, and single new shapes in placeholders.

use crate::deck::{Deck, Layout};
use crate::error::{Error, Result, invalid};
use crate::escape::escape;
use crate::new_shape::{Content, Files, Spot, shape as new_shape, text_shape};
use crate::order;
use crate::scene::{Scene, Sheet};
use crate::shapes::{Frame, Placeholder, Shape, free_id, tree};
use crate::xml::{A_URI, Id, Ns, P_URI, R_URI, Splices, Xml};

const SLIDE_TYPE: &str = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml";
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";

/// A placeholder and what comes into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filling {
    /// `title`, `body`, a number as the layout has it, its name, or what reading prints: `0 title`, `body 1`.
    pub placeholder: String,
    pub content: Content,
}

/// Finds a layout by its name, also that of its part such as `slideLayout2`.
///
/// # Errors
/// [`Error::NotFound`] - there is none; the message lists all.
pub(crate) fn layout(deck: &Deck, name: &str) -> Result<Layout> {
    let layouts = deck.layouts()?;
    let stem = |it: &Layout| {
        it.part.rsplit('/').next().unwrap_or_default().trim_end_matches(".xml").to_owned()
    };
    let found = layouts.iter().find(|it| it.name == name).or_else(|| {
        layouts
            .iter()
            .find(|it| it.name.trim().eq_ignore_ascii_case(name.trim()) || stem(it) == name)
    });
    match found {
        Some(layout) => Ok(layout.clone()),
        None => {
            let names: Vec<String> = layouts.iter().map(|it| format!("`{}`", it.name)).collect();
            Err(Error::NotFound(format!("expected a layout of {}, got `{name}`", names.join(", "))))
        }
    }
}

/// Finds a placeholder of a layout: by its number, type or name, or by these together as [`label`] and a slide print them.
fn placeholder<'a>(layout: &'a Sheet, wanted: &str) -> Result<&'a Shape> {
    let all = || layout.shapes.iter().filter_map(|it| Some((it, it.placeholder.as_ref()?)));
    let wanted = wanted.trim();
    let wanted_kind = match wanted {
        "title" => &["title", "ctrTitle"][..],
        "subtitle" => &["subTitle"],
        "body" => &["body", "obj", "subTitle"],
        "picture" => &["pic"],
        "table" => &["tbl"],
        "chart" => &["chart"],
        other => &[other][..],
    };
    let by_number = wanted.parse::<u32>().ok().and_then(|number| {
        // A title and footers are numbered too, often with the number of another placeholder.
        let has_number = |it: &&(&Shape, &Placeholder)| it.1.index == number;
        let rank = |it: &Placeholder| u8::from(it.is_title()) + 2 * u8::from(it.is_footer());
        all().filter(|it| has_number(&it)).min_by_key(|it| rank(it.1))
    });
    let by_kind = || wanted_kind.iter().find_map(|kind| all().find(|(_, it)| it.kind == *kind));
    let by_name =
        || all().find(|(shape, _)| shape.name == wanted || format!("\"{}\"", shape.name) == wanted);
    let by_label = || {
        all().find(|(shape, it)| {
            let (number, kind) = (it.index, &it.kind);
            wanted == format!("{number} {kind}")
                || wanted == format!("{kind} {number}")
                || wanted.starts_with(&label(shape, it))
        })
    };
    match by_number.or_else(by_kind).or_else(by_name).or_else(by_label) {
        Some((shape, _)) => Ok(shape),
        None => {
            let known: Vec<String> = all().map(|(shape, it)| label(shape, it)).collect();
            Err(Error::NotFound(format!(
                "expected a placeholder of the layout ({}), got `{wanted}`",
                known.join(", ")
            )))
        }
    }
}

/// Returns how a placeholder is named to users: `1 body "Text Placeholder 2"`.
pub(crate) fn label(shape: &Shape, placeholder: &Placeholder) -> String {
    format!("{} {} \"{}\"", placeholder.index, placeholder.kind, shape.name)
}

/// Adds a slide, and returns its id.
///
/// # Errors
/// [`Error::NotFound`] - no such layout, placeholder or picture; [`Error::Invalid`] - a placeholder twice.
pub(crate) fn add(
    deck: &mut Deck,
    layout_name: &str,
    fillings: &[Filling],
    position: usize,
    files: Files<'_>,
    warnings: &mut Vec<String>,
) -> Result<u32> {
    let layout = layout(deck, layout_name)?;
    let part = deck.package.free_name("ppt/slides/slide1.xml");
    let sheet = Sheet::read(deck, &layout.part)?;
    let empty = deck.package.native(empty_slide())?;
    deck.package.put(&part, empty.into_bytes());
    deck.package.set_media_type(&part, SLIDE_TYPE)?;
    deck.package.relate(&part, "slideLayout", &layout.part, false)?;
    let scene = Scene::read(deck, &layout.part)?;
    let mut shapes = String::new();
    let mut used: Vec<Id> = Vec::new();
    let mut id = 2;
    // In the order of the layout, so that reading order and tab order are those of its designer.
    let mut found = Vec::new();
    for filling in fillings {
        let shape = placeholder(&sheet, &filling.placeholder)?;
        if used.contains(&shape.node) {
            return invalid(format!(
                "expected each placeholder once, got `{}` twice",
                filling.placeholder
            ));
        }
        used.push(shape.node);
        found.push((shape, filling));
    }
    found.sort_by_key(|(shape, _)| shape.node);
    for (shape, filling) in found {
        let (cx, cy) = deck.size()?;
        let whole = Frame { x: cx * 0.1, y: cy * 0.25, cx: cx * 0.8, cy: cy * 0.6 };
        let spot = Spot {
            slide: &part,
            id,
            name: shape.name.clone(),
            reference: if takes(shape, &filling.content)? {
                reference(&sheet.xml, shape)
            } else {
                String::new()
            },
            frame: scene.frame(shape).unwrap_or(whole),
            is_filled: shape.placeholder.as_ref().is_some_and(|it| it.kind == "pic"),
        };
        shapes.push_str(&new_shape(deck, &spot, &filling.content, files, warnings)?);
        id += 1;
    }
    shapes.push_str(&footers(deck, &sheet, &used, position, &mut id)?);
    let xml = deck.package.xml(&part)?;
    let mut splices = Splices::default();
    if let Some(tree) = tree(&xml) {
        xml.append(tree, &deck.package.native(shapes)?, &mut splices);
    }
    deck.package.splice(&part, splices)?;
    order::add(deck, &part, position)
}

/// Returns `true` if a placeholder is for a content. `false` if the content comes in its place as a shape of its own,
/// because PowerPoint has only text in such a placeholder.
fn takes(shape: &Shape, content: &Content) -> Result<bool> {
    let kind = shape.placeholder.as_ref().map_or("", |it| &*it.kind);
    let is_text = matches!(content, Content::Text(_));
    if matches!(kind, "title" | "ctrTitle" | "subTitle" | "dt" | "ftr" | "sldNum") && !is_text {
        return invalid(format!(
            "expected text in the placeholder `{}` of type {kind}",
            shape.name
        ));
    }
    Ok(match content {
        Content::Text(_) => true,
        Content::Table(_) => matches!(kind, "obj" | "tbl"),
        Content::Chart(_) => matches!(kind, "obj" | "chart"),
        Content::Picture(_) => matches!(kind, "obj" | "pic" | "clipArt"),
    })
}

fn empty_slide() -> String {
    format!(
        "{HEAD}<p:sld xmlns:a=\"{A_URI}\" xmlns:r=\"{R_URI}\" xmlns:p=\"{P_URI}\"><p:cSld><p:spTree>\
        <p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>\
        <a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" \
        cy=\"0\"/></a:xfrm></p:grpSpPr></p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>"
    )
}

/// Returns the element `ph` of a layout's placeholder for a shape on a slide.
fn reference(layout: &Xml, shape: &Shape) -> String {
    let found = layout
        .children(shape.node)
        .find(|&it| layout.local(it).starts_with("nv"))
        .and_then(|it| layout.any(it, "nvPr"))
        .and_then(|it| layout.child(it, Ns::P, "ph"));
    let mut out = String::from("<p:ph");
    for name in ["type", "orient", "sz", "idx"] {
        if let Some(value) = found.and_then(|it| layout.attr(it, name)) {
            out.push_str(&format!(" {name}=\"{}\"", escape(&value)));
        }
    }
    out + "/>"
}

/// Gives a slide without a title one in the placeholder of its layout. Returns `false` if the layout has none.
///
/// # Errors
/// [`Error::Malformed`] - a part cannot be read.
pub(crate) fn add_title(deck: &mut Deck, part: &str, text: &str) -> Result<bool> {
    let scene = Scene::read(deck, part)?;
    let Some(layout) = &scene.layout else { return Ok(false) };
    let (Some(title), Some(tree)) = (layout.title(), tree(&scene.slide.xml)) else {
        return Ok(false);
    };
    let xml = &scene.slide.xml;
    let id = free_id(xml);
    let shape = text_shape(&reference(&layout.xml, title), &escape(&title.name), id, text);
    let shape = xml.declared(tree, shape);
    let mut splices = Splices::default();
    // A title is the first shape for those who read with a screen reader.
    match xml.any(tree, "grpSpPr") {
        Some(before) => splices.insert(xml.range(before).end, shape),
        None => xml.append(tree, &shape, &mut splices),
    }
    deck.package.splice(part, splices)?;
    Ok(true)
}

/// Copies date, footer and slide number from the slide before, as far as the layout has places for them that are not filled.
fn footers(
    deck: &Deck,
    layout: &Sheet,
    used: &[Id],
    position: usize,
    id: &mut u32,
) -> Result<String> {
    let slides = deck.slides()?;
    let like = slides.get(position.saturating_sub(1)).or_else(|| slides.last());
    let Some(like) = like else { return Ok(String::new()) };
    let slide = Sheet::read(deck, &like.part)?;
    let mut out = String::new();
    for shape in &slide.shapes {
        let Some(own) = shape.placeholder.as_ref().filter(|it| it.is_footer()) else { continue };
        let place = layout
            .shapes
            .iter()
            .find(|it| it.placeholder.as_ref().is_some_and(|it| it.kind == own.kind))
            .filter(|it| !used.contains(&it.node));
        let (Some(place), Some(body)) = (place, shape.body) else { continue };
        let lines: Vec<String> = slide
            .xml
            .named(body, Ns::A, "p")
            .map(|it| slide.xml.xml(it).to_owned())
            .filter(|it| {
                !it.contains("r:id=") && (it.starts_with("<a:p>") || it.starts_with("<a:p "))
            })
            .collect();
        if lines.is_empty() {
            continue;
        }
        out.push_str(&format!(
            "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"{}\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr>\
            <p:nvPr>{}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>{}</p:txBody></p:sp>",
            escape(&place.name),
            reference(&layout.xml, place),
            lines.concat()
        ));
        *id += 1;
    }
    Ok(out)
}
