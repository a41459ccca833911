//! Builds the request to the host for a call.

use crate::bindings::exports::mitt::chart_tool::tools::ChartOptions;
use crate::bindings::mitt::host::render::{ChartDescription, ChartForm, ChartStacking};

const EXTENSIONS: [&str; 2] = ["png", "svg"];
const DEFAULT_NAME: &str = "chart.png";
const DEFAULT_WIDTH: u32 = 640;
/// Two pixels of the file for one of the chart, so that it is sharp on screens with a high resolution.
const DEFAULT_SCALE: f64 = 2.0;

/// Returns the description and the name of the file.
///
/// # Errors
/// The problem of the call.
pub(crate) fn plan(
    form: ChartForm,
    filename: Option<String>,
    options: Option<ChartOptions>,
) -> Result<(ChartDescription, String), String> {
    // Models often send an empty string for an omitted argument.
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let filename = given(filename).unwrap_or_else(|| DEFAULT_NAME.to_owned());
    mitt_guest::check_filename(&filename, &EXTENSIONS)
        .map_err(|problem| format!("filename: {problem}"))?;
    let options = options.unwrap_or_else(nothing);
    let description = ChartDescription {
        form,
        stacking: options.stacking.unwrap_or(ChartStacking::Apart),
        title: given(options.title),
        subtitle: given(options.subtitle),
        source: given(options.source),
        category: given(options.category),
        values: options.values.unwrap_or_default(),
        lines: options.lines.unwrap_or_default(),
        second: options.second.unwrap_or_default(),
        category_title: given(options.category_title),
        value_title: given(options.value_title),
        second_title: given(options.second_title),
        format: given(options.format),
        second_format: given(options.second_format),
        labels: options.labels,
        width: options.width.unwrap_or(DEFAULT_WIDTH),
        height: options.height,
        scale: options.scale.unwrap_or(DEFAULT_SCALE),
    };
    Ok((description, filename))
}

fn nothing() -> ChartOptions {
    ChartOptions {
        title: None,
        subtitle: None,
        source: None,
        category: None,
        values: None,
        lines: None,
        second: None,
        stacking: None,
        category_title: None,
        value_title: None,
        second_title: None,
        format: None,
        second_format: None,
        labels: None,
        width: None,
        height: None,
        scale: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{nothing, plan};
    use crate::bindings::exports::mitt::chart_tool::tools::ChartOptions;
    use crate::bindings::mitt::host::render::{ChartForm, ChartStacking};

    #[test]
    fn what_is_left_out_has_a_default() {
        let (made, name) = plan(ChartForm::Line, Some(" ".into()), None).unwrap();
        assert_eq!((&*name, made.width, made.height, made.scale), ("chart.png", 640, None, 2.0));
        assert_eq!(
            (made.stacking, made.labels, made.values.len()),
            (ChartStacking::Apart, None, 0)
        );
    }

    #[test]
    fn options_reach_the_host_and_empty_ones_do_not() {
        let options = ChartOptions {
            title: Some("T".into()),
            source: Some("  ".into()),
            second: Some(vec!["Growth".into()]),
            stacking: Some(ChartStacking::Full),
            scale: Some(3.0),
            ..nothing()
        };
        let (made, name) = plan(ChartForm::Column, Some("图.SVG".into()), Some(options)).unwrap();
        assert_eq!((&*name, made.title.as_deref(), made.source), ("图.SVG", Some("T"), None));
        assert_eq!(
            (made.stacking, made.scale, made.second),
            (ChartStacking::Full, 3.0, vec!["Growth".to_owned()])
        );
    }

    #[test]
    fn other_files_are_refused() {
        let refused = plan(ChartForm::Pie, Some("a.pdf".into()), None).err();
        assert_eq!(
            refused.as_deref(),
            Some("filename: expected a name that ends in `.png`, `.svg`, got `a.pdf`")
        );
    }
}
