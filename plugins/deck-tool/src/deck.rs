//! A presentation: its main part, slides, layouts, masters and themes.

use crate::error::{Error, Result, malformed, unsupported};
use crate::package::{Package, Relation, relation_of};
use crate::xml::{Id, Ns, Xml};
use std::collections::BTreeMap;
use std::rc::Rc;

const PRESENTATION: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml";
/// Most slides of a presentation.
const MAX_SLIDES: usize = 5_000;

/// A presentation that was opened.
#[derive(Debug)]
pub struct Deck {
    pub(crate) package: Package,
    /// Name of the main part: `ppt/presentation.xml`.
    pub(crate) main: String,
    media_type: String,
}

/// A slide, in the order of the presentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slide {
    /// Its id, which stays when slides move.
    pub(crate) id: u32,
    /// Id of the relationship of the main part.
    pub(crate) relation: String,
    pub(crate) part: String,
}

/// A layout with its master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) part: String,
    pub(crate) master: String,
    pub(crate) name: String,
}

impl Deck {
    /// Opens a presentation or a template.
    ///
    /// # Errors
    /// [`Error::Malformed`] - it is damaged; [`Error::Unsupported`] - it is another kind of file.
    pub fn open(bytes: Vec<u8>) -> Result<Self> {
        let expected =
            |got: &str| Error::Unsupported(format!("expected a presentation (.pptx), but {got}"));
        let package = Package::open(bytes).map_err(|error| match error {
            Error::Unsupported(got) => expected(&got),
            other => other,
        })?;
        let main = package.related("", "officeDocument")?;
        let main = main.ok_or_else(|| expected("it has no main part"))?;
        let media_type = package.media_type(&main)?;
        let is_known = [
            "presentationml.presentation.main+xml",
            "presentationml.template.main+xml",
            "presentationml.slideshow.main+xml",
            "ms-powerpoint.presentation.macroEnabled.main+xml",
            "ms-powerpoint.slideshow.macroEnabled.main+xml",
            "ms-powerpoint.template.macroEnabled.main+xml",
        ]
        .iter()
        .any(|known| media_type.ends_with(known));
        if !is_known {
            return Err(expected(&format!("it has the type `{media_type}`")));
        }
        let deck = Self { package, main, media_type };
        let root = deck.presentation()?;
        if !root.is(root.root(), Ns::P, "presentation") {
            return malformed(format!("the part `{}` is no presentation", deck.main));
        }
        Ok(deck)
    }

    /// Refuses what cannot be edited.
    ///
    /// # Errors
    /// [`Error::Unsupported`] - macros or a signature.
    pub(crate) fn check_editable(&self) -> Result<()> {
        if self.media_type.contains("macroEnabled") {
            return unsupported(
                "expected a presentation without macros (.pptx), got one with macros",
            );
        }
        let is_signed = self.package.names().iter().any(|name| name.starts_with("_xmlsignatures/"));
        if is_signed {
            return unsupported(
                "expected a presentation without a signature, got a signed one; a change would break the signature",
            );
        }
        Ok(())
    }

    /// Makes a template or a show a presentation, because a file that ends in `.pptx` must be one.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the list of types cannot be read.
    pub(crate) fn make_presentation(&mut self) -> Result<()> {
        let main = self.main.clone();
        self.package.set_media_type(&main, PRESENTATION)
    }

    pub(crate) fn presentation(&self) -> Result<Rc<Xml>> {
        self.package.xml(&self.main)
    }

    /// Returns the size of a slide in EMU.
    pub(crate) fn size(&self) -> Result<(f64, f64)> {
        let xml = self.presentation()?;
        let size = xml.child(xml.root(), Ns::P, "sldSz");
        let of = |name: &str, default: f64| {
            size.and_then(|it| xml.number(it, name)).filter(|it: &f64| *it > 0.0).unwrap_or(default)
        };
        Ok((of("cx", 9_144_000.0), of("cy", 6_858_000.0)))
    }

