//! The functions of `mitt.h`, by subject. Each one wraps its parameters, and hands them to safe code behind
//! [`crate::entry`].

pub(crate) mod agent;
pub(crate) mod artifacts;
pub(crate) mod basics;
pub(crate) mod calls;
pub(crate) mod documents;
pub(crate) mod files;
pub(crate) mod hosts;
