//! Writes a document that was opened: anew, or as an increment of its file.

use crate::error::Result;
use crate::file::Pdf;
use crate::object::{Dict, Object};
use crate::{increment, write};

impl Pdf {
    /// Writes the document anew, with all that can be reached from its catalog. If its changes are appended, because it is
    /// signed, it is the file as it was with an increment, and the options do not matter.
    ///
    /// # Errors
    ///
    /// Those of [`write`](write::write) and [`increment`](increment::write).
    pub fn save(&mut self, options: &write::SaveOptions) -> Result<Vec<u8>> {
        if self.is_increment() {
            return increment::write(self);
        }
        self.finish_pages();
        write::write(self, options)
    }

    /// Writes the tree of pages.
    fn finish_pages(&mut self) {
        let old = self.catalog().get("Pages").as_ref();
        let count = i64::try_from(self.pages.len()).unwrap_or(0);
        let kids: Vec<Object> = self.pages.iter().map(|it| Object::Ref(*it)).collect();
        let tree =
            Dict::new().with("Type", Object::name("Pages")).with("Kids", kids).with("Count", count);
        let number = match old {
            Some(number) if !self.pages.contains(&number) => {
                self.objects.insert(number, tree.into());
                number
            }
            _ => self.add(tree),
        };
        for page in self.pages.clone() {
            if let Some(dict) = self.object_mut(page) {
                dict.set("Parent", Object::Ref(number));
            }
        }
        self.catalog_mut().set("Pages", Object::Ref(number));
    }
}
