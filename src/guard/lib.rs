//! Finds banned words and personal data in text however they are spelled; flags or redacts them, or blocks the text.
//!
//! ```
//! use mitt_guard::{Guard, RuleSet};
//!
//! let set = RuleSet::yaml(
//!     "company",
//!     "
//! rules:
//!   - word: 机密文件
//!   - words: [blue heron, Kingfisher]
//!     action: redact
//!     id: projects
//! allow: [kingfisher beer]
//! personal-data: { phone: redact }
//! ",
//! )?;
//! let guard = Guard::new([set])?;
//!
//! // Full width, a Cyrillic letter, and an invisible character.
//! let checked = guard.apply("The ｋｉｎｇfіsher\u{200b} team, 138-1234-5678, drank Kingfisher beer.").unwrap();
//! assert_eq!(checked.text, "The [███]\u{200b} team, [███], drank Kingfisher beer.");
//! assert_eq!(checked.hits[0].rule.as_ref(), "projects");
//!
//! // Traditional characters, spread out.
//! let blocked = guard.apply("這是機 密 文 件").unwrap_err();
//! assert_eq!(blocked.hit.rule.as_ref(), "company/1");
//! assert_eq!(&"這是機 密 文 件"[blocked.hit.range.clone()], "機 密 文 件");
//!
//! // A text that arrives in pieces is passed on as far as no match may begin there.
//! let mut stream = guard.stream();
//! assert_eq!(stream.push("about king").unwrap().text, "about ");
//! assert_eq!(stream.push("fisher, no").unwrap().text, "[███], no");
//! # Ok::<(), mitt_base::Error>(())
//! ```
//!
//! # What there is
//!
//! - [`RuleSet`] has the rules of one file: words, allowed phrases, kinds of personal data.
//! - [`Guard`] compiles sets once; a clone shares them. It is `Send` and `Sync`.
//! - [`Guard::check`] finds, [`Guard::apply`] redacts or blocks, [`Stream`] does the same with pieces, with the same result.
//! - [`Guard::apply_read`] also checks Markdown, HTML or JSON as its reader sees it.
//!
//! # How words are compared
//!
//! Text and words are folded character by character ([Unicode's compatible forms, case, accents, invisible characters, traditional
//! characters, letters that look like others, separators]), and each position in the original stays known. The [`Spelling`] of a hit
//! says if separators or another script make it doubtful.
//!
//! Time is linear in the text. Memory is that of the sets, and the text that a [`Stream`] holds back: from where a word may have
//! begun, at most about 160 KiB.
//!
//! # What it does not do
//!
//! It reads no files and knows no sessions. It does not understand text: it knows no pinyin, digits for letters, characters described
//! by their parts, pictures or translations.
//!
//! [Unicode's compatible forms, case, accents, invisible characters, traditional characters, letters that look like others, separators]:
//! https://www.unicode.org/reports/tr39/

#![forbid(unsafe_code)]

mod compiled;
mod digits;
mod email;
mod expression;
mod fold;
mod formula;
mod guard;
mod hit;
mod iban;
mod mistakes;
mod pattern;
mod personal;
mod phones;
mod redact;
mod rules;
mod scan;
mod set;
mod set_content;
mod shape;
mod stream;
mod visible_text;
mod wire;
mod yaml;

pub use fold::simplified;
pub use formula::joined_literals;
pub use guard::Guard;
pub use hit::{Action, Blocked, Checked, Hit, Severity, Spelling};
pub use redact::REDACTED;
pub use rules::{Doubtful, MAX_PATTERNS, MAX_SET_BYTES, MAX_WORD_LETTERS, RuleKind};
pub use set::RuleSet;
pub use stream::{Passed, Stream};
pub use visible_text::visible_text;

#[cfg(test)]
mod tests;
