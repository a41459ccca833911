//! Looks of a workbook: what its reader says of sheets and cells as people see them. Plain data, made by `ingest`.
//!
//! Knows only where the JSON of a sheet is. The caller knows its form.

use std::collections::BTreeMap;

use mitt_base::memory::Charge;
use mitt_base::{Error, Result};

/// How a workbook looks: its sheets, and their cells with the texts that a spreadsheet displays, as JSON. A reader plugin
/// wrote all of it, so a caller must check its form.
#[derive(Debug)]
pub struct WorkbookView {
    outline: String,
    /// Rows by sheet and block.
    blocks: BTreeMap<(usize, usize), String>,
    warnings: Vec<String>,
    /// Charge for these texts.
    charge: Charge,
}

impl WorkbookView {
    /// Rows of each block but the last one of a sheet.
    pub const BLOCK_ROWS: usize = 1_000;

    /// Returns the sheets with their names, sizes, merged cells and charts, and the styles of cells, as a JSON object.
    pub fn outline(&self) -> &str {
        &self.outline
    }

    /// Returns the rows of a block as a JSON array; `None` if the sheet has no such block. Sheets and blocks count from 0.
    pub fn block(&self, sheet: usize, block: usize) -> Option<&str> {
        self.blocks.get(&(sheet, block)).map(String::as_str)
    }

    /// Returns what is not shown, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the bytes that it takes.
    fn kept_bytes(&self) -> u64 {
        let key = size_of::<((usize, usize), String)>();
        let blocks = self.blocks.values().map(|block| key + block.capacity()).sum::<usize>();
        let warning = |warning: &String| size_of::<String>() + warning.capacity();
        let warnings = self.warnings.iter().map(warning).sum::<usize>();
        (size_of::<WorkbookView>() + self.outline.capacity() + blocks + warnings) as u64
    }
}

/// Methods of [`WorkbookView`] for Mitt's own crates.
pub trait WorkbookViewInternal: Sized {
    /// Makes a view of its outline, its blocks and its warnings. `charge` becomes the charge for them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - there is no memory for it.
    fn new(
        texts: (String, BTreeMap<(usize, usize), String>, Vec<String>),
        charge: Charge,
    ) -> Result<Self>;

    /// Changes the charge to what the view takes now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - there is no memory for it.
    fn charge_again(&mut self) -> Result<()>;

    /// Returns its outline, its blocks and its warnings, for the guard.
    fn texts(&mut self) -> (&mut String, impl Iterator<Item = &mut String>, &mut Vec<String>);
}

impl WorkbookViewInternal for WorkbookView {
    fn new(
        (outline, blocks, warnings): (String, BTreeMap<(usize, usize), String>, Vec<String>),
        charge: Charge,
    ) -> Result<WorkbookView> {
        let mut view = WorkbookView { outline, blocks, warnings, charge };
        view.charge_again()?;
        Ok(view)
    }

    fn charge_again(&mut self) -> Result<()> {
        let bytes = self.kept_bytes();
        self.charge.resize(bytes).map_err(Error::reached)
    }

    fn texts(&mut self) -> (&mut String, impl Iterator<Item = &mut String>, &mut Vec<String>) {
        (&mut self.outline, self.blocks.values_mut(), &mut self.warnings)
    }
}
