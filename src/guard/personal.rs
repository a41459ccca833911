//! Kinds of personal data.

use std::sync::Arc;

use crate::hit::{Action, Severity};
use crate::phones::Country;
use crate::rules::Verdict;

/// A kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Phone,
    IdCard,
    BankCard,
    Email,
    Iban,
    UsSsn,
}

/// Number of kinds.
pub(crate) const KINDS: usize = 6;

impl Data {
    pub(crate) const ALL: [Data; KINDS] =
        [Data::Phone, Data::IdCard, Data::BankCard, Data::Email, Data::Iban, Data::UsSsn];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Data::Phone => "phone",
            Data::IdCard => "id-card",
            Data::BankCard => "bank-card",
            Data::Email => "email",
            Data::Iban => "iban",
            Data::UsSsn => "us-ssn",
        }
    }

    /// Returns the kind of this name.
    pub(crate) fn of(name: &str) -> Option<Data> {
        Data::ALL.into_iter().find(|data| data.name() == name)
    }
}

/// Actions for personal data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Personal {
    /// Action by kind; `None` for a kind that is not searched for.
    pub(crate) actions: [Option<Action>; KINDS],
    /// Countries whose national notation of phone numbers is recognised, beside that of China and the international one.
    pub(crate) countries: Vec<Country>,
}

impl Personal {
    pub(crate) fn action(&self, data: Data) -> Option<Action> {
        self.actions.get(data as usize).copied().flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.actions.iter().all(Option::is_none)
    }

    /// Returns the verdict for a hit of this kind. Its id is the name of the set and of the kind.
    pub(crate) fn verdict(&self, set: &str, data: Data) -> Option<Verdict> {
        let action = self.action(data)?;
        let id: Arc<str> = format!("{set}/{}", data.name()).into();
        Some(Verdict { id, action, severity: Severity::High })
    }
}
