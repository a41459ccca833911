//! Costs of turns.
//!
//! Knows prices as data (`prices.json`), which an embedder can replace. Fetches no newer ones.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read as _;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::path::Path;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Usage;
use mitt_base::limits::MIB;
use mitt_base::{Error, Result};

/// Largest file of prices, in bytes.
const MAX_FILE_BYTES: u64 = MIB;

/// Prices of models.
///
/// # Example: a custom price
///
/// ```
/// use mitt_agent::model::{Cost, Prices, Usage};
///
/// let prices = Prices::from_json(
///     r#"{"date": "2026-11", "models": {"openai/m": {"input": "0.28", "output": "2"}}}"#,
/// )?;
/// let mut usage = Usage::default();
/// (usage.input, usage.output) = (1_000, 10);
/// let turn = prices.cost("openai/m", &usage).unwrap();
/// let both: Cost = [turn, turn].into_iter().sum();
/// assert_eq!((both.millionths(), both.to_string()), (600, "$0.0006".to_owned()));
/// assert_eq!(prices.cost("ollama/m", &usage), None);
/// # Ok::<(), mitt::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    date: String,
    /// Where the prices come from.
    #[serde(default)]
    source: String,
    models: BTreeMap<String, Price>,
}

/// Prices in dollars for a million tokens, which are millionths of a dollar for one token.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: Amount,
    /// Price of tokens that the service had in its cache; `input` without one.
    cached: Option<Amount>,
    /// Price of tokens that the service wrote to its cache; `input` without one.
    cache_write: Option<Amount>,
    output: Amount,
    /// Prices of all tokens of a long request.
    long: Option<Long>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Long {
    /// Most tokens of a request with the usual price.
    above: u64,
    input: Amount,
    cached: Option<Amount>,
    cache_write: Option<Amount>,
    output: Amount,
}

/// Prices of one token: new, cached, written to the cache, and of the answer.
type Tokens = [Amount; 4];

impl Price {
    fn usual(&self) -> Tokens {
        let Price { input, cached, cache_write, output, .. } = *self;
        [input, cached.unwrap_or(input), cache_write.unwrap_or(input), output]
    }

    /// Returns the prices for a request of this many tokens.
    fn of(&self, n_tokens: u64) -> Tokens {
        self.long.as_ref().filter(|long| n_tokens > long.above).map_or(self.usual(), Long::tokens)
    }
}

impl Long {
    fn tokens(&self) -> Tokens {
        let Long { input, cached, cache_write, output, .. } = *self;
        [input, cached.unwrap_or(input), cache_write.unwrap_or(input), output]
    }
}

/// An exact cost, so that sums are exact as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(u64);

impl Cost {
    /// Returns millionths of a dollar, rounded half up.
    pub fn millionths(self) -> u64 {
        self.0 / UNITS + u64::from(self.0 % UNITS >= UNITS / 2)
    }

    /// Returns the difference, or zero if `other` is larger.
    #[must_use]
    pub fn saturating_sub(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }

    /// Returns one of `count` equal parts, rounded down.
    #[must_use]
    pub fn part(self, count: u64) -> Cost {
        Cost(self.0 / count.max(1))
    }

    /// Returns units of 10^-12 dollars, exact.
    pub fn picodollars(self) -> u64 {
        self.0
    }
}

impl FromStr for Cost {
    type Err = String;

    /// Parses dollars such as `2` or `0.50`.
    fn from_str(text: &str) -> Result<Cost, String> {
        let millionths = millionths(text)?;
        Ok(Cost(millionths * UNITS))
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), Add::add)
    }
}

impl fmt::Display for Cost {
    /// Writes dollars with two to six digits after the point: `$0.05`, `$1.234567`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millionths = self.millionths();
        let digits = format!("{:06}", millionths % 1_000_000);
        let shown = digits.trim_end_matches('0').len().max(2);
        write!(f, "${}.{}", millionths / 1_000_000, &digits[..shown])
    }
}

/// Units of 10^-12 dollars for one token, which keep every digit of a price for a million.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
struct Amount(u64);

/// Digits of a price after its point.
const DIGITS: usize = 6;

/// Units in a millionth of a dollar.
const UNITS: u64 = 10u64.pow(DIGITS as u32);

impl TryFrom<String> for Amount {
    type Error = String;

    fn try_from(text: String) -> Result<Amount, String> {
        millionths(&text).map(Amount)
    }
}

