//! Chains of certificates: from a signer over its issuers to a certificate that the caller trusts.
//!
//! Revocation is not checked: it needs lists from the network.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280;
use x509_cert::ext::pkix::KeyUsages;

use crate::algorithm::oid_name;
use crate::certificate::Certificate;

/// Longest chain.
const MAX_CHAIN: usize = 10;

/// Most signatures of certificates that are checked for one chain, because certificates can be made that issue each other.
const MAX_CHECKS: usize = 100;

/// What a chain leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// One of the certificates that the caller trusts.
    Trusted {
        /// Its owner.
        subject: String,
    },
    /// The signer made the certificate itself, so it proves nothing about who signed.
    SelfSigned,
    /// A root that the caller did not name.
    UnknownRoot {
        /// Its owner.
        subject: String,
    },
    /// The certificate of an issuer is neither in the signature nor among those that the caller trusts.
    Incomplete {
        /// The issuer that is missing.
        missing_issuer: String,
    },
}

/// Which time the validity of the certificates was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSource {
    /// The time of a time stamp whose own chain leads to a trusted certificate.
    TimeStamp,
    /// The date that the caller gave.
    Given,
}

/// What is known of the chain of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// What it leads to.
    pub anchor: Anchor,
    /// The owners, from the signer on.
    pub subjects: Vec<String>,
    /// Why nobody can rely on it although it may lead to a trusted certificate, one sentence each.
    pub problems: Vec<String>,
    /// Owners of certificates that are not valid at the time, each with its validity as seconds since 1970.
    pub outside_validity: Vec<(String, i64, i64)>,
    /// The time that the validity was compared with, in seconds since 1970.
    pub time: i64,
    /// Where that time is from.
    pub time_source: TimeSource,
    /// Weak algorithms in the chain, one sentence each.
    pub weaknesses: Vec<String>,
}

impl Chain {
    /// `true` if it leads to a trusted certificate, has no problem, and was valid at its time. Revocation is not checked.
    pub fn is_trusted(&self) -> bool {
        matches!(self.anchor, Anchor::Trusted { .. })
            && self.problems.is_empty()
            && self.outside_validity.is_empty()
    }

    /// Returns the order in which chains are preferred; the smallest is the best.
    fn rank(&self) -> (bool, usize, usize) {
        let anchor = match self.anchor {
            Anchor::Trusted { .. } => 0,
            Anchor::UnknownRoot { .. } | Anchor::SelfSigned => 1,
            // The longer, the more is known.
            Anchor::Incomplete { .. } => 2 + MAX_CHAIN - self.subjects.len(),
        };
        (!self.is_trusted(), anchor, self.problems.len() + self.outside_validity.len())
    }
}

/// The certificates that a chain can be built of, and the time it must hold at.
pub(crate) struct Search<'a> {
    pub(crate) trusted: &'a [Certificate],
    pub(crate) others: &'a [Certificate],
    pub(crate) time: i64,
    pub(crate) time_source: TimeSource,
}

impl<'a> Search<'a> {
    /// Returns the best chain from `leaf` on.
    pub(crate) fn best(&self, leaf: &'a Certificate) -> Chain {
        let mut walk = Walk { search: self, checks: 0, best: None, forged: Vec::new() };
        walk.extend(&mut vec![leaf], &mut Vec::new());
        let mut chain = match walk.best {
            Some(chain) => chain,
            None => self.chain(
                &[leaf],
                Vec::new(),
                Anchor::Incomplete { missing_issuer: leaf.issuer.clone() },
            ),
        };
        if matches!(chain.anchor, Anchor::Incomplete { .. }) {
            chain.problems.append(&mut walk.forged);
        }
        if walk.checks >= MAX_CHECKS {
            chain.problems.push(format!(
                "more than {MAX_CHECKS} certificates could be issuers; not all were tried"
            ));
        }
        chain
    }

    fn chain(&self, path: &[&Certificate], mut problems: Vec<String>, anchor: Anchor) -> Chain {
        for certificate in path {
            for id in certificate.unknown_critical_extensions() {
                problems.push(format!(
                    "`{}` has the critical extension {}, which is not checked",
                    certificate.subject,
                    oid_name(id)
                ));
            }
            if certificate.has_broken_extension() {
                problems.push(format!(
                    "`{}` has an extension that cannot be read",
                    certificate.subject
                ));
            }
        }
        let outside = path.iter().filter(|certificate| !certificate.is_valid_at(self.time));
        let mut weaknesses = Vec::new();
        for (index, certificate) in path.iter().enumerate() {
            if let Ok(key) = certificate.public_key()
                && key.is_weak()
            {
                weaknesses.push(format!(
                    "the key of `{}` is short: {}",
                    certificate.subject,
                    key.name()
                ));
            }
            // Nobody relies on the signature of the certificate that a chain ends with.
            let is_end = index + 1 == path.len() && !matches!(anchor, Anchor::Incomplete { .. });
            if let Ok(scheme) = certificate.scheme()
                && !is_end
                && scheme.digest().is_some_and(|digest| digest.is_weak())
            {
                weaknesses.push(format!(
                    "the certificate of `{}` is signed with {}",
                    certificate.subject,
                    scheme.name()
                ));
            }
        }
        Chain {
            anchor,
            subjects: path.iter().map(|certificate| certificate.subject.clone()).collect(),
            problems,
            outside_validity: outside
                .map(|certificate| {
                    let (start, end) = certificate.validity();
                    (certificate.subject.clone(), start, end)
                })
                .collect(),
            time: self.time,
            time_source: self.time_source,
            weaknesses,
        }
    }
}

