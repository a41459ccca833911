//! What Markdown shows: words without the marks between their letters.

use crate::marks::Marks;
use crate::matcher::{Matcher, windows};
use crate::view::{View, WINDOW};
use pulldown_cmark::{Event, Options, Parser};

/// Adds the hits that a text has only where its marks are left out.
pub(crate) fn mark(text: &str, matcher: &Matcher, marks: &mut Marks) {
    for window in windows(text, WINDOW) {
        let part = &text[window.clone()];
        let mut view = View::default();
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
        for (event, range) in Parser::new_ext(part, options).into_offset_iter() {
            let start = window.start + range.start;
            let source = &part[range.clone()];
            match event {
                Event::Text(shown) | Event::Code(shown) => match source.find(&*shown) {
                    Some(at) => view.push_source(&shown, start + at),
                    None => shown.chars().for_each(|it| view.push(it, start..start + range.len())),
                },
                Event::SoftBreak | Event::HardBreak => view.push(' ', start..start),
                Event::End(tag) if !is_inline(tag) => view.push('\n', start..start),
                _ => {}
            }
        }
        marks.add_view(&view, matcher);
    }
}

fn is_inline(tag: pulldown_cmark::TagEnd) -> bool {
    use pulldown_cmark::TagEnd;
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link)
}
