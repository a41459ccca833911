//! Gate 1: classifies a message by its words alone, without a model and in less than a tenth of a millisecond.
//!
//! It may only remove: tools for small talk, forks for questions about abilities. An unclear message is [`Intent::Ambiguous`] and
//! loses nothing. Does not know conversations: the caller decides from the context whether small talk may go without tools.

use serde::{Deserialize, Serialize};

use super::text::{END, QUESTION, View};
use super::words::{self, Mark, PhraseKind};

/// Most characters of small talk.
pub const MAX_CHITCHAT_CHARACTERS: usize = 50;

/// Most characters of a question about abilities. A longer message says more than such a question.
const MAX_META_CHARACTERS: usize = 200;

/// Intent of a user, judging by the words alone.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Only small talk: a greeting, thanks.
    Chitchat,
    /// A question about abilities, help or usage.
    Meta,
    /// A job: it names a file, or work on data.
    Action,
    /// Not clearly one of these.
    Ambiguous,
}

impl Intent {
    /// All intents.
    pub const ALL: [Intent; 4] =
        [Intent::Chitchat, Intent::Meta, Intent::Action, Intent::Ambiguous];

    /// Returns the name, such as `chitchat`.
    pub const fn name(self) -> &'static str {
        match self {
            Intent::Chitchat => "chitchat",
            Intent::Meta => "meta",
            Intent::Action => "action",
            Intent::Ambiguous => "ambiguous",
        }
    }
}

/// Returns the intent of a message, in English or Chinese or both.
///
/// The same message always has the same intent. The time is bounded: of a message with more than 900 characters, only both ends
/// are examined.
///
/// # Example: what is asked for
///
/// ```
/// use mitt_agent::route::{Intent, classify};
///
/// assert_eq!(classify("谢谢！"), Intent::Chitchat);
/// assert_eq!(classify("Which file formats do you support?"), Intent::Meta);
/// assert_eq!(classify("能不能把A列排序"), Intent::Action);
/// assert_eq!(classify("请你不要分析数据"), Intent::Ambiguous);
/// ```
pub fn classify(message: &str) -> Intent {
    let view = View::of(message);
    if is_small_talk(&view) || is_emoji(message) {
        return Intent::Chitchat;
    }
    if is_alone(&view) {
        return Intent::Meta;
    }
    let marks = words::marks(&view.folded);
    let mut is_meta = false;
    let mut is_negated = false;
    let mut start = 0;
    for clause in view.folded.split_inclusive([END, QUESTION]) {
        let end = start + clause.len();
        let of_clause = marks.iter().filter(|mark| start <= mark.start && mark.start < end);
        let seen = Seen::in_clause(clause, of_clause);
        if seen.is_job() {
            return Intent::Action;
        }
        is_meta |= seen.is_meta();
        is_negated |= seen.is_negated;
        start = end;
    }
    let is_short = view.characters <= MAX_META_CHARACTERS && !view.has_file;
    if is_meta && is_short && !is_negated { Intent::Meta } else { Intent::Ambiguous }
}

/// Returns whether the whole message is small talk.
fn is_small_talk(view: &View) -> bool {
    let View { folded, has_file, characters, is_cut } = view;
    !has_file
        && !is_cut
        && *characters <= MAX_CHITCHAT_CHARACTERS
        && is_covered(folded, PhraseKind::Chat)
}

/// Returns whether a message consists of emoji, with blanks and modifiers: they answer something, and ask for nothing.
fn is_emoji(message: &str) -> bool {
    let is_picture =
        |letter: char| matches!(letter, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}');
    let is_beside = |letter: char| {
        letter.is_whitespace() || matches!(letter, '\u{200d}' | '\u{fe0f}' | '!' | '！' | '~')
    };
    message.chars().count() <= MAX_CHITCHAT_CHARACTERS
        && message.chars().any(is_picture)
        && message.chars().all(|letter| is_picture(letter) || is_beside(letter))
}

/// Returns whether the whole message is a word such as `help`.
fn is_alone(view: &View) -> bool {
    !view.has_file
        && view.characters <= MAX_CHITCHAT_CHARACTERS
        && is_covered(&view.folded, PhraseKind::Alone)
}

