//! A second copy of a page in the same document: its content is shared, its annotations are copied, and its fields become content.

use crate::error::Result;
use crate::file::Pdf;
use crate::flatten::drawing_of;
use crate::object::{Dict, Object};
use std::collections::BTreeMap;

impl Pdf {
    /// Copies a page. Links, comments and other annotations are copied with it. A field cannot stand on two pages with two
    /// values, so the copy only shows what the fields of the page show now. Returns the copy and the number of its fields, or
    /// `None` if there is no such page.
    ///
    /// # Errors
    ///
    /// `malformed` - the page has fields, and its content cannot be read.
    pub(crate) fn copy_page(&mut self, page: u32) -> Result<Option<(u32, usize)>> {
        let Some(mut copy) = self.object(page).cloned() else { return Ok(None) };
        copy.remove("Annots");
        copy.remove("StructParents");
        let copy = self.add(copy);
        let is_of = |pdf: &Self, it: u32, subtype: &str| {
            pdf.object(it).is_some_and(|it| pdf.value(it, "Subtype").is_name(subtype))
        };
        let (widgets, others): (Vec<u32>, Vec<u32>) =
            self.annotations(page).into_iter().partition(|it| is_of(self, *it, "Widget"));
        let (content, forms) = drawing_of(self, copy, &widgets);
        if !content.is_empty() {
            self.draw_on(copy, &content, &Dict::new().with("XObject", forms), false)?;
        }
        // A window that shows the text of a comment belongs to one comment; viewers open a new one.
        let others: Vec<u32> = others.into_iter().filter(|it| !is_of(self, *it, "Popup")).collect();
        let mut copies = BTreeMap::new();
        for annotation in &others {
            let Some(mut dict) = self.object(*annotation).cloned() else { continue };
            for key in ["Popup", "StructParent", "NM"] {
                dict.remove(key);
            }
            dict.set("P", Object::Ref(copy));
            copies.insert(*annotation, self.add(dict));
        }
        for annotation in copies.values() {
            // An answer to a comment belongs to the copy of the comment.
            let answered = self.object(*annotation).and_then(|it| it.get("IRT").as_ref());
            if let Some(answered) = answered
                && let Some(dict) = self.object_mut(*annotation)
            {
                match copies.get(&answered) {
                    Some(comment) => dict.set("IRT", Object::Ref(*comment)),
                    None => {
                        dict.remove("IRT");
                    }
                }
            }
        }
        let annotations: Vec<Object> =
            others.iter().filter_map(|it| copies.get(it)).map(|it| Object::Ref(*it)).collect();
        if !annotations.is_empty()
            && let Some(dict) = self.object_mut(copy)
        {
            dict.set("Annots", annotations);
        }
        Ok(Some((copy, widgets.len())))
    }
}
