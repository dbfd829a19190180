//! Draws a ping and a call of each server on a logarithmic scale.

use std::fmt::Write;

use super::figures::{Report, best};
use super::servers::Implementation;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 78.0;
const BAR: f64 = 12.0;
const GROUP: f64 = 2.0 * BAR + 12.0;

const PING: &str = "#1f5fbf";
const CALL: &str = "#d08a2e";

/// The first and last power of ten on the axis, in milliseconds.
const POWERS: (i32, i32) = (-2, 2);

/// Returns an SVG of the best rounds of all servers.
pub(crate) fn messages(report: &Report) -> String {
    let height = TOP + GROUP * report.rows.len() as f64 + 34.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <title>A ping and a call of each MCP server</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">One message and its answer, \
         milliseconds (logarithmic, shorter is better)</text>\n"
    );
    for (at, (name, colour)) in [("ping", PING), ("tool call", CALL)].into_iter().enumerate() {
        let x = LEFT + 110.0 * at as f64;
        // Writing to a `String` cannot fail, so the results of `write!` are ignored.
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"41\" width=\"14\" height=\"10\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"50\">{name}</text>",
            x + 20.0
        );
    }
    for power in POWERS.0..=POWERS.1 {
        let (ms, end) = (10_f64.powi(power), height - 30.0);
        let x = place(ms);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{end:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\" \
             fill=\"#555\">{ms} ms</text>",
            TOP - 4.0,
            end + 15.0
        );
    }
    for (at, row) in report.rows.iter().enumerate() {
        let top = TOP + GROUP * at as f64;
        let weight = if row.implementation == Implementation::Deskhand { "bold" } else { "normal" };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" font-weight=\"{weight}\">{}, {}</text>",
            LEFT - 10.0,
            top + BAR + 4.0,
            row.implementation.name(),
            row.transport.name()
        );
        for (line, (rounds, colour)) in [(&row.ping, PING), (&row.call, CALL)].iter().enumerate() {
            let Some(ms) = best(rounds).p50() else { continue };
            let (y, width) = (top + BAR * line as f64, (place(ms) - LEFT).max(1.0));
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{}\" \
                 fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\" \
                 fill=\"#555\">{ms:.2}</text>",
                BAR - 1.0,
                LEFT + width + 5.0,
                y + BAR - 2.0
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn place(ms: f64) -> f64 {
    let span = f64::from(POWERS.1 - POWERS.0);
    let part = (ms.log10() - f64::from(POWERS.0)) / span;
    LEFT + part.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_logarithmic() {
        assert!((place(10.0) - place(1.0) - (place(1.0) - place(0.1))).abs() < 1e-9);
        assert!((place(1e-9) - LEFT).abs() < 1e-9);
    }
}
