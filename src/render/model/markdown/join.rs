//! Joins the lines of a paragraph to one text. Knows nothing of blocks.

use super::super::cjk::is_cjk;
use super::super::doc::Inline;

/// Replaces line breaks of a paragraph by spaces, or by nothing between Chinese characters, and joins texts.
pub(super) fn join(content: &mut Vec<Inline>) {
    let mut parts = Vec::new();
    collect(content, &mut parts);
    let mut spaces = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if *part == "\n" {
            let before = parts[..index].iter().rev().find_map(|part| part.chars().next_back());
            let after = parts[index + 1..].iter().find_map(|part| part.chars().next());
            let is_cjk_pair = before.is_some_and(is_cjk) && after.is_some_and(is_cjk);
            spaces.push(if is_cjk_pair { "" } else { " " });
        }
    }
    replace(content, &mut spaces.into_iter());
    // Spaces at the edges come from line breaks beside nothing.
    while matches!(content.last(), Some(Inline::Text { text }) if text.trim().is_empty()) {
        content.pop();
    }
}

fn collect<'a>(content: &'a [Inline], parts: &mut Vec<&'a str>) {
    for inline in content {
        match inline {
            Inline::Text { text } | Inline::Code { text } | Inline::Math { text, .. } => {
                parts.push(text)
            }
            Inline::Image { description, .. } => parts.push(description),
            Inline::Emphasis { content }
            | Inline::Strong { content }
            | Inline::Strikethrough { content }
            | Inline::Styled { content, .. }
            | Inline::Link { content, .. } => collect(content, parts),
            // Neither counts as a Chinese character.
            Inline::Footnote { .. } | Inline::Break => parts.push(" "),
        }
    }
}

fn replace(content: &mut Vec<Inline>, spaces: &mut impl Iterator<Item = &'static str>) {
    for inline in std::mem::take(content) {
        match (inline, content.last_mut()) {
            (Inline::Text { text }, last) => {
                let text =
                    if text == "\n" { spaces.next().unwrap_or(" ").to_owned() } else { text };
                match last {
                    Some(Inline::Text { text: before }) => before.push_str(&text),
                    _ if text.is_empty() => {}
                    _ => content.push(Inline::Text { text }),
                }
            }
            (mut inline, _) => {
                if let Inline::Emphasis { content }
                | Inline::Strong { content }
                | Inline::Strikethrough { content }
                | Inline::Styled { content, .. }
                | Inline::Link { content, .. } = &mut inline
                {
                    replace(content, spaces);
                }
                content.push(inline);
            }
        }
    }
}
