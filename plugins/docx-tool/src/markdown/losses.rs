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
        let text = match place.is_empty() {
            true => what.to_owned(),
            false => format!("{place}: {what}"),
        };
        if self.listed.last() == Some(&text) {
            return;
        }
        match self.listed.len() < MAX_LISTED {
            true => self.listed.push(text),
            false => self.more += 1,
        }
    }

    pub(super) fn into_list(mut self) -> Vec<String> {
        if self.more > 0 {
            self.listed.push(format!("and {}", mitt_package::counted(self.more, "more place")));
        }
        self.listed
    }
}
