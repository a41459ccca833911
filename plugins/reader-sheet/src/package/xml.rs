//! Helpers for the XML parser. Names have no prefixes. Reading stops at damaged XML.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Calls a function for each start of an element.
pub(crate) fn elements(xml: &[u8], mut each: impl FnMut(&BytesStart<'_>)) {
    events(xml, |event| {
        if let Event::Start(element) = event {
            each(element);
        }
    });
}

/// Calls a function for each event. An empty element has a start and an end.
pub(crate) fn events(xml: &[u8], mut each: impl FnMut(&Event<'_>)) {
    let Ok(text) = std::str::from_utf8(xml) else { return };
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.check_end_names = false;
    while let Ok(event) = reader.read_event() {
        if matches!(event, Event::Eof) {
            return;
        }
        each(&event);
    }
}

/// Returns the text of the first element with a name.
pub(crate) fn text_of(xml: &[u8], name: &str) -> Option<String> {
    texts_of(xml, name).into_iter().next()
}

/// Returns the texts of the first elements with a name, in order.
pub(crate) fn texts_of(xml: &[u8], name: &str) -> Vec<String> {
    const MAX_TEXTS: usize = 100;
    let mut texts: Vec<String> = Vec::new();
    let mut is_inside = false;
    events(xml, |event| match event {
        Event::Start(element) if element.local_name().as_ref() == name => {
            is_inside = texts.len() < MAX_TEXTS;
            if is_inside {
                texts.push(String::new());
            }
        }
        Event::End(element) if element.local_name().as_ref() == name => is_inside = false,
        Event::Text(content) if is_inside => {
            if let Some(text) = texts.last_mut() {
                text.push_str(&content.xml10_content());
            }
        }
        Event::GeneralRef(reference) if is_inside => {
            if let Some(text) = texts.last_mut() {
                push_reference(reference, text);
            }
        }
        _ => {}
    });
    texts
}

/// Returns the value of an attribute, ignoring its prefix.
pub(crate) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    element
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)
        .and_then(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0).ok())
        .map(|value| value.into_owned())
}

/// Appends the text of a reference such as `&amp;` or `&#10;`. Unknown entities are dropped.
pub(crate) fn push_reference(reference: &BytesRef<'_>, out: &mut String) {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        out.push(character);
    } else if let Some(text) = quick_xml::escape::resolve_xml_entity(reference.as_ref()) {
        out.push_str(text);
    }
}