/// Parses a text such as `0.28` to millionths of a dollar.
fn millionths(text: &str) -> Result<u64, String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| {
        (1..=DIGITS).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    if !is_number(whole) || !is_number(part) {
        return Err(format!(
            "expected dollars such as `2` or `0.28`, with at most {DIGITS} digits on each side of the point, got `{text}`"
        ));
    }
    let digits = format!("{whole}{part:0<DIGITS$}");
    digits.parse().map_err(|_| "expected dollars".to_owned())
}

static KNOWN: LazyLock<Prices> = LazyLock::new(|| {
    // The file is part of the program, and a test reads it.
    let none = Prices { date: String::new(), source: String::new(), models: BTreeMap::new() };
    Prices::from_json(include_str!("prices.json")).unwrap_or(none)
});

impl Prices {
    /// Returns the prices of well-known models that come with this version, without a guarantee; see [`Prices::date`].
    pub fn known() -> &'static Prices {
        &KNOWN
    }

    /// Reads prices from JSON: `date`, optionally `source`, and under `models` for each `service/model` the fields `input`,
    /// `output` and, if they differ from `input`, `cached` and `cache_write`. Each is a string with dollars for a million
    /// tokens. If long requests cost more, `long` has the same fields, and `above` the most tokens of a request with the
    /// usual price.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - another form, or an invalid price.
    pub fn from_json(json: &str) -> Result<Prices> {
        serde_json::from_str(json)
            .map_err(|error| Error::model("these are no prices").caused_by(error))
    }

    /// Reads prices from a file; see [`Prices::from_json`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the file cannot be read, is larger than 1 MiB, or holds no
    /// prices.
    pub fn from_file(path: &Path) -> Result<Prices> {
        let unreadable = |error: std::io::Error| {
            Error::model(format!("cannot read the prices {}", path.display())).caused_by(error)
        };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            let message =
                format!("the prices {} are larger than {MAX_FILE_BYTES} bytes", path.display());
            return Err(Error::model(message));
        }
        Prices::from_json(&text).map_err(|error| error.at(path.display()))
    }

    /// Returns where the prices come from, in words for people; empty if unknown.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns year and month for which the prices are valid.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Returns the cost of a turn; `None` if no price is known. `model` is the name of a [`ModelSpec`](super::ModelSpec),
    /// such as `openai/gpt-5`; a date or `-latest` at its end is ignored. Add up the costs of turns, not their tokens: long
    /// requests can have other prices.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<Cost> {
        let price = self.models.get(model).or_else(|| self.models.get(undated(model)?))?;
        let Usage { input, cached, cache_written, output, .. } = *usage;
        let fresh = input.saturating_sub(cached).saturating_sub(cache_written);
        let counts = [fresh, cached, cache_written, output];
        let parts = counts.into_iter().zip(price.of(input));
        let units: u128 = parts.map(|(n, price)| u128::from(n) * u128::from(price.0)).sum();
        u64::try_from(units).ok().map(Cost)
    }
}

