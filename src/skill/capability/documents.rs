//! The capability `documents`: read the session's documents.

use std::sync::Arc;

use mitt_contract::host::mitt::host::{documents as wit, types};
use mitt_table::Table;
use wasmtime::component::{Linker, Resource};

use super::shared::{HostResult, Nobody, ServiceHostInStore};
use mitt_base::text;
use mitt_engine::StoreData;
use mitt_types::{Document, Place};

/// Most names that are listed if something is not found.
const LISTED: usize = 50;

/// Interface to the session.
pub trait Documents: Send + Sync + 'static {
    /// Returns all documents, in the order in which they were added.
    fn documents(&self) -> Vec<Arc<Document>>;
}

impl Documents for Nobody {
    fn documents(&self) -> Vec<Arc<Document>> {
        Vec::new()
    }
}

/// The session, and the store that owns the handles.
pub(super) type DocumentsHost<'a> = ServiceHostInStore<'a, dyn Documents>;

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> DocumentsHost<'_>,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, DocumentsHost<'static>>(linker, host_getter)
}

impl wit::Host for DocumentsHost<'_> {
    fn list(&mut self) -> wasmtime::Result<Vec<wit::DocumentInfo>> {
        Ok(self.session.documents().iter().map(|document| info(document)).collect())
    }

    fn text(&mut self, name: String, offset: u64, length: u64) -> HostResult<wit::TextRange> {
        let document = document(&*self.session, &name);
        Ok(document.map(|document| wit::TextRange {
            text: document.text_range(offset, length).to_owned(),
            offset: offset.min(document.characters),
            total: document.characters,
        }))
    }

    fn places(&mut self, name: String) -> HostResult<Vec<types::Place>> {
        let place =
            |place: &Place| types::Place { offset: place.offset, label: place.label.clone() };
        let document = document(&*self.session, &name);
        Ok(document.map(|document| document.places.iter().map(place).collect()))
    }

    fn tables(&mut self, name: String) -> HostResult<Vec<Resource<Table>>> {
        let document = match document(&*self.session, &name) {
            Ok(document) => document,
            Err(error) => return Ok(Err(error)),
        };
        let mut tables = Vec::with_capacity(document.tables.len());
        for table in document.tables.iter() {
            tables.push(self.core.table().push(table.data.clone())?);
        }
        Ok(Ok(tables))
    }
}

fn document(session: &dyn Documents, name: &str) -> Result<Arc<Document>, types::Error> {
    let documents = session.documents();
    if let Some(document) = documents.iter().find(|document| document.name == name) {
        return Ok(document.clone());
    }
    let mut names: Vec<_> =
        documents.iter().take(LISTED).map(|document| format!("`{}`", document.name)).collect();
    if documents.len() > LISTED {
        names.push("…".to_owned());
    }
    let existing = if names.is_empty() {
        "there are none".into()
    } else {
        format!("there are {}", names.join(", "))
    };
    let name = text::one_line(text::cut_bytes(name, 256));
    Err(types::Error::NotFound(format!("no document `{name}`; {existing}")))
}

fn info(document: &Document) -> wit::DocumentInfo {
    wit::DocumentInfo {
        name: document.name.clone(),
        media_type: document.media_type.clone(),
        title: document.title.clone(),
        characters: document.characters,
        tables: document
            .tables
            .iter()
            .map(|table| wit::TableInfo {
                name: table.name.clone(),
                columns: table.data.names().map(str::to_owned).collect(),
                rows: table.data.rows() as u64,
            })
            .collect(),
        warnings: document.warnings.clone(),
    }
}
