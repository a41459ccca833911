//! What is left out or shown in another form, each with its place.

/// Most losses that are listed.
const MAX_LISTED: usize = 90;

/// What is said of a link to a bookmark or a heading.
pub(super) const LINK_WITHIN: &str = "a link within the document is shown as text";

#[derive(Debug, Default)]
pub(super) struct Losses {
    listed: Vec<String>,
    more: usize,
}

impl Losses {
    pub(super) fn note(&mut self, place: &str, what: &str) {
        let text = if place.is_empty() { what.to_owned() } else { format!("{place}: {what}") };
        if self.listed.last() == Some(&text) {
            return;
        }
        if self.listed.len() < MAX_LISTED { self.listed.push(text) } else { self.more += 1 }
    }

    pub(super) fn into_list(mut self) -> Vec<String> {
        if self.more > 0 {
            self.listed.push(format!("and {}", mitt_package::counted(self.more, "more place")));
        }
        self.listed
    }
}