/// Returns a model's name without the date of its version: `-20250514`, `-2025-08-07` or `-latest`.
fn undated(model: &str) -> Option<&str> {
    if let Some(name) = model.strip_suffix("-latest") {
        return Some(name);
    }
    let name = model.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let date = &model[name.len()..];
    // A version number may stand before the date.
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
        assert!(!Prices::known().date().is_empty() && !Prices::known().source().is_empty());
        let check = |name: &str, [input, cached, write, output]: Tokens| {
            assert!(cached.0 <= input.0 && input.0 <= write.0 && input.0 <= output.0, "{name}");
        };
        for (name, price) in &prices.models {
            assert!(super::super::ModelSpec::parse_with(name, &|_| None).is_ok(), "{name}");
            check(name, price.usual());
            if let Some(long) = &price.long {
                check(name, long.tokens());
                assert!(long.above >= 100_000, "{name}");
                assert!(long.input.0 > price.input.0, "{name}");
            }
        }
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let prices = Prices::from_json(
            r#"{"date": "", "models": {
                "anthropic/claude-x-4-5": {"input": "3", "cached": "0.30", "cache_write": "3.75", "output": "15"},
                "anthropic/claude-x-4": {"input": "3", "cached": "0.30", "cache_write": "3.75", "output": "15"},
                "openai/x-5": {"input": "1.25", "cached": "0.125", "output": "10.00"},
                "openai/x-5.4": {"input": "2", "output": "10", "long": {"above": 1000, "input": "4", "cached": "1", "output": "20"}},
                "deepseek/x": {"input": "0.28", "cached": "0.028", "output": "0.42"}
            }}"#,
        );
        let prices = prices.unwrap();
        let cost = |model: &str, usage| prices.cost(model, &usage).map(Cost::millionths);
        // 1 000 000 new, cached, written and answered tokens: 3 + 0.30 + 3.75 + 15 dollars.
        let million = 1_000_000;
        let all = usage(3 * million, million, million, million);
        for name in
            ["claude-x-4-5", "claude-x-4-5-20250929", "claude-x-4-20250514", "claude-x-4-latest"]
        {
            assert_eq!(cost(&format!("anthropic/{name}"), all), Some(22_050_000), "{name}");
        }
        // Without a price of its own, writing costs as much as reading.
        assert_eq!(cost("openai/x-5", usage(10, 0, 10, 0)), cost("openai/x-5", usage(10, 0, 0, 0)));
        assert_eq!(cost("openai/x-5-2025-08-07", usage(8, 0, 0, 0)), Some(10));
        // A long request has a higher price for all of its tokens and its answer's.
        assert_eq!(cost("openai/x-5.4", usage(1_000, 0, 0, 1)), Some(2_010));
        assert_eq!(cost("openai/x-5.4", usage(1_001, 1, 0, 1)), Some(4_021));
        // 0.028 a token: 0.504 rounds to one, 0.476 to zero.
        assert_eq!(cost("deepseek/x", usage(18, 18, 0, 0)), Some(1));
        assert_eq!(cost("deepseek/x", usage(17, 17, 0, 0)), Some(0));
        for unknown in ["openai/x-5-pro", "x-5", "ollama/qwen3", "openai/x-5-99", ""] {
            assert_eq!(cost(unknown, all), None, "{unknown}");
        }
        assert_eq!(cost("openai/x-5", usage(u64::MAX, 0, 0, u64::MAX)), None, "more than fits");
        let known = Prices::known().cost("anthropic/claude-haiku-4-5-20251001", &all);
        assert_eq!(known.unwrap().to_string(), "$7.35", "1 + 0.10 + 1.25 + 5 dollars");
    }

    #[test]
    fn costs_add_up_without_a_loss() {
        let prices =
            Prices::from_json(r#"{"date":"","models":{"m":{"input":"0.028","output":"1"}}}"#);
        let turn = prices.unwrap().cost("m", &usage(1, 0, 0, 0)).unwrap();
        assert_eq!((turn.picodollars(), turn.millionths()), (28_000, 0));
        let all: Cost = std::iter::repeat_n(turn, 1_000).sum();
        assert_eq!((all.millionths(), all.to_string()), (28, "$0.000028".to_owned()));
        for (picodollars, shown) in [
            (0, "$0.00"),
            (499_999, "$0.00"),
            (500_000, "$0.000001"),
            (50_000_000_000, "$0.05"),
            (1_234_567_000_000, "$1.234567"),
            (12_300_000_000_000, "$12.30"),
        ] {
            assert_eq!(Cost(picodollars).to_string(), shown);
        }
        assert_eq!(Cost(u64::MAX) + turn, Cost(u64::MAX));
        assert_eq!(Cost(u64::MAX).millionths(), 18_446_744_073_710);
    }

    #[test]
    fn a_file_of_prices_is_bounded_and_named() {
        let path = std::env::temp_dir().join(format!("mitt-prices-{}", std::process::id()));
        assert!(
            Prices::from_file(&path)
                .unwrap_err()
                .to_string()
                .starts_with("cannot read the prices ")
        );
        let json = r#"{"date":"2026-11","models":{"m":{"input":"1","output":"1"}}}"#;
        std::fs::write(&path, json).unwrap();
        assert!(Prices::from_file(&path).unwrap().cost("m", &usage(1, 0, 0, 0)).is_some());
        for (text, end) in [
            ("{}".to_owned(), "these are no prices"),
            (json.to_owned() + &" ".repeat(1 << 20), "are larger than 1048576 bytes"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Prices::from_file(&path).unwrap_err().to_string();
            assert!(error.ends_with(end) && error.contains("mitt-prices-"), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
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
          cause: expected dollars such as `2` or `0.28`, with at most 6 digits on each side of the point, got `x` at line 1 column 37
        "#);
    }
}
