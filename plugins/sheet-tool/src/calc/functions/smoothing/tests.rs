//! Forecasts, compared with those of LibreOffice 7 and with series whose continuation is known.

use super::super::tests::{book, calculated, shown};
use crate::calc::grid::Stop;
use crate::value::Scalar;

/// Around a line.
const TREND: &str = "102.9,108.8,113.1,119.6,117.8,125.1,106.7,120.2,134.6,130.6,139.6,123.7,135.3,132.9,143.1,146.8,136.3,144.2,148.7,167.0,166.4,154.8,173.1,160.3,174.8,166.0,166.0,189.9,177.0,180.2";
/// Passengers of an airline by month, 1949 to 1952 (Box and Jenkins).
const AIRLINE: &str = "112,118,132,129,121,135,148,148,136,119,104,118,115,126,141,135,125,149,170,170,158,133,114,140,145,150,178,163,172,178,199,199,184,162,146,166,171,180,193,181,183,218,230,242,209,191,172,194";
/// Sales by quarter.
const QUARTERS: &str = "362,385,432,341,382,409,498,387,473,513,582,474,544,582,681,557,628,707,773,592,627,725,854,661";

fn value(formula: &str) -> f64 {
    match calculated(&book(), formula).unwrap().cells[..] {
        [Scalar::Number(number)] => number,
        ref other => panic!("{formula}: {other:?}"),
    }
}

fn text(formula: &str) -> String {
    match calculated(&book(), formula) {
        Ok(array) => shown(&array),
        Err(Stop::Unsupported(what)) => what,
        Err(stop) => format!("{stop:?}"),
    }
}

fn timeline(values: &str) -> String {
    format!("{{{values}}},SEQUENCE(1,{})", values.split(',').count())
}

/// Values of LibreOffice, whose search is coarser: without a season the error must not be larger, and forecasts are near.
#[test]
fn forecasts_are_near_those_of_libreoffice() {
    for (data, season, forecasts, root, nearness) in [
        (TREND, 0, [185.407617757333, 188.154701633203, 196.395953260814], 7.32205239479692, 0.01),
        (
            AIRLINE,
            0,
            [195.744680851064, 197.489361702128, 202.723404255319],
            15.8925488831882,
            1e-9,
        ),
        (
            QUARTERS,
            0,
            [751.187142390191, 765.449154038127, 808.235188981933],
            70.7958302288637,
            // A season without its parameter: the error has several minima.
            0.1,
        ),
        // LibreOffice divides the first value by its season, which is added.
        (
            AIRLINE,
            12,
            [197.564614315538, 205.017325412666, 215.815372792443],
            6.78237632006107,
            0.06,
        ),
        (
            QUARTERS,
            4,
            [715.443905460087, 818.543360649429, 783.091077675426],
            29.620634154552,
            0.05,
        ),
    ] {
        let line = timeline(data);
        let count = data.split(',').count();
        for (ahead, expected) in [1, 2, 5].into_iter().zip(forecasts) {
            let found = value(&format!("FORECAST.ETS({},{line},{season})", count + ahead));
            let error = (found - expected).abs() / expected;
            assert!(error <= nearness, "{season} {ahead}: {found}, not {expected}");
        }
        let found = value(&format!("FORECAST.ETS.STAT({line},7,{season})"));
        let more = if season == 0 { 1e-9 } else { 0.05 };
        assert!(found <= root * (1.0 + more), "{season}: {found}, not {root}");
    }
    // Where the weights are one and zero, as in LibreOffice, its other errors are the same.
    let line = timeline(AIRLINE);
    assert_eq!(text(&format!("FORECAST.ETS.STAT({line},{{1,2,3,8}},0)")), "{1.0,0.0,0.0,1.0}");
    for (kind, expected) in [(5, 0.0865516384341796), (6, 13.5482118605704)] {
        let found = value(&format!("FORECAST.ETS.STAT({line},{kind},0)"));
        assert!((found - expected).abs() < 1e-12, "{kind}: {found}");
    }
}

#[test]
fn a_line_and_a_season_go_on() {
    // 3, 5, 7 …
    assert_eq!(text("FORECAST.ETS({7,8,10},{3,5,7,9,11,13},{1,2,3,4,5,6},0)"), "{15.0,17.0,21.0}");
    // Half of a step, and the last value itself.
    assert_eq!(text("FORECAST.ETS({6,6.5},{3,5,7,9,11,13},{1,2,3,4,5,6},0)"), "{13.0,14.0}");
    assert_eq!(text("FORECAST.ETS.CONFINT(9,{3,5,7,9,11,13},{1,2,3,4,5,6},0.9,0)"), "0.0");
    // 10 t with +5, -5, +8, -8.
    let season = "{15,15,38,32,55,55,78,72,95,95,118,112}";
    let found =
        text(&format!("ROUND(FORECAST.ETS({{13,14,15,16,17}},{season},SEQUENCE(1,12),4),9)"));
    assert_eq!(found, "{135.0,135.0,158.0,152.0,175.0}");
    assert_eq!(text(&format!("FORECAST.ETS.SEASONALITY({season},SEQUENCE(1,12))")), "4.0");
    for (data, expected) in [(TREND, 1.0), (AIRLINE, 12.0), (QUARTERS, 4.0)] {
        let line = timeline(data);
        assert_eq!(value(&format!("FORECAST.ETS.SEASONALITY({line})")), expected);
        let automatic = value(&format!("FORECAST.ETS(60,{line})"));
        let season = if expected == 1.0 { 0.0 } else { expected };
        assert_eq!(automatic, value(&format!("FORECAST.ETS(60,{line},{season})")));
    }
}

