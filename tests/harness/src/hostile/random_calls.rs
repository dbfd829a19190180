//! Random calls, generated from the tools' schemas, mixed with invalid messages and sent
//! concurrently on one connection.

use std::collections::{BTreeMap, HashSet};

use fastrand::Rng;
use serde_json::{Value, json};

use super::desktop::{ProtectedDesktop, Setup, audit_records};
use super::gate_check::{GateCheck, refusal, unrecorded};
use super::protected::leaks;
use super::raw_client::{Era, RawClient, Transport};
use crate::timing::RESPONSE_TIMEOUT;

/// The maximum number of calls in progress.
const MAX_PENDING: usize = 8;

/// App names, valid and invalid.
const APPS: [&str; 16] = [
    "$V",
    "$V",
    "$V",
    "$M",
    "$M",
    "$C",
    "gtk3_vault.py",
    "mousepad",
    "kcalc",
    "Innocent App",
    "+$V",
    "",
    "$VWIDE",
    "gtk3_v\u{430}ult.py",
    "nobody",
    "python3",
];

/// Element queries, valid and invalid.
const QUERIES: [&str; 18] = [
    "Press me",
    "Delete everything",
    "Ledger",
    "Level",
    "Armed",
    "7",
    "8",
    "role:button",
    "e1",
    "e12",
    "$VREF",
    "//button",
    "/.*/",
    "app($V)/window[0]",
    "role:text",
    "{\"role\":\"button\"}",
    "",
    "\u{0}",
];

/// Keys. None of them closes a window of the unprotected app.
const KEYS: [&str; 8] = ["a", "1", "Return", "space", "Delete", "F13", "Tab", "ctrl+a"];

const RESOURCE_URIS: [&str; 8] = [
    "deskhand://app/$V/tree",
    "deskhand://app/$V/state",
    "deskhand://app/$V/screenshot",
    "deskhand://app/mousepad/tree",
    "deskhand://apps",
    "deskhand://system/status",
    "axterminator://app/gtk3_vault.py/window/0/tree",
    "deskhand://app/$C/state",
];

/// Lines that are not valid calls.
const GARBAGE: [&str; 10] = [
    "{",
    "[]",
    "null",
    "{\"jsonrpc\":\"2.0\"}",
    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
    "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
    "\u{feff}{}",
    "{\"jsonrpc\":\"1.0\",\"id\":\"x\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":true}}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}",
];

/// Returns the tools with their schemas, as listed by a server that hides none.
pub fn tools(desktop: &mut ProtectedDesktop) -> Vec<Value> {
    let (command, _) = desktop.server(Setup::WriteBlocked);
    let mut client = RawClient::start(command, Transport::Stdio, Era::Handshake, &json!({}));
    let answer: Value = serde_json::from_str(&client.request("tools/list", "{}")).expect("JSON");
    answer["result"]["tools"].as_array().expect("a list").clone()
}

/// Makes random calls to a server with one policy.
pub fn run(
    desktop: &mut ProtectedDesktop,
    setup: Setup,
    tools: &[Value],
    calls: usize,
    seed: u64,
    mut on_call: impl FnMut(),
) -> GateCheck {
    let mut check = GateCheck::default();
    let mut rng = Rng::with_seed(seed ^ setup.name().len() as u64);
    let (command, log) = desktop.server(setup);
    let mut client = RawClient::start(command, Transport::Stdio, Era::Handshake, &json!({}));
    let mut pending: HashSet<u64> = HashSet::new();
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..calls as u64 {
        // Ids below 1,000 belong to the handshake.
        let id = 1_000 + number;
        if rng.u8(0..20) == 0 {
            client.send_line(GARBAGE[rng.usize(0..GARBAGE.len())]);
        } else {
            let (method, params) = request(&mut rng, desktop, tools);
            let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            client.send_line(&call.to_string());
            pending.insert(id);
        }
        check.calls += 1;
        on_call();
        while pending.len() >= MAX_PENDING {
            if !read_response(&mut client, &mut pending, setup, &mut check, &mut codes) {
                check.escapes.push(format!("{}: the server exited or hangs", setup.name()));
                return check;
            }
        }
    }
    while !pending.is_empty() {
        if !read_response(&mut client, &mut pending, setup, &mut check, &mut codes) {
            check.escapes.push(format!(
                "{}: {} calls have no response",
                setup.name(),
                pending.len()
            ));
            return check;
        }
    }
    if !client.is_alive() {
        check.escapes.push(format!("{}: the server exited", setup.name()));
    }
    client.shut_down();
    check.refused += codes.values().sum::<usize>();
    check.escapes.extend(unrecorded(&codes, &audit_records(&log), setup));
    check.check_aftermath(desktop, setup, &log);
    check
}

