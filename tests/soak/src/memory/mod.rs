//! `soak memory`: a server stays small and flat, whatever its clients do.

mod plot;

use std::{fs, io, path::Path};

use harness::{
    App, TestDesktop,
    hostile::{Era, RawClient, Transport},
    outcome,
};
use serde_json::{Value, json};

use crate::summary::Summary;

/// The number of steps of each load at full size.
const PINGS: usize = 2_000;
const LISTS: usize = 500;
const CALLS: usize = 10_000;
const SESSIONS: usize = 1_000;
const LOOKS: usize = 20;
const SCREENSHOTS: usize = 50;

/// The number of samples per load.
const SAMPLES: usize = 10;

/// The rows of the long list.
const ROWS: &str = "100000";

/// Limits in MB: of a server on HTTP, on stdio, and after tree reads and screenshots.
const HTTP_LIMIT: f64 = 60.0;
const STDIO_LIMIT: f64 = 30.0;
const LOOK_LIMIT: f64 = 50.0;

/// The growth in MB during the second half of a load that counts as flat. Pools of threads fill late.
const FLAT: f64 = 2.0;

/// The resident memory of one server over time.
#[derive(Debug)]
struct Curve {
    server: &'static str,
    limit: f64,
    loads: Vec<Load>,
}

/// The samples during one load, in MB.
#[derive(Debug)]
struct Load {
    name: String,
    megabytes: Vec<f64>,
}

/// Puts loads on two servers, each in proportion to `percent`.
pub(crate) fn run(percent: usize, docs: bool) -> Summary {
    let mut summary = Summary::new(
        "memory",
        format!("cargo xtask soak memory --percent {percent}"),
        "Clients send pings, request lists, call a tool and open sessions, and then look at a list of \
         100,000 rows and take screenshots. The resident memory of a server on HTTP stays below 60 MB, \
         of one on stdio below 30 MB and below 50 MB after tree reads and screenshots. It does not grow by \
         more than 2 MB in the second half of any load.",
    );
    summary.image = Some(("Resident memory of the servers", "images/soak-memory.svg"));
    let progress = crate::progress(3);
    let desktop = TestDesktop::new();
    let mut curves = Vec::new();
    for (name, measure) in [
        ("HTTP", http as fn(&TestDesktop, usize) -> io::Result<Curve>),
        ("stdio", stdio),
        ("stdio, tree reads and screenshots", looks),
    ] {
        progress.set_message(name);
        match measure(&desktop, percent) {
            Ok(curve) => {
                judge(&curve, &mut summary);
                curves.push(curve);
            }
            Err(error) => summary.failures.push(format!("{name}: {error}")),
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if docs {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/soak-memory.svg");
        if let Err(error) = fs::write(&path, plot::curves(&curves)) {
            summary.failures.push(format!("{}: {error}", path.display()));
        }
    }
    summary
}

fn start(desktop: &TestDesktop, transport: Transport) -> RawClient {
    let mut command = desktop.command(outcome::binary());
    command.args(["mcp", "serve"]);
    RawClient::start(command, transport, Era::Handshake, &json!({}))
}

/// Repeats a step and samples the memory of the server.
fn load(
    client: &mut RawClient,
    what: &str,
    steps: usize,
    mut step: impl FnMut(&mut RawClient),
) -> io::Result<Load> {
    let mut megabytes = vec![resident_megabytes(client.pid())?];
    for number in 1..=steps {
        step(client);
        if number % steps.div_ceil(SAMPLES) == 0 || number == steps {
            megabytes.push(resident_megabytes(client.pid())?);
        }
    }
    Ok(Load { name: format!("{steps} {what}"), megabytes })
}

fn messages(client: &mut RawClient, percent: usize) -> io::Result<Vec<Load>> {
    let some = |count: usize| (count * percent).div_ceil(100);
    let call = json!({ "name": "ax_session_info", "arguments": {} }).to_string();
    Ok(vec![
        load(client, "pings", some(PINGS), |client| drop(client.request("ping", "{}")))?,
        load(client, "lists", some(LISTS), |client| drop(client.request("tools/list", "{}")))?,
        load(client, "calls", some(CALLS), |client| drop(client.request("tools/call", &call)))?,
    ])
}

fn http(desktop: &TestDesktop, percent: usize) -> io::Result<Curve> {
    let mut client = start(desktop, Transport::Http);
    let mut loads = messages(&mut client, percent)?;
    let sessions = (SESSIONS * percent).div_ceil(200);
    loads.push(load(&mut client, "sessions that end", sessions, |client| {
        client.start_session();
        client.request("tools/list", "{}");
        client.disconnect();
    })?);
    loads.push(load(&mut client, "sessions that are left", sessions, |client| {
        client.start_session();
        client.request("tools/list", "{}");
    })?);
    client.shut_down();
    Ok(Curve { server: "HTTP", limit: HTTP_LIMIT, loads })
}

fn stdio(desktop: &TestDesktop, percent: usize) -> io::Result<Curve> {
    let mut client = start(desktop, Transport::Stdio);
    let loads = messages(&mut client, percent)?;
    client.shut_down();
    Ok(Curve { server: "stdio", limit: STDIO_LIMIT, loads })
}

fn looks(desktop: &TestDesktop, percent: usize) -> io::Result<Curve> {
    let some = |count: usize| (count * percent).div_ceil(100);
    let app = desktop.start_unread(App::Fixture("gtk3_long_list.py", &[ROWS]));
    let mut client = start(desktop, Transport::Stdio);
    let tool =
        |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments }).to_string();
    let of_app = json!({ "app": app.pid_text() });
    let look = tool("ax_get_tree", of_app);
    let find = tool("ax_find", json!({ "app": app.pid_text(), "query": "Row 50000" }));
    let screenshot = tool("ax_screenshot", json!({}));
    let call = |client: &mut RawClient, params: &str| drop(client.request("tools/call", params));
    let loads = vec![
        load(&mut client, "looks at 100,000 rows", some(LOOKS), |client| call(client, &look))?,
        load(&mut client, "searches in 100,000 rows", some(LOOKS), |client| call(client, &find))?,
        load(&mut client, "screenshots", some(SCREENSHOTS), |client| call(client, &screenshot))?,
        load(&mut client, "more screenshots", some(SCREENSHOTS), |client| {
            call(client, &screenshot)
        })?,
    ];
    client.shut_down();
    Ok(Curve { server: "stdio, tree reads and screenshots", limit: LOOK_LIMIT, loads })
}

/// Adds the figures of a server, and its faults.
fn judge(curve: &Curve, summary: &mut Summary) {
    for Load { name, megabytes } in &curve.loads {
        let (middle, last) = (megabytes[megabytes.len() / 2], megabytes[megabytes.len() - 1]);
        let place = format!("{}: after {name}", curve.server);
        summary.fact(place.as_str(), format!("{last:.1} MB"));
        if last > curve.limit {
            summary.failures.push(format!("{place}: {last:.1} MB, limit {} MB", curve.limit));
        }
        if last - middle > FLAT {
            summary
                .failures
                .push(format!("{place}: {middle:.1} MB half way, {last:.1} MB at the end"));
        }
    }
}

fn resident_megabytes(pid: u32) -> io::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = memory.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0).ok_or_else(|| io::Error::other("its status has no VmRSS"))
}
