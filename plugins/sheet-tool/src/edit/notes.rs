//! Notes of cells, the older kind of comments. Threads of comments are kept, and not changed.

use super::frame;
use super::state::Batch;
use crate::error::{Result, invalid};
use crate::refs::At;
use crate::xml::{XmlToken, element, elements, escape, find_tag, first_tag, xml_tokens};

const COMMENTS: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml";
const VML: &str = "application/vnd.openxmlformats-officedocument.vmlDrawing";

pub(crate) fn set(
    batch: &mut Batch,
    at: &str,
    text: Option<&str>,
    author: Option<&str>,
) -> Result<()> {
    let (sheet, cell) = batch.book.cell_place(at)?;
    let part = batch.book.sheets[sheet].part.clone();
    let relations = batch.book.package.relations(&part)?;
    for relation in relations.iter().filter(|it| it.kind == "threadedComment") {
        let threads = batch.book.package.text(&relation.target)?.unwrap_or_default();
        if elements(&threads, "threadedComment").iter().any(|it| is_at(it.1, cell)) {
            return invalid(format!("{at} has a thread of comments, which is not changed"));
        }
    }
    let comments = relations.iter().find(|it| it.kind == "comments").map(|it| it.target.clone());
    let Some(text) = text else {
        let Some(comments) = comments else { return invalid(format!("there is no note at {at}")) };
        let xml = batch.book.package.text(&comments)?.unwrap_or_default();
        let Some((start, old)) = elements(&xml, "comment").into_iter().find(|it| is_at(it.1, cell))
        else {
            return invalid(format!("there is no note at {at}"));
        };
        let new = format!("{}{}", &xml[..start], &xml[start + old.len()..]);
        batch.book.package.set(&comments, new);
        if let Some(drawing) = relations.iter().find(|it| it.kind == "vmlDrawing") {
            remove_shape(batch, &drawing.target, cell)?;
        }
        batch.changed(format!("{at}: note → nothing"));
        return Ok(());
    };
    let author = author.filter(|it| !it.trim().is_empty()).unwrap_or("Mitt");
    let comments = match comments {
        Some(name) => name,
        None => {
            let name = batch.book.package.free_name("xl/comments", ".xml");
            let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<comments xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><authors></authors><commentList></commentList></comments>";
            batch.book.package.add(&name, xml, COMMENTS)?;
            batch.book.package.relate(&part, "comments", &name)?;
            name
        }
    };
    let mut xml = batch.book.package.text(&comments)?.unwrap_or_default();
    let prefix = find_tag(&xml, "comments").map_or(String::new(), |it| it.1.prefix().to_owned());
    let authors: Vec<String> =
        elements(&xml, "author").iter().map(|it| crate::xml::inner_text(it.1)).collect();
    let number = match authors.iter().position(|it| it == author) {
        Some(number) => number,
        None => {
            xml = appended(
                &xml,
                "authors",
                &format!("<{prefix}author>{}</{prefix}author>", escape(author)),
            );
            authors.len()
        }
    };
    let body = format!(
        "<{prefix}text><{prefix}t xml:space=\"preserve\">{}</{prefix}t></{prefix}text>",
        escape(text)
    );
    let item =
        format!("<{prefix}comment ref=\"{cell}\" authorId=\"{number}\">{body}</{prefix}comment>");
    let old = elements(&xml, "comment")
        .into_iter()
        .find(|it| is_at(it.1, cell))
        .map(|it| (it.0, it.1.to_owned()));
    let before = match &old {
        Some((start, old)) => {
            let text = element(old, "text").map_or(String::new(), |it| crate::book::plain(it.1));
            xml = format!("{}{item}{}", &xml[..*start], &xml[start + old.len()..]);
            format!("`{text}`")
        }
        None => {
            xml = appended(&xml, "commentList", &item);
            "nothing".to_owned()
        }
    };
    batch.book.package.set(&comments, xml);
    if old.is_none() {
        add_shape(batch, sheet, cell)?;
    }
    batch.changed(format!("{at}: note {before} → `{text}`"));
    Ok(())
}

fn is_at(element: &str, at: At) -> bool {
    first_tag(element).and_then(|tag| tag.attribute("ref")).and_then(crate::refs::cell) == Some(at)
}