#[test]
fn the_interval_grows_as_the_model_says() {
    let line = timeline(AIRLINE);
    let root = value(&format!("FORECAST.ETS.STAT({line},7,0)"));
    // A weight of one for the level and of zero for the trend: a random walk with drift.
    for (steps, scale) in [(1, 1.0), (3, 3_f64.sqrt()), (2, 2_f64.sqrt())] {
        let found = value(&format!("FORECAST.ETS.CONFINT({},{line},0.95,0)", 48 + steps));
        assert!((found - 1.959963984540054 * root * scale).abs() < 1e-9, "{steps}: {found}");
    }
    // With all weights, against the sum that the closed form replaces.
    let line = timeline(QUARTERS);
    let weight = |kind: u32| value(&format!("FORECAST.ETS.STAT({line},{kind},4)"));
    let (level, trend, season, root) = (weight(1), weight(2), weight(3), weight(7));
    let mut sum = 1.0;
    for step in 1..11 {
        let turn = if step % 4 == 0 { season * (1.0 - level) } else { 0.0 };
        sum += (level * (1.0 + trend * f64::from(step)) + turn).powi(2);
    }
    let found = value(&format!("FORECAST.ETS.CONFINT(35,{line},0.95,4)"));
    let expected = 1.959963984540054 * root * f64::sqrt(sum);
    assert!((found - expected).abs() < 1e-9 * expected, "{found}, not {expected}");
}

#[test]
fn timelines_have_one_step() {
    for (formula, expected) in [
        // In any order.
        ("FORECAST.ETS(7,{11,5,7,9,3,13},{5,2,3,4,1,6},0)", "15.0"),
        // The first of each month, although months have several lengths.
        (
            "FORECAST.ETS(DATE(2024,{7,9},1),{3,5,7,9,11,13},DATE(2024,{1,2,3,4,5,6},1),0)",
            "{15.0,19.0}",
        ),
        ("FORECAST.ETS.STAT({3,5,7,9},DATE({2020,2021,2022,2023},5,1),8,0)", "12.0"),
        ("FORECAST.ETS.STAT({3,5,7,9},{2,4,6,8},8,0)", "2.0"),
        // Missing values: the mean of the neighbours, or zero.
        ("FORECAST.ETS(7,{3,5,9,11,13},{1,2,4,5,6},0)", "15.0"),
        ("ROUND(FORECAST.ETS.STAT({1,1,1,1,1},{1,2,4,5,6},{6,8},0,0),9)", "{0.2,1.0}"),
        ("FORECAST.ETS(7,{3,9,11},{1,4,5},0)", "#NUM!"),
        // Several values at one time.
        ("FORECAST.ETS(5,{2,4,5,7,9},{1,1,2,3,4},0)", "11.0"),
        ("FORECAST.ETS(5,{1,2,5,7,9},{1,1,2,3,4},0,1,7)", "11.0"),
        ("FORECAST.ETS(5,{1,3,5,7,9},{1,1,2,3,4},0,1,4)", "11.0"),
        ("FORECAST.ETS(5,{3,4,5,7,9},{1,1,2,3,4},0,1,6)", "11.0"),
        ("FORECAST.ETS(5,{0,3,9,5,7,9},{1,1,1,2,3,4},0,1,5)", "11.0"),
        ("FORECAST.ETS(5,{1,1,1},{1,2,3},0,1,2)", "1.0"),
        // Errors of Microsoft's page.
        ("FORECAST.ETS(5,{1,2,3},{1,2,3.5},0)", "#NUM!"),
        ("FORECAST.ETS(2,{1,2,3},{1,2,3},0)", "#NUM!"),
        ("FORECAST.ETS(5,{1,2,3},{1,2},0)", "#N/A"),
        ("FORECAST.ETS(5,{1,2,3},{1,2,3},-1)", "#NUM!"),
        ("FORECAST.ETS(5,{1,2,3},{1,2,3},8761)", "#NUM!"),
        ("FORECAST.ETS(5,{1,2,3},{1,2,3},2)", "#NUM!"),
        ("FORECAST.ETS(5,{1,2,3},{1,2,3},0,2)", "#NUM!"),
        ("FORECAST.ETS(5,{1,2,3},{1,2,3},0,1,8)", "#NUM!"),
        ("FORECAST.ETS(5,{1},{1},0)", "#NUM!"),
        ("FORECAST.ETS.CONFINT(5,{1,2,3},{1,2,3},1,0)", "#NUM!"),
        ("FORECAST.ETS.STAT({1,2,3},{1,2,3},9,0)", "#NUM!"),
        ("FORECAST.ETS.STAT({1,1,1},{1,2,3},4,0)", "#DIV/0!"),
        ("FORECAST.ETS(5,{1,\"x\",3},{1,2,3},0)", "FORECAST.ETS with cells that are not numbers"),
    ] {
        assert_eq!(text(formula), expected, "{formula}");
    }
}

#[test]
fn long_series_end_at_the_limit() {
    let formula = "FORECAST.ETS(300001,SIN(SEQUENCE(300000)),SEQUENCE(300000),0)";
    assert_eq!(text(formula), "Limit");
    let formula = "FORECAST.ETS.SEASONALITY(SIN(SEQUENCE(90000)),SEQUENCE(90000))";
    assert_eq!(text(formula), "Limit");
}
