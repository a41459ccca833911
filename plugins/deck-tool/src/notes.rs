//! Speaker notes: read, changed, and added to slides that have none.

use crate::deck::Deck;
use crate::error::Result;
use crate::scene::Sheet;
use crate::shapes::Shape;
use crate::text::body_text;
use crate::write::{plain_paragraph, set_text};
use crate::xml::{A_URI, P_URI, R_URI, Splices};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";
const TREE: &str = concat!(
    "<p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>",
    "<a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/>\
    </a:xfrm></p:grpSpPr>"
);
const NOTES_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml";
const MASTER_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.notesMaster+xml";

/// Returns the notes of a slide; `None` if it has none.
///
/// # Errors
/// [`crate::Error::Malformed`] - their part cannot be read.
pub(crate) fn read(deck: &Deck, slide: &str) -> Result<Option<String>> {
    let Some(part) = deck.package.related(slide, "notesSlide")? else { return Ok(None) };
    let sheet = Sheet::read(deck, &part)?;
    Ok(body(&sheet).and_then(|it| Some(body_text(&sheet.xml, it.body?))))
}

fn body(notes: &Sheet) -> Option<&Shape> {
    let is_body = |it: &&Shape| it.placeholder.as_ref().is_some_and(|it| it.kind == "body");
    notes.shapes.iter().find(is_body)
}

/// Sets the notes of a slide.
///
/// # Errors
/// [`crate::Error::Malformed`] - a part cannot be read; [`crate::Error::Unsupported`] - a paragraph has a formula.
pub(crate) fn write(deck: &mut Deck, slide: &str, text: &str) -> Result<()> {
    let part = match deck.package.related(slide, "notesSlide")? {
        Some(part) => part,
        None => {
            let part = deck.package.free_name("ppt/notesSlides/notesSlide1.xml");
            let master = master(deck)?;
            let notes = deck.package.native(notes_slide(""))?;
            deck.package.put(&part, notes.into_bytes());
            deck.package.set_media_type(&part, NOTES_TYPE)?;
            deck.package.relate(&part, "notesMaster", &master, false)?;
            deck.package.relate(&part, "slide", slide, false)?;
            deck.package.relate(slide, "notesSlide", &part, false)?;
            part
        }
    };
    let sheet = Sheet::read(deck, &part)?;
    let mut splices = Splices::default();
    match body(&sheet) {
        Some(Shape { body: Some(body), .. }) => set_text(&sheet.xml, *body, text, &mut splices)?,
        _ => {
            if let Some(tree) = crate::shapes::tree(&sheet.xml) {
                let id = crate::shapes::free_id(&sheet.xml);
                let shape = sheet.xml.declared(tree, body_shape(id, text));
                sheet.xml.append(tree, &shape, &mut splices);
            }
        }
    }
    deck.package.splice(&part, splices)
}

fn body_shape(id: u32, text: &str) -> String {
    let lines: String = text.split('\n').map(plain_paragraph).collect();
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"Notes Placeholder {}\"/><p:cNvSpPr><a:spLocks \
        noGrp=\"1\"/></p:cNvSpPr><p:nvPr><p:ph type=\"body\" idx=\"1\"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody>\
        <a:bodyPr/><a:lstStyle/>{lines}</p:txBody></p:sp>",
        id - 1
    )
}

fn notes_slide(text: &str) -> String {
    format!(
        "{HEAD}<p:notes xmlns:a=\"{A_URI}\" xmlns:r=\"{R_URI}\" xmlns:p=\"{P_URI}\"><p:cSld>\
        <p:spTree>{TREE}<p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"Slide Image Placeholder 1\"/><p:cNvSpPr>\
        <a:spLocks noGrp=\"1\" noRot=\"1\" noChangeAspect=\"1\"/></p:cNvSpPr><p:nvPr><p:ph type=\"sldImg\"/>\
        </p:nvPr></p:nvSpPr><p:spPr/></p:sp>{}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/>\
        </p:clrMapOvr></p:notes>",
        body_shape(3, text)
    )
}

