//! Finds the charts in the drawing of a worksheet.

use super::layout::{MAX_COLUMNS, MAX_ROWS};
use crate::package::{attribute, events};
use quick_xml::events::Event;

/// The cell at the upper left corner of a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Anchor {
    pub(super) row: u32,
    pub(super) column: u32,
}

/// Returns the relationship ids of the charts, and their places.
pub(super) fn anchors(xml: &[u8]) -> Vec<(String, Anchor)> {
    let mut found = Vec::new();
    let mut anchor = Anchor::default();
    let mut is_from = false;
    let mut text = None::<String>;
    // The fallback for older programs repeats the content.
    let mut fallbacks = 0_usize;
    events(xml, |event| match event {
        Event::Start(element) => match element.local_name().as_ref() {
            "Fallback" => fallbacks += 1,
            _ if fallbacks > 0 => {}
            "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor" => anchor = Anchor::default(),
            "from" => is_from = true,
            "row" | "col" if is_from => text = Some(String::new()),
            "chart" => found.extend(attribute(element, "id").map(|id| (id, anchor))),
            _ => {}
        },
        Event::End(element) => {
            let number =
                |text: Option<String>| text.and_then(|text| text.trim().parse::<u32>().ok());
            match element.local_name().as_ref() {
                "Fallback" => fallbacks = fallbacks.saturating_sub(1),
                "from" => is_from = false,
                "row" => anchor.row = number(text.take()).unwrap_or(anchor.row).min(MAX_ROWS - 1),
                "col" => {
                    anchor.column =
                        number(text.take()).unwrap_or(anchor.column).min(MAX_COLUMNS - 1);
                }
                _ => {}
            }
        }
        Event::Text(content) => {
            if let Some(text) = &mut text {
                text.push_str(&content.xml10_content());
            }
        }
        _ => {}
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_have_a_place() {
        let xml = "<wsDr><twoCellAnchor><from><col>3</col><colOff>9</colOff><row> 5</row></from><to><col>9</col><row>9</row></to>\
            <graphicFrame><c:chart r:id=\"rId1\"/></graphicFrame></twoCellAnchor>\
            <absoluteAnchor><graphicFrame><c:chart r:id=\"rId2\"/></graphicFrame></absoluteAnchor>\
            <oneCellAnchor><from><col>x</col><row>99999999</row></from><AlternateContent><Choice><cx:chart r:id=\"rId3\"/></Choice>\
            <Fallback><c:chart r:id=\"rId4\"/></Fallback></AlternateContent></oneCellAnchor></wsDr>";
        let at = |row, column| Anchor { row, column };
        assert_eq!(
            anchors(xml.as_bytes()),
            [
                ("rId1".to_owned(), at(5, 3)),
                ("rId2".to_owned(), at(0, 0)),
                ("rId3".to_owned(), at(MAX_ROWS - 1, 0))
            ]
        );
    }
}
