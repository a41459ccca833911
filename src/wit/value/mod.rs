//! Converts between JSON and WIT values.
//!
//! [`Interface`] is what a component exports, read once. [`Json`] is what a client sent, with nothing lost.
//! [`UntypedCall::check`] makes a [`TypedCall`] from both, or reports every problem at once. [`Function::outcome`] converts
//! what the component returned to JSON.
//!
//! Knows WIT types and `wasmtime::component::Val`, but no engine, store or component instance: [`Handles`], which the caller
//! provides, maps handles to resources.
//!
//! # The mapping
//!
//! Names of fields and parameters are snake case in JSON, because they are keywords in the languages that models write;
//! names of cases, enum values and flags are values and keep the spelling of the WIT.
//!
//! | WIT | JSON |
//! |---|---|
//! | `u8` … `s32` | integer |
//! | `u64`, `s64` | integer; a string of digits beyond 2^53 - 1, accepted for every value |
//! | `f32`, `f64` | number; in results also `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | `char`, `string` | string |
//! | `list<u8>` | base64 with padding |
//! | `list<T>`, `list<T, N>`, `tuple<…>` | array |
//! | `map<string, V>`, `map<K, V>` | object, array of `{"key", "value"}` |
//! | record | object; a field whose type is an option may be left out |
//! | variant, nested `result` | `{"tag", "val"}` |
//! | enum, flags | string, array of strings |
//! | `option<T>` | null or the value; `{"tag": "some", "val"}` where the value itself may be null |
//! | `own<T>`, `borrow<T>` | the string `h:<type>:<n>`, as a call returned it |
//! | `mitt:host/types` `cell` | null, boolean, number or string |
//! | `mitt:host/types` `table` | array of objects, or `{"columns", "rows"}`; results have the second form |
//! | `mitt:host/tables` `table` | as above; or a reference to a table of the session: `{"$ref": "…"}`, alone or in an array of one, or its text |
//! | `mitt:host/types` `decimal` | number, or a string that holds one |
//! | any value (only tools of the host) | itself |
//! | an object (only tools of the host) | object, or a string that holds one |
//!
//! # Beyond the schema
//!
//! A value is accepted exactly if the schema of `schema/` accepts it, apart from two lists, which tests enforce. Accepted in
//! addition, because models and constrained decoders write them: names of fields in kebab case; names of cases, enum values
//! and flags in snake case; flags as an object of booleans; a tuple as `{"0", "1"}`; a map with string keys as an array of
//! `{"key", "value"}`; null for a value with a default. Refused, although no schema can express it: duplicate keys in an
//! object or a map; rows of a table that are longer or shorter than its columns; strings that should hold an object and do
//! not; decimals of more than 64 characters; values that are too long or too deep.

mod bounds;
mod check;
mod decode;
mod docs;
mod encode;
mod handles;
mod json;
mod narrow;
mod notation;
mod number;
mod path;
mod problem;
mod range;
#[cfg(feature = "read")]
mod read;
#[cfg(not(feature = "read"))]
#[path = "read_disabled.rs"]
mod read;
mod tables;
mod typed_json;
mod types;
mod violation;
pub mod wave;
mod weight;
mod wire;
mod write;

#[cfg(all(test, feature = "read"))]
pub(crate) mod tests;

pub use bounds::{Bounds, Pattern, Refinement};
pub use check::{Scope, TypedCall, UntypedCall};
pub use encode::{Failure, Outcome, result};
pub use handles::{Handles, handle, parse_handle};
pub use json::Json;
pub use notation::{Notation, TypeDefinition, definitions, docs_comment};
pub use number::Number;
pub use read::check_nesting;
pub use tables::Tables;
pub use types::resource_function;
pub use types::{
    AliasType, Case, EnumType, Field, FlagsType, Function, Interface, Label, NarrowedType,
    RecordType, ResourceType, Skipped, Type, VariantType,
};
pub use weight::{MAX_MESSAGE_MEMORY, Weight, val_bytes};

pub(crate) use range::{EXACT_INTEGER, F32_LIMIT, integer_range};
