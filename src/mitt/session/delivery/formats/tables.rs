//! Tables of Markdown as a workbook.

use futures_util::future::BoxFuture;

use super::super::draw::{Deliver, Drawing, Rendered};
use super::text_bytes;
use crate::check::Check;
use mitt_base::Result;
use mitt_base::memory::Account;
use mitt_render::{Cancel, LeftOut, Paper};

/// Warning for a workbook for which a table of contents was requested.
const NO_CONTENTS: &str =
    "contents are left out: a workbook has none, each of its tables has a sheet of its own";

pub(super) struct TablesFile {
    pub(super) markdown: String,
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
    pub(super) paper: Option<Paper>,
    pub(super) contents: bool,
}

impl Deliver for TablesFile {
    fn bytes(&self) -> u64 {
        (self.markdown.len() + text_bytes(&self.title) + text_bytes(&self.language)) as u64
    }

    fn redact(&mut self, check: &mut Check, _: &Account, cancel: &Cancel) -> Result<LeftOut> {
        check.texts(&mut self.title)?;
        check.text(&mut self.markdown)?;
        check.drawn(&self.markdown, cancel)
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(async move {
            let permit = drawing.acquire_permit().await?;
            let TablesFile { markdown, title, language, paper, contents } = *self;
            let Drawing { delivery, created, rows, left_out, memory, kept, .. } = drawing;
            let draw = move |cancel: Cancel| {
                let mut doc = mitt_render::markdown_unless(&markdown, &cancel)?;
                doc.leave_out(&left_out);
                doc.meta.language = language.or(doc.meta.language);
                doc.meta.paper = paper.or(doc.meta.paper);
                let mut sheets = mitt_render::sheets(&doc)?;
                sheets.book.title = title.or(sheets.book.title);
                let memory = Some(memory);
                let options = mitt_render::XlsxOptions { created, cancel, memory, rows };
                let file = mitt_render::xlsx(&sheets.book, &options)?;
                let no_contents = contents.then(|| NO_CONTENTS.to_owned());
                let warnings = sheets.warnings.into_iter().chain(no_contents);
                let warnings = warnings.chain(file.warnings.iter().cloned()).collect();
                Ok((mitt_render::Xlsx { warnings, ..file }, kept))
            };
            let (file, kept) = delivery.rendered(permit, draw).await?;
            let sheets = file.sheets;
            Ok(Rendered { sheets, ..Rendered::new(file.bytes, file.warnings, Some(kept)) })
        })
    }
}
