//! Text, which is delivered as it is.

use futures_util::future::BoxFuture;

use super::super::draw::{Deliver, Drawing, Rendered};
use crate::check::Check;
use mitt_base::Result;
use mitt_base::memory::Account;
use mitt_render::{Cancel, LeftOut};

pub(super) struct TextFile(pub(super) String);

impl Deliver for TextFile {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn redact(&mut self, check: &mut Check, _: &Account, _: &Cancel) -> Result<LeftOut> {
        check.text(&mut self.0)?;
        Ok(LeftOut::default())
    }

    fn plain_text(&mut self) -> Option<&mut String> {
        Some(&mut self.0)
    }

    fn draw(self: Box<Self>, drawing: Drawing) -> BoxFuture<'static, Result<Rendered>> {
        Box::pin(
            async move { Ok(Rendered::new(self.0.into_bytes(), Vec::new(), Some(drawing.kept))) },
        )
    }
}
