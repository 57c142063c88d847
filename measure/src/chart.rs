//! Line charts as SVG, readable on light and dark pages.

use plotters::prelude::*;

/// A chart of some lines over a logarithmic axis.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Below the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line with its name in the legend.
#[derive(Clone, Debug)]
pub struct Line {
    /// In the legend.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: u32 = 900;
const HEIGHT: u32 = 360;
const COLORS: [RGBColor; 3] = [RGBColor(46, 111, 160), RGBColor(200, 90, 40), RGBColor(90, 140, 60)];

/// Draws charts one below the other.
///
/// # Panics
///
/// If a chart has no point.
pub fn draw(charts: &[Chart]) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT * charts.len() as u32)).into_drawing_area();
        root.fill(&WHITE).expect("drawing into memory");
        for (area, chart) in root.split_evenly((charts.len(), 1)).iter().zip(charts) {
            draw_one(area, chart);
        }
        root.present().expect("drawing into memory");
    }
    svg
}

fn draw_one(area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>, chart: &Chart) {
    let all = || chart.lines.iter().flat_map(|line| &line.points);
    let least = all().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let most = all().map(|point| point.0).fold(0.0, f64::max);
    let top = all().map(|point| point.1).fold(1.0, f64::max) * 1.08;
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d((least..most).log_scale(), 0.0..top)
        .expect("a chart has points");
    context
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(&chart.x)
        .y_desc(&chart.y)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.1}"))
        .draw()
        .expect("drawing into memory");
    let one = [(least, 1.0), (most, 1.0)];
    context.draw_series(LineSeries::new(one, BLACK.mix(0.5))).expect("drawing into memory");
    for (line, color) in chart.lines.iter().zip(COLORS) {
        context
            .draw_series(LineSeries::new(line.points.iter().copied(), color.stroke_width(2)))
            .expect("drawing into memory")
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    context
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .draw()
        .expect("drawing into memory");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_names_its_lines() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![(4.0, 1.0), (64.0, 1.8)] };
        let chart = Chart {
            title: "Speed".to_owned(),
            x: "KiB".to_owned(),
            y: "times".to_owned(),
            lines: vec![line("first"), line("second")],
        };
        let svg = draw(&[chart.clone(), chart]);
        for word in ["Speed", "KiB", "times", "first", "second"] {
            assert_eq!(svg.matches(word).count(), 2, "{word}");
        }
    }
}
