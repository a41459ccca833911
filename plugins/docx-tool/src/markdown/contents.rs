//! Tables of contents, which are made anew in another format.

use crate::xml::{Id, Tree};
use std::collections::HashSet;

/// Returns the paragraphs of tables of contents, whose field goes on in the next paragraph.
pub(super) fn contents(tree: &Tree) -> HashSet<Id> {
    let mut out = HashSet::new();
    let Some(root) = tree.root() else { return out };
    // Open fields: whether each is a table of contents.
    let mut open: Vec<(String, bool)> = Vec::new();
    let mut paragraph = None;
    let mut count = 0_usize;
    for node in tree.descendants(root) {
        match tree.name(node) {
            "p" => {
                if let Some(before) = paragraph.filter(|_| count > 0) {
                    out.insert(before);
                }
                paragraph = Some(node);
            }
            "instrText" => {
                if let Some(last) = open.last_mut().filter(|it| !it.1 && it.0.len() < 20) {
                    last.0.push_str(tree.text(node).trim_start());
                    last.1 = last.0.starts_with("TOC");
                    count += usize::from(last.1);
                }
            }
            "fldChar" => match tree.attr(node, "fldCharType").as_deref() {
                Some("begin") => open.push((String::new(), false)),
                Some("end") => {
                    let was_contents = open.pop().is_some_and(|it| it.1);
                    count -= usize::from(was_contents);
                }
                _ => {}
            },
            _ => {}
        }
    }
    out
}
