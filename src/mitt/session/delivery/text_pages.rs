//! Texts that a plugin sets for use inside of a PDF that it edits, and the font for pages that it draws.

use std::sync::Arc;

use super::deliver::for_guest;
use super::state::Delivery;
use crate::engine::CallClock;
use mitt_base::memory::Account;
use mitt_base::{Error, Result};
use mitt_render::{Cancel, TextPages};
use mitt_skill::capability::ServiceError;

/// Memory that is charged for each character while it is set: its glyph, its place and its part of the file.
const BYTES_PER_CHARACTER: u64 = 500;

impl Delivery {
    /// Sets texts as a PDF, with the fonts of the host. The guest may handle the inner error. `memory` is charged meanwhile.
    pub(in crate::session) async fn text_pages(
        &self,
        pages: TextPages,
        clock: &Arc<CallClock>,
        memory: &Account,
    ) -> Result<Result<Vec<u8>, ServiceError>> {
        let characters: u64 = pages.texts.iter().map(|text| text.len() as u64 + 10).sum();
        let charge = memory.charge(characters.saturating_mul(BYTES_PER_CHARACTER));
        let charge = charge.map_err(Error::reached)?;
        let fonts = self.context.host().fonts().clone();
        let permit = self.acquire_permit(Some(clock)).await?;
        let set = move |cancel: Cancel| {
            let _charge = charge;
            Ok(mitt_render::text_pages(&TextPages { fonts, cancel, ..pages }))
        };
        match self.rendered(permit, set).await? {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(error) => for_guest(error).map(Err),
        }
    }

    /// Returns the font with which the host sets Chinese. The guest may handle the inner error.
    pub(in crate::session) async fn chinese_font(
        &self,
        bold: bool,
        clock: &Arc<CallClock>,
    ) -> Result<Result<&'static [u8], ServiceError>> {
        let permit = self.acquire_permit(Some(clock)).await?;
        // The first call of the process unpacks it, which takes a thread for some 100 ms.
        match self.rendered(permit, move |_| Ok(mitt_render::chinese_font(bold))).await? {
            Ok(file) => Ok(Ok(file)),
            Err(error) => for_guest(error).map(Err),
        }
    }
}
