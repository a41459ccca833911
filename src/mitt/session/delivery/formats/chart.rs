//! Picture of a chart.

use futures_util::future::BoxFuture;

use super::super::draw::{Deliver, Drawing, Rendered};
use crate::check::Check;
use mitt_base::Result;
use mitt_base::memory::Account;
use mitt_render::{Cancel, LeftOut};
use mitt_skill::capability::ChartPicture;

pub(super) struct ChartFile(pub(super) Box<ChartPicture>);

impl Deliver for ChartFile {
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn redact(&mut self, check: &mut Check, _: &Account, _: &Cancel) -> Result<LeftOut> {
        check.texts(self.0.texts())?;
        // Column names and references to them are redacted alike, so they still match.
        check.texts(self.0.names())?;
        Ok(LeftOut::default())
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(async move {
            let permit = drawing.acquire_permit().await?;
            let (chart, kept) = (self.0, drawing.kept);
            let draw = move |cancel: Cancel| {
                cancel.check()?;
                Ok((chart.draw()?, kept))
            };
            let ((content, warnings), kept) = drawing.delivery.rendered(permit, draw).await?;
            Ok(Rendered::new(content, warnings, Some(kept)))
        })
    }
}
