//! Rewrites the XML of a slide for the library: equations become LaTeX in a run.

use crate::marks;
use crate::math;
use crate::notes::Notes;
use crate::splice::Splice;
use crate::xml::{self, Node};
use quick_xml::events::Event;

/// Returns the text with its equations as runs; `None` if it is not XML. The library then reports that.
pub(super) fn rewrite(text: &str, notes: &mut Notes) -> Option<String> {
    let mut reader = xml::reader(text);
    let mut out = Splice::new(text);
    // Prefixes of the open paragraphs. An equation belongs to the innermost.
    let mut open: Vec<(String, String)> = Vec::new();
    loop {
        let from = reader.buffer_position() as usize;
        match reader.read_event().ok()? {
            Event::Start(start) => {
                let (name, local) = (start.name(), start.local_name());
                let prefix = name.as_ref().strip_suffix(local.as_ref()).unwrap_or_default();
                let paragraph =
                    open.iter().rev().find(|(local, _)| local == "p").map(|(_, p)| p.clone());
                if matches!(local.as_ref(), "m" | "oMath" | "oMathPara")
                    && let Some(paragraph) = paragraph
                {
                    let node = xml::tree(&mut reader, &start)?;
                    let mut runs = String::new();
                    let is_alone = node.name == "oMath";
                    equations(&node, is_alone, &mut |equation, is_display| {
                        let text = math::delimited(&math::latex(equation, notes), is_display);
                        if !text.is_empty() {
                            let text = xml::escape(&marks::raw(&text));
                            runs.push_str(&format!(
                                "<{paragraph}r><{paragraph}t>{text}</{paragraph}t></{paragraph}r>"
                            ));
                        }
                    });
                    out.replace(from..reader.buffer_position() as usize, &runs);
                    continue;
                }
                count_old(&Node::leaf(&start), &open, notes);
                open.push((local.as_ref().to_owned(), prefix.to_owned()));
            }
            Event::Empty(empty) => count_old(&Node::leaf(&empty), &open, notes),
            Event::End(_) => drop(open.pop()),
            Event::Eof => break,
            _ => {}
        }
    }
    Some(out.finish())
}

/// Calls `each` for the equations in a wrapper element, with `true` for a display equation.
fn equations(node: &Node, is_equation: bool, each: &mut impl FnMut(&Node, bool)) {
    if is_equation {
        return each(node, false);
    }
    let is_display = node.name == "oMathPara";
    for inner in node.nodes() {
        match inner.name.as_str() {
            "oMath" => each(inner, is_display),
            _ => equations(inner, false, each),
        }
    }
}

fn count_old(node: &Node, open: &[(String, String)], notes: &mut Notes) {
    let is_equation = node.name == "oleObj"
        && node
            .attribute("progId")
            .is_some_and(|program| program.to_ascii_lowercase().starts_with("equation"));
    if is_equation && !open.iter().any(|(name, _)| name == "Fallback") {
        notes.old_equations += 1;
    }
}
