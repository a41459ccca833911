//! Pictures for the template. Each is decoded here first, so that a broken one does not fail the document; Typst's cache
//! keeps the decoded picture.

use serde_json::{Value, json};
use typst::foundations::{Bytes, Smart};
use typst::visualize::{ExchangeFormat, RasterImage, SvgImage};

use super::data::Converter;
use super::world::picture_path;
use crate::model::doc::{Figure, Inline};
use crate::shared::link;
use crate::shared::losses::LossKind;
use crate::shared::picture::{Format, Picture};
use mitt_base::panics;

/// Decodes a picture, within the limits that its header was checked against.
///
/// # Errors
///
/// It cannot be decoded.
pub(super) fn check(picture: Picture) -> Result<Picture, String> {
    let bytes = Bytes::new(picture.file.clone());
    let decode = || match picture.format {
        Format::Png => is_raster(bytes, ExchangeFormat::Png),
        Format::Jpeg => is_raster(bytes, ExchangeFormat::Jpg),
        Format::Gif => is_raster(bytes, ExchangeFormat::Gif),
        Format::Webp => is_raster(bytes, ExchangeFormat::Webp),
        Format::Svg => {
            let are_inner = picture.inner.iter().all(|inner| {
                let format = ExchangeFormat::detect(inner);
                format.is_some_and(|format| is_raster(Bytes::new(inner.clone()), format))
            });
            are_inner && SvgImage::new(bytes).is_ok()
        }
    };
    match panics::caught_now("decoding a picture", decode) {
        Ok(true) => Ok(picture),
        _ => Err("it cannot be decoded".to_owned()),
    }
}

/// Does what [`check`] does, but accepts only pictures that are embedded as pixels, which any page accepts.
///
/// # Errors
///
/// It cannot be decoded, or would be embedded as it is.
pub(super) fn check_pixels(picture: Picture) -> Result<Picture, String> {
    match picture.format {
        Format::Png | Format::Gif | Format::Webp => check(picture),
        Format::Jpeg | Format::Svg => refuse(picture),
    }
}

/// Refuses all pictures, as a last resort.
pub(super) fn refuse(_: Picture) -> Result<Picture, String> {
    Err("no page can be made with it".to_owned())
}

fn is_raster(bytes: Bytes, format: ExchangeFormat) -> bool {
    RasterImage::new(bytes, format, Smart::Auto).is_ok()
}

impl Converter<'_> {
    /// Returns a figure with its caption.
    pub(super) fn figure(&mut self, figure: &Figure<'_>) -> Value {
        let Figure { url, description, caption, link } = *figure;
        let caption_inlines = caption.map(|text| Inline::Text { text: text.trim().to_owned() });
        let picture = self.picture(url, description, caption);
        let caption = caption_inlines.map_or(Value::Null, |text| self.leaf(&[text]));
        let target = link.and_then(link::kept);
        self.pieces += 1;
        match picture {
            Ok(mut value) => {
                value["type"] = json!("figure");
                value["caption"] = caption;
                value["url"] = target.map_or(Value::Null, Value::from);
                value
            }
            Err(described) => {
                let mut content = vec![described];
                if let Value::Array(caption) = caption {
                    content.push(json!({ "type": "break" }));
                    content.extend(caption);
                }
                if let Some(url) = target {
                    content = vec![json!({ "type": "link", "url": url, "content": content })];
                }
                json!({ "type": "paragraph", "long": false, "display": false, "ragged": false, "content": content })
            }
        }
    }

    /// Returns a picture in a line.
    pub(super) fn inline_picture(
        &mut self,
        url: &str,
        description: &str,
        title: Option<&str>,
    ) -> Value {
        self.picture(url, description, title).unwrap_or_else(|mut described| {
            if let Some(title) = title.map(|title| self.plain(title.trim())) {
                let text = described["description"].as_str().unwrap_or_default();
                described["description"] = json!(format!("{text} ({title})"));
            }
            described
        })
    }

    /// Returns what the template draws, or a replacement if there is no picture.
    fn picture(
        &mut self,
        url: &str,
        description: &str,
        title: Option<&str>,
    ) -> Result<Value, Value> {
        let number = self.gallery.find(url);
        self.last = Some(']');
        let number = number.map_err(|why| {
            self.losses.record_why(LossKind::Image, description, &why);
            json!({ "type": "image", "description": self.plain(description) })
        })?;
        let Some(picture) = self.gallery.all().get(number) else {
            return Err(json!({ "type": "image", "description": "" }));
        };
        if let Some(what) = &picture.left_out {
            self.losses.record_why(LossKind::Drawing, description, what);
        }
        let alternative = [Some(description), title].into_iter().flatten().map(str::trim);
        let alternative = alternative.filter(|text| !text.is_empty());
        let alternative = alternative.collect::<Vec<_>>().join(" - ");
        let alternative = alternative.replace(|c: char| c.is_control(), " ");
        Ok(json!({
            "type": "picture",
            "file": picture_path(number, picture),
            "width": picture.width,
            "height": picture.height,
            // A picture without a description is decorative.
            "alt": (!alternative.is_empty()).then_some(alternative),
        }))
    }
}
