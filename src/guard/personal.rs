//! Kinds of personal data that have a form of their own.

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

/// How many kinds there are.
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

    /// The kind of this name.
    pub(crate) fn of(name: &str) -> Option<Data> {
        Data::ALL.into_iter().find(|data| data.name() == name)
    }
}

/// What comes of each kind; nothing for those that are not looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Personal {
    /// By kind.
    pub(crate) actions: [Option<Action>; KINDS],
    /// Whose own way of writing phones is looked for, beside that of China and the international one.
    pub(crate) countries: Vec<Country>,
}

impl Personal {
    pub(crate) fn action(&self, data: Data) -> Option<Action> {
        self.actions.get(data as usize).copied().flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.actions.iter().all(Option::is_none)
    }

    /// What is said of a hit: the id is the name of the set and the kind.
    pub(crate) fn verdict(&self, set: &str, data: Data) -> Option<Verdict> {
        let action = self.action(data)?;
        let id: Arc<str> = format!("{set}/{}", data.name()).into();
        Some(Verdict { id, action, severity: Severity::High })
    }
}
