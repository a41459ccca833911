//! Decodes tables that stay in the host, given by name or spelled out.

use super::super::json::Json;
use super::super::path::Path;
use super::super::problem::mismatch;
use super::super::tables::reference;
use super::super::types::Type;
use super::Decoder;
use mitt_base::Resource;
use mitt_base::memory::Account;
use mitt_table::{CellRef, Table, TableBuilder};
use wasmtime::component::Val;

impl Decoder<'_> {
    /// Decodes a table that stays in the host: one of the session, by reference, or one that is spelled out. The value is
    /// its number among the tables of the call.
    pub(super) fn table_handle(
        &mut self,
        json: Json,
        reported: &Type,
        at: &Path<'_>,
    ) -> Option<Val> {
        let table = match reference(&json) {
            Some(name) => self.named_table(name, &json, reported, at)?,
            None => {
                let spelled = self.table(json, reported, at)?;
                self.built(spelled, at)?
            }
        };
        let number = u32::try_from(self.tables.given.len()).ok()?;
        self.tables.given.push(table);
        Some(Val::U32(number))
    }

    /// Decodes a table by value: spelled out, or a small one of the session by reference.
    pub(super) fn table_value(
        &mut self,
        json: Json,
        reported: &Type,
        at: &Path<'_>,
    ) -> Option<Val> {
        let (Some(name), Some(_)) = (reference(&json), self.tables.session) else {
            return self.table(json, reported, at);
        };
        let table = self.named_table(name, &json, reported, at)?;
        self.spend(table.cell_count().saturating_mul(size_of::<Val>() + 32), at)?;
        let columns = table.names().map(|name| Val::String(name.to_owned())).collect();
        let rows = table
            .cells(0, usize::MAX)
            .map(|row| Val::List(row.iter().map(|cell| cell_val(cell.borrow())).collect()));
        Some(Val::Record(vec![
            ("columns".into(), Val::List(columns)),
            ("rows".into(), Val::List(rows.collect())),
        ]))
    }

    fn named_table(
        &mut self,
        name: &str,
        json: &Json,
        reported: &Type,
        at: &Path<'_>,
    ) -> Option<Table> {
        let why = match self.tables.session {
            Some(session) => match session.open(name) {
                Ok(table) => return Some(table),
                Err(why) => why,
            },
            None => "; there is no session whose table it could name".to_owned(),
        };
        self.fail(at, || mismatch(reported, json).and(&why))
    }

    /// Builds the table that a value spells out.
    fn built(&mut self, spelled: Val, at: &Path<'_>) -> Option<Table> {
        let account = match self.tables.session {
            Some(session) => session.account(),
            None => Account::root(Resource::Documents, u64::MAX),
        };
        let Val::Record(fields) = spelled else { return None };
        let [(_, Val::List(columns)), (_, Val::List(rows))] = <[_; 2]>::try_from(fields).ok()?
        else {
            return None;
        };
        let names = columns.into_iter().map(|name| match name {
            Val::String(name) => name,
            _ => String::new(),
        });
        let mut builder = TableBuilder::new(names.collect(), &account);
        let built = rows
            .into_iter()
            .try_for_each(|row| {
                let Val::List(cells) = row else { return Ok(()) };
                builder.push_row(cells.iter().map(cell_ref))
            })
            .and_then(|()| builder.finish());
        match built {
            Ok(table) => Some(table),
            Err(problem) => self.fail(at, || problem.to_string()),
        }
    }
}

fn cell_ref(val: &Val) -> CellRef<'_> {
    match val {
        Val::Variant(case, Some(value)) => match (case.as_str(), &**value) {
            ("boolean", Val::Bool(value)) => CellRef::Boolean(*value),
            ("number", Val::String(text)) => CellRef::Number(text),
            ("text", Val::String(text)) => CellRef::Text(text),
            _ => CellRef::Null,
        },
        _ => CellRef::Null,
    }
}

fn cell_val(cell: CellRef<'_>) -> Val {
    let case = |name: &str, value| Val::Variant(name.into(), Some(Box::new(value)));
    match cell {
        CellRef::Null => Val::Variant("null".into(), None),
        CellRef::Boolean(value) => case("boolean", Val::Bool(value)),
        CellRef::Number(text) => case("number", Val::String(text.to_owned())),
        CellRef::Text(text) => case("text", Val::String(text.to_owned())),
    }
}
