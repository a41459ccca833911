//! Kinds of personal data that have a form of their own.

use std::sync::Arc;

use crate::hit::{Action, Severity};
use crate::rules::Verdict;

/// A kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Phone,
    IdCard,
    BankCard,
    Email,
}

impl Data {
    pub(crate) const ALL: [Data; 4] = [Data::Phone, Data::IdCard, Data::BankCard, Data::Email];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Data::Phone => "phone",
            Data::IdCard => "id-card",
            Data::BankCard => "bank-card",
            Data::Email => "email",
        }
    }
}

/// What comes of each kind; nothing for those that are not looked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Personal {
    pub(crate) phone: Option<Action>,
    pub(crate) id_card: Option<Action>,
    pub(crate) bank_card: Option<Action>,
    pub(crate) email: Option<Action>,
}

impl Personal {
    pub(crate) fn action(&self, data: Data) -> Option<Action> {
        match data {
            Data::Phone => self.phone,
            Data::IdCard => self.id_card,
            Data::BankCard => self.bank_card,
            Data::Email => self.email,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        Data::ALL.iter().all(|data| self.action(*data).is_none())
    }

    /// What is said of a hit: the id is the name of the set and the kind.
    pub(crate) fn verdict(&self, set: &str, data: Data) -> Option<Verdict> {
        let action = self.action(data)?;
        let id: Arc<str> = format!("{set}/{}", data.name()).into();
        Some(Verdict { id, action, severity: Severity::High })
    }
}
