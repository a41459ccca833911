//! The skills that come inside the binary.

#[cfg(feature = "bundled")]
pub(super) use mitt_skills::ALL as BUNDLED;

#[cfg(not(feature = "bundled"))]
pub(super) use none::BUNDLED;

/// This build has none.
#[cfg(not(feature = "bundled"))]
mod none {
    pub(in super::super) struct Bundled {
        pub(in super::super) name: &'static str,
        pub(in super::super) manifest: &'static str,
        pub(in super::super) instructions: &'static str,
        pub(in super::super) component: &'static [u8],
        pub(in super::super) helpers: &'static [(&'static str, &'static str)],
    }

    pub(in super::super) const BUNDLED: &[Bundled] = &[];
}