/// A walk over all chains, the best of which is kept.
struct Walk<'s, 'a> {
    search: &'s Search<'a>,
    checks: usize,
    best: Option<Chain>,
    /// Names of issuers that did not sign, one sentence each.
    forged: Vec<String>,
}

impl<'a> Walk<'_, 'a> {
    fn offer(&mut self, path: &[&'a Certificate], problems: &[String], anchor: Anchor) {
        let chain = self.search.chain(path, problems.to_vec(), anchor);
        if self.best.as_ref().is_none_or(|best| chain.rank() < best.rank()) {
            self.best = Some(chain);
        }
    }

    fn extend(&mut self, path: &mut Vec<&'a Certificate>, problems: &mut Vec<String>) {
        let Some(&last) = path.last() else { return };
        if self.search.trusted.iter().any(|trusted| trusted.der() == last.der()) {
            let anchor = Anchor::Trusted { subject: last.subject.clone() };
            self.offer(path, problems, anchor);
            return;
        }
        if last.is_self_issued() && self.is_signed_by(last, last) == Some(true) {
            let anchor = match path.len() {
                1 => Anchor::SelfSigned,
                _ => Anchor::UnknownRoot { subject: last.subject.clone() },
            };
            self.offer(path, problems, anchor);
            return;
        }
        let anchor = Anchor::Incomplete { missing_issuer: last.issuer.clone() };
        self.offer(path, problems, anchor);
        let search = self.search;
        for candidate in search.trusted.iter().chain(search.others) {
            if path.len() == MAX_CHAIN || self.checks >= MAX_CHECKS {
                return;
            }
            let is_used = path.iter().any(|used| used.der() == candidate.der());
            if candidate.subject != last.issuer || is_used {
                continue;
            }
            let before = problems.len();
            match self.is_signed_by(last, candidate) {
                Some(true) => {}
                Some(false) => {
                    let (name, issuer) = (&last.subject, &candidate.subject);
                    self.forged.push(format!(
                        "`{name}` names `{issuer}` as its issuer, but that key did not sign it"
                    ));
                    continue;
                }
                None => problems.push(format!(
                    "the signature of `{}` on the certificate of `{}` cannot be checked",
                    candidate.subject, last.subject
                )),
            }
            let intermediates =
                path.iter().skip(1).filter(|certificate| !certificate.is_self_issued()).count();
            problems.extend(authority_problems(candidate, intermediates));
            path.push(candidate);
            self.extend(path, problems);
            path.pop();
            problems.truncate(before);
        }
    }

    /// Returns `None` if the algorithm is not supported.
    fn is_signed_by(&mut self, certificate: &Certificate, issuer: &Certificate) -> Option<bool> {
        self.checks += 1;
        certificate.is_signed_by(&issuer.public_key().ok()?).ok()
    }
}

/// Returns why `issuer` may not have issued a certificate with so many authorities between itself and the signer.
fn authority_problems(issuer: &Certificate, intermediates: usize) -> Vec<String> {
    let mut problems = Vec::new();
    match issuer.basic_constraints() {
        Some(constraints) if constraints.ca => {
            if constraints.path_len_constraint.is_some_and(|most| usize::from(most) < intermediates)
            {
                problems.push(format!(
                    "`{}` may not have so many authorities below it",
                    issuer.subject
                ));
            }
        }
        _ => {
            problems.push(format!("`{}` issued a certificate, but is no authority", issuer.subject))
        }
    }
    if issuer.key_usage().is_some_and(|usage| !usage.0.contains(KeyUsages::KeyCertSign)) {
        problems.push(format!("the key of `{}` may not sign certificates", issuer.subject));
    }
    problems
}

/// Returns why the certificate of a time stamp authority may not sign time stamps.
pub(crate) fn time_stamp_problem(certificate: &Certificate) -> Option<String> {
    const TIME_STAMPING: ObjectIdentifier = rfc5280::ID_KP_TIME_STAMPING;
    let purposes = certificate.purposes();
    (purposes != [TIME_STAMPING]).then(|| {
        format!("the certificate of `{}` is not one for time stamps only", certificate.subject)
    })
}

/// Returns why the certificate may not sign documents.
pub(crate) fn document_problem(certificate: &Certificate) -> Option<String> {
    let usage = certificate.key_usage()?;
    let may_sign = usage.0.contains(KeyUsages::DigitalSignature)
        || usage.0.contains(KeyUsages::NonRepudiation);
    (!may_sign).then(|| {
        format!("the key of `{}` is not for signatures, by its key usage", certificate.subject)
    })
}
