//! Pictures on slides that are replaced by others.

use crate::deck::Deck;
use crate::error::{Result, invalid, unsupported};
use crate::new_shape::{Files, add_picture, within};
use crate::package::first_below;
use crate::scene::{Scene, Sheet};
use crate::shapes::{Frame, Kind, Shape, transformation};
use crate::xml::{Id, Ns, Splices, Xml};
use std::collections::BTreeSet;

/// Replaces a picture by one of the session, as large as its place allows. Returns `true` if the old description stays.
///
/// # Errors
/// [`crate::Error::Invalid`] - the shape or the document is no picture; [`crate::Error::NotFound`] - there is no such
/// document.
pub(crate) fn replace(
    deck: &mut Deck,
    sheet: &Sheet,
    shape: &Shape,
    document: &str,
    alt: Option<&str>,
    files: Files<'_>,
) -> Result<bool> {
    let xml = &*sheet.xml;
    let fill = xml.any(shape.node, "blipFill").filter(|_| shape.kind == Kind::Picture);
    let Some(fill) = fill else {
        return invalid(format!(
            "expected a picture, but the shape {} is a {}",
            shape.id,
            shape.kind.name()
        ));
    };
    let Some(blip) = first_below(xml, fill, Ns::A, "blip") else {
        return unsupported("the picture has no file");
    };
    let old = xml.relations(blip);
    let Some((range, _)) = old.first().cloned() else {
        return unsupported("the picture has no file");
    };
    let inherited = Scene::read(deck, &sheet.part)?.frame(shape);
    let (relation, picture) = add_picture(deck, &sheet.part, document, files)?;
    let mut splices = Splices::default();
    splices.replace(range, relation);
    // A drawing in SVG would be shown in place of the picture.
    for id in xml.below(blip).filter(|&it| xml.local(it) == "svgBlip") {
        if let Some(extension) = xml.parent(id).filter(|&it| xml.local(it) == "ext") {
            xml.remove(extension, &mut splices);
        }
    }
    if let Some(crop) = xml.child(fill, Ns::A, "srcRect") {
        xml.remove(crop, &mut splices);
    }
    let own = transformation(xml, shape.node);
    if let Some(frame) = own.and_then(|it| own_frame(xml, it)).or(inherited) {
        put_frame(xml, shape.node, own, &within(&picture, &frame), &mut splices);
    }
    let name = xml.children(shape.node).find_map(|it| xml.any(it, "cNvPr"));
    let description = name.and_then(|it| xml.attr(it, "descr")).unwrap_or_default();
    if let (Some(alt), Some(name)) = (alt, name) {
        xml.set_attr(name, "descr", alt, &mut splices);
    }
    let stays = alt.is_none() && !description.trim().is_empty();
    deck.package.splice(&sheet.part, splices)?;
    let old: BTreeSet<String> = old.into_iter().map(|it| it.1).collect();
    deck.package.drop_unused(&sheet.part, &old)?;
    Ok(stays)
}

/// Returns the frame in the measure of the shape's group.
fn own_frame(xml: &Xml, xfrm: Id) -> Option<Frame> {
    let (at, size) = (xml.child(xfrm, Ns::A, "off")?, xml.child(xfrm, Ns::A, "ext")?);
    Some(Frame {
        x: xml.number(at, "x")?,
        y: xml.number(at, "y")?,
        cx: xml.number(size, "cx")?,
        cy: xml.number(size, "cy")?,
    })
}

fn put_frame(xml: &Xml, node: Id, own: Option<Id>, frame: &Frame, out: &mut Splices) {
    let own = own.and_then(|it| Some((xml.child(it, Ns::A, "off")?, xml.child(it, Ns::A, "ext")?)));
    match own {
        Some((at, size)) => {
            let values = [
                (at, "x", frame.x),
                (at, "y", frame.y),
                (size, "cx", frame.cx),
                (size, "cy", frame.cy),
            ];
            for (id, name, value) in values {
                if xml.number::<f64>(id, name).is_none_or(|it| (it - value).abs() >= 1.0) {
                    xml.set_attr(id, name, &format!("{value:.0}"), out);
                }
            }
        }
        None => {
            let Some(properties) = xml.any(node, "spPr") else { return };
            let Frame { x, y, cx, cy } = frame;
            let xfrm = format!(
                "<a:xfrm><a:off x=\"{x:.0}\" y=\"{y:.0}\"/><a:ext cx=\"{cx:.0}\" cy=\"{cy:.0}\"/></a:xfrm>"
            );
            xml.prepend(properties, &xml.declared(properties, xfrm), out);
        }
    }
}
