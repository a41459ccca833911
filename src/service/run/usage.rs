//! What runs use: tokens and cost of one run, and of all runs of a tenant in a day (UTC).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use super::control::Control;
use super::entry::DayBudget;
use super::state::RunUsage;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::store::{Store, StoreError, StoreResult};
use mitt::Host;
use mitt::schema::lower::Dialect;
use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Prices, Usage};
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, Result, lock};

/// Table of the store with a document for each day.
const TABLE: &str = "usage";

/// Time that the usage of a day is kept.
const LIFE: Duration = Duration::from_secs(400 * 24 * 3_600);

/// Seconds of a day.
const DAY: u64 = 24 * 3_600;

/// Most days that are read at once.
const MOST_DAYS: u64 = 400;

/// Attempts to add to a document that others write at the same time.
const ATTEMPTS: usize = 50;

/// What a tenant used in a day.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub(super) struct DayUsage {
    /// Tokens of requests and answers together.
    pub(super) tokens: u64,
    /// Cost in units of 10^-12 dollars, of models with a known price.
    pub(super) picodollars: u64,
}

impl DayUsage {
    fn is_zero(self) -> bool {
        self == DayUsage::default()
    }

    fn plus(self, more: DayUsage) -> DayUsage {
        DayUsage {
            tokens: self.tokens.saturating_add(more.tokens),
            picodollars: self.picodollars.saturating_add(more.picodollars),
        }
    }

    /// Returns `true` if nothing is left of the budget.
    pub(super) fn exhausts(self, budget: DayBudget) -> bool {
        budget.tokens.is_some_and(|most| self.tokens >= most)
            || budget.picodollars.is_some_and(|most| self.picodollars >= most)
    }
}

/// Returns the day of a time, such as `2026-11-23`.
fn day(now: Duration) -> String {
    let time = timestamp(now);
    time.split('T').next().unwrap_or_default().to_owned()
}

/// Returns what a tenant used today.
///
/// # Errors
///
/// The store failed.
pub(super) async fn used_today(
    store: &dyn Store,
    tenant: &str,
    now: Duration,
) -> StoreResult<DayUsage> {
    match store.document(tenant, TABLE, &day(now)).await {
        Ok(document) => Ok(serde_json::from_slice(&document.value).map_err(Error::bug)?),
        Err(StoreError::Missing) => Ok(DayUsage::default()),
        Err(error) => Err(error),
    }
}

/// What a tenant used on one day (UTC).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedDay {
    /// The day, such as `2026-11-23`.
    pub day: String,
    /// Tokens of requests and answers together.
    pub tokens: u64,
    /// Cost in units of 10^-12 dollars, of models with a known price.
    pub picodollars: u64,
}

/// Returns what a tenant used on each of the last `count` days, oldest first, today last.
///
/// # Errors
///
/// The store failed.
pub(super) async fn days(
    store: &dyn Store,
    tenant: &str,
    now: Duration,
    count: u64,
) -> StoreResult<Vec<UsedDay>> {
    let count = count.clamp(1, MOST_DAYS);
    let day_before = |ago: u64| day(now.saturating_sub(Duration::from_secs(ago * DAY)));
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    // Keys of days are in the order of the days.
    let documents = store.documents(tenant, TABLE, Some(&day_before(count)), most).await?;
    let mut used = BTreeMap::new();
    for document in documents {
        let usage: DayUsage = serde_json::from_slice(&document.value).map_err(Error::bug)?;
        used.insert(document.key, usage);
    }
    let one = |ago: u64| {
        let day = day_before(ago);
        let DayUsage { tokens, picodollars } = used.get(&day).copied().unwrap_or_default();
        UsedDay { day, tokens, picodollars }
    };
    Ok((0..count).rev().map(one).collect())
}

/// Returns an amount in dollars, with two to six digits after the point.
pub(crate) fn dollars(picodollars: u64) -> String {
    let is_up = picodollars % PICO_IN_MICRO >= PICO_IN_MICRO / 2;
    let millionths = picodollars / PICO_IN_MICRO + u64::from(is_up);
    let fraction = format!("{:06}", millionths % 1_000_000);
    let (cents, rest) = fraction.split_at(2);
    format!("{}.{cents}{}", millionths / 1_000_000, rest.trim_end_matches('0'))
}

