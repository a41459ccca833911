//! New shapes: text, a table, a picture or a chart, in a placeholder or at a place of a slide.

use crate::deck::Deck;
use crate::error::{Result, invalid, unsupported};
use crate::escape::escape;
use crate::new_chart::{self, NewChart, kind_name};
use crate::picture::{Picture, picture};
use crate::shapes::{CM, Frame, free_id, tree};
use crate::tables::{MAX_ROWS, new_table};
use crate::write::plain_paragraph;
use crate::xml::{C_URI, Splices};

/// Height of a row of a new table, and the least one.
const ROW: f64 = 370_840.0;
const LEAST_ROW: f64 = CM * 0.5;
/// Most columns of a new table; PowerPoint's own limit is 75.
const MAX_COLUMNS: usize = 75;
/// Farthest place from the corner of a slide in cm. The largest slide has 142.
const MAX_CM: f64 = 1_000.0;

/// What a new shape shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Lines, with a tab in front for each level.
    Text(String),
    /// Rows of cells; the first is the header.
    Table(Vec<Vec<String>>),
    /// The name of a picture of the session.
    Picture(String),
    Chart(NewChart),
}

/// Returns the content of a document of the session.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>>;

/// Where a new shape comes.
#[derive(Clone, Debug)]
pub(crate) struct Spot<'a> {
    /// The part of the slide.
    pub(crate) slide: &'a str,
    pub(crate) id: u32,
    pub(crate) name: String,
    /// The element `ph`; empty if the shape has a place of its own.
    pub(crate) reference: String,
    pub(crate) frame: Frame,
    /// A picture fills the frame, and what is too much is cut off.
    pub(crate) is_filled: bool,
}

/// Returns the XML of a new shape. Its parts and relationships are added.
///
/// # Errors
/// [`crate::Error::NotFound`] - no such picture; [`crate::Error::Invalid`] - the content does not fit its kind.
pub(crate) fn shape(
    deck: &mut Deck,
    spot: &Spot<'_>,
    content: &Content,
    files: Files<'_>,
    warnings: &mut Vec<String>,
) -> Result<String> {
    let Spot { slide, id, reference, frame, .. } = spot;
    let name = escape(&spot.name);
    let Frame { x, y, cx, cy } = *frame;
    Ok(match content {
        Content::Text(text) if reference.is_empty() => {
            let lines: String = text.split('\n').map(plain_paragraph).collect();
            format!(
                "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"{name}\"/><p:cNvSpPr txBox=\"1\"/><p:nvPr/></p:nvSpPr>\
                <p:spPr>{}<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody><a:bodyPr \
                wrap=\"square\"/><a:lstStyle/>{lines}</p:txBody></p:sp>",
                transform("a", frame)
            )
        }
        Content::Text(text) => text_shape(reference, &name, *id, text),
        Content::Table(rows) => {
            let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
            if columns == 0 || columns > MAX_COLUMNS || rows.len() > MAX_ROWS {
                return invalid(format!(
                    "expected a table of 1 to {MAX_ROWS} rows and 1 to {MAX_COLUMNS} columns, got {} and {columns}",
                    rows.len()
                ));
            }
            let row = (cy / rows.len() as f64).clamp(LEAST_ROW, ROW).floor();
            let height = row * rows.len() as f64;
            if height > cy * 1.01 {
                warnings.push(format!(
                    "The table `{}` needs at least {:.1} cm and has {:.1} cm; use fewer rows or several slides.",
                    spot.name,
                    height / CM,
                    cy / CM
                ));
            }
            let table = new_table(rows, cx, row, &table_style(deck)?);
            let uri = "http://schemas.openxmlformats.org/drawingml/2006/table";
            graphic_frame(spot, "", &Frame { x, y, cx, cy: height }, uri, &table)
        }
        Content::Picture(document) => {
            let (relation, picture) = add_picture(deck, slide, document, files)?;
            let (crop, place) = if spot.is_filled {
                (crop(&picture, frame), *frame)
            } else {
                (String::new(), within(&picture, frame))
            };
            let lock = if reference.is_empty() { "" } else { " noGrp=\"1\"" };
            let (shape, corners) = if reference.is_empty() {
                ("<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom>", transform("a", &place))
            } else {
                ("", transform("a", &place))
            };
            format!(
                "<p:pic><p:nvPicPr><p:cNvPr id=\"{id}\" name=\"{name}\" descr=\"{}\"/><p:cNvPicPr><a:picLocks{lock} \
                noChangeAspect=\"1\"/></p:cNvPicPr><p:nvPr>{reference}</p:nvPr></p:nvPicPr><p:blipFill><a:blip \
                r:embed=\"{relation}\"/>{crop}<a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>{corners}{shape}\
                </p:spPr></p:pic>",
                escape(document)
            )
        }
        Content::Chart(chart) => {
            let relation = new_chart::add(deck, slide, chart)?;
            let inner = format!("<c:chart xmlns:c=\"{C_URI}\" r:id=\"{relation}\"/>");
            let kind = kind_name(chart.kind);
            let alt = match chart.title.trim() {
                "" => format!("Chart ({kind})"),
                title => format!("Chart ({kind}): {title}"),
            };
            graphic_frame(spot, &alt, frame, C_URI, &inner)
        }
    })
}

fn transform(prefix: &str, frame: &Frame) -> String {
    let Frame { x, y, cx, cy } = frame;
    format!(
        "<{prefix}:xfrm><a:off x=\"{x:.0}\" y=\"{y:.0}\"/><a:ext cx=\"{cx:.0}\" cy=\"{cy:.0}\"/></{prefix}:xfrm>"
    )
}

