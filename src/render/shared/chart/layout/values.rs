//! Values written at columns and lines, if they fit.

use super::super::palette::{self, INK};
use super::super::scene::Anchor;
use super::columns::Places;
use super::{Area, Drawing};
use crate::model::chart::description::{ChartLabels, ChartRole, ChartStack};
use crate::model::chart::format::{ChartFormat, NumberStyle, Numbers};
use crate::model::chart::scale::Scale;

impl Drawing<'_> {
    /// Returns the format of values at bars.
    pub(super) fn value_numbers(&self, is_second: bool) -> Numbers {
        let format = if is_second { &self.chart.second_format } else { &self.chart.format };
        let indices = self.series_on(is_second);
        let mut values = indices
            .iter()
            .flat_map(|index| self.chart.series[*index].values.iter().flatten())
            .map(|value| value.get());
        Numbers::of_values(format, &mut values, self.is_chinese)
    }

    /// Returns the format of shares.
    pub(super) fn share_numbers(&self, shares: &mut dyn Iterator<Item = f64>) -> Numbers {
        let shares: Vec<f64> = shares.collect();
        let is_whole =
            shares.iter().all(|share| (share * 100.0 - (share * 100.0).round()).abs() < 1e-9);
        // One decimal distinguishes many small parts.
        let decimals = Some(u8::from(!is_whole));
        let format =
            ChartFormat { style: NumberStyle::Percent, decimals, ..ChartFormat::default() };
        Numbers::of_values(&format, &mut shares.into_iter(), self.is_chinese)
    }

    /// Draws values above columns, and within the parts of stacked ones.
    pub(super) fn column_values(&mut self, places: &Places, scale: &Scale) {
        if self.chart.kind != crate::model::chart::description::ChartShape::Column
            || !self.writes_values()
        {
            return;
        }
        let main = self.main_series();
        let (all, each) = self.thickness(places.step);
        if self.is_stacked() {
            self.stacked_values(&main, places, all, scale);
            return;
        }
        let numbers = self.value_numbers(false);
        let room = if main.len() == 1 { places.step - 4.0 } else { each + 1.0 };
        let texts = self.texts(&main, &numbers);
        let widest = texts.iter().map(|(.., text)| Self::VALUE.width(text)).fold(0.0, f64::max);
        // All or none: a missing value would look like a gap.
        if widest > room && self.chart.labels != ChartLabels::All {
            return;
        }
        for (number, at, text) in texts {
            if Self::VALUE.width(&text) > room.max(places.step - 2.0) {
                continue;
            }
            let Some(value) = self.value(main[number], at) else { continue };
            let x = places.at(at) - all / 2.0 + each * (number as f64 + 0.5);
            let y = scale.at(value);
            let y = if value < 0.0 { y + Self::VALUE.line() * 0.75 + 3.0 } else { y - 4.5 };
            // No line of the grid goes through it.
            let width = Self::VALUE.width(&text) + 2.0;
            self.scene.rectangle(x - width / 2.0, y - 9.5, width, 11.5, palette::WHITE);
            self.scene.text((x, y), &text, Self::VALUE, INK, Anchor::Middle);
        }
    }

    /// Returns the values of some series as text: index among them, position, text.
    pub(super) fn texts(&self, series: &[usize], numbers: &Numbers) -> Vec<(usize, usize, String)> {
        let mut texts = Vec::new();
        for (number, index) in series.iter().enumerate() {
            for at in 0..self.chart.len() {
                if let Some(value) = self.value(*index, at) {
                    texts.push((number, at, numbers.text(value)));
                }
            }
        }
        texts
    }

    fn stacked_values(&mut self, main: &[usize], places: &Places, width: f64, scale: &Scale) {
        let parts: Vec<_> = (0..self.chart.len()).map(|at| self.stack(main, at)).collect();
        let numbers = match self.chart.stack {
            ChartStack::Full => {
                self.share_numbers(&mut parts.iter().flatten().map(|(_, part)| part.to - part.from))
            }
            _ => self.value_numbers(false),
        };
        for (at, parts) in parts.into_iter().enumerate() {
            for (index, part) in parts {
                let (a, b) = (scale.at(part.from), scale.at(part.to));
                let text = numbers.text(part.to - part.from);
                if (a - b).abs() < Self::VALUE.line() || Self::VALUE.width(&text) > width - 2.0 {
                    continue;
                }
                let at = (places.at(at), (a + b) / 2.0 + Self::VALUE.drop());
                self.scene.text(at, &text, Self::VALUE, palette::ink_on(index), Anchor::Middle);
            }
        }
    }

    /// Draws values at the points of lines, if they were requested, without overlaps.
    pub(super) fn line_values(
        &mut self,
        plot: Area,
        places: &Places,
        first: &Scale,
        second: Option<&Scale>,
    ) {
        if self.chart.labels != ChartLabels::All {
            return;
        }
        let mut taken: Vec<(f64, f64, f64)> = Vec::new();
        for index in 0..self.chart.series.len() {
            let role = self.chart.series[index].role;
            if !self.is_line(index)
                && (role == ChartRole::Main && (self.has_columns() || self.is_stacked()))
            {
                continue;
            }
            let is_second = role == ChartRole::Second;
            let numbers = self.value_numbers(is_second);
            let scale = if is_second { second.unwrap_or(first) } else { first };
            for at in 0..self.chart.len().min(200) {
                let Some(value) = self.value(index, at) else { continue };
                let text = numbers.text(value);
                let half = Self::VALUE.width(&text) / 2.0;
                let x = places.at(at);
                let line = Self::VALUE.line();
                // Above the point, or below it.
                let heights = [scale.at(value) - 8.0, scale.at(value) + line];
                let is_free = |y: &f64| {
                    *y - line > plot.top - 2.0 * line
                        && *y < plot.bottom
                        && taken.iter().all(|(tx, ty, th)| {
                            (tx - x).abs() > th + half + 2.0 || (ty - y).abs() > line
                        })
                };
                let Some(y) = heights.into_iter().find(is_free) else { continue };
                taken.push((x, y, half));
                self.scene.text(
                    (x, y),
                    &text,
                    Self::VALUE,
                    palette::text_color(index),
                    Anchor::Middle,
                );
            }
        }
    }
}
