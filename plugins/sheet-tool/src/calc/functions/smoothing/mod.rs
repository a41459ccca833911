//! Forecasts by exponential smoothing. Excel names the model (AAA: error, trend and season are added), but neither its first
//! state nor its search for the parameters. Here they are those of textbooks, so results can differ from Excel's; callers warn.

mod fit;
mod series;

use super::distributions::numeric::normal_inverse;
use super::{Whole, number, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Value};
use crate::calc::grid::Stop;
use crate::value::{ErrorCode, Scalar};
use fit::Fit;
use series::{Aggregation, Series};

/// Longest season, the hours of a year, as in Excel.
const MAX_SEASON: f64 = 8_760.0;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "FORECAST.ETS" => (3, 6, |e, v| {
            let (series, fit) = want!(fitted(e, &v[1..3], &v[3..])?);
            e.lift_one(v[0].clone(), &|target| {
                let ahead = series.steps_ahead(coerce::number(target)?)?;
                let last = series.values.last().copied().unwrap_or(0.0);
                coerce::finite(between(ahead, |steps| match steps {
                    0 => last,
                    steps => fit.forecast(steps),
                }))
            })
        }),
        "FORECAST.ETS.CONFINT" => (3, 7, |e, v| {
            let level = want!(number(e, v.get(3), 0.95)?);
            if level <= 0.0 || level >= 1.0 {
                return Ok(Value::error(ErrorCode::Num));
            }
            let (series, fit) = want!(fitted(e, &v[1..3], v.get(4..).unwrap_or_default())?);
            let quantile = normal_inverse(0.5 + level / 2.0);
            e.lift_one(v[0].clone(), &|target| {
                let ahead = series.steps_ahead(coerce::number(target)?)?;
                coerce::finite(quantile * between(ahead, |steps| fit.deviation(steps)))
            })
        }),
        "FORECAST.ETS.SEASONALITY" => (2, 4, |e, v| {
            let series = want!(series_of(e, &v[..2], &v[2..])?);
            let season = fit::season_of(e.grid, &series.values)?;
            e.environment.has_forecasts.set(true);
            Ok(Value::number(season.max(1) as f64))
        }),
        "FORECAST.ETS.STAT" => (3, 6, |e, v| {
            let (series, fit) = want!(fitted(e, &v[..2], &v[3..])?);
            let errors = fit.errors(&series.values);
            e.lift_one(v[2].clone(), &|kind| match coerce::integer(kind)? {
                1 => Ok(Scalar::Number(fit.level_weight)),
                2 => Ok(Scalar::Number(fit.trend_weight)),
                3 => Ok(Scalar::Number(fit.season_weight)),
                4 => errors.scaled().and_then(coerce::finite),
                5 => coerce::finite(errors.symmetric),
                6 => coerce::finite(errors.absolute),
                7 => coerce::finite(errors.square.sqrt()),
                8 => Ok(Scalar::Number(series.step)),
                _ => Err(ErrorCode::Num),
            })
        }),
        _ => return None,
    })
}

/// Returns the value at a number of steps that need not be whole.
fn between(ahead: f64, at: impl Fn(usize) -> f64) -> f64 {
    let whole = ahead.floor();
    let (part, first) = (ahead - whole, at(whole as usize));
    if part < 1e-9 { first } else { first + part * (at(whole as usize + 1) - first) }
}

/// Reads values, timeline and the options behind them (season, completion, aggregation), and fits the model.
fn fitted(
    e: &mut Evaluator<'_>,
    data: &[Value],
    options: &[Value],
) -> Result<Result<(Series, Fit), ErrorCode>, Stop> {
    let season = match number(e, options.first(), 1.0)? {
        Ok(season) => season.trunc(),
        Err(code) => return Ok(Err(code)),
    };
    if !(0.0..=MAX_SEASON).contains(&season) {
        return Ok(Err(ErrorCode::Num));
    }
    let series = match series_of(e, data, options.get(1..).unwrap_or_default())? {
        Ok(series) => series,
        Err(code) => return Ok(Err(code)),
    };
    let season = match season as usize {
        1 => fit::season_of(e.grid, &series.values)?,
        season => season,
    };
    if series.values.len() < 2 * season {
        return Ok(Err(ErrorCode::Num));
    }
    let fit = Fit::of(e.grid, &series.values, season)?;
    e.environment.has_forecasts.set(true);
    Ok(Ok((series, fit)))
}

/// Reads values, timeline and the options behind them (completion, aggregation).
fn series_of(
    e: &mut Evaluator<'_>,
    data: &[Value],
    options: &[Value],
) -> Result<Result<Series, ErrorCode>, Stop> {
    let (values, timeline) = (e.as_values(&data[0])?, e.as_values(&data[1])?);
    if values.cells.len() != timeline.cells.len() {
        return Ok(Err(ErrorCode::NotAvailable));
    }
    let mut points = Vec::with_capacity(values.cells.len());
    for (time, value) in timeline.cells.iter().zip(&values.cells) {
        match (time, value) {
            (Scalar::Error(code), _) | (_, Scalar::Error(code)) => return Ok(Err(*code)),
            (Scalar::Number(time), Scalar::Number(value)) => points.push((*time, *value)),
            _ => {
                return Err(Stop::Unsupported(
                    "FORECAST.ETS with cells that are not numbers".to_owned(),
                ));
            }
        }
    }
    let completion = match number(e, options.first(), 1.0)? {
        Ok(completion) => completion.trunc(),
        Err(code) => return Ok(Err(code)),
    };
    let aggregation = match number(e, options.get(1), 1.0)? {
        Ok(number) => Aggregation::of(number.trunc()),
        Err(code) => return Ok(Err(code)),
    };
    let (Some(aggregation), 0.0 | 1.0) = (aggregation, completion) else {
        return Ok(Err(ErrorCode::Num));
    };
    let from_1904 = e.environment.from_1904;
    Ok(Series::of(points, completion == 1.0, aggregation, from_1904))
}

#[cfg(test)]
mod tests;
