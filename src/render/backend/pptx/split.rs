//! Splits a text at the end of a slide.

use crate::model::doc::{Inline, plain_text};
use crate::shared::table;

/// Splits a text after this many half ems, or at the end of a sentence in the second half of them.
pub(super) fn split(content: &[Inline], half_ems: f64) -> (Vec<Inline>, Vec<Inline>) {
    let text = plain_text(content);
    let mut width = 0.0;
    let (mut end, mut sentence) = (0, 0);
    for (index, c) in text.chars().enumerate() {
        width += table::width(c.encode_utf8(&mut [0; 4]));
        if width > half_ems {
            break;
        }
        end = index + 1;
        if matches!(c, '。' | '！' | '？' | '；' | ' ') {
            sentence = end;
        }
    }
    let at = if sentence * 2 > end { sentence } else { end };
    let mut left = at;
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for inline in content {
        cut(inline, &mut left, &mut first, &mut rest);
    }
    (first, rest)
}

/// Moves the next `left` characters to `first`, and everything behind them to `rest`.
fn cut(inline: &Inline, left: &mut usize, first: &mut Vec<Inline>, rest: &mut Vec<Inline>) {
    let mut inside = |content: &[Inline], wrap: &dyn Fn(Vec<Inline>) -> Inline| {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        content.iter().for_each(|inline| cut(inline, left, &mut a, &mut b));
        if !a.is_empty() {
            first.push(wrap(a));
        }
        if !b.is_empty() {
            rest.push(wrap(b));
        }
    };
    match inline {
        Inline::Text { text } => {
            let at = text.char_indices().nth(*left).map_or(text.len(), |(at, _)| at);
            let (a, b) = text.split_at(at);
            *left -= a.chars().count();
            if !a.is_empty() {
                first.push(Inline::Text { text: a.to_owned() });
            }
            if !b.is_empty() {
                rest.push(Inline::Text { text: b.to_owned() });
            }
        }
        Inline::Emphasis { content } => inside(content, &|content| Inline::Emphasis { content }),
        Inline::Strong { content } => inside(content, &|content| Inline::Strong { content }),
        Inline::Strikethrough { content } => {
            inside(content, &|content| Inline::Strikethrough { content });
        }
        Inline::Styled { style, content } => {
            inside(content, &|content| Inline::Styled { style: *style, content });
        }
        Inline::Link { url, content } => {
            inside(content, &|content| Inline::Link { url: url.clone(), content });
        }
        whole => {
            let length = plain_text(std::slice::from_ref(whole)).chars().count();
            let target = if *left >= length && *left > 0 { first } else { rest };
            *left = left.saturating_sub(length);
            target.push(whole.clone());
        }
    }
}
