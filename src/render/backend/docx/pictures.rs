//! Pictures in a Word file. The package contains each picture once, however often it is used.

use super::inline_picture::{Drawing, InlinePicture};
use super::paragraph::{BlockContext, Properties};
use super::runs::RunFormat;
use super::writer::Writer;
use crate::model::doc::{Figure, Inline};
use crate::model::theme::MM;
use crate::shared::losses::LossKind;
use crate::shared::office_pictures::LOGO;
use crate::shared::picture::{Format, Picture};

/// Units of drawings in a point.
const EMU: f64 = 12_700.0;

/// Share of the page's height that a picture takes at most, because the text below must fit as well.
const MAX_SHARE: f64 = 0.8;

/// Largest height of a picture in a line, in points: 8 cm.
const MAX_IN_LINE: f64 = 226.8;

/// Returns the name of a picture's part below `word`.
pub(super) fn part_name(number: usize, format: Format) -> String {
    format!("media/image{}.{}", number + 1, format.extension())
}

/// Converts a picture to a format that Word shows, upright, because Word ignores the orientation in a photo's metadata.
///
/// # Errors
///
/// The picture cannot be decoded, or has no pixels.
pub(super) fn accept(picture: Picture) -> Result<Picture, String> {
    match crate::shared::picture::for_word(picture.format, &picture.file, picture.orientation)? {
        None => Ok(picture),
        Some((format, file)) => {
            Ok(Picture { format, file: file.into(), orientation: 1, ..picture })
        }
    }
}

impl Writer<'_> {
    /// Writes a centred picture with its caption.
    pub(super) fn figure(
        &mut self,
        content: &[Inline],
        figure: &Figure<'_>,
        context: &BlockContext,
    ) {
        let keeps_next = figure.caption.is_some();
        self.open(context, Properties { side: "center", keeps_next, ..Properties::default() });
        self.in_figure = true;
        self.inlines(content, RunFormat::of(content));
        self.in_figure = false;
        self.close();
        if let Some(caption) = figure.caption {
            let text = [Inline::Text { text: caption.trim().to_owned() }];
            self.open(context, Properties { style: "Caption", ..Properties::default() });
            self.inlines(&text, RunFormat::of(&text));
            self.close();
        }
    }

    /// Writes a picture in a line, or its description if there is none.
    pub(super) fn picture(
        &mut self,
        url: &str,
        description: &str,
        title: Option<&str>,
        format: RunFormat,
    ) {
        // The caption of a figure is below it.
        let title = title.filter(|_| !self.in_figure);
        match self.gallery.find(url) {
            Ok(number) => self.drawing(number, description, title),
            Err(why) => {
                self.losses.record_why(LossKind::Image, description, &why);
                let what = self.frame.language.say("图：", "Image: ");
                let title = title.map(|title| format!(" ({})", title.trim())).unwrap_or_default();
                self.run(&format!("[{what}{description}{title}]"), format.grey());
            }
        }
    }

    /// Writes the logo of the theme above everything else. `height` is in millimetres.
    pub(super) fn logo(&mut self, height: f64, description: &str) {
        let description = if description.trim().is_empty() { "logo" } else { description };
        let number = match self.gallery.find(LOGO) {
            Ok(number) => number,
            Err(why) => return self.losses.record_why(LossKind::Image, description, &why),
        };
        let Some(picture) = self.gallery.all().get(number) else { return };
        let (format, width, tall) = (picture.format, picture.width, picture.height);
        self.open(&BlockContext::default(), Properties { side: "left", ..Properties::default() });
        // Drawn in the requested height, whatever its own size.
        let scale = (height * MM / tall).min(f64::from(self.room) / 20.0 / width);
        self.show(number, format, description, None, [width * scale, tall * scale]);
        self.close();
    }

    fn drawing(&mut self, number: usize, description: &str, title: Option<&str>) {
        let width = f64::from(self.room) / 20.0;
        let height = if self.in_figure {
            f64::from(self.frame.height(self.is_turned)) / 20.0 * MAX_SHARE
        } else {
            MAX_IN_LINE
        };
        let Some(picture) = self.gallery.all().get(number) else { return };
        let (width, height) = picture.within(width, height);
        let format = picture.format;
        if let Some(what) = &picture.left_out {
            self.losses.record_why(LossKind::Drawing, description, what);
        }
        self.show(number, format, description, title, [width, height]);
    }

    /// Width and height are in points.
    fn show(
        &mut self,
        number: usize,
        format: Format,
        description: &str,
        title: Option<&str>,
        size: [f64; 2],
    ) {
        // At least one pixel of a screen.
        let size = size.map(|side| (side * EMU).max(9_525.0).round() as u64);
        let name = part_name(number, format);
        self.links.note_picture(number);
        self.inline_picture(&InlinePicture {
            drawing: Drawing {
                name: &format!("Picture {}", self.drawings + 1),
                description,
                title,
                size,
            },
            file: &name,
            relationship: &format!("rIdPicture{number}"),
        });
    }
}