/// Reads one message. Returns `false` if none arrives in time.
fn read_response(
    client: &mut RawClient,
    pending: &mut HashSet<u64>,
    setup: Setup,
    check: &mut GateCheck,
    codes: &mut BTreeMap<String, usize>,
) -> bool {
    let Some(line) = client.next_line(RESPONSE_TIMEOUT) else {
        return false;
    };
    let value: Value = serde_json::from_str(&line).expect("lines are JSON");
    if let Some(id) = value["id"].as_u64().filter(|_| value.get("method").is_none()) {
        pending.remove(&id);
    }
    if setup == Setup::Denied {
        check
            .escapes
            .extend(leaks(&line, "").into_iter().map(|leak| format!("{}: {leak}", setup.name())));
    }
    if let Some(code) = refusal(&value) {
        *codes.entry(code).or_default() += 1;
    }
    true
}

fn request(rng: &mut Rng, desktop: &ProtectedDesktop, tools: &[Value]) -> (&'static str, Value) {
    match rng.u8(0..20) {
        0 => ("resources/read", json!({ "uri": desktop.expand(pick(rng, &RESOURCE_URIS)) })),
        1 => ("resources/subscribe", json!({ "uri": desktop.expand(pick(rng, &RESOURCE_URIS)) })),
        _ => {
            let tool = &tools[rng.usize(0..tools.len())];
            let mut name = tool["name"].as_str().unwrap_or_default().to_owned();
            if rng.u8(0..30) == 0 {
                name = name.to_uppercase();
            }
            let arguments = arguments(rng, desktop, &tool["inputSchema"]);
            let mut params = json!({ "name": name, "arguments": arguments });
            if rng.u8(0..20) == 0 {
                params["task"] = json!({});
            }
            if rng.u8(0..20) == 0 {
                let yes = json!({ "action": "accept", "content": { "confirm": true } });
                params["inputResponses"] = json!({ "may_lose": yes });
                params["requestState"] = json!("AAAA");
            }
            ("tools/call", params)
        }
    }
}

fn arguments(rng: &mut Rng, desktop: &ProtectedDesktop, schema: &Value) -> Value {
    let mut arguments = json!({});
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let wanted = required.contains(&name.as_str());
        if (wanted && rng.u8(0..30) > 0) || (!wanted && rng.bool()) {
            arguments[name.as_str()] = value(rng, desktop, name, schema);
        }
    }
    if rng.u8(0..15) == 0 {
        arguments[pick(rng, &["force", "App", "pid", "", "mode"])] = json!(true);
    }
    arguments
}

fn value(rng: &mut Rng, desktop: &ProtectedDesktop, name: &str, schema: &Value) -> Value {
    if rng.u8(0..15) == 0 {
        return match rng.u8(0..5) {
            0 => json!(null),
            1 => json!([desktop.expand("$V")]),
            2 => json!({ "app": desktop.expand("$V") }),
            3 => json!(1e308),
            _ => json!("x".repeat(rng.usize(0..5_000))),
        };
    }
    if let Some(values) = schema["enum"].as_array().filter(|_| rng.u8(0..10) > 0) {
        return values[rng.usize(0..values.len())].clone();
    }
    match (name, schema["type"].as_str().unwrap_or_default()) {
        ("app", _) => json!(desktop.expand(pick(rng, &APPS))),
        ("alias", _) => {
            json!(desktop.expand(pick(rng, &["kcalc", "$C", "$V", "mine", "mousepad", ""])))
        }
        ("query" | "root_query" | "from_query" | "to_query", _) => {
            json!(desktop.expand(pick(rng, &QUERIES)))
        }
        ("key", _) => json!(pick(rng, &KEYS)),
        ("x" | "from_x" | "to_x", _) => json!(random_point(rng, desktop).0),
        ("y" | "from_y" | "to_y", _) => json!(random_point(rng, desktop).1),
        ("timeout_ms" | "duration_ms" | "poll_ms", _) => json!(rng.i32(0..150)),
        (_, "boolean") => json!(rng.bool()),
        (_, "integer") => json!(pick(rng, &[0, 1, -1, 3, 100, i64::MAX, i64::MIN])),
        (_, "array") => json!([pick(rng, &["shift", "alt", "nonsense"])]),
        (_, "object") => json!({ "x": 40, "y": 40, "width": 300, "height": 200 }),
        (_, _) => json!(pick(rng, &["x", "", "1", "\u{202e}x", "50"])),
    }
}

/// Returns a random point, mostly inside protected windows.
fn random_point(rng: &mut Rng, desktop: &ProtectedDesktop) -> (i32, i32) {
    match rng.u8(0..4) {
        0 => desktop.protected.editor_at,
        1 => desktop.unprotected_at,
        2 => (rng.i32(-10..2_000), rng.i32(-10..1_100)),
        _ => desktop.protected.vault_at,
    }
}

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(0..all.len())]
}
