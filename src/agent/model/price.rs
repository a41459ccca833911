//! What turns cost.
//!
//! Knows prices as data (`prices.json`), which an embedder can replace. Asks nobody for newer ones.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Usage;
use mitt_base::{Error, Result};

/// Prices of models.
///
/// # Example: a price of one's own
///
/// ```
/// use mitt_agent::model::{Prices, Usage};
///
/// let prices = Prices::from_json(
///     r#"{"date": "2026-11", "models": {"openai/m": {"input": "0.28", "output": "2"}}}"#,
/// )?;
/// let mut usage = Usage::default();
/// (usage.input, usage.output) = (1_000, 10);
/// assert_eq!(prices.cost("openai/m", &usage), Some(300), "millionths of a dollar");
/// assert_eq!(prices.cost("ollama/m", &usage), None);
/// # Ok::<(), mitt::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    date: String,
    models: BTreeMap<String, Price>,
}

/// Prices in dollars for a million tokens, which are millionths of a dollar for one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: Amount,
    /// Tokens of the request that the service had in its cache; as `input` without one.
    cached: Option<Amount>,
    /// Tokens that it wrote to its cache; as `input` without one.
    cache_write: Option<Amount>,
    output: Amount,
}

/// Billionths of a dollar for a thousand tokens, so that no digit of a price is lost: 10^-12 dollars for one.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
struct Amount(u64);

/// Digits of a price behind its point.
const DIGITS: usize = 6;

/// Units of an amount in a millionth of a dollar.
const UNITS: u128 = 10u128.pow(DIGITS as u32);

impl TryFrom<String> for Amount {
    type Error = String;

    fn try_from(text: String) -> Result<Amount, String> {
        let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = !whole.is_empty() && whole.len() <= DIGITS && part.len() <= DIGITS;
        if !fits || !is_number(whole) || !is_number(part) || text.ends_with('.') {
            return Err(format!(
                "a price such as `0.28` expected, with at most {DIGITS} digits on each side of the point, got `{text}`"
            ));
        }
        let digits = format!("{whole}{part:0<DIGITS$}");
        digits.parse().map(Amount).map_err(|error| error.to_string())
    }
}

static KNOWN: LazyLock<Prices> = LazyLock::new(|| {
    // The file is ours: a test reads it.
    let none = Prices { date: String::new(), models: BTreeMap::new() };
    Prices::from_json(include_str!("prices.json")).unwrap_or(none)
});

impl Prices {
    /// The prices of well-known models that come with this version, without a guarantee; see [`Prices::date`].
    pub fn known() -> &'static Prices {
        &KNOWN
    }

    /// Prices from JSON: `date`, and under `models` for each `service/model` the fields `input`, `output` and, where they
    /// differ from `input`, `cached` and `cache_write`; each a text with dollars for a million tokens.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - another form, or a price that is none.
    pub fn from_json(json: &str) -> Result<Prices> {
        serde_json::from_str(json)
            .map_err(|error| Error::model("these are no prices").caused_by(error))
    }

    /// When the prices were those of the services: year and month.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// What a turn cost, in millionths of a dollar, rounded half up; none if no price is known. `model` is the name of a
    /// [`ModelSpec`](super::ModelSpec), such as `openai/gpt-5`; a date or `-latest` at its end does not count.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<u64> {
        let price = self.models.get(model).or_else(|| self.models.get(undated(model)?))?;
        let Usage { input, cached, cache_written, output, .. } = *usage;
        let fresh = input.saturating_sub(cached).saturating_sub(cache_written);
        let parts = [
            (fresh, price.input),
            (cached, price.cached.unwrap_or(price.input)),
            (cache_written, price.cache_write.unwrap_or(price.input)),
            (output, price.output),
        ];
        let units: u128 = parts.iter().map(|(n, price)| u128::from(*n) * u128::from(price.0)).sum();
        u64::try_from((units + UNITS / 2) / UNITS).ok()
    }
}

