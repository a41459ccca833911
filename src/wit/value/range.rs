//! Ranges of numeric types.

use super::types::Type;

/// Integers up to this magnitude are exact in every JSON implementation: 2^53 - 1.
pub(crate) const EXACT_INTEGER: i128 = (1 << 53) - 1;

/// Greatest magnitude of an `f32`, in the shortest form that reads back as it; results have that form.
pub(crate) const F32_LIMIT: f64 = 3.402_823_5e38;

/// Returns the least and the greatest value of an integer type.
pub(crate) fn integer_range(ty: &Type) -> Option<(i128, i128)> {
    Some(match ty {
        Type::U8 => (0, u8::MAX.into()),
        Type::U16 => (0, u16::MAX.into()),
        Type::U32 => (0, u32::MAX.into()),
        Type::U64 => (0, u64::MAX.into()),
        Type::S8 => (i8::MIN.into(), i8::MAX.into()),
        Type::S16 => (i16::MIN.into(), i16::MAX.into()),
        Type::S32 => (i32::MIN.into(), i32::MAX.into()),
        Type::S64 => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    })
}

impl Type {
    /// Returns `true` for an integer or floating-point type.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Type::F32 | Type::F64) || integer_range(self).is_some()
    }
}
