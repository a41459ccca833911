//! Budget for all models of a plan together: each request is counted before it is sent.
//!
//! Knows requests and their cost; nothing of steps.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::StreamExt as _;

use crate::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Cost, Prices, Usage};
use crate::usage::UsageCounter;
use mitt::schema::lower::Dialect;
use mitt_base::{Error, Resource, Result, lock};

/// Limits on the cost of a plan.
#[derive(Clone, Debug)]
pub(super) struct BudgetLimits {
    pub(super) turns: u64,
    pub(super) tokens: u64,
    pub(super) cost: Option<Cost>,
}

/// Cost of a plan so far. A cheap handle.
#[derive(Clone)]
pub(super) struct PlanBudget {
    limits: BudgetLimits,
    prices: Arc<Prices>,
    counter: Arc<UsageCounter>,
    /// First limit that was reached. Locked while a request is begun, so that two cannot both take the last turn.
    ended: Arc<Mutex<Option<Error>>>,
}

impl PlanBudget {
    pub(super) fn new(limits: BudgetLimits, prices: Prices) -> PlanBudget {
        PlanBudget {
            limits,
            prices: Arc::new(prices),
            counter: Arc::default(),
            ended: Arc::default(),
        }
    }

    /// Returns a model whose requests are counted.
    pub(super) fn budgeted(&self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        Arc::new(BudgetedModel { model, budget: self.clone() })
    }

    /// Returns the reached limit, after which no more requests are made.
    pub(super) fn ended(&self) -> Option<Error> {
        lock(&self.ended).clone()
    }

    pub(super) fn turns(&self) -> u64 {
        self.counter.totals().turns
    }

    pub(super) fn usage(&self) -> Usage {
        self.counter.totals().usage
    }

    /// Returns the cost; `None` if a model has no price.
    pub(super) fn cost(&self) -> Option<Cost> {
        self.counter.totals().cost()
    }

    /// Begins one more request of this model, if the budget allows it.
    fn begin(&self, model: &str) -> Result<()> {
        let has_price = self.prices.cost(model, &Usage::default()).is_some();
        let mut ended = lock(&self.ended);
        if !has_price {
            self.counter.add_usage(&Usage::default(), None);
        }
        let totals = self.counter.totals();
        let (tokens, cost) = (totals.tokens(), totals.known_cost());
        let error = match self.limits.cost {
            Some(_) if !has_price => {
                let message =
                    format!("no price of {model} is known, so that its cost cannot be limited");
                return Err(Error::model(message)
                    .hint("give its prices, or limit the plan's tokens instead"));
            }
            Some(most) if cost > most => {
                Some(Error::limit(Resource::ModelCost, most.millionths(), cost.millionths()))
            }
            _ if tokens > self.limits.tokens => {
                Some(Error::limit(Resource::ModelTokens, self.limits.tokens, tokens))
            }
            _ if totals.turns >= self.limits.turns => {
                let turns = self.limits.turns;
                Some(Error::limit(Resource::ModelTurns, turns, turns.saturating_add(1)))
            }
            _ => None,
        };
        let Some(error) = error else {
            self.counter.add_turn();
            return Ok(());
        };
        let error =
            error.at("the plan").hint("allow more, or plan fewer steps; what is done stays");
        ended.get_or_insert_with(|| error.clone());
        Err(error)
    }

    /// Counts a request of this model that was made outside of the budget.
    pub(super) fn add(&self, model: &str, usage: &Usage) {
        self.counter.add_usage(usage, self.prices.cost(model, usage));
    }
}

/// Model whose requests are counted.
struct BudgetedModel {
    model: Arc<dyn ChatModel>,
    budget: PlanBudget,
}

#[async_trait]
impl ChatModel for BudgetedModel {
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
        self.budget.begin(self.model.name())?;
        let answer = self.model.chat(request).await?;
        Ok(Box::pin(answer.inspect(|event| {
            if let Ok(ChatEvent::Usage(usage)) = event {
                self.budget.add(self.model.name(), usage);
            }
        })))
    }
}
