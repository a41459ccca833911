//! What needs a compiler, or the reader of components that comes with it.

mod compile;
mod inspect;

pub(crate) use compile::compile;
pub(crate) use inspect::inspect;

/// What a component may consist of; counted before it is compiled. Name, most, what is counted.
pub(crate) fn bounds() -> Vec<(&'static str, u64, &'static str)> {
    mitt::house::BOUNDS.iter().map(|bound| (bound.name, bound.most, bound.what)).collect()
}
