//! RTF texts of Outlook: a web page in disguise, or real RTF.

use mitt_rtf::{Event, Reader};

/// Most levels of groups with their own state.
const MAX_GROUPS: usize = 2_000;

/// The source of an RTF text.
pub(crate) enum Body {
    /// A web page.
    Page(String),
    Text(String),
}

#[derive(Clone, Copy, Default)]
struct Group {
    /// `true` if its text is not shown.
    is_hidden: bool,
    /// `true` if it is a piece of the page.
    is_tag: bool,
    /// `true` if it repeats a part of the page for readers of RTF.
    is_double: bool,
    /// `true` if it begins with `\*`.
    is_optional: bool,
}

/// Groups without text of the body.
const HIDDEN: [&str; 14] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "header",
    "footer",
    "headerl",
    "headerr",
    "footerl",
    "footerr",
    "objdata",
    "themedata",
    "fldinst",
];

pub(crate) fn read(rtf: &[u8]) -> Body {
    let mut out = String::new();
    let mut is_page = false;
    let mut groups: Vec<Group> = Vec::new();
    let mut group = Group::default();
    for event in Reader::new(rtf) {
        match event {
            Event::Open if groups.len() < MAX_GROUPS => {
                groups.push(group);
                group.is_optional = false;
            }
            Event::Close => group = groups.pop().unwrap_or(group),
            Event::Symbol('*') => group.is_optional = true,
            Event::Symbol('~') if shows(group) => out.push('\u{a0}'),
            Event::Symbol('_') if shows(group) => out.push('-'),
            Event::Word("fromhtml", _) => is_page = true,
            Event::Word("htmltag", _) => {
                group.is_tag = true;
                group.is_hidden = false;
            }
            Event::Word("htmlrtf", number) => group.is_double = number != Some(0),
            Event::Word(word, _) if group.is_optional => {
                group.is_hidden |= word != "htmltag";
                group.is_optional = false;
            }
            Event::Word(word, _) if HIDDEN.contains(&word) => group.is_hidden = true,
            Event::Word(word, _) if shows(group) => {
                if let Some(text) = text_of(word) {
                    out.push_str(text);
                }
            }
            Event::Text(text) if shows(group) => out.push_str(&text),
            _ => {}
        }
    }
    if is_page { Body::Page(out) } else { Body::Text(out) }
}

fn shows(group: Group) -> bool {
    !group.is_hidden && (group.is_tag || !group.is_double)
}

/// Returns the text of a control word.
fn text_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "par" | "line" | "sect" | "page" | "row" => "\n",
        "tab" | "cell" => "\t",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "endash" => "–",
        "emdash" => "—",
        "emspace" | "enspace" => " ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_in_disguise_is_a_page() {
        let rtf = r"{\rtf1\ansi\ansicpg936\fromhtml1 \deff0{\fonttbl{\f0 Arial;}}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 \'c4\'ea\'b1\'a8 \{a\}{\*\htmltag84 &nbsp;}\htmlrtf \'a0\htmlrtf0 {\*\htmltag72 </p>}\htmlrtf \par}\htmlrtf0 {\*\mhtmltag64 <p x>}}";
        let Body::Page(page) = read(rtf.as_bytes()) else { panic!() };
        assert_eq!(page, "<p>年报 {a}&nbsp;</p>");
    }

    #[test]
    fn a_text_is_a_text() {
        let rtf = r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}a\par b\tab c {\b d}\ldblquote e{\pict 00}}";
        let Body::Text(text) = read(rtf.as_bytes()) else { panic!() };
        assert_eq!(text, "a\nb\tc d“e");
    }
}
