//! What the capabilities share: failures that a plugin may handle, and the session of a plugin that has none.

use std::sync::Arc;

use mitt_contract::host::mitt::host::types;
use wasmtime::component::HasData;

use crate::engine::StoreCore;

/// Who answers for one capability: a trait of [`Services`](super::Services), behind its pointer. Generated functions find it in a
/// store's data.
pub(super) struct Asked<S: ?Sized>(pub(super) Arc<S>);

impl<S: ?Sized + 'static> HasData for Asked<S> {
    type Data<'a> = Asked<S>;
}

/// As [`Asked`], of a capability that gives out or takes handles: with the store whose handles they are.
pub(super) struct AskedInStore<'a, S: ?Sized> {
    pub(super) session: Arc<S>,
    pub(super) core: &'a mut StoreCore,
}

impl<S: ?Sized + 'static> HasData for AskedInStore<'static, S> {
    type Data<'a> = AskedInStore<'a, S>;
}

/// A request that failed in a way the plugin may handle; the cases are those of `mitt:host/types.error`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServiceError {
    /// An argument cannot be used.
    InvalidArgument(String),
    /// What was named does not exist.
    NotFound(String),
    /// This host does not support it.
    Unsupported(String),
    /// A quota would be exceeded.
    Quota(String),
}

impl ServiceError {
    /// What it says.
    pub(crate) fn text(&self) -> &str {
        match self {
            ServiceError::InvalidArgument(text)
            | ServiceError::NotFound(text)
            | ServiceError::Unsupported(text)
            | ServiceError::Quota(text) => text,
        }
    }

    /// As the plugin receives it.
    pub(super) fn into_wit(self) -> types::Error {
        match self {
            ServiceError::InvalidArgument(text) => types::Error::InvalidArgument(text),
            ServiceError::NotFound(text) => types::Error::NotFound(text),
            ServiceError::Unsupported(text) => types::Error::Unsupported(text),
            ServiceError::Quota(text) => types::Error::Quota(text),
        }
    }

    /// What each request gets where there is no session.
    pub(super) fn no_session() -> ServiceError {
        ServiceError::Unsupported("there is no session".into())
    }
}

/// The text of a plugin's error.
pub(super) fn error_text(error: types::Error) -> String {
    match error {
        types::Error::InvalidArgument(text)
        | types::Error::NotFound(text)
        | types::Error::AlreadyExists(text)
        | types::Error::Unsupported(text)
        | types::Error::Malformed(text)
        | types::Error::Quota(text)
        | types::Error::Other(text) => text,
    }
}

/// A session that has nothing, for instances that are made but never called. Each capability says what it answers.
pub(crate) struct Nobody;

/// The interface of shared types, which has no functions.
pub(super) struct Types;

impl types::Host for Types {}

impl HasData for Types {
    type Data<'a> = Types;
}
