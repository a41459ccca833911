//! A file of rules as YAML has it: keys and values, each with its place.

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::hit::{Action, Severity};
use crate::personal::Data;
use crate::rules::{Doubtful, RuleKind};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Wire {
    #[serde(default)]
    pub(crate) action: Option<Action>,
    #[serde(default)]
    pub(crate) severity: Option<Severity>,
    #[serde(default)]
    pub(crate) doubtful: Doubtful,
    #[serde(default)]
    pub(crate) rules: Vec<Spanned<WireRule>>,
    #[serde(default)]
    pub(crate) allow: Vec<Spanned<String>>,
    #[serde(default)]
    pub(crate) personal_data: Option<WirePersonal>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireRule {
    #[serde(default)]
    pub(crate) word: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) words: Vec<Spanned<String>>,
    #[serde(default)]
    pub(crate) pattern: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) kind: Option<RuleKind>,
    #[serde(default)]
    pub(crate) action: Option<Action>,
    #[serde(default)]
    pub(crate) severity: Option<Severity>,
    #[serde(default)]
    pub(crate) id: Option<String>,
    /// `true` if a mistake is known that may explain why the rule has nothing to search for.
    #[serde(skip)]
    pub(crate) is_broken: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WirePersonal {
    #[serde(default)]
    phone: Option<Action>,
    #[serde(default)]
    pub(crate) phone_countries: Vec<Spanned<String>>,
    #[serde(default)]
    id_card: Option<Action>,
    #[serde(default)]
    bank_card: Option<Action>,
    #[serde(default)]
    email: Option<Action>,
    #[serde(default)]
    iban: Option<Action>,
    #[serde(default)]
    us_ssn: Option<Action>,
}

impl Wire {
    pub(crate) const KEYS: [&str; 6] =
        ["action", "severity", "doubtful", "rules", "allow", "personal-data"];
}

impl WireRule {
    pub(crate) const KEYS: [&str; 7] =
        ["word", "words", "pattern", "kind", "action", "severity", "id"];
}

impl WirePersonal {
    pub(crate) const KEYS: [&str; 7] =
        ["phone", "phone-countries", "id-card", "bank-card", "email", "iban", "us-ssn"];

    /// Returns the action of a kind.
    pub(crate) fn action_mut(&mut self, data: Data) -> &mut Option<Action> {
        match data {
            Data::Phone => &mut self.phone,
            Data::IdCard => &mut self.id_card,
            Data::BankCard => &mut self.bank_card,
            Data::Email => &mut self.email,
            Data::Iban => &mut self.iban,
            Data::UsSsn => &mut self.us_ssn,
        }
    }
}
