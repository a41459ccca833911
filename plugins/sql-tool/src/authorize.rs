//! Decides what statements may do: read everything, and make tables, views, indexes and triggers that end with the call.

use crate::notes::Notes;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

/// Pragmas that only return information.
const TELLING: [&str; 10] = [
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "function_list",
    "collation_list",
    "compile_options",
    "foreign_key_list",
];

/// Allows or denies an action. Unknown actions are denied.
pub(crate) fn decide(context: &AuthContext<'_>, notes: &Notes) -> Authorization {
    let reason = match context.action {
        AuthAction::Select
        | AuthAction::Recursive
        | AuthAction::Read { .. }
        | AuthAction::Function { .. }
        | AuthAction::Insert { .. }
        | AuthAction::Update { .. }
        | AuthAction::Delete { .. }
        | AuthAction::CreateTable { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateView { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::CreateIndex { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTrigger { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::DropTable { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropView { .. }
        | AuthAction::DropTempView { .. }
        | AuthAction::DropIndex { .. }
        | AuthAction::DropTempIndex { .. }
        | AuthAction::DropTrigger { .. }
        | AuthAction::DropTempTrigger { .. }
        | AuthAction::AlterTable { .. }
        | AuthAction::Reindex { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. } => return Authorization::Allow,
        AuthAction::Pragma { pragma_name, pragma_value } => {
            // The value of such a pragma is the name of its subject.
            if TELLING.contains(&pragma_name.to_ascii_lowercase().as_str()) {
                return Authorization::Allow;
            }
            match pragma_value {
                Some(_) => {
                    format!("PRAGMA {pragma_name} would change a setting, which is not allowed")
                }
                None => format!(
                    "PRAGMA {pragma_name} is not allowed; there are: {}",
                    TELLING.join(", ")
                ),
            }
        }
        // VACUUM attaches a file.
        AuthAction::Attach { .. } => {
            "ATTACH and VACUUM would open a file; there are none here".into()
        }
        AuthAction::Detach { .. } => "DETACH: nothing is attached".into(),
        AuthAction::CreateVtable { module_name, .. } => {
            format!(
                "CREATE VIRTUAL TABLE … USING {module_name} is not allowed; use CREATE TEMP TABLE"
            )
        }
        _ => "this kind of statement is not allowed".into(),
    };
    notes.deny(reason);
    Authorization::Deny
}
