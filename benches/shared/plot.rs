//! Draws line charts into SVG files.

use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

const CHART_SIZE: (u32, u32) = (720, 420);
const FONT: &str = "sans-serif";
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(0, 158, 115), RGBColor(213, 94, 0), RGBColor(120, 120, 120)];

/// Series of points.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// True if a line connects the points.
    pub(crate) is_joined: bool,
}

/// Caption and axes of a chart.
pub(crate) struct Chart<'a> {
    pub(crate) caption: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    /// True for logarithmic axes. Linear axes start at 0.
    pub(crate) is_logarithmic: bool,
}

/// Draws the chart into an SVG file.
pub(crate) fn draw_chart(
    path: &Path,
    chart: &Chart<'_>,
    lines: &[Line],
) -> Result<(), Box<dyn Error>> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let maximum = |part: &dyn Fn(&(f64, f64)) -> f64| points().map(part).fold(1.0, f64::max);
    let minimum = |part: &dyn Fn(&(f64, f64)) -> f64| points().map(part).fold(f64::MAX, f64::min);
    let (right, top) = (maximum(&|point| point.0), maximum(&|point| point.1));
    let root = SVGBackend::new(path, CHART_SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut builder = ChartBuilder::on(&root);
    builder.caption(chart.caption, (FONT, 18)).margin(12);
    builder.x_label_area_size(40).y_label_area_size(56);
    if chart.is_logarithmic {
        let (x, y) = (minimum(&|point| point.0), minimum(&|point| point.1));
        let (x, y) = ((x..right * 1.1).log_scale(), (y * 0.8..top * 1.3).log_scale());
        draw_series(builder.build_cartesian_2d(x, y)?, chart, lines)?;
    } else {
        draw_series(builder.build_cartesian_2d(0.0..right * 1.05, 0.0..top * 1.2)?, chart, lines)?;
    }
    root.present()?;
    Ok(())
}

/// Drawing area between two axes.
type Room<'a, X, Y> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>;

/// Draws the mesh, the lines and the legend.
fn draw_series<X, Y>(
    mut chart: Room<'_, X, Y>,
    labels: &Chart<'_>,
    lines: &[Line],
) -> Result<(), Box<dyn Error>>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(labels.x_label)
        .y_desc(labels.y_label)
        .x_label_formatter(&|value| format_number(*value))
        .y_label_formatter(&|value| format_number(*value))
        .label_style((FONT, 13))
        .draw()?;
    for (line, colour) in lines.iter().zip(COLOURS) {
        let style = colour.stroke_width(2);
        let key = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style);
        let joined = if line.is_joined { line.points.clone() } else { Vec::new() };
        chart.draw_series(LineSeries::new(joined, style))?.label(&line.name).legend(key);
        let dot = |point: &(f64, f64)| Circle::new(*point, 3, colour.filled());
        chart.draw_series(line.points.iter().map(dot))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(RGBColor(200, 200, 200))
        .label_font((FONT, 13))
        .draw()?;
    Ok(())
}

/// Formats a number without rounding errors.
fn format_number(value: f64) -> String {
    format!("{}", (value * 1e4).round() / 1e4)
}
