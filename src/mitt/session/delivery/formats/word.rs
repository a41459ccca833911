//! Markdown as a Word file, or a Word template that is filled.

use futures_util::future::BoxFuture;

use super::super::draw::{Deliver, Drawing, Rendered, TemplateSlot, TemplateType};
use super::text_bytes;
use crate::check::Check;
use mitt_base::memory::Account;
use mitt_base::{Error, Result};
use mitt_render::{Cancel, LeftOut, docx_files};
use mitt_skill::capability::Word;

const WORD: TemplateType = TemplateType { name: "Word files", extensions: ["docx", "dotx"] };

pub(super) struct WordFile(pub(super) Box<Word>);

impl Deliver for WordFile {
    fn bytes(&self) -> u64 {
        let Word { markdown, options, template, .. } = &*self.0;
        let texts = text_bytes(&options.common.title)
            + text_bytes(&options.common.language)
            + text_bytes(template)
            + text_bytes(markdown);
        (size_of::<Word>() + texts) as u64 + options.values.kept_bytes()
    }

    fn redact(&mut self, check: &mut Check, _: &Account, cancel: &Cancel) -> Result<LeftOut> {
        let Word { markdown, options, .. } = &mut *self.0;
        check.texts(&mut options.common.title)?;
        check.texts(&mut *markdown)?;
        check.fill_values(&mut options.values)?;
        match markdown {
            Some(markdown) => check.drawn(markdown, cancel),
            None => Ok(LeftOut::default()),
        }
    }

    fn template(&mut self) -> Option<TemplateSlot<'_>> {
        let Word { options, template, .. } = &mut *self.0;
        let name = template.as_deref()?;
        Some(TemplateSlot { name, kind: &WORD, bytes: &mut options.template })
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(async move {
            let permit = drawing.acquire_permit().await?;
            let mut word = self.0;
            let Drawing { delivery, created, left_out, memory, mut kept, .. } = drawing;
            word.options.common.created = Some(created);
            let session = delivery.clone();
            let draw = move |cancel: Cancel| {
                let text = word.markdown.as_deref().unwrap_or_default();
                let mut names = Vec::new();
                if let Some(template) = &word.options.template {
                    word.options.common.cancel = cancel.clone();
                    let files = docx_files(template, &word.options.values, &word.options)?;
                    for name in files {
                        // A name without a document is refused with its place.
                        match session.document_file(&name, &mut kept)? {
                            Some(file) => word.options.documents.push((name, file)),
                            None => names.push(name),
                        }
                    }
                }
                let found = session.pictures_with((text, &names), &memory, &cancel)?;
                word.options.common.pictures = found.pictures;
                Ok((word_file(*word, &left_out, cancel)?, (kept, found.charges)))
            };
            let (word, (kept, _)) = delivery.rendered(permit, draw).await?;
            Ok(Rendered::new(word.bytes, word.warnings, Some(kept)))
        })
    }
}

/// Renders a Word file, from a template or from Mitt's own styles.
fn word_file(word: Word, left_out: &LeftOut, cancel: Cancel) -> Result<mitt_render::Docx> {
    let Word { markdown, mut options, is_filling, .. } = word;
    let doc = markdown.map(|text| mitt_render::markdown_unless(&text, &cancel)).transpose()?;
    let doc = doc.map(|mut doc| {
        doc.leave_out(left_out);
        doc
    });
    options.common.cancel = cancel;
    match (is_filling, options.template.take(), doc) {
        (true, Some(template), doc) => {
            let values = std::mem::take(&mut options.values);
            mitt_render::fill_docx(&template, &values, doc.as_ref(), &options)
        }
        (_, template, Some(doc)) => {
            options.template = template;
            mitt_render::docx(&doc, &options)
        }
        (_, _, None) => Err(Error::bug("a Word file of nothing")),
    }
}
