//! Commands that need a compiler, or the reader of components that comes with it.

mod compile;
mod inspect;

pub(crate) use compile::compile;
pub(crate) use inspect::inspect;

/// Returns the bounds on a component, which are checked before it is compiled: name, maximum, what is counted.
pub(crate) fn bounds() -> Vec<(&'static str, u64, &'static str)> {
    mitt::internal::BOUNDS.iter().map(|bound| (bound.name, bound.most, bound.what)).collect()
}