/// Returns the master of notes. A presentation without one gets one with the theme of its first slide master.
fn master(deck: &mut Deck) -> Result<String> {
    let main = deck.main.clone();
    if let Some(part) = deck.package.related(&main, "notesMaster")? {
        return Ok(part);
    }
    let part = deck.package.free_name("ppt/notesMasters/notesMaster1.xml");
    let xml = deck.package.native(notes_master(deck.size()?))?;
    deck.package.put(&part, xml.into_bytes());
    deck.package.set_media_type(&part, MASTER_TYPE)?;
    let theme = match deck.masters()?.first() {
        Some(master) => deck.package.related(master, "theme")?,
        None => None,
    };
    if let Some(theme) = theme {
        // A theme belongs to one master.
        let copy = deck.package.free_name(&theme);
        let bytes = deck.package.bytes(&theme)?;
        let media_type = deck.package.media_type(&theme)?;
        deck.package.put(&copy, bytes);
        deck.package.set_media_type(&copy, &media_type)?;
        for relation in deck.package.relations(&theme)? {
            deck.package.relate_as(&copy, &relation)?;
        }
        deck.package.relate(&part, "theme", &copy, false)?;
    }
    let id = deck.package.relate(&main, "notesMaster", &part, false)?;
    let xml = deck.presentation()?;
    let root = xml.root();
    let list = format!("<p:notesMasterIdLst><p:notesMasterId r:id=\"{id}\"/></p:notesMasterIdLst>");
    let list = xml.declared(root, list);
    let mut splices = Splices::default();
    match xml.any(root, "sldMasterIdLst") {
        Some(before) => splices.insert(xml.range(before).end, list),
        None => xml.prepend(root, &list, &mut splices),
    }
    deck.package.splice(&main, splices)?;
    Ok(part)
}

fn notes_master((cx, cy): (f64, f64)) -> String {
    // A page of 7.5 x 10 inches: the slide above, the text below.
    let height = (5_486_400.0 * cy / cx).min(4_114_800.0);
    let width = height * cx / cy;
    let left = (6_858_000.0 - width) / 2.0;
    format!(
        "{HEAD}<p:notesMaster xmlns:a=\"{A_URI}\" xmlns:r=\"{R_URI}\" xmlns:p=\"{P_URI}\"><p:cSld><p:bg>\
        <p:bgRef idx=\"1001\"><a:schemeClr val=\"bg1\"/></p:bgRef></p:bg><p:spTree>{TREE}\
        <p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"Slide Image Placeholder 1\"/><p:cNvSpPr><a:spLocks \
        noGrp=\"1\" noRot=\"1\" noChangeAspect=\"1\"/></p:cNvSpPr><p:nvPr><p:ph type=\"sldImg\" idx=\"2\"/>\
        </p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x=\"{left:.0}\" y=\"685800\"/><a:ext cx=\"{width:.0}\" \
        cy=\"{height:.0}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr></p:sp>\
        <p:sp><p:nvSpPr><p:cNvPr id=\"3\" name=\"Notes Placeholder 2\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/>\
        </p:cNvSpPr><p:nvPr><p:ph type=\"body\" sz=\"quarter\" idx=\"3\"/></p:nvPr></p:nvSpPr><p:spPr>\
        <a:xfrm><a:off x=\"685800\" y=\"4400550\"/><a:ext cx=\"5486400\" cy=\"3600450\"/></a:xfrm><a:prstGeom \
        prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:endParaRPr \
        lang=\"en-US\"/></a:p></p:txBody></p:sp>\
        </p:spTree></p:cSld><p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" \
        accent2=\"accent2\" accent3=\"accent3\" accent4=\"accent4\" accent5=\"accent5\" accent6=\"accent6\" \
        hlink=\"hlink\" folHlink=\"folHlink\"/>\
<p:notesStyle><a:lvl1pPr><a:defRPr sz=\"1200\"/></a:lvl1pPr></p:notesStyle></p:notesMaster>"
    )
}