/// Adds to what a tenant used today, and returns the sum.
async fn add_today(
    store: &dyn Store,
    tenant: &str,
    now: Duration,
    more: DayUsage,
) -> StoreResult<DayUsage> {
    let day = day(now);
    let mut last = 0;
    for _ in 0..ATTEMPTS {
        let (before, version) = match store.document(tenant, TABLE, &day).await {
            Ok(document) => {
                let usage = serde_json::from_slice(&document.value).map_err(Error::bug)?;
                (usage, document.version)
            }
            Err(StoreError::Missing) => (DayUsage::default(), 0),
            Err(error) => return Err(error),
        };
        let sum: DayUsage = before.plus(more);
        let value = Bytes::from(serde_json::to_vec(&sum).map_err(Error::bug)?);
        match store.put_document(tenant, TABLE, &day, value, Some(version), Some(LIFE)).await {
            Ok(_) => return Ok(sum),
            Err(StoreError::Conflict(version)) => last = version,
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::Conflict(last))
}

/// Checks that something is left of the budget of a tenant.
///
/// # Errors
///
/// 429 `budget_exhausted` - nothing is left today.
pub(super) async fn check_budget(
    store: &dyn Store,
    tenant: &str,
    now: Duration,
    budget: DayBudget,
) -> Result<(), Problem> {
    if budget == DayBudget::default() || !used_today(store, tenant, now).await?.exhausts(budget) {
        return Ok(());
    }
    let left = DAY - now.as_secs() % DAY;
    Err(Problem::new(429, "budget_exhausted", "the budget of today is used up")
        .hint("wait until midnight (UTC), or ask the operator for more")
        .retry_after(left))
}

/// Counts what the models of a run use.
pub(super) struct Meter {
    store: Arc<dyn Store>,
    host: Host,
    tenant: String,
    control: Arc<Control>,
    state: Mutex<MeterState>,
    /// Called after each change.
    changed: Box<dyn Fn(RunUsage) + Send + Sync>,
    /// Counts tokens of all runs.
    metrics: Option<Arc<Metrics>>,
}

#[derive(Debug, Default)]
struct MeterState {
    usage: RunUsage,
    /// Cost of the run in units of 10^-12 dollars; `None` if a price is unknown.
    picodollars: Option<u64>,
    /// What is not in the store yet.
    unwritten: DayUsage,
    budget: DayBudget,
    is_exhausted: bool,
    /// Names of models whose requests are counted where they are sent.
    models: BTreeSet<String>,
}

/// Units of 10^-12 dollars in a millionth.
const PICO_IN_MICRO: u64 = 1_000_000;

impl Meter {
    pub(super) fn new(
        (store, host): (Arc<dyn Store>, Host),
        tenant: &str,
        control: Arc<Control>,
        changed: impl Fn(RunUsage) + Send + Sync + 'static,
    ) -> Meter {
        let (tenant, state, changed) = (tenant.to_owned(), Mutex::default(), Box::new(changed));
        Meter { store, host, tenant, control, state, changed, metrics: None }
    }

    /// Counts tokens in these metrics too.
    #[must_use]
    pub(super) fn count_in(mut self, metrics: Arc<Metrics>) -> Meter {
        self.metrics = Some(metrics);
        self
    }

    /// Begins with what the run used before.
    pub(super) fn begin(&self, usage: RunUsage, budget: DayBudget) {
        let mut state = lock(&self.state);
        state.picodollars = match usage.turns {
            0 => Some(0),
            _ => usage.micro_dollars.map(|micro| micro.saturating_mul(PICO_IN_MICRO)),
        };
        (state.usage, state.budget, state.is_exhausted) = (usage, budget, false);
    }

    /// Returns what the run used so far.
    pub(super) fn usage(&self) -> RunUsage {
        lock(&self.state).usage
    }

    /// Returns `true` if a request was refused because nothing was left of the tenant's budget.
    pub(super) fn is_exhausted(&self) -> bool {
        lock(&self.state).is_exhausted
    }

    /// Returns a model whose requests are counted.
    pub(super) fn metered(self: &Arc<Self>, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        lock(&self.state).models.insert(model.name().to_owned());
        Arc::new(MeteredModel { model, meter: self.clone() })
    }

    /// Counts a turn of a model of the operator's agents, unless its requests are counted where they are sent.
    pub(super) fn add_elsewhere(&self, model: &str, usage: &Usage) {
        if lock(&self.state).models.contains(model) {
            return;
        }
        self.begin_turn();
        self.add(model, usage);
    }

    fn begin_turn(&self) {
        let mut state = lock(&self.state);
        state.usage.turns = state.usage.turns.saturating_add(1);
    }

    fn add(&self, model: &str, used: &Usage) {
        if let Some(metrics) = &self.metrics {
            metrics.tokens(used.input, used.cached, used.output);
        }
        let cost = Prices::known().cost(model, used).map(|cost| cost.picodollars());
        let usage = {
            let mut state = lock(&self.state);
            let more = DayUsage {
                tokens: used.input.saturating_add(used.output),
                picodollars: cost.unwrap_or_default(),
            };
            state.unwritten = state.unwritten.plus(more);
            let before = state.picodollars;
            state.picodollars = before.zip(cost).map(|(sum, cost)| sum.saturating_add(cost));
            let micro = state.picodollars.map(|pico| pico / PICO_IN_MICRO);
            let sum = &mut state.usage;
            sum.input_tokens = sum.input_tokens.saturating_add(used.input);
            sum.cached_tokens = sum.cached_tokens.saturating_add(used.cached);
            sum.output_tokens = sum.output_tokens.saturating_add(used.output);
            sum.micro_dollars = micro;
            *sum
        };
        (self.changed)(usage);
    }

    /// Writes what was used to the day of the tenant.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(super) async fn flush(&self) -> StoreResult<()> {
        let more = std::mem::take(&mut lock(&self.state).unwritten);
        if more.is_zero() {
            return Ok(());
        }
        let now = self.host.environment().now();
        let added = add_today(&*self.store, &self.tenant, now, more).await;
        if added.is_err() {
            let mut state = lock(&self.state);
            state.unwritten = state.unwritten.plus(more);
        }
        added.map(drop)
    }

    /// Checks that a further request may be sent.
    async fn admit(&self) -> Result<()> {
        if self.control.is_silent() {
            // The run is lost: nothing of it may cost anything. Its future is dropped.
            std::future::pending::<()>().await;
        }
        let failed = |error: StoreError| match error {
            StoreError::Failed(error) => error,
            _ => Error::new(ErrorKind::Host, "the usage of the day cannot be written"),
        };
        self.flush().await.map_err(failed)?;
        let budget = lock(&self.state).budget;
        if budget == DayBudget::default() {
            return Ok(());
        }
        let now = self.host.environment().now();
        let used = used_today(&*self.store, &self.tenant, now).await.map_err(failed)?;
        if !used.exhausts(budget) {
            return Ok(());
        }
        lock(&self.state).is_exhausted = true;
        let error = Error::new(ErrorKind::Denied, "the budget of today is used up");
        Err(error.hint("what was delivered stays; go on after midnight (UTC)"))
    }
}

