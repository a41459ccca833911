//! Text of headers and footers.

use super::{Batch, Done, Pages};
use crate::comments::root_namespace;
use crate::error::{Result, invalid};
use crate::props;
use crate::story::{Part, Story, shorten};
use crate::text::{self, run_xml};
use crate::xml::{Id, R_URI};

impl Batch<'_> {
    pub(super) fn set_header(
        &mut self,
        is_footer: bool,
        text: &str,
        pages: Pages,
        section: Option<u32>,
    ) -> Result<Done> {
        let sections = self.sections();
        let chosen: Vec<Id> = match section {
            None => sections.clone(),
            Some(number) => match sections.get((number as usize).wrapping_sub(1)) {
                Some(&one) => vec![one],
                None => {
                    return invalid(format!(
                        "expected a section from 1 to {}, got {number}",
                        sections.len()
                    ));
                }
            },
        };
        let kind = if is_footer { "footer" } else { "header" };
        let kind_of_pages = match pages {
            Pages::Default => "default",
            Pages::First => "first",
            Pages::Even => "even",
        };
        let main = self.document.package.main.clone();
        let mut names = Vec::new();
        let references: Vec<String> = {
            let tree = self.document.tree(0);
            chosen
                .iter()
                .filter_map(|&section| {
                    let reference = tree.elements(section).find(|&it| {
                        tree.is(it, &format!("{kind}Reference"))
                            && tree.attr(it, "type").as_deref().unwrap_or("default")
                                == kind_of_pages
                    })?;
                    tree.attr(reference, "id").map(|it| it.into_owned())
                })
                .collect()
        };
        for id in references {
            if let Some(name) = self.document.package.related_by_id(&main, &id)?
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        if names.is_empty() {
            return self.add_header(kind, kind_of_pages, text, chosen.first().copied());
        }
        let mut done = Done::default();
        for name in names {
            done = self.change_header(&name, kind, text)?;
        }
        Ok(done)
    }

    /// Returns the properties of the sections in order.
    fn sections(&self) -> Vec<Id> {
        let tree = self.document.tree(0);
        let Some(root) = tree.root() else { return Vec::new() };
        tree.descendants(root)
            .filter(|&it| tree.is(it, "sectPr"))
            .filter(|&it| tree.parent(it).is_some_and(|it| matches!(tree.name(it), "body" | "pPr")))
            .collect()
    }

    fn change_header(&mut self, name: &str, kind: &str, text: &str) -> Result<Done> {
        let Some(part) = self.document.parts.iter().position(|it| it.name == name) else {
            return invalid(format!("the {kind} `{name}` cannot be read"));
        };
        self.prepare(part)?;
        let own: Vec<_> =
            self.document.paragraphs.iter().filter(|it| it.part == part).cloned().collect();
        let filled: Vec<_> =
            own.iter().filter(|it| !self.document.line(it).text.trim().is_empty()).collect();
        let place = match (filled.as_slice(), own.first()) {
            ([one], _) => (*one).clone(),
            ([], Some(first)) => first.clone(),
            ([], None) => return invalid(format!("the {kind} has no paragraph")),
            (many, _) => {
                let anchors: Vec<String> =
                    many.iter().map(|it| format!("`{}`", self.document.anchor(it))).collect();
                return invalid(format!(
                    "the {kind} has several paragraphs; change them by their anchors: {}",
                    anchors.join(", ")
                ));
            }
        };
        let anchor = self.document.anchor(&place);
        let line = self.document.line(&place);
        let range = 0..line.text.len();
        self.warn_about(&place, &line, &range);
        self.replace_range(&place, range, text, false);
        Ok(self.report(&place, anchor, line.text))
    }

    /// Adds a header or footer to a section. Those behind it that have none show it too.
    fn add_header(
        &mut self,
        kind: &str,
        pages: &str,
        text: &str,
        section: Option<Id>,
    ) -> Result<Done> {
        self.prepare(0)?;
        let main = self.document.package.main.clone();
        let uri = root_namespace(&self.document.package, &main);
        let folder = self.document.package.folder().to_owned();
        let name = self.document.package.free_name(&format!("{folder}{kind}"), ".xml");
        let tag = if kind == "header" { "hdr" } else { "ftr" };
        let style = self.styles.find(kind, "paragraph").ok().map(|it| it.id.clone());
        let style = style.map_or_else(String::new, |id| {
            format!("<w:pPr><w:pStyle w:val=\"{}\"/></w:pPr>", crate::xml::escape_attr(&id))
        });
        let content = format!("<w:r>{}</w:r>", run_xml(text, false));
        let content = if self.marks.is_tracked && !text.is_empty() {
            format!("<w:ins {}>{content}</w:ins>", self.marks.attributes())
        } else {
            content
        };
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:{tag} xmlns:w=\"{uri}\"><w:p>{style}{content}</w:p></w:{tag}>"
        );
        let media =
            format!("application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml");
        self.document.package.add_xml(&name, &xml, &media)?;
        let target = name.strip_prefix(&folder).unwrap_or(&name).to_owned();
        let relation = self.document.package.relate(&main, kind, &target, false)?;
        let relations = if self.document.package.is_strict() {
            "http://purl.oclc.org/ooxml/officeDocument/relationships"
        } else {
            R_URI
        };
        let tree = self.tree(0);
        let section = match section {
            Some(section) => section,
            None => {
                let body = tree.root().and_then(|root| tree.child(root, "body"));
                let Some(body) = body else { return invalid("the document has no body") };
                let new = tree.element("<w:sectPr></w:sectPr>");
                tree.append(body, new);
                new
            }
        };
        let reference = tree.element(&format!(
            "<w:{kind}Reference xmlns:r=\"{relations}\" w:type=\"{pages}\" r:id=\"{relation}\"/>"
        ));
        tree.prepend(section, reference);
        if pages == "first" && tree.child(section, "titlePg").is_none() {
            let new = tree.element("<w:titlePg/>");
            // Its place is in front of these.
            let later = tree.elements(section).find(|&it| {
                matches!(
                    tree.name(it),
                    "textDirection"
                        | "bidi"
                        | "rtlGutter"
                        | "docGrid"
                        | "printerSettings"
                        | "sectPrChange"
                )
            });
            match later {
                Some(later) => tree.insert_before(later, new),
                None => tree.append(section, new),
            }
        }
        if pages == "even" {
            self.set_even_pages()?;
        }
        self.add_part(&name, kind)?;
        if self.marks.is_tracked {
            self.warn(format!("a new {kind} was added; rejecting its text leaves it empty"));
        }
        Ok(Done {
            place: format!("new {kind} ({pages} pages)"),
            before: String::new(),
            after: shorten(text, 300),
        })
    }

    /// Lets even pages have headers of their own.
    fn set_even_pages(&mut self) -> Result<()> {
        let tree = self.settings()?;
        let Some(root) = tree.root() else { return Ok(()) };
        if tree.child(root, "evenAndOddHeaders").is_none() {
            let new = tree.element("<w:evenAndOddHeaders/>");
            props::put(tree, root, new);
        }
        Ok(())
    }

    /// Makes a new part known, so that later edits of the batch find it.
    fn add_part(&mut self, name: &str, kind: &str) -> Result<()> {
        let story = if kind == "header" { Story::Header } else { Story::Footer };
        let letter = if kind == "header" { 'h' } else { 'f' };
        let Some(tree) = self.document.package.tree(name)? else { return Ok(()) };
        let codes = text::field_codes(tree);
        let node = tree.root().and_then(|root| tree.child(root, "p"));
        let part = self.document.parts.len();
        self.document.parts.push(Part { name: name.to_owned(), story, codes });
        if let Some(node) = node {
            let index = self.document.paragraphs.iter().filter(|it| it.letter == letter).count();
            self.document.paragraphs.push(crate::story::Paragraph {
                part,
                node,
                letter,
                index,
                cell: None,
                note: None,
                is_in_box: false,
                twin: None,
            });
        }
        Ok(())
    }
}
