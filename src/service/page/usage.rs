//! `/v1/usage`: what the models of a tenant's runs used, day by day.

use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::{Answered, Request, Responds, json, schema_of};
use crate::problem::Problem;
use crate::run::{UsedDay, dollars};
use crate::service::{Endpoint, Service};

/// Days, if the client names no number.
const DEFAULT_DAYS: u64 = 30;
/// Most days.
const MOST_DAYS: u64 = 366;

/// What the models of a tenant's runs used.
#[derive(JsonSchema, Serialize)]
struct UsageReport {
    /// The days (UTC), oldest first, today last. Days without a run are there too.
    days: Vec<UsageDay>,
    /// Today.
    today: UsageDay,
}

/// What models used on one day.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
struct UsageDay {
    /// The day, such as `2026-11-27`.
    day: String,
    /// Tokens of requests and answers together.
    tokens: u64,
    /// Cost in dollars of the models whose price is known, such as `0.12`.
    dollars: String,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Returns what models used, day by day.";
    let get = Endpoint::new("usage", Method::GET, "/v1/usage", "get_usage", summary, get)
        .query(&[("days", "Number of days up to today, up to 366. Default: 30.")])
        .responds(Responds::Json(200, schema_of::<UsageReport>()));
    vec![get]
}

async fn get(service: Service, request: Request) -> Answered {
    let days = match request.query_number("days")?.unwrap_or(DEFAULT_DAYS) {
        days @ 1..=MOST_DAYS => days,
        other => {
            let detail = format!("`days`: expected 1 to {MOST_DAYS}, got {other}");
            return Err(Problem::bad("invalid_query", detail));
        }
    };
    let used = service.runs().usage(&request.tenant(), days).await?;
    Ok(json(200, &report(used)?))
}

fn report(used: Vec<UsedDay>) -> Result<UsageReport, Problem> {
    let days: Vec<UsageDay> = used.into_iter().map(of).collect();
    match days.last().cloned() {
        Some(today) => Ok(UsageReport { days, today }),
        None => Err(Problem::internal(&mitt_base::Error::bug("no day was read"))),
    }
}

fn of(UsedDay { day, tokens, picodollars }: UsedDay) -> UsageDay {
    UsageDay { day, tokens, dollars: dollars(picodollars) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn today_is_the_last_day() {
        let used = |day: &str, tokens| UsedDay {
            day: day.to_owned(),
            tokens,
            picodollars: tokens * 1_000_000_000,
        };
        let report = report(vec![used("2026-11-26", 0), used("2026-11-27", 120)]).unwrap();
        assert_eq!(report.days.len(), 2);
        let today = UsageDay { day: "2026-11-27".into(), tokens: 120, dollars: "0.12".into() };
        assert_eq!(report.today, today);
    }

    #[test]
    fn the_document_of_the_usage_is_whole() {
        crate::http::checked(&endpoints());
    }
}
