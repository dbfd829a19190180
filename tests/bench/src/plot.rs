//! Draws the first read of each app: three bars on a logarithmic scale.

use std::fmt::Write;

use crate::figures::{Figures, Row};
use crate::table;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 78.0;
const BOTTOM: f64 = 34.0;
const BAR: f64 = 9.0;
const GROUP: f64 = 3.0 * BAR + 13.0;

const OURS: &str = "#1f5fbf";
const PYATSPI: &str = "#d08a2e";
const DOGTAIL: &str = "#8b95a1";

/// Returns an SVG of the first read of all apps.
pub(crate) fn first_look(rows: &[Row]) -> String {
    let scale = Scale::over(rows);
    let height = TOP + GROUP * rows.len() as f64 + BOTTOM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <title>First read of each app: Deskhand, pyatspi and dogtail</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">First read of an app, \
         milliseconds (logarithmic, shorter is better)</text>\n"
    );
    legend(&mut svg);
    grid(&mut svg, &scale, height);
    for (at, row) in rows.iter().enumerate() {
        let top = TOP + GROUP * at as f64 + 6.0;
        text(&mut svg, LEFT - 10.0, top + BAR * 1.5, "end", &row.name);
        let nodes = format!("{} elements", row.nodes);
        small(&mut svg, LEFT - 10.0, top + BAR * 1.5 + 13.0, "end", &nodes);
        let bars = [
            (&row.first_read.ours, OURS),
            (&row.first_read.pyatspi, PYATSPI),
            (&row.first_read.dogtail, DOGTAIL),
        ];
        for (line, (figures, colour)) in bars.into_iter().enumerate() {
            bar(&mut svg, &scale, figures, colour, top + BAR * line as f64);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The horizontal axis.
struct Scale {
    first: i32,
    last: i32,
}

impl Scale {
    /// Returns a scale of whole powers of ten around all times.
    fn over(rows: &[Row]) -> Self {
        let sides = rows.iter().flat_map(|row| {
            [row.first_read.ours.p50(), row.first_read.pyatspi.p50(), row.first_read.dogtail.p50()]
        });
        let times: Vec<f64> = sides.flatten().collect();
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let most = times.iter().copied().fold(10.0, f64::max);
        let first = if least.is_finite() { least.log10().floor() as i32 } else { 0 };
        Self { first, last: (most.log10().ceil() as i32).max(first + 1) }
    }

    fn x(&self, ms: f64) -> f64 {
        let part = (ms.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }
}

// Writing to a `String` cannot fail, so the results of `write!` below are ignored.

fn legend(svg: &mut String) {
    for (at, (name, colour)) in
        [("Deskhand", OURS), ("pyatspi", PYATSPI), ("dogtail", DOGTAIL)].into_iter().enumerate()
    {
        let x = LEFT + 110.0 * at as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"41\" width=\"14\" height=\"10\" fill=\"{colour}\"/>"
        );
        text(svg, x + 20.0, 50.0, "start", name);
    }
}

fn grid(svg: &mut String, scale: &Scale, height: f64) {
    for power in scale.first..=scale.last {
        let ms = 10_f64.powi(power);
        let (x, end) = (scale.x(ms), height - BOTTOM + 4.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{end:.1}\" stroke=\"#ddd\"/>",
            TOP - 4.0
        );
        let label = if ms >= 1_000.0 { format!("{:.0} s", ms / 1e3) } else { format!("{ms} ms") };
        small(svg, x, end + 15.0, "middle", &label);
    }
}

fn bar(svg: &mut String, scale: &Scale, figures: &Figures, colour: &str, y: f64) {
    let Some(ms) = figures.p50() else {
        small(svg, LEFT + 4.0, y + BAR - 1.0, "start", "not measured");
        return;
    };
    let width = (scale.x(ms) - LEFT).max(1.0);
    let _ = writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
        BAR - 1.0
    );
    small(svg, LEFT + width + 5.0, y + BAR - 1.0, "start", &table::time(figures));
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn small(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"10\" \
         fill=\"#555\">{words}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_logarithmic() {
        let scale = Scale { first: 0, last: 4 };
        let step = scale.x(10.0) - scale.x(1.0);
        assert!((scale.x(1_000.0) - scale.x(100.0) - step).abs() < 1e-9);
        assert!((scale.x(1.0) - LEFT).abs() < 1e-9);
    }
}
