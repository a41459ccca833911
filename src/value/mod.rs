//! JSON and WIT values, and the way from one to the other.
//!
//! [`Interface`] is what a component offers, read once. [`Json`] is what a client sent, with nothing lost.
//! [`UntypedCall::check`] makes a [`TypedCall`] of both or reports every problem at once; [`Function::outcome`] makes
//! JSON of what the component returned.
//!
//! Knows WIT types and `wasmtime::component::Val`, but no engine, store or component instance: what a handle of a resource
//! stands for is asked of [`Handles`], which the caller brings along.
//!
//! # The mapping
//!
//! Names of fields and parameters are snake case in JSON, because they are keywords in the languages that models write;
//! names of cases, enum values and flags are values and keep the spelling of the WIT. Both spellings are accepted.
//!
//! | WIT | JSON |
//! |---|---|
//! | `u8` … `s32` | integer, written without fraction or exponent |
//! | `u64`, `s64` | integer; a string of digits beyond 2^53 - 1, accepted for every value |
//! | `f32`, `f64` | number; in results also `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | `char`, `string` | string |
//! | `list<u8>` | base64 with padding |
//! | `list<T>`, `list<T, N>`, `tuple<…>` | array |
//! | `map<string, V>`, `map<K, V>` | object, array of `{"key", "value"}` |
//! | record | object; a field whose type is an option may be left out |
//! | variant, nested `result` | `{"tag", "val"}` |
//! | enum, flags | string, array of strings (or an object of booleans) |
//! | `option<T>` | null or the value; `{"tag": "some", "val"}` where the value itself may be null |
//! | `own<T>`, `borrow<T>` | the string `h:<type>:<n>`, as a call returned it |
//! | `mitt:host/types` `cell` | null, boolean, number or string |
//! | `mitt:host/types` `table` | array of objects, or `{"columns", "rows"}`; results have the second form |
//! | `mitt:host/types` `decimal` | number, or a string that holds one |

#[cfg(feature = "compile")]
mod callable;
mod check;
mod decode;
mod encode;
mod handles;
#[cfg(feature = "compile")]
mod interface;
#[cfg(not(feature = "compile"))]
#[path = "interface_disabled.rs"]
mod interface;
mod json;
mod number;
mod path;
mod problem;
mod table;
mod types;
mod wire;
mod write;

#[cfg(all(test, feature = "compile"))]
mod tests;

pub use check::{TypedCall, UntypedCall};
pub use encode::{Failure, Outcome, result};
pub use handles::{Handles, handle, parse_handle};
pub use json::Json;
pub use number::Number;
pub(crate) use types::resource_function;
pub use types::{
    AliasType, Case, EnumType, Field, FlagsType, Function, Interface, Label, RecordType,
    ResourceType, Skipped, Type, VariantType,
};

#[cfg(all(test, feature = "compile"))]
pub(crate) use interface::tests::{function, interface_of};