fn graphic_frame(spot: &Spot<'_>, alt: &str, frame: &Frame, uri: &str, inner: &str) -> String {
    let alt = if alt.is_empty() { String::new() } else { format!(" descr=\"{}\"", escape(alt)) };
    // Tables are never in a group, nor is what stands in a placeholder.
    let lock = if spot.reference.is_empty() && uri == C_URI {
        ""
    } else {
        "<a:graphicFrameLocks noGrp=\"1\"/>"
    };
    format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"{}\" name=\"{}\"{alt}/><p:cNvGraphicFramePr>\
        {lock}</p:cNvGraphicFramePr><p:nvPr>{}</p:nvPr></p:nvGraphicFramePr>{}<a:graphic>\
        <a:graphicData uri=\"{uri}\">{inner}</a:graphicData></a:graphic></p:graphicFrame>",
        spot.id,
        escape(&spot.name),
        spot.reference,
        transform("p", frame)
    )
}

/// Returns a text shape in a placeholder.
pub(crate) fn text_shape(reference: &str, name: &str, id: u32, text: &str) -> String {
    let lines: String = text.split('\n').map(plain_paragraph).collect();
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"{name}\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr>\
        <p:nvPr>{reference}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>{lines}</p:txBody></p:sp>"
    )
}

/// Returns the frame for left, top, width and height in cm.
///
/// # Errors
/// [`crate::Error::Invalid`] - they are no rectangle near to a slide.
pub(crate) fn frame(place: &[f64]) -> Result<Frame> {
    match *place {
        [x, y, cx, cy] if place.iter().all(|it| it.abs() <= MAX_CM) && cx >= 0.1 && cy >= 0.1 => {
            Ok(Frame { x: x * CM, y: y * CM, cx: cx * CM, cy: cy * CM })
        }
        _ => invalid(format!(
            "expected a place as left, top, width and height in cm, up to {MAX_CM} and not empty, got {place:?}"
        )),
    }
}

/// Adds a shape in front of all others of a slide, and returns its id.
///
/// # Errors
/// Those of [`shape`]; [`crate::Error::Unsupported`] - the slide has no list of shapes.
pub(crate) fn add(
    deck: &mut Deck,
    slide: &str,
    place: &[f64],
    content: &Content,
    files: Files<'_>,
    warnings: &mut Vec<String>,
) -> Result<u32> {
    let frame = frame(place)?;
    let xml = deck.package.xml(slide)?;
    let id = free_id(&xml);
    let kind = match content {
        Content::Text(_) => "Text",
        Content::Table(_) => "Table",
        Content::Picture(_) => "Picture",
        Content::Chart(_) => "Chart",
    };
    let name = format!("{kind} {id}");
    let spot = Spot { slide, id, name, reference: String::new(), frame, is_filled: false };
    let new = shape(deck, &spot, content, files, warnings)?;
    let Some(tree) = tree(&xml) else {
        return unsupported(format!("`{slide}` has no list of shapes"));
    };
    let new = deck.package.native(xml.declared(tree, new))?;
    let mut splices = Splices::default();
    match xml.any(tree, "extLst") {
        Some(behind) => splices.insert(xml.range(behind).start, new),
        None => xml.append(tree, &new, &mut splices),
    }
    deck.package.splice(slide, splices)?;
    Ok(id)
}

fn table_style(deck: &Deck) -> Result<String> {
    let Some(part) = deck.package.related(&deck.main, "tableStyles")? else {
        return Ok(String::new());
    };
    let xml = deck.package.xml(&part)?;
    Ok(xml.attr(xml.root(), "def").unwrap_or_default().into_owned())
}

/// Adds a picture of the session to a slide, and returns its relationship.
///
/// # Errors
/// [`Error::NotFound`] - there is none; [`Error::Invalid`] - it is no PNG, JPEG or GIF.
pub(crate) fn add_picture(
    deck: &mut Deck,
    slide: &str,
    document: &str,
    files: Files<'_>,
) -> Result<(String, Picture)> {
    let bytes = files(document)?;
    let Some(picture) = picture(&bytes) else {
        return invalid(format!("expected a picture (PNG, JPEG or GIF), got `{document}`"));
    };
    let part = match deck.package.added_like(&bytes) {
        Some(part) => part,
        None => {
            let part = deck.package.free_name(&format!("ppt/media/image1.{}", picture.extension));
            deck.package.put(&part, bytes);
            deck.package.set_media_type(&part, picture.media_type)?;
            part
        }
    };
    let relation = deck.package.relate(slide, "image", &part, false)?;
    Ok((relation, picture))
}

/// Returns the largest place in a frame with the picture's proportions, in its middle.
pub(crate) fn within(picture: &Picture, frame: &Frame) -> Frame {
    let (width, height) = (f64::from(picture.width), f64::from(picture.height));
    let scale = (frame.cx / width).min(frame.cy / height);
    let (cx, cy) = (width * scale, height * scale);
    Frame { x: frame.x + (frame.cx - cx) / 2.0, y: frame.y + (frame.cy - cy) / 2.0, cx, cy }
}

/// Returns what is cut off so that the picture fills a frame.
fn crop(picture: &Picture, frame: &Frame) -> String {
    let own = f64::from(picture.width) / f64::from(picture.height);
    let wanted = frame.cx / frame.cy.max(1.0);
    let part = |it: f64| ((1.0 - it) / 2.0 * 100_000.0).round();
    if own > wanted * 1.001 {
        let cut = part(wanted / own);
        format!("<a:srcRect l=\"{cut}\" r=\"{cut}\"/>")
    } else if own * 1.001 < wanted {
        let cut = part(own / wanted);
        format!("<a:srcRect t=\"{cut}\" b=\"{cut}\"/>")
    } else {
        String::new()
    }
}
