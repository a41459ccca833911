//! Decodes integers: numbers and strings of digits to values of the eight integer types.

use super::super::json::Json;
use super::super::number::{Number, is_integer, parse_integer};
use super::super::path::Path;
use super::super::problem::{mismatch, quoted, shown};
use super::super::range::integer_range;
use super::super::types::Type;
use super::Decoder;
use wasmtime::component::Val;

impl Decoder<'_> {
    /// Decodes a number whose value is whole: JSON Schema accepts `12.0` and `1.2e1` for integers too.
    pub(super) fn integer(
        &mut self,
        ty: &Type,
        reported: &Type,
        number: Number,
        at: &Path<'_>,
    ) -> Option<Val> {
        if let Some(val) = number.to_integer().and_then(|value| integer_val(ty, value)) {
            return Some(val);
        }
        if number.is_whole() {
            return self.out_of_range(ty, &shown(&Json::Number(number)), at);
        }
        self.fail(at, || mismatch(reported, &Json::Number(number)))
    }

    /// Decodes a string that stands for a 64-bit integer: only digits, in a form that a number could have too.
    pub(super) fn integer_text(&mut self, ty: &Type, text: &str, at: &Path<'_>) -> Option<Val> {
        let got = |text| format!("string {}", quoted(text));
        if !is_integer(text) || text == "-0" {
            return self.fail(at, || format!("expected {ty}, got {}; write an integer", got(text)));
        }
        parse_integer(text)
            .and_then(|value| integer_val(ty, value))
            .or_else(|| self.out_of_range(ty, &got(text), at))
    }

    #[cold]
    pub(super) fn out_of_range(&mut self, ty: &Type, got: &str, at: &Path<'_>) -> Option<Val> {
        self.fail(at, || match integer_range(ty) {
            Some((lowest, highest)) => {
                format!("expected {ty}, got {got}; the range is {lowest} to {highest}")
            }
            None => format!("expected {ty}, got {got}, which is too large"),
        })
    }
}

/// Returns `value` in type `ty`; `None` if it is out of range.
fn integer_val(ty: &Type, value: i128) -> Option<Val> {
    match ty {
        Type::U8 => value.try_into().ok().map(Val::U8),
        Type::U16 => value.try_into().ok().map(Val::U16),
        Type::U32 => value.try_into().ok().map(Val::U32),
        Type::U64 => value.try_into().ok().map(Val::U64),
        Type::S8 => value.try_into().ok().map(Val::S8),
        Type::S16 => value.try_into().ok().map(Val::S16),
        Type::S32 => value.try_into().ok().map(Val::S32),
        Type::S64 => value.try_into().ok().map(Val::S64),
        _ => None,
    }
}