/// Model whose requests are counted and refused when nothing is left.
struct MeteredModel {
    model: Arc<dyn ChatModel>,
    meter: Arc<Meter>,
}

#[async_trait]
impl ChatModel for MeteredModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn dialect(&self) -> Dialect {
        self.model.dialect()
    }

    fn can_react(&self) -> bool {
        self.model.can_react()
    }

    fn takes_images(&self) -> bool {
        self.model.takes_images()
    }

    async fn context_tokens(&self) -> Option<u64> {
        self.model.context_tokens().await
    }

    fn redacted(&self, text: &str) -> String {
        self.model.redacted(text)
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        self.meter.admit().await?;
        self.meter.begin_turn();
        let answer = self.model.chat(request).await?;
        Ok(Box::pin(answer.inspect(|event| {
            if let Ok(ChatEvent::Usage(usage)) = event {
                self.meter.add(self.model.name(), usage);
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::FolderStore;

    #[test]
    fn amounts_have_two_to_six_digits_after_the_point() {
        const DOLLAR: u64 = 1_000_000 * PICO_IN_MICRO;
        for (picodollars, expected) in [
            (0, "0.00"),
            (5 * DOLLAR, "5.00"),
            (DOLLAR / 8, "0.125"),
            (600 * PICO_IN_MICRO, "0.0006"),
            (PICO_IN_MICRO, "0.000001"),
            (PICO_IN_MICRO / 2, "0.000001"),
            (PICO_IN_MICRO / 2 - 1, "0.00"),
            (DOLLAR - 1, "1.00"),
        ] {
            assert_eq!(dollars(picodollars), expected);
        }
    }

    #[tokio::test]
    async fn each_day_has_its_own_usage_and_days_without_one_are_there() {
        let folder = tempfile::tempdir().unwrap();
        // 2026-03-01, the day after the last of February.
        let now = Duration::from_secs(1_772_323_200 + 3_600);
        let store = FolderStore::open(folder.path(), Arc::new(move || now)).unwrap();
        for (ago, tokens) in [(0, 5), (2, 7), (3, 9)] {
            let at = now.saturating_sub(Duration::from_secs(ago * DAY));
            let more = DayUsage { tokens, picodollars: tokens * PICO_IN_MICRO };
            add_today(&store, "acme", at, more).await.unwrap();
        }
        add_today(&store, "other", now, DayUsage { tokens: 1, picodollars: 0 }).await.unwrap();
        let used = days(&store, "acme", now, 3).await.unwrap();
        let used: Vec<_> = used.iter().map(|it| (it.day.as_str(), it.tokens)).collect();
        assert_eq!(used, [("2026-02-27", 7), ("2026-02-28", 0), ("2026-03-01", 5)]);
        assert_eq!(days(&store, "acme", now, 0).await.unwrap().len(), 1);
        let most = usize::try_from(MOST_DAYS).unwrap();
        assert_eq!(days(&store, "acme", now, u64::MAX).await.unwrap().len(), most);
    }
}