/// Appends to an element, which may be empty.
fn appended(xml: &str, name: &str, item: &str) -> String {
    let Some((at, old)) = element(xml, name) else { return xml.to_owned() };
    let new = if old.ends_with("/>") {
        let tag = old.trim_end_matches(['>', '/']).trim_end();
        let whole = tag[1..].split(' ').next().unwrap_or(name);
        format!("{tag}>{item}</{whole}>")
    } else {
        let close = old.rfind("</").unwrap_or(old.len());
        format!("{}{item}{}", &old[..close], &old[close..])
    };
    format!("{}{new}{}", &xml[..at], &xml[at + old.len()..])
}

/// Adds the box in which Excel shows a note.
fn add_shape(batch: &mut Batch, sheet: usize, at: At) -> Result<()> {
    let part = batch.book.sheets[sheet].part.clone();
    let relations = batch.book.package.relations(&part)?;
    let legacy =
        find_tag(&batch.book.text(sheet)?.tail, "legacyDrawing").and_then(|it| it.1.text("id"));
    let known =
        relations.iter().find(|it| it.kind == "vmlDrawing" && legacy.as_ref() == Some(&it.id));
    let (row, column) = (at.row - 1, at.column - 1);
    let shape = |id: u32| {
        format!(
            "<v:shape id=\"_x0000_s{id}\" type=\"#_x0000_t202\" style='position:absolute;margin-left:60pt;margin-top:2pt;width:108pt;height:60pt;z-index:1;visibility:hidden' fillcolor=\"#ffffe1\" o:insetmode=\"auto\"><v:fill color2=\"#ffffe1\"/><v:shadow on=\"t\" color=\"black\" obscured=\"t\"/><v:path o:connecttype=\"none\"/><v:textbox style='mso-direction-alt:auto'><div style='text-align:left'></div></v:textbox><x:ClientData ObjectType=\"Note\"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>{}, 15, {}, 2, {}, 31, {}, 9</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>{row}</x:Row><x:Column>{column}</x:Column></x:ClientData></v:shape>",
            column + 1,
            row.saturating_sub(1),
            column + 3,
            row + 3,
        )
    };
    if let Some(known) = known {
        let xml = batch.book.package.text(&known.target)?.unwrap_or_default();
        let ids = xml.split("_x0000_s").skip(1).filter_map(|it| {
            let end = it.find(|c: char| !c.is_ascii_digit()).unwrap_or(it.len());
            it[..end].parse::<u32>().ok()
        });
        let id = ids.max().map_or(1025, |it| it + 1);
        let close = xml.rfind("</").unwrap_or(xml.len());
        let new = format!("{}{}{}", &xml[..close], shape(id), &xml[close..]);
        let name = known.target.clone();
        batch.book.package.set(&name, new);
        return Ok(());
    }
    let name = batch.book.package.free_name("xl/drawings/vmlDrawing", ".vml");
    let id = 1025 + 1024 * sheet as u32;
    let xml = format!(
        "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><o:shapelayout v:ext=\"edit\"><o:idmap v:ext=\"edit\" data=\"{}\"/></o:shapelayout><v:shapetype id=\"_x0000_t202\" coordsize=\"21600,21600\" o:spt=\"202\" path=\"m,l,21600r21600,l21600,xe\"><v:stroke joinstyle=\"miter\"/><v:path gradientshapeok=\"t\" o:connecttype=\"rect\"/></v:shapetype>{}</xml>",
        sheet + 1,
        shape(id)
    );
    batch.book.package.set(&name, xml);
    batch.book.package.add_default("vml", VML)?;
    let id = batch.book.package.relate(&part, "vmlDrawing", &name)?;
    frame::link(batch, sheet, "legacyDrawing", &id)
}

fn remove_shape(batch: &mut Batch, part: &str, at: At) -> Result<()> {
    let Some(xml) = batch.book.package.text(part)? else { return Ok(()) };
    for (start, shape) in elements(&xml, "shape") {
        let number = |name: &str| {
            let (_, element) = element(shape, name)?;
            crate::xml::inner_text(element).trim().parse::<u32>().ok()
        };
        let is_note = xml_tokens(shape).any(
            |it| matches!(it, XmlToken::Tag(tag) if tag.attribute("ObjectType") == Some("Note")),
        );
        if is_note && number("Row") == Some(at.row - 1) && number("Column") == Some(at.column - 1) {
            let new = format!("{}{}", &xml[..start], &xml[start + shape.len()..]);
            batch.book.package.set(part, new);
            break;
        }
    }
    Ok(())
}
