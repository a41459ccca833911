//! Pages: their order, their labels, and what refers to pages that are removed.

use crate::error::Result;
use crate::file::Pdf;
use crate::flatten::remove_fields;
use crate::object::{Dict, Object};
use crate::outline::Target;
use std::collections::{BTreeMap, BTreeSet};

impl Pdf {
    /// Returns the label of each page. The list is empty if the document has no labels.
    pub(crate) fn labels(&self) -> Vec<String> {
        let ranges = self.label_ranges();
        if ranges.is_empty() {
            return Vec::new();
        }
        let mut labels = Vec::with_capacity(self.pages.len());
        for at in 0..self.pages.len() {
            let Some((start, dict)) = ranges.range(..=at).next_back() else {
                labels.push((at + 1).to_string());
                continue;
            };
            let first = self
                .value(dict, "St")
                .as_int()
                .and_then(|it| usize::try_from(it).ok())
                .unwrap_or(1);
            let number = first.saturating_add(at - start);
            let prefix = self.text(dict, "P").unwrap_or_default();
            let text = match self.value(dict, "S").as_name() {
                Some(b"D") => number.to_string(),
                Some(b"r") => roman(number),
                Some(b"R") => roman(number).to_uppercase(),
                Some(b"a") => letters(number),
                Some(b"A") => letters(number).to_uppercase(),
                _ => String::new(),
            };
            labels.push(format!("{prefix}{text}"));
        }
        labels
    }

    /// Returns the ranges of labels with the index of their first page.
    pub(crate) fn label_ranges(&self) -> BTreeMap<usize, Dict> {
        let mut ranges = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![self.catalog().get("PageLabels")];
        while let Some(node) = todo.pop() {
            if let Object::Ref(number) = node
                && !seen.insert(*number)
            {
                continue;
            }
            let Some(dict) = self.resolve(node).as_dict() else { continue };
            for pair in self.array(dict, "Nums").chunks_exact(2) {
                let at = self.resolve(&pair[0]).as_int().and_then(|it| usize::try_from(it).ok());
                if let (Some(at), Some(label)) = (at, self.resolve(&pair[1]).as_dict())
                    && ranges.len() < 50_000
                {
                    ranges.insert(at, label.clone());
                }
            }
            if seen.len() < 10_000 {
                todo.extend(self.array(dict, "Kids"));
            }
        }
        ranges
    }

    /// Sets the labels by one dictionary with a number for each page.
    pub(crate) fn set_labels(&mut self, labels: &[Option<(Dict, i64)>]) {
        if labels.iter().all(Option::is_none) {
            self.catalog_mut().remove("PageLabels");
            return;
        }
        let mut numbers: Vec<Object> = Vec::new();
        let mut last: Option<(Dict, i64)> = None;
        for (at, label) in labels.iter().enumerate() {
            let plain =
                || (Dict::new().with("S", Object::name("D")), i64::try_from(at + 1).unwrap_or(1));
            let (dict, number) = label.clone().unwrap_or_else(plain);
            let goes_on =
                last.as_ref().is_some_and(|(old, before)| *old == dict && before + 1 == number);
            if !goes_on {
                numbers.push(Object::Int(i64::try_from(at).unwrap_or(0)));
                numbers.push(dict.clone().with("St", number).into());
            }
            last = Some((dict, number));
        }
        self.catalog_mut().set("PageLabels", Dict::new().with("Nums", numbers));
    }

    /// Returns the label of each page as a dictionary with a number.
    pub(crate) fn label_of_pages(&self) -> Vec<Option<(Dict, i64)>> {
        let ranges = self.label_ranges();
        let of = |at: usize| {
            let (start, dict) = ranges.range(..=at).next_back()?;
            let mut dict = dict.clone();
            let first = self.value(&dict, "St").as_int().unwrap_or(1);
            dict.remove("St");
            Some((dict, first.saturating_add(i64::try_from(at - start).unwrap_or(0))))
        };
        (0..self.pages.len()).map(of).collect()
    }

