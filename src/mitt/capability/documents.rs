//! Host functions that hand out what a session keeps: documents and files of the workspace.
//!
//! They are written by hand because generated ones would copy the data first: two million cells, or 64 MiB, for each call.
//! Here the plugin's memory is filled straight from what the session holds. Room for the texts of a table is asked of the
//! guest one text after the other, so that other calls have their turn in between.

use std::sync::Arc;

use wasmtime::component::Linker;

use super::bindings::{documents, types, workspace};
use super::{CallState, convert};
use crate::Document;
use crate::engine::StoreData;
use crate::table::NamedTable;

/// The interfaces, as they are imported.
const DOCUMENTS: &str = "mitt:host/documents@0.1.0";
const WORKSPACE: &str = "mitt:host/workspace@0.1.0";

/// Names that are listed where something is not found.
const LISTED: usize = 50;

/// Link `documents`.
pub(super) fn link_documents<T: StoreData>(
    linker: &mut Linker<T>,
    state: fn(&mut T) -> &mut CallState,
) -> wasmtime::Result<()> {
    let mut documents = linker.instance(DOCUMENTS)?;
    documents.func_wrap("list", move |mut store, ()| {
        let documents = state(store.data_mut()).services.documents();
        let infos: Vec<documents::DocumentInfo> =
            documents.iter().map(|document| convert::document_info(document)).collect();
        Ok((infos,))
    })?;
    documents.func_wrap("text", move |mut store, (name, offset, length): (String, u64, u64)| {
        let document = state(store.data_mut()).document(&name);
        Ok((document.map(|document| documents::TextRange {
            text: document.text_range(offset, length).to_owned(),
            offset: offset.min(document.characters),
            total: document.characters,
        }),))
    })?;
    documents.func_wrap("tables", move |mut store, (name,): (String,)| {
        let document = state(store.data_mut()).document(&name);
        let tables: Result<Arc<[NamedTable]>, types::Error> =
            document.map(|document| document.tables.clone());
        Ok((tables,))
    })
}

/// Link `workspace`.
pub(super) fn link_workspace<T: StoreData>(
    linker: &mut Linker<T>,
    state: fn(&mut T) -> &mut CallState,
) -> wasmtime::Result<()> {
    let mut workspace = linker.instance(WORKSPACE)?;
    workspace.func_wrap("list", move |mut store, ()| {
        let files = state(store.data_mut()).services.workspace_list();
        let infos: Vec<workspace::FileInfo> =
            files.into_iter().map(|(name, size)| workspace::FileInfo { name, size }).collect();
        Ok((infos,))
    })?;
    workspace.func_wrap("read", move |mut store, (name,): (String,)| {
        let content = state(store.data_mut()).services.workspace_read(&name);
        Ok((content.map_err(convert::service_error),))
    })?;
    workspace.func_wrap("write", move |mut store, (name, content): (String, Vec<u8>)| {
        let written = state(store.data_mut()).services.workspace_write(&name, content);
        Ok((written.map_err(convert::service_error),))
    })?;
    workspace.func_wrap("remove", move |mut store, (name,): (String,)| {
        let removed = state(store.data_mut()).services.workspace_remove(&name);
        Ok((removed.map_err(convert::service_error),))
    })
}

impl CallState {
    fn document(&self, name: &str) -> Result<Arc<Document>, types::Error> {
        let documents = self.services.documents();
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
        let name = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 256));
        Err(types::Error::NotFound(format!("no document `{name}`; {existing}")))
    }
}
