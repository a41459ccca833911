//! Front matter of Markdown files, for Mitt's own crates: fields with their lines, also from damaged YAML, and what reports of
//! problems have in common. `SKILL.md` and files of agents are read with it.

pub use super::finding::capped;
pub use super::skill_md::front::{
    Field, Front, NO_TEXT, NotYaml, Split, Unsplit, Value, parse, split,
};
pub use super::skill_md::rules::{MAX_DESCRIPTION, shown, tools as names};
pub use super::skill_md::salvage::fields as salvage;