    /// Keeps pages, in this order. A page that stands twice is copied; its copy shows the fields, but cannot be filled in. Returns
    /// warnings.
    ///
    /// # Errors
    ///
    /// Those of [`Pdf::copy_page`].
    pub(crate) fn select(&mut self, order: &[usize]) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        let labels = self.label_of_pages();
        let mut pages = Vec::with_capacity(order.len());
        let mut used = BTreeSet::new();
        let mut fixed_fields = 0;
        for at in order {
            let Some(&page) = self.pages.get(*at) else { continue };
            if used.insert(page) {
                pages.push(page);
                continue;
            }
            let Some((copy, fields)) = self.copy_page(page)? else { continue };
            pages.push(copy);
            fixed_fields += fields;
        }
        if fixed_fields > 0 {
            warnings.push(format!(
                "Pages that stand twice show the fields of the first copy as they are now; they cannot be filled in there: \
                 {fixed_fields}."
            ));
        }
        let gone: Vec<u32> = self.pages.iter().copied().filter(|it| !used.contains(it)).collect();
        let kept: Vec<Option<(Dict, i64)>> =
            order.iter().map(|it| labels.get(*it).cloned().flatten()).collect();
        self.pages = pages;
        if labels.iter().any(Option::is_some) {
            self.set_labels(&kept);
        }
        if !gone.is_empty() {
            self.forget_pages(&gone, &mut warnings);
        }
        Ok(warnings)
    }

    /// Removes all that belongs to removed pages, so that nothing of them stays in the file.
    fn forget_pages(&mut self, gone: &[u32], warnings: &mut Vec<String>) {
        let fields = self.fields();
        let of_gone: BTreeSet<u32> = gone.iter().flat_map(|it| self.annotations(*it)).collect();
        let mut lost: BTreeSet<u32> = BTreeSet::new();
        for field in &fields {
            let here: Vec<u32> =
                field.widgets.iter().copied().filter(|it| of_gone.contains(it)).collect();
            if here.is_empty() {
                continue;
            }
            if here.len() == field.widgets.len() {
                lost.insert(field.number);
            }
            lost.extend(here);
        }
        remove_fields(self, &lost);
        let shown: BTreeSet<u32> = self.pages.iter().flat_map(|it| self.annotations(*it)).collect();
        for page in gone {
            self.objects.remove(page);
        }
        for annotation in of_gone.difference(&shown) {
            self.remove(*annotation);
        }
        let named = self.named_destinations();
        let bookmarks = self.prune_outline(&|pdf, dict| pdf.target(dict, &named) == Target::Lost);
        if bookmarks > 0 {
            warnings.push(format!("Bookmarks of removed pages are removed: {bookmarks}."));
        }
        let mut links = 0;
        for page in self.pages.clone() {
            let dead: BTreeSet<u32> = self
                .annotations(page)
                .into_iter()
                .filter(|it| {
                    let Some(dict) = self.object(*it) else { return true };
                    self.value(dict, "Subtype").is_name("Link")
                        && self.target(dict, &named) == Target::Lost
                })
                .collect();
            links += self.remove_annotations(page, |it| dead.contains(&it));
        }
        if links > 0 {
            warnings.push(format!("Links to removed pages are removed: {links}."));
        }
        let is_alive =
            |pdf: &Self, value: &Object| matches!(pdf.destination(value, &named), Target::Page(_));
        let alive: Vec<_> =
            self.names("Dests").into_iter().filter(|it| is_alive(self, &it.1)).collect();
        self.set_names("Dests", alive);
        if let Some(old) = self.dict(self.catalog(), "Dests").cloned() {
            let mut old = old;
            old.retain(|_, value| is_alive(self, value));
            self.catalog_mut().set("Dests", old);
        }
        self.catalog_mut().remove("Threads");
        for page in self.pages.clone() {
            if let Some(dict) = self.object_mut(page) {
                dict.remove("B");
            }
        }
        if self.destination(self.catalog().get("OpenAction"), &named) == Target::Lost {
            self.catalog_mut().remove("OpenAction");
        }
        if self.drop_tags() {
            warnings.push(
                "The tags for screen readers are removed, because they hold text of removed pages."
                    .to_owned(),
            );
        }
    }

    /// Removes the tree of tags. Returns `true` if there was one.
    pub(crate) fn drop_tags(&mut self) -> bool {
        let had = self.catalog_mut().remove("StructTreeRoot").is_some();
        self.catalog_mut().remove("MarkInfo");
        for page in self.pages.clone() {
            if let Some(dict) = self.object_mut(page) {
                dict.remove("StructParents");
            }
        }
        had
    }
}

fn roman(number: usize) -> String {
    const PARTS: [(usize, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    // Larger numbers would be long rows of `m`.
    if number > 10_000 {
        return number.to_string();
    }
    let mut left = number;
    let mut out = String::new();
    for (value, text) in PARTS {
        while left >= value {
            out.push_str(text);
            left -= value;
        }
    }
    out
}

fn letters(number: usize) -> String {
    if number == 0 || number > 10_000 {
        return number.to_string();
    }
    let letter = char::from(b'a' + u8::try_from((number - 1) % 26).unwrap_or(0));
    std::iter::repeat_n(letter, (number - 1) / 26 + 1).collect()
}
