//! Workbook of the session that is filled, or gets more rows.

use futures_util::future::BoxFuture;

use super::super::draw::{Deliver, Drawing, Rendered, TemplateSlot, TemplateType};
use super::super::pictures::ReferencedPictures;
use crate::check::Check;
use crate::host::RENDERING;
use crate::worker::FillJob;
use mitt_base::memory::Account;
use mitt_base::{Error, Result};
use mitt_ingest::fill::FillOrder;
use mitt_render::{Cancel, LeftOut, Pictures, xlsx_files};
use mitt_skill::capability::{Change, Filling};

const WORKBOOK: TemplateType = TemplateType { name: "workbooks", extensions: ["xlsx", "xltx"] };

pub(super) struct FilledWorkbook(pub(super) Box<Filling>);

impl Deliver for FilledWorkbook {
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn redact(&mut self, check: &mut Check, _: &Account, _: &Cancel) -> Result<LeftOut> {
        match &mut self.0.change {
            Change::Fill(values) => check.fill_values(values)?,
            Change::Append { rows, .. } => check.fill_value(rows)?,
        }
        Ok(LeftOut::default())
    }

    fn template(&mut self) -> Option<TemplateSlot<'_>> {
        let Filling { template, source, .. } = &mut *self.0;
        Some(TemplateSlot { name: template, kind: &WORKBOOK, bytes: source })
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(async move {
            let permit = drawing.acquire_permit().await?;
            let Drawing { delivery, memory, mut kept, .. } = drawing;
            let filling = self.0;
            let session = delivery.clone();
            let pack = move |cancel: Cancel| {
                cancel.check()?;
                let mut found = ReferencedPictures::default();
                if let (Some(source), Change::Fill(values)) = (&filling.source, &filling.change) {
                    let names = xlsx_files(source, values)?;
                    found = session.pictures_with(("", &names), &memory, &cancel)?;
                }
                let job = fill_job(*filling, &found.pictures)?;
                kept.grow(job.bytes()).map_err(Error::reached)?;
                Ok(((permit, kept), job))
            };
            let (permit, job) = delivery.blocking().here(RENDERING, (), pack).await?;
            let filled = delivery.blocking().fill(permit, job).await?;
            Ok(Rendered::new(filled.bytes, filled.warnings, None))
        })
    }
}

/// Returns the change of an existing workbook as a job for a worker.
fn fill_job(filling: Filling, pictures: &Pictures) -> Result<FillJob> {
    let Some(source) = filling.source else { return Err(Error::bug("a workbook of nothing")) };
    let order = match filling.change {
        Change::Fill(values) => FillOrder::Fill(values),
        Change::Append { sheet, rows } => FillOrder::Append { sheet, rows },
    };
    FillJob::as_xlsx(&source, &order, pictures)
}
