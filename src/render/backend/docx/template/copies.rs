//! Copies of parts of a template.

use super::tree::Node;

/// Copies of a part. Identifiers and bookmarks, which must be unique in a file, stay in the first one.
pub(super) struct Copies {
    pub(super) inner: Vec<Node>,
    is_first: bool,
}

impl Copies {
    pub(super) fn of(inner: Vec<Node>) -> Copies {
        Copies { inner, is_first: true }
    }

    pub(super) fn next(&mut self) -> Vec<Node> {
        let copy = self.inner.clone();
        if std::mem::take(&mut self.is_first) {
            for node in self.inner.iter_mut().filter_map(Node::element_mut) {
                node.visit_mut(&mut |element| {
                    for key in ["w14:paraId", "w14:textId"] {
                        if element.get(key).is_some() {
                            element.set(key, None);
                        }
                    }
                    element.children.retain(|node| {
                        node.element().is_none_or(|it| {
                            !it.is("w:bookmarkStart")
                                && !it.is("w:bookmarkEnd")
                                && !it.name.starts_with("w:comment")
                        })
                    });
                });
            }
            self.inner.retain(|node| {
                node.element().is_none_or(|it| !it.is("w:bookmarkStart") && !it.is("w:bookmarkEnd"))
            });
        }
        copy
    }
}