    /// Returns the element that lists the slides.
    pub(crate) fn slide_list(xml: &Xml) -> Option<Id> {
        xml.child(xml.root(), Ns::P, "sldIdLst")
    }

    /// Returns the slides. Those without a part are left out.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the list cannot be read, or has an id twice.
    pub(crate) fn slides(&self) -> Result<Vec<Slide>> {
        let xml = self.presentation()?;
        let relations = self.package.relations(&self.main)?;
        let relations: BTreeMap<&str, &Relation> =
            relations.iter().rev().map(|it| (&*it.id, it)).collect();
        let mut slides: Vec<Slide> = Vec::new();
        let list = Self::slide_list(&xml);
        for id in list.into_iter().flat_map(|list| xml.named(list, Ns::P, "sldId")) {
            let (Some(number), Some(relation)) = (xml.number(id, "id"), relation_of(&xml, id))
            else {
                continue;
            };
            let part = relations.get(&*relation).filter(|it| !it.is_external);
            let Some(part) = part.filter(|it| self.package.has(&it.target)) else { continue };
            slides.push(Slide { id: number, relation, part: part.target.clone() });
        }
        if slides.len() > MAX_SLIDES {
            return malformed(format!("the presentation has more than {MAX_SLIDES} slides"));
        }
        let mut ids: Vec<u32> = slides.iter().map(|it| it.id).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return malformed("the presentation has two slides with one id");
        }
        Ok(slides)
    }

    /// Returns how many slides the list names, also those without a part.
    pub(crate) fn listed_slides(&self) -> Result<usize> {
        let xml = self.presentation()?;
        let list = Self::slide_list(&xml);
        Ok(list.into_iter().flat_map(|list| xml.named(list, Ns::P, "sldId")).count())
    }

    /// Returns the masters in their order.
    pub(crate) fn masters(&self) -> Result<Vec<String>> {
        let xml = self.presentation()?;
        let list = xml.child(xml.root(), Ns::P, "sldMasterIdLst");
        self.listed(&self.main, &xml, list, "sldMasterId")
    }

    /// Returns the layouts of all masters in their order.
    pub(crate) fn layouts(&self) -> Result<Vec<Layout>> {
        let mut out = Vec::new();
        for master in self.masters()? {
            let xml = self.package.xml(&master)?;
            let list = xml.child(xml.root(), Ns::P, "sldLayoutIdLst");
            for part in self.listed(&master, &xml, list, "sldLayoutId")? {
                let layout = self.package.xml(&part)?;
                let name = layout
                    .child(layout.root(), Ns::P, "cSld")
                    .and_then(|it| layout.attr(it, "name"))
                    .unwrap_or_default()
                    .into_owned();
                out.push(Layout { part, master: master.clone(), name });
            }
        }
        Ok(out)
    }

    fn listed(&self, part: &str, xml: &Xml, list: Option<Id>, local: &str) -> Result<Vec<String>> {
        let relations: Vec<Relation> = self.package.relations(part)?;
        let ids = list.into_iter().flat_map(|list| xml.named(list, Ns::P, local));
        let ids: Vec<String> = ids.filter_map(|id| relation_of(xml, id)).collect();
        let target =
            |id: &String| relations.iter().find(|it| it.id == *id).map(|it| it.target.clone());
        Ok(ids.iter().filter_map(target).filter(|it| self.package.has(it)).collect())
    }

    /// Returns the name of the layout of a slide; empty if it has none.
    pub(crate) fn layout_name(&self, slide: &str) -> Result<String> {
        let Some(layout) = self.package.related(slide, "slideLayout")? else {
            return Ok(String::new());
        };
        let xml = self.package.xml(&layout)?;
        let name = xml.child(xml.root(), Ns::P, "cSld").and_then(|it| xml.attr(it, "name"));
        Ok(name.unwrap_or_default().into_owned())
    }

    /// Returns the presentation's bytes.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the archive cannot be written.
    pub fn save(&self) -> Result<Vec<u8>> {
        self.package.save()
    }
}
