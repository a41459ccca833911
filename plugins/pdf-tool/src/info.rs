//! What a document has, for those who want to change it.

use crate::crypt::Permissions;
use crate::file::Pdf;
use crate::object::Dict;
use crate::outline::Target;
use crate::text::line;

/// Most annotations that are looked at.
const MAX_ANNOTATIONS: usize = 100_000;

/// A page.
#[derive(Clone, Debug)]
pub struct PageInfo {
    /// From 1.
    pub number: usize,
    /// The box that is seen: left, bottom, right, top in points.
    pub rect: [f64; 4],
    /// How it is turned with the clock.
    pub rotation: i64,
    /// Its label, if the document has labels.
    pub label: Option<String>,
}

/// An annotation that is not a field.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Page from 1.
    pub page: usize,
    /// `Link`, `Text`, `Highlight` ….
    pub kind: String,
    /// Left, bottom, right, top in points.
    pub rect: [f64; 4],
    /// What it says.
    pub text: String,
    /// What a link leads to: an address, or `page 3`.
    pub target: Option<String>,
}

impl Pdf {
    /// Returns the pages.
    pub fn page_infos(&self) -> Vec<PageInfo> {
        let labels = self.labels();
        let of = |(at, page): (usize, &u32)| PageInfo {
            number: at + 1,
            rect: self.page_box(*page),
            rotation: self.rotation(*page),
            label: labels.get(at).cloned(),
        };
        self.pages.iter().enumerate().map(of).collect()
    }

    /// Returns the annotations that are not fields.
    pub fn annotation_infos(&self) -> Vec<Annotation> {
        let named = self.named_destinations();
        let mut out = Vec::new();
        for (at, page) in self.pages.iter().enumerate() {
            for number in self.annotations(*page) {
                let Some(dict) = self.object(number) else { continue };
                let kind = self.text(dict, "Subtype").unwrap_or_default();
                if kind == "Widget" || kind == "Popup" || out.len() >= MAX_ANNOTATIONS {
                    continue;
                }
                let target = (kind == "Link").then(|| match self.target(dict, &named) {
                    Target::Page(page) => {
                        let at = self.pages.iter().position(|it| *it == page).unwrap_or(0);
                        format!("page {}", at + 1)
                    }
                    Target::Uri(uri) => line(&uri, 300),
                    Target::Lost => "a page that does not exist".to_owned(),
                    Target::Other => "something else".to_owned(),
                });
                out.push(Annotation {
                    page: at + 1,
                    rect: self.rect(dict.get("Rect")).unwrap_or_default(),
                    text: line(&self.text(dict, "Contents").unwrap_or_default(), 300),
                    kind,
                    target,
                });
            }
        }
        out
    }

    /// Returns what limits changes, one sentence each: signatures, encryption, XFA, PDF/A, damage.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.repairs.clone();
        let signed = self.signatures();
        if !signed.is_empty() {
            let names: Vec<String> =
                signed.iter().take(10).map(|it| format!("`{}`", line(it, 60))).collect();
            notes.push(format!(
                "Signed: {}. Its signatures allow: {}. Other changes break them.",
                names.join(", "),
                crate::signed::allowed(self).unwrap_or_default()
            ));
        }
        if let Some(security) = &self.security {
            let (allowed, denied) = Permissions::names(security.permissions);
            let opened = if security.is_owner { "owner" } else { "user" };
            notes.push(format!(
                "Encrypted with {}, opened as its {opened}. Allowed: {}. Denied: {}.",
                security.name,
                if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") },
                if denied.is_empty() { "nothing".to_owned() } else { denied.join(", ") }
            ));
        }
        if self.has_xfa() {
            notes.push("The form is of the kind XFA; it is not filled here.".to_owned());
        }
        let tag = |name: &str, xmp: &str| {
            let at = xmp.find(name)? + name.len();
            xmp[at..]
                .trim_start_matches(['>', '=', '"', '\''])
                .chars()
                .next()
                .filter(char::is_ascii_alphanumeric)
        };
        if let Some(xmp) = self.xmp()
            && let Some(part) = tag("pdfaid:part", &xmp)
        {
            let level = tag("pdfaid:conformance", &xmp)
                .map_or(String::new(), |it| it.to_lowercase().to_string());
            notes.push(format!(
                "Claims to be PDF/A-{part}{level}; that is not checked, and changes may break it."
            ));
        }
        if self.dict(self.catalog(), "MarkInfo").is_some_and(|it: &Dict| it.has("Marked")) {
            notes.push("Tagged for screen readers.".to_owned());
        }
        if !self.names("JavaScript").is_empty() {
            notes.push("Has scripts, which are never run here.".to_owned());
        }
        if self.sections > 1 {
            notes.push(format!(
                "Has {} sections: earlier revisions, or a part for fast web view.",
                self.sections
            ));
        }
        notes
    }

    /// Returns the version that the file names.
    pub fn version(&self) -> &str {
        &self.version
    }
}
