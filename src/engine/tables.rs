//! Passing of tables into a store and out of it: outside a number that indexes the call's tables, inside a handle.

use mitt_table::Table;
use wasmtime::Store;
use wasmtime::component::{Resource, ResourceAny, Val};

use super::store::StoreData;
use mitt_wit::value::Function;

/// Handles that were created for one call.
#[derive(Default)]
pub(super) struct Handed(Vec<u32>);

/// Replaces numbers in the arguments with handles.
pub(super) fn hand_in<T: StoreData>(
    store: &mut Store<T>,
    function: &Function,
    args: &mut [Val],
    tables: &[Table],
) -> wasmtime::Result<Handed> {
    let mut handed = Handed::default();
    function.visit_given(args, &mut |val| -> wasmtime::Result<()> {
        if let Val::U32(number) = *val
            && let Some(table) = tables.get(number as usize)
        {
            let resource = store.data_mut().core().table().push(table.clone())?;
            handed.0.push(resource.rep());
            *val = Val::Resource(resource.try_into_resource_any(&mut *store)?);
        }
        Ok(())
    })?;
    Ok(handed)
}

/// Replaces handles in a result with numbers, and returns the tables that they refer to.
pub(super) fn take_out<T: StoreData>(
    store: &mut Store<T>,
    function: &Function,
    result: &mut Val,
) -> wasmtime::Result<Vec<Table>> {
    let mut tables = Vec::new();
    function.visit_gave(result, &mut |val| -> wasmtime::Result<()> {
        if let Val::Resource(found) = *val {
            let resource: Resource<Table> = ResourceAny::try_into_resource(found, &mut *store)?;
            let number = u32::try_from(tables.len())?;
            tables.push(store.data_mut().core().table().delete(resource)?);
            *val = Val::U32(number);
        }
        Ok(())
    })?;
    Ok(tables)
}

impl Handed {
    /// Drops the tables that the call borrowed. Those that it owned belong to the plugin and are gone.
    pub(super) fn take_back<T: StoreData>(self, store: &mut Store<T>) {
        for number in self.0 {
            let _ = store.data_mut().core().table().delete(Resource::<Table>::new_own(number));
        }
    }
}
