//! Markdown as a web page.

use futures_util::future::BoxFuture;

use super::super::draw::{Deliver, Drawing, Rendered};
use super::text_bytes;
use crate::check::Check;
use mitt_base::Result;
use mitt_base::memory::Account;
use mitt_render::{Cancel, HtmlOptions, LeftOut};

pub(super) struct HtmlFile {
    pub(super) markdown: String,
    pub(super) options: Box<HtmlOptions>,
}

impl Deliver for HtmlFile {
    fn bytes(&self) -> u64 {
        let texts =
            text_bytes(&self.options.common.title) + text_bytes(&self.options.common.language);
        (size_of::<HtmlOptions>() + texts + self.markdown.len()) as u64
    }

    fn redact(&mut self, check: &mut Check, _: &Account, cancel: &Cancel) -> Result<LeftOut> {
        check.texts(&mut self.options.common.title)?;
        check.text(&mut self.markdown)?;
        check.drawn(&self.markdown, cancel)
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(async move {
            let permit = drawing.acquire_permit().await?;
            let HtmlFile { markdown, mut options } = *self;
            let Drawing { delivery, left_out, memory, kept, .. } = drawing;
            let session = delivery.clone();
            let draw = move |cancel: Cancel| {
                let found = session.pictures_in(&markdown, &memory, &cancel)?;
                options.common.pictures = found.pictures;
                let mut doc = mitt_render::markdown_unless(&markdown, &cancel)?;
                doc.leave_out(&left_out);
                options.common.cancel = cancel;
                Ok((mitt_render::html(&doc, &options)?, (kept, found.charges)))
            };
            let (page, (kept, _)) = delivery.rendered(permit, draw).await?;
            Ok(Rendered::new(page.text.into_bytes(), page.warnings, Some(kept)))
        })
    }
}
