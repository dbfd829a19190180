//! Draws the time of one command in a plain shell and in the sandbox.

use std::fmt::Write;

use super::figures::Report;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 80.0;
const TOP: f64 = 56.0;
const BAR: f64 = 22.0;

const MIDDLE: &str = "#1f5fbf";
const P95_COLOR: &str = "#a9c3ea";

/// Returns an SVG of the median and the 95th percentile.
pub(crate) fn command(report: &Report) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <title>One command, plain and in the sandbox</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">echo hi, milliseconds (shorter is \
         better)</text>\n"
    );
    let bars = [
        ("plain shell, p50", report.plain.p50(), MIDDLE),
        ("plain shell, p95", report.plain.p95(), P95_COLOR),
        ("sandboxed_shell, p50", report.ours.p50(), MIDDLE),
        ("sandboxed_shell, p95", report.ours.p95(), P95_COLOR),
    ];
    let most = bars.iter().filter_map(|(_, ms, _)| *ms).fold(0.001, f64::max);
    for (at, (name, ms, colour)) in bars.into_iter().enumerate() {
        let Some(ms) = ms else { continue };
        let y = TOP + (BAR + 8.0) * at as f64;
        let width = (ms / most * (WIDTH - LEFT - RIGHT)).max(1.0);
        // Writing to a `String` cannot fail, so the results of `write!` are ignored.
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text><rect x=\"{LEFT}\" y=\"{y:.1}\" \
             width=\"{width:.1}\" height=\"{BAR}\" fill=\"{colour}\"/><text x=\"{:.1}\" \
             y=\"{:.1}\">{ms:.2}</text>",
            LEFT - 10.0,
            y + BAR - 7.0,
            LEFT + width + 6.0,
            y + BAR - 7.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