/// Returns whether phrases of this kind, at least one, together with neutral phrases cover the whole text.
fn is_covered(folded: &str, kind: PhraseKind) -> bool {
    let marks = words::small_talk(folded);
    // For each position, whether phrases can cover the text up to it: without one of the kind, and with one.
    let mut reached = vec![(false, false); folded.len() + 1];
    if let Some(first) = reached.first_mut() {
        first.0 = true;
    }
    for (at, letter) in folded.char_indices() {
        let (plain, with) = reached[at];
        if !plain && !with {
            continue;
        }
        if !letter.is_alphanumeric() {
            let next = &mut reached[at + letter.len_utf8()];
            *next = (next.0 || plain, next.1 || with);
        }
        for mark in marks.iter().filter(|mark| mark.start == at) {
            let is_one = mark.kinds.has(kind);
            let next = &mut reached[mark.end];
            if is_one || mark.kinds.has(PhraseKind::Beside) {
                *next = (next.0 || plain && !is_one, next.1 || with || is_one);
            }
        }
    }
    reached.last().is_some_and(|last| last.1)
}

/// What a clause contains.
#[derive(Debug, Default)]
struct Seen {
    has_file: bool,
    is_negated: bool,
    /// Work on data, not negated.
    verb: bool,
    vague: bool,
    /// Data, apart from the verb itself.
    target: bool,
    /// A kind of file or tool, or of data in general.
    kind: bool,
    thing: bool,
    specific: bool,
    request: bool,
    want: bool,
    polite: bool,
    ability: bool,
    capable: bool,
    about: bool,
    howto: bool,
    ask: bool,
    /// It asks for a reason.
    why: bool,
    output: bool,
    done: bool,
    you: bool,
    have: bool,
    particle: bool,
}

impl Seen {
    fn in_clause<'m>(clause: &str, marks: impl Iterator<Item = &'m Mark>) -> Seen {
        let mut seen = Seen { has_file: clause.contains('\u{1}'), ..Seen::default() };
        for mark in marks {
            let has = |kind| mark.kinds.has(kind);
            seen.is_negated |= has(PhraseKind::Not);
            // Work after a negation is not wanted.
            let is_wanted = !seen.is_negated;
            seen.verb |= has(PhraseKind::Verb) && is_wanted;
            seen.vague |= has(PhraseKind::Vague) && is_wanted;
            seen.kind |= has(PhraseKind::Format);
            seen.target |=
                has(PhraseKind::Object) && !has(PhraseKind::Format) && !has(PhraseKind::Verb);
            seen.thing |= has(PhraseKind::Thing);
            seen.specific |= has(PhraseKind::Specific);
            seen.request |= has(PhraseKind::Request) && is_wanted;
            seen.want |= has(PhraseKind::Want) && is_wanted;
            seen.polite |= has(PhraseKind::Polite);
            seen.ability |= has(PhraseKind::Ability);
            seen.capable |= has(PhraseKind::Capable);
            seen.about |= has(PhraseKind::About);
            seen.howto |= has(PhraseKind::Howto);
            seen.ask |= has(PhraseKind::Ask) && is_wanted;
            seen.why |= has(PhraseKind::Why);
            seen.output |= has(PhraseKind::Output);
            seen.done |= has(PhraseKind::Done);
            seen.you |= has(PhraseKind::You);
            seen.have |= has(PhraseKind::Have);
            seen.particle |= has(PhraseKind::Particle);
        }
        seen
    }

    /// Returns whether it asks for a job.
    fn is_job(&self) -> bool {
        if self.done || self.is_negated && !self.verb && !self.want {
            return false;
        }
        if self.has_file {
            return true;
        }
        if self.howto || self.about {
            return false;
        }
        let asks = self.request || self.want;
        let may_be_ability = self.polite || self.ability;
        let is_strong = self.verb
            && (asks
                || self.specific
                || self.target && !self.ability
                || self.kind && !may_be_ability);
        let is_vague = self.vague && self.target && (asks || self.specific) && !self.ability;
        let is_wish = self.want && (self.target || self.kind);
        let is_question = self.ask && self.target && !may_be_ability && !self.why;
        let is_output = self.output && self.kind && self.target && !may_be_ability;
        is_strong || is_vague || is_wish || is_question || is_output
    }

    /// Returns whether it asks about abilities, help or usage.
    fn is_meta(&self) -> bool {
        if self.has_file || self.is_negated || self.done {
            return false;
        }
        if self.about {
            return !(self.target && self.specific);
        }
        let is_general = !self.target && !self.specific && !self.request && !self.want;
        let names = self.kind || self.thing;
        let can = self.ability || self.polite && self.capable && !self.verb;
        let has = self.have && self.particle && (self.you || self.thing);
        // `你可以联网吗`: the question is not about work on a document.
        let is_able = self.you && self.polite && self.capable && self.particle;
        is_general && (names && (can || has) || is_able && !self.verb && !self.vague)
    }
}
