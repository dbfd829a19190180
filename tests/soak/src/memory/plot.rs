//! Draws the resident memory of the servers.

use std::fmt::Write;

use super::Curve;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 56.0;
const PANEL: f64 = 130.0;
const GAP: f64 = 62.0;

const LINE: &str = "#1f5fbf";
const LIMIT: &str = "#b03030";

/// Returns an SVG with one panel per server.
pub(super) fn curves(curves: &[Curve]) -> String {
    let height = TOP + (PANEL + GAP) * curves.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <title>Resident memory of the servers</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">Resident memory during each load, \
         MB (red: limit)</text>\n"
    );
    for (at, curve) in curves.iter().enumerate() {
        panel(&mut svg, curve, TOP + (PANEL + GAP) * at as f64);
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, curve: &Curve, top: f64) {
    let all = curve.loads.iter().flat_map(|load| &load.megabytes).copied();
    let most = all.fold(curve.limit, f64::max) * 1.1;
    let bottom = top + PANEL;
    let y = |megabytes: f64| bottom - megabytes / most * PANEL;
    let width = (WIDTH - LEFT - RIGHT) / curve.loads.len().max(1) as f64;
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>\
         <line x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{:.1}\" y2=\"{bottom}\" stroke=\"#888\"/>\
         <line x1=\"{LEFT}\" y1=\"{limit:.1}\" x2=\"{:.1}\" y2=\"{limit:.1}\" stroke=\"{LIMIT}\" \
         stroke-dasharray=\"5 4\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{LIMIT}\">{}</text>\
         <text x=\"{:.1}\" y=\"{bottom}\" text-anchor=\"end\" fill=\"#555\">0</text>",
        top - 8.0,
        curve.server,
        WIDTH - RIGHT,
        WIDTH - RIGHT,
        LEFT - 8.0,
        y(curve.limit) + 4.0,
        curve.limit,
        LEFT - 8.0,
        limit = y(curve.limit),
    );
    for (at, load) in curve.loads.iter().enumerate() {
        let begin = LEFT + width * at as f64;
        let step = width / (load.megabytes.len().max(2) - 1) as f64;
        let points: Vec<String> = (0..)
            .zip(&load.megabytes)
            .map(|(number, megabytes)| {
                format!("{:.1},{:.1}", begin + step * f64::from(number), y(*megabytes))
            })
            .collect();
        let last = load.megabytes.last().copied().unwrap_or_default();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"2\"/>\
             <line x1=\"{begin:.1}\" y1=\"{top}\" x2=\"{begin:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\" \
             fill=\"#555\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"10\">{last:.0}</text>",
            points.join(" "),
            begin + width / 2.0,
            bottom + 16.0,
            load.name,
            begin + width - 4.0,
            y(last) - 5.0,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::Load;
    use super::*;

    #[test]
    fn every_load_has_a_line_and_a_name() {
        let load = |name: &str| Load { name: name.to_owned(), megabytes: vec![20.0, 25.0] };
        let loads = vec![load("10 pings"), load("20 calls")];
        let svg = curves(&[Curve { server: "HTTP", limit: 60.0, loads }]);
        assert_eq!(svg.matches("<polyline").count(), 2);
        for text in [">10 pings<", ">20 calls<", ">HTTP<", ">60<", ">25<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}