/// A model's name without the date of its version: `-20250514`, `-2025-08-07` or `-latest`.
fn undated(model: &str) -> Option<&str> {
    if let Some(name) = model.strip_suffix("-latest") {
        return Some(name);
    }
    let name = model.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let date = &model[name.len()..];
    // A number of the version may stand before the date.
    [9, 11].into_iter().filter(|length| date.len() >= *length).find_map(|length| {
        let (name, date) = model.split_at(model.len() - length);
        let n_signs = date.matches('-').count();
        (date.starts_with('-') && n_signs == if length == 9 { 1 } else { 3 }).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, cached: u64, cache_written: u64, output: u64) -> Usage {
        Usage { input, cached, cache_written, output, reasoning: output }
    }

    #[test]
    fn the_file_is_whole_and_plausible() {
        let prices: Prices = serde_json::from_str(include_str!("prices.json")).unwrap();
        assert_eq!(prices.models.len(), Prices::known().models.len());
        assert!(!Prices::known().date().is_empty());
        for (name, price) in &prices.models {
            assert!(super::super::ModelSpec::parse_with(name, &|_| None).is_ok(), "{name}");
            assert!(price.input.0 < price.output.0, "{name}");
            assert!(price.cached.is_some_and(|cached| cached.0 < price.input.0), "{name}");
            assert!(price.cache_write.is_none_or(|write| write.0 > price.input.0), "{name}");
        }
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let cost = |model: &str, usage| Prices::known().cost(model, &usage);
        // 1 000 000 fresh, cached, written and answered: 3 + 0.30 + 3.75 + 15 dollars.
        let million = 1_000_000;
        let all = usage(3 * million, million, million, million);
        assert_eq!(cost("anthropic/claude-sonnet-4-5", all), Some(22_050_000));
        assert_eq!(cost("anthropic/claude-sonnet-4-5-20250929", all), Some(22_050_000));
        assert_eq!(cost("anthropic/claude-sonnet-4-20250514", all), Some(22_050_000));
        // Without a price of its own, writing costs as much as reading.
        assert_eq!(
            cost("openai/gpt-5", usage(10, 0, 10, 0)),
            cost("openai/gpt-5", usage(10, 0, 0, 0))
        );
        assert_eq!(cost("openai/gpt-5-2025-08-07", usage(8, 0, 0, 0)), Some(10));
        // 0.028 a token: 0.504 is one, 0.476 none.
        assert_eq!(cost("deepseek/deepseek-chat", usage(18, 18, 0, 0)), Some(1));
        assert_eq!(cost("deepseek/deepseek-chat", usage(17, 17, 0, 0)), Some(0));
        for unknown in ["openai/gpt-5-pro", "gpt-5", "ollama/qwen3", "openai/gpt-5-99", ""] {
            assert_eq!(cost(unknown, all), None, "{unknown}");
        }
        assert_eq!(cost("openai/gpt-5", usage(u64::MAX, 0, 0, u64::MAX)), None, "more than fits");
    }

    #[test]
    fn prices_are_exact_decimals() {
        let amount = |text: &str| Amount::try_from(text.to_owned());
        assert_eq!(amount("0.28"), Ok(Amount(280_000)));
        assert_eq!(amount("15"), Ok(Amount(15_000_000)));
        assert_eq!(amount("0.000001"), Ok(Amount(1)));
        assert_eq!(amount("999999.999999"), Ok(Amount(999_999_999_999)));
        for wrong in ["", ".5", "1.", "-1", "+1", "1e3", "0.0000001", "1000000", "a", "1.2.3", "٣"]
        {
            assert!(amount(wrong).is_err(), "{wrong}");
        }
        let error = Prices::from_json(r#"{"date":"","models":{"m":{"input":"x","output":"1"}}}"#);
        insta::assert_snapshot!(error.unwrap_err().render(), @r#"
        these are no prices
          cause: a price such as `0.28` expected, with at most 6 digits on each side of the point, got `x` at line 1 column 37
        "#);
    }
}
