//! Reads text in drawings and charts.

use super::xml::{attribute, events, push_reference};
use quick_xml::events::Event;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Drawing {
    /// Text of each text box. Each paragraph is a line.
    pub(super) boxes: Vec<String>,
    /// Relationship ids of its charts.
    pub(super) charts: Vec<String>,
    pub(super) pictures: usize,
}

pub(super) fn drawing(xml: &[u8]) -> Drawing {
    let mut found = Drawing::default();
    let mut text = None::<String>;
    let mut is_text = false;
    // The fallback for older programs repeats the content.
    let mut fallbacks = 0_usize;
    events(xml, |event| match event {
        Event::Start(element) => match element.local_name().as_ref() {
            "Fallback" => fallbacks += 1,
            _ if fallbacks > 0 => {}
            "txBody" => text = Some(String::new()),
            "t" => is_text = true,
            "chart" => found.charts.extend(attribute(element, "id")),
            "pic" => found.pictures += 1,
            _ => {}
        },
        Event::End(element) => match element.local_name().as_ref() {
            "Fallback" => fallbacks = fallbacks.saturating_sub(1),
            "t" => is_text = false,
            "p" | "br" => push(&mut text, "\n"),
            "txBody" if fallbacks == 0 => found.boxes.extend(text.take()),
            _ => {}
        },
        Event::Text(content) if is_text => push(&mut text, &content.xml10_content()),
        Event::GeneralRef(reference) if is_text => {
            if let Some(text) = &mut text {
                push_reference(reference, text);
            }
        }
        _ => {}
    });
    found
}

fn push(text: &mut Option<String>, more: &str) {
    if let Some(text) = text {
        text.push_str(more);
    }
}

/// Returns the title of a chart: its own text, or the cached value of the cell that it refers to. `None` without a
/// title.
pub(crate) fn chart_title(xml: &[u8]) -> Option<String> {
    let mut path = Vec::new();
    let mut title = String::new();
    events(xml, |event| match event {
        Event::Start(element) => path.push(element.local_name().as_ref().to_owned()),
        Event::End(element) => {
            if is_title(&path) && element.local_name().as_ref() == "p" {
                title.push(' ');
            }
            path.pop();
        }
        Event::Text(content) if is_title_text(&path) => title.push_str(&content.xml10_content()),
        Event::GeneralRef(reference) if is_title_text(&path) => {
            push_reference(reference, &mut title)
        }
        _ => {}
    });
    Some(title).filter(|title| !title.trim().is_empty())
}

/// Titles of axes are nested deeper.
fn is_title(path: &[String]) -> bool {
    path.len() > 3 && path[1] == "chart" && path[2] == "title"
}

fn is_title_text(path: &[String]) -> bool {
    is_title(path) && matches!(path.last().map(String::as_str), Some("t" | "v"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_have_boxes_charts_and_pictures() {
        let xml = "<wsDr><anchor><sp><txBody><p><r><t>A &amp; B</t></r></p><p><r><t>c</t></r></p></txBody></sp></anchor>\
            <anchor><AlternateContent><Choice><sp><txBody><p><r><t>new</t></r></p></txBody></sp></Choice>\
            <Fallback><sp><txBody><p><r><t>old</t></r></p></txBody></sp></Fallback></AlternateContent></anchor>\
            <anchor><graphicFrame><c:chart r:id=\"rId7\"/></graphicFrame></anchor><anchor><pic/></anchor></wsDr>";
        assert_eq!(
            drawing(xml.as_bytes()),
            Drawing {
                boxes: vec!["A & B\nc\n".into(), "new\n".into()],
                charts: vec!["rId7".into()],
                pictures: 1
            }
        );
    }

    #[test]
    fn the_title_of_a_chart_is_not_that_of_its_axes() {
        let rich = "<chartSpace><chart><title><tx><rich><p><r><t>Sales</t></r><r><t> 2024</t></r></p></rich></tx></title>\
            <plotArea><valAx><title><tx><rich><p><r><t>EUR</t></r></p></rich></tx></title></valAx></plotArea></chart></chartSpace>";
        assert_eq!(chart_title(rich.as_bytes()).unwrap().trim(), "Sales 2024");
        let referred = "<chartSpace><chart><title><tx><strRef><f>S!A1</f><strCache><pt><v>Costs</v></pt></strCache></strRef></tx></title></chart></chartSpace>";
        assert_eq!(chart_title(referred.as_bytes()).unwrap(), "Costs");
        assert_eq!(chart_title(b"<chartSpace><chart><title/></chart></chartSpace>"), None);
    }
}
