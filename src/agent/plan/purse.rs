//! What all models of a plan may cost together: each request is counted before it is sent, whoever sends it.
//!
//! Knows requests and what they cost; nothing of steps.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::StreamExt as _;

use crate::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Cost, Prices, Usage};
use mitt::schema::lower::Dialect;
use mitt_base::{Error, Resource, Result, lock};

/// What a plan may cost.
#[derive(Clone, Debug)]
pub(super) struct Most {
    pub(super) turns: u64,
    pub(super) tokens: u64,
    pub(super) cost: Option<Cost>,
}

/// What a plan has cost so far. A cheap handle.
#[derive(Clone)]
pub(super) struct Purse {
    most: Most,
    prices: Arc<Prices>,
    spent: Arc<Mutex<Spent>>,
}

#[derive(Debug, Default)]
struct Spent {
    turns: u64,
    usage: Usage,
    cost: Cost,
    /// Whether a model without a price was asked.
    has_unpriced: bool,
    /// What there was no more for, the first time.
    ended: Option<Error>,
}

impl Purse {
    pub(super) fn new(most: Most, prices: Prices) -> Purse {
        Purse { most, prices: Arc::new(prices), spent: Arc::default() }
    }

    /// A model that pays for its requests.
    pub(super) fn paid(&self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        Arc::new(Paid { model, purse: self.clone() })
    }

    /// Why nothing more may be asked, once that is so.
    pub(super) fn ended(&self) -> Option<Error> {
        lock(&self.spent).ended.clone()
    }

    pub(super) fn turns(&self) -> u64 {
        lock(&self.spent).turns
    }

    pub(super) fn usage(&self) -> Usage {
        lock(&self.spent).usage
    }

    /// What it cost, if every model has a price.
    pub(super) fn cost(&self) -> Option<Cost> {
        let spent = lock(&self.spent);
        (!spent.has_unpriced).then_some(spent.cost)
    }

    /// One more request of this model, if there is enough left for any.
    fn begin(&self, model: &str) -> Result<()> {
        let has_price = self.prices.cost(model, &Usage::default()).is_some();
        let mut spent = lock(&self.spent);
        spent.has_unpriced |= !has_price;
        let tokens = spent.usage.input.saturating_add(spent.usage.output);
        let error = match self.most.cost {
            Some(_) if !has_price => {
                let message =
                    format!("no price of {model} is known, so that its cost cannot be limited");
                return Err(Error::model(message)
                    .hint("give its prices, or limit the plan's tokens instead"));
            }
            Some(most) if spent.cost > most => {
                let (most, cost) = (most.millionths(), spent.cost.millionths());
                Some(Error::limit(Resource::ModelCost, most, cost))
            }
            _ if tokens > self.most.tokens => {
                Some(Error::limit(Resource::ModelTokens, self.most.tokens, tokens))
            }
            _ if spent.turns >= self.most.turns => {
                let turns = self.most.turns;
                Some(Error::limit(Resource::ModelTurns, turns, turns.saturating_add(1)))
            }
            _ => None,
        };
        let Some(error) = error else {
            spent.turns += 1;
            return Ok(());
        };
        let error =
            error.at("the plan").hint("allow more, or plan fewer steps; what is done stays");
        spent.ended.get_or_insert_with(|| error.clone());
        Err(error)
    }

    fn add(&self, model: &str, usage: &Usage) {
        let cost = self.prices.cost(model, usage);
        let mut spent = lock(&self.spent);
        let all = &mut spent.usage;
        for (sum, more) in [
            (&mut all.input, usage.input),
            (&mut all.cached, usage.cached),
            (&mut all.cache_written, usage.cache_written),
            (&mut all.output, usage.output),
            (&mut all.reasoning, usage.reasoning),
        ] {
            *sum = sum.saturating_add(more);
        }
        spent.cost += cost.unwrap_or_default();
    }
}

/// A model whose requests are counted.
struct Paid {
    model: Arc<dyn ChatModel>,
    purse: Purse,
}

#[async_trait]
impl ChatModel for Paid {
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

    fn redacted(&self, text: &str) -> String {
        self.model.redacted(text)
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        self.purse.begin(self.model.name())?;
        let answer = self.model.chat(request).await?;
        Ok(Box::pin(answer.inspect(|event| {
            if let Ok(ChatEvent::Usage(usage)) = event {
                self.purse.add(self.model.name(), usage);
            }
        })))
    }
}
