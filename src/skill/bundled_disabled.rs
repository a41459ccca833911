//! Replacement for the crate `mitt-skills` in builds without the feature `bundled`: the binary contains no skills.

pub(super) struct Bundled {
    pub(super) name: &'static str,
    pub(super) manifest: &'static str,
    pub(super) manifest_json: &'static str,
    pub(super) instructions: &'static str,
    pub(super) component: &'static [u8],
    pub(super) component_blake3: &'static str,
    pub(super) helpers: &'static [(&'static str, &'static str)],
}

pub(super) const ALL: &[Bundled] = &[];
