//! A slide with its layout, master and theme: what a shape inherits from them.

use crate::deck::Deck;
use crate::error::Result;
use crate::shapes::{Frame, Placeholder, Shape, shapes};
use crate::xml::{Id, Ns, Xml};
use std::rc::Rc;

/// A part with its shapes.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) part: String,
    pub(crate) xml: Rc<Xml>,
    pub(crate) shapes: Vec<Shape>,
}

/// A slide and what it is based on.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) slide: Sheet,
    pub(crate) layout: Option<Sheet>,
    pub(crate) master: Option<Sheet>,
    pub(crate) theme: Option<Rc<Xml>>,
    pub(crate) presentation: Rc<Xml>,
}

impl Sheet {
    pub(crate) fn read(deck: &Deck, part: &str) -> Result<Self> {
        let xml = deck.package.xml(part)?;
        let shapes = shapes(&xml);
        Ok(Self { part: part.to_owned(), xml, shapes })
    }

    pub(crate) fn title(&self) -> Option<&Shape> {
        self.shapes.iter().find(|it| it.placeholder.as_ref().is_some_and(Placeholder::is_title))
    }
}

impl Scene {
    /// Reads a slide, or a layout or a master in its place.
    ///
    /// # Errors
    /// [`crate::Error::Malformed`] - a part cannot be read.
    pub(crate) fn read(deck: &Deck, part: &str) -> Result<Self> {
        let sheet = |part: Option<String>| part.map(|it| Sheet::read(deck, &it)).transpose();
        let slide = Sheet::read(deck, part)?;
        let layout = sheet(deck.package.related(part, "slideLayout")?)?;
        let above = layout.as_ref().map_or(part, |it| &it.part);
        let master = sheet(deck.package.related(above, "slideMaster")?)?;
        let themed = master.as_ref().map_or(above, |it| &it.part);
        let theme = deck.package.related(themed, "theme")?;
        let theme = theme.map(|it| deck.package.xml(&it)).transpose()?;
        Ok(Self { slide, layout, master, theme, presentation: deck.presentation()? })
    }

    /// Returns the shape itself, and the placeholders that it inherits from, the nearest first.
    pub(crate) fn chain<'a>(&'a self, shape: &'a Shape) -> Vec<(&'a Xml, &'a Shape)> {
        let mut out = vec![(&*self.slide.xml, shape)];
        let Some(own) = &shape.placeholder else { return out };
        let mut nearest = own;
        if let Some(layout) = &self.layout
            && let Some((found, placeholder)) = of_layout(layout, own)
        {
            out.push((&layout.xml, found));
            nearest = placeholder;
        }
        if let Some(master) = &self.master
            && let Some(found) = of_master(master, nearest)
        {
            out.push((&master.xml, found));
        }
        out
    }

    /// Returns the place of a shape, its own or that of its placeholder.
    pub(crate) fn frame(&self, shape: &Shape) -> Option<Frame> {
        self.chain(shape).into_iter().find_map(|(_, it)| it.frame)
    }

    /// Returns `title`, `body` or `other`: the list of the master's text styles for a shape.
    pub(crate) fn text_style(&self, shape: &Shape) -> Option<(&Xml, Id)> {
        let master = self.master.as_ref()?;
        let placeholder = shape.placeholder.as_ref()?;
        let local = match &*placeholder.kind {
            "title" | "ctrTitle" => "titleStyle",
            "dt" | "ftr" | "sldNum" | "hdr" => "otherStyle",
            _ => "bodyStyle",
        };
        let xml = &*master.xml;
        xml.path(xml.root(), Ns::P, &["txStyles", local]).map(|it| (xml, it))
    }
}

fn of_layout<'a>(layout: &'a Sheet, own: &Placeholder) -> Option<(&'a Shape, &'a Placeholder)> {
    let all = || layout.shapes.iter().filter_map(|it| Some((it, it.placeholder.as_ref()?)));
    let by_kind = || all().find(|(_, it)| general(&it.kind) == general(&own.kind));
    if own.is_title() || own.is_footer() {
        return by_kind();
    }
    all().find(|(_, it)| it.index == own.index && !it.is_title() && !it.is_footer()).or_else(|| {
        // A placeholder without a counterpart has lost it with a change of the layout.
        by_kind().filter(|_| own.index == 0)
    })
}

fn of_master<'a>(master: &'a Sheet, own: &Placeholder) -> Option<&'a Shape> {
    let wanted = match general(&own.kind) {
        "title" => "title",
        "dt" => "dt",
        "ftr" => "ftr",
        "sldNum" => "sldNum",
        _ => "body",
    };
    master
        .shapes
        .iter()
        .find(|it| it.placeholder.as_ref().is_some_and(|it| general(&it.kind) == wanted))
}

/// Returns the kind from which variants of it inherit.
fn general(kind: &str) -> &str {
    match kind {
        "ctrTitle" => "title",
        "subTitle" => "body",
        other => other,
    }
}
