//! The capability `documents`: read the session's documents.
//!
//! Its functions are linked by hand because generated ones would copy the data first: two million cells for each call. Here
//! the plugin's memory is filled straight from what the session holds. Room for the texts of a table is asked of the guest
//! one text after the other, so that other calls have their turn in between.

use std::sync::Arc;

use mitt_contract::host::mitt::host::{documents as wit, types};
use wasmtime::component::Linker;

use super::shared::Nobody;
use crate::document::Document;
use crate::engine::StoreData;
use crate::table::NamedTable;
use mitt_base::text;

/// The interface, as it is imported.
const INTERFACE: &str = "mitt:host/documents@0.1.0";

/// Names that are listed where something is not found.
const LISTED: usize = 50;

/// What it asks of a session.
pub(crate) trait Documents: Send + Sync + 'static {
    /// All documents, in the order in which they were given.
    fn documents(&self) -> Vec<Arc<Document>>;
}

impl Documents for Nobody {
    fn documents(&self) -> Vec<Arc<Document>> {
        Vec::new()
    }
}

/// Link the interface. `asked` finds in a store's data who answers.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    asked: fn(&mut T) -> Arc<dyn Documents>,
) -> wasmtime::Result<()> {
    let mut documents = linker.instance(INTERFACE)?;
    documents.func_wrap("list", move |mut store, ()| {
        let documents = asked(store.data_mut()).documents();
        let infos: Vec<wit::DocumentInfo> = documents.iter().map(|it| info(it)).collect();
        Ok((infos,))
    })?;
    documents.func_wrap("text", move |mut store, (name, offset, length): (String, u64, u64)| {
        let document = document(&*asked(store.data_mut()), &name);
        Ok((document.map(|document| wit::TextRange {
            text: document.text_range(offset, length).to_owned(),
            offset: offset.min(document.characters),
            total: document.characters,
        }),))
    })?;
    documents.func_wrap("tables", move |mut store, (name,): (String,)| {
        let document = document(&*asked(store.data_mut()), &name);
        let tables: Result<Arc<[NamedTable]>, types::Error> =
            document.map(|document| document.tables.clone());
        Ok((tables,))
    })
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
                columns: table.data.columns.clone(),
                rows: table.data.rows.len() as u64,
            })
            .collect(),
        warnings: document.warnings.clone(),
    }
}
