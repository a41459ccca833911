//! Arguments of functions of single values.

use crate::calc::coerce::{number, truth};
use crate::value::{ErrorCode, Scalar};

/// Returns the first arguments as numbers.
pub(super) fn reals<const N: usize>(a: &[Scalar]) -> Result<[f64; N], ErrorCode> {
    let mut all = [0.0; N];
    for (at, place) in all.iter_mut().enumerate() {
        *place = real(a, at, 0.0)?;
    }
    Ok(all)
}

/// Returns the first arguments as whole numbers, cut towards zero.
pub(super) fn wholes<const N: usize>(a: &[Scalar]) -> Result<[f64; N], ErrorCode> {
    Ok(reals::<N>(a)?.map(f64::trunc))
}

/// Returns an argument as a number, or the default if it is not there.
pub(super) fn real(a: &[Scalar], at: usize, default: f64) -> Result<f64, ErrorCode> {
    a.get(at).map_or(Ok(default), number)
}

/// Returns an argument as a whole number, cut towards zero, or the default if it is not there.
pub(super) fn whole(a: &[Scalar], at: usize, default: f64) -> Result<f64, ErrorCode> {
    real(a, at, default).map(f64::trunc)
}

pub(super) fn flag(a: &[Scalar], at: usize, default: bool) -> Result<bool, ErrorCode> {
    a.get(at).map_or(Ok(default), truth)
}

/// Returns `#NUM!` unless a condition holds.
pub(super) fn ensure(holds: bool) -> Result<(), ErrorCode> {
    if holds { Ok(()) } else { Err(ErrorCode::Num) }
}
