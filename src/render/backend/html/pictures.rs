//! Pictures within the page, because it loads nothing. A picture with several uses is stored once.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::body::Writer;
use crate::model::doc::{Doc, Figure, Inline};
use crate::model::picture::addresses;
use crate::shared::link;
use crate::shared::losses::LossKind;
use crate::shared::picture::{Gallery, Picture};
use crate::shared::xml::push_text;
use mitt_base::Result;

/// Most bytes, over all uses, of a picture that is repeated at each use. A larger one is referred to.
const MAX_REPEATED: usize = 64 * 1024;

/// Pixels of a page in a point.
const PIXELS: f64 = 96.0 / 72.0;

/// Returns the number of uses of each picture in a document.
pub(super) fn uses(doc: &Doc, gallery: &mut Gallery<'_>) -> Vec<usize> {
    let mut uses = Vec::new();
    addresses(doc, &mut |url| {
        if let Ok(number) = gallery.find(url) {
            uses.resize(uses.len().max(number + 1), 0);
            uses[number] += 1;
        }
    });
    uses
}

impl Writer<'_> {
    /// Writes the pictures to which several places refer.
    pub(super) fn shared_pictures(&mut self) -> Result<()> {
        let shared: Vec<usize> =
            (0..self.gallery.all().len()).filter(|number| self.is_shared(*number)).collect();
        if shared.is_empty() {
            return Ok(());
        }
        self.html.push_str(
            "<svg class=\"pictures\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n",
        );
        for number in shared {
            self.cancel.check()?;
            let Some(picture) = self.gallery.all().get(number) else { continue };
            let (width, height) = size(picture);
            let _ = write!(
                self.html,
                "<image id=\"picture:{number}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" href=\""
            );
            push_data(&mut self.html, picture);
            self.html.push_str("\"/>\n");
        }
        self.html.push_str("</defs></svg>\n");
        Ok(())
    }

    fn is_shared(&self, number: usize) -> bool {
        let times = self.uses.get(number).copied().unwrap_or_default();
        let bytes = self.gallery.all().get(number).map_or(0, |picture| picture.file.len());
        times > 1 && bytes.saturating_mul(times) > MAX_REPEATED
    }

    /// Writes a figure with its caption.
    pub(super) fn figure(&mut self, figure: &Figure<'_>) {
        let Figure { url, description, caption, link } = *figure;
        self.html.push_str("<figure>");
        let link = link.filter(|url| {
            let is_fine = link::kept(url).is_some() || self.anchors.find(url).is_some();
            if !is_fine {
                self.losses.record(LossKind::Link, url);
            }
            is_fine
        });
        match link {
            Some(to) => {
                let image = Inline::Image {
                    url: url.to_owned(),
                    description: description.to_owned(),
                    title: None,
                };
                self.link(to, &[image]);
            }
            None => self.picture(url, description, None),
        }
        if let Some(caption) = caption {
            self.html.push('\n');
            self.element("figcaption", caption.trim());
        }
        self.html.push_str("</figure>\n");
    }

    /// Writes a picture in a line, or its description if there is none.
    pub(super) fn picture(&mut self, url: &str, description: &str, title: Option<&str>) {
        let title = title.map(str::trim).filter(|title| !title.is_empty());
        let number = match self.gallery.find(url) {
            Ok(number) => number,
            Err(why) => {
                self.losses.record_why(LossKind::Image, description, &why);
                let what = self.language.say("图：", "Image: ");
                let title = title.map(|title| format!(" ({title})")).unwrap_or_default();
                self.element("span class=\"image\"", &format!("[{what}{description}{title}]"));
                return;
            }
        };
        let is_shared = self.is_shared(number);
        let Some(picture) = self.gallery.all().get(number) else { return };
        let (width, height) = size(picture);
        if let Some(what) = &picture.left_out {
            self.losses.record_why(LossKind::Drawing, description, what);
        }
        if is_shared {
            let _ = write!(
                self.html,
                "<svg class=\"picture\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\""
            );
            match description.trim() {
                "" => self.html.push_str(" aria-hidden=\"true\">"),
                text => {
                    self.html.push_str(" role=\"img\" aria-label=\"");
                    push_text(&mut self.html, text, &mut self.losses);
                    self.html.push_str("\">");
                }
            }
            if let Some(title) = title {
                self.element("title", title);
            }
            let _ = write!(self.html, "<use href=\"#picture:{number}\"/></svg>");
            return;
        }
        let _ = write!(self.html, "<img width=\"{width}\" height=\"{height}\" alt=\"");
        push_text(&mut self.html, description.trim(), &mut self.losses);
        if let Some(title) = title {
            self.html.push_str("\" title=\"");
            push_text(&mut self.html, title, &mut self.losses);
        }
        self.html.push_str("\" src=\"");
        push_data(&mut self.html, picture);
        self.html.push_str("\"/>");
    }
}

/// Returns width and height in pixels of a page.
fn size(picture: &Picture) -> (u64, u64) {
    // Browsers require whole numbers.
    let pixels = |points: f64| (points * PIXELS).round().max(1.0) as u64;
    (pixels(picture.width), pixels(picture.height))
}

fn push_data(html: &mut String, picture: &Picture) {
    let _ = write!(html, "data:{};base64,", picture.format.media_type());
    STANDARD.encode_string(&picture.file, html);
}
