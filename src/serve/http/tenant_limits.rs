//! What a tenant may do with the service.

use serde::Deserialize;

/// What a tenant may do with the service: its models, and what it may keep. The file of tokens has it below `tenants`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TenantLimits {
    /// Names of the models that the tenant may use. Default `None`: all.
    pub models: Option<Vec<String>>,
    /// Tokens of models in a day (UTC). Default `None`: no limit.
    pub tokens_per_day: Option<u64>,
    /// Cost of models in a day (UTC), in dollars, such as `2.50`. Default `None`: no limit.
    pub dollars_per_day: Option<String>,
    /// `true` if the tenant may send its own key of a model's service. Default `false`.
    pub own_model_key: bool,
    /// Bytes that it may store: uploads, documents, files of runs and of containers together. Default `None`: no limit.
    pub stored_bytes: Option<u64>,
    /// Runs that it may keep. Default `None`: no limit.
    pub runs: Option<u64>,
    /// Runs that may be queued or work at the same time. Default `None`: no limit.
    pub active_runs: Option<u64>,
}

impl TenantLimits {
    /// Checks what the form of the file does not say.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.dollars_per_day.as_deref().is_some_and(|text| !is_amount(text)) {
            let problem = "dollars_per_day: expected an amount in quotes, such as `\"2.50\"`";
            return Err(problem.to_owned());
        }
        Ok(())
    }
}

/// Returns `true` for an amount of dollars with at most six decimals.
fn is_amount(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str, most| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    digits(whole, 9) && digits(decimals, 6)
}
