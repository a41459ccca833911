//! Markdown as PDF.

use futures_util::future::BoxFuture;

use super::super::draw::{Deliver, Drawing, Rendered};
use super::text_bytes;
use crate::check::Check;
use crate::host::RENDERING;
use mitt_base::Result;
use mitt_base::memory::Account;
use mitt_render::{Cancel, LeftOut, PdfOptions};

pub(super) struct PdfFile {
    pub(super) markdown: String,
    pub(super) options: Box<PdfOptions>,
}

impl Deliver for PdfFile {
    fn bytes(&self) -> u64 {
        let texts =
            text_bytes(&self.options.common.title) + text_bytes(&self.options.common.language);
        (size_of::<PdfOptions>() + texts + self.markdown.len()) as u64
    }

    fn redact(&mut self, check: &mut Check, _: &Account, cancel: &Cancel) -> Result<LeftOut> {
        check.texts(&mut self.options.common.title)?;
        check.text(&mut self.markdown)?;
        check.drawn(&self.markdown, cancel)
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(async move {
            let mut permit = drawing.acquire_permit().await?;
            let PdfFile { mut markdown, mut options } = *self;
            let Drawing { delivery, created, left_out, memory, kept, .. } = drawing;
            let blocking = delivery.blocking();
            options.common.created = Some(created);
            options.fonts = delivery.context.host().fonts().clone();
            let mut charges = Vec::new();
            // The worker parses the Markdown again. Here it is searched only for pictures.
            if markdown.contains("![") {
                let session = delivery.clone();
                let collect = move |cancel: Cancel| {
                    let found = session.pictures_of(&markdown, &memory, &cancel)?;
                    Ok((permit, markdown, found))
                };
                let (back, text, found) = blocking.here(RENDERING, (), collect).await?;
                (permit, markdown) = (back, text);
                (options.common.pictures, charges) = (found.pictures, found.charges);
            }
            let pdf =
                blocking.typeset((permit, kept, charges), (markdown, left_out), *options).await?;
            let rendered = Rendered::new(pdf.bytes, pdf.warnings, None);
            Ok(Rendered { pages: Some(pdf.pages as u64), preview: pdf.preview, ..rendered })
        })
    }
}
