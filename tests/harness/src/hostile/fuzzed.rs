//! Calls by lot: made from the tools' own schemas, with garbage among them, many at a time on one
//! connection.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Value, json};

use super::caller::{Caller, Door, Era};
use super::harm::leaks;
use super::judge::{Judge, refusal, unrecorded};
use super::scene::{Scene, Setup, records};

/// How many calls are under way at a time.
const AT_ONCE: usize = 8;

/// A server that answers nothing for so long hangs.
const HANG: Duration = Duration::from_secs(60);

/// Names of apps, true and false.
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

/// What elements go by.
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

/// Keys; none of them closes a window of the free app.
const KEYS: [&str; 8] = ["a", "1", "Return", "space", "Delete", "F13", "Tab", "ctrl+a"];

const ADDRESSES: [&str; 8] = [
    "deskhand://app/$V/tree",
    "deskhand://app/$V/state",
    "deskhand://app/$V/screenshot",
    "deskhand://app/mousepad/tree",
    "deskhand://apps",
    "deskhand://system/status",
    "axterminator://app/gtk3_vault.py/window/0/tree",
    "deskhand://app/$C/state",
];

/// Lines that are no calls.
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

/// The tools with their schemas, as a server that forbids none lists them.
pub fn tools(scene: &mut Scene) -> Vec<Value> {
    let (command, _) = scene.server(Setup::WriteBlocked);
    let mut caller = Caller::start(command, Door::Stdio, Era::Handshake, &json!({}));
    let answer: Value = serde_json::from_str(&caller.ask("tools/list", "{}")).expect("JSON");
    answer["result"]["tools"].as_array().expect("a list").clone()
}

/// Makes so many calls in a set-up.
pub fn run(
    scene: &mut Scene,
    setup: Setup,
    tools: &[Value],
    calls: usize,
    seed: u64,
    mut done: impl FnMut(),
) -> Judge {
    let mut judge = Judge::default();
    let mut lot = Rng::with_seed(seed ^ setup.name().len() as u64);
    let (command, log) = scene.server(setup);
    let mut caller = Caller::start(command, Door::Stdio, Era::Handshake, &json!({}));
    let mut open: HashSet<u64> = HashSet::new();
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..calls as u64 {
        // The first ids are those of the handshake.
        let id = 1_000 + number;
        if lot.u8(0..20) == 0 {
            caller.say(GARBAGE[lot.usize(0..GARBAGE.len())]);
        } else {
            let (method, params) = request(&mut lot, scene, tools);
            let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            caller.say(&call.to_string());
            open.insert(id);
        }
        judge.calls += 1;
        done();
        while open.len() >= AT_ONCE {
            if !take(&mut caller, &mut open, setup, &mut judge, &mut codes) {
                judge.escapes.push(format!("{}: the server ended or hangs", setup.name()));
                return judge;
            }
        }
    }
    while !open.is_empty() {
        if !take(&mut caller, &mut open, setup, &mut judge, &mut codes) {
            judge.escapes.push(format!("{}: {} calls are not answered", setup.name(), open.len()));
            return judge;
        }
    }
    if !caller.is_alive() {
        judge.escapes.push(format!("{}: the server died", setup.name()));
    }
    caller.leave();
    judge.refused += codes.values().sum::<usize>();
    judge.escapes.extend(unrecorded(&codes, &records(&log), setup));
    judge.afterwards(scene, setup, &log);
    judge
}

/// Takes one line of the server's; false when none comes.
fn take(
    caller: &mut Caller,
    open: &mut HashSet<u64>,
    setup: Setup,
    judge: &mut Judge,
    codes: &mut BTreeMap<String, usize>,
) -> bool {
    let end = Instant::now() + HANG;
    let Some(line) = caller.line(end.saturating_duration_since(Instant::now())) else {
        return false;
    };
    let value: Value = serde_json::from_str(&line).expect("lines are JSON");
    if let Some(id) = value["id"].as_u64().filter(|_| value.get("method").is_none()) {
        open.remove(&id);
    }
    if setup == Setup::Denied {
        judge
            .escapes
            .extend(leaks(&line, "").into_iter().map(|leak| format!("{}: {leak}", setup.name())));
    }
    if let Some(word) = refusal(&value) {
        *codes.entry(word).or_default() += 1;
    }
    true
}

fn request(lot: &mut Rng, scene: &Scene, tools: &[Value]) -> (&'static str, Value) {
    match lot.u8(0..20) {
        0 => ("resources/read", json!({ "uri": scene.filled(any(lot, &ADDRESSES)) })),
        1 => ("resources/subscribe", json!({ "uri": scene.filled(any(lot, &ADDRESSES)) })),
        _ => {
            let tool = &tools[lot.usize(0..tools.len())];
            let mut name = tool["name"].as_str().unwrap_or_default().to_owned();
            if lot.u8(0..30) == 0 {
                name = name.to_uppercase();
            }
            let arguments = arguments(lot, scene, &tool["inputSchema"]);
            let mut params = json!({ "name": name, "arguments": arguments });
            if lot.u8(0..20) == 0 {
                params["task"] = json!({});
            }
            if lot.u8(0..20) == 0 {
                let yes = json!({ "action": "accept", "content": { "confirm": true } });
                params["inputResponses"] = json!({ "may_lose": yes });
                params["requestState"] = json!("AAAA");
            }
            ("tools/call", params)
        }
    }
}

fn arguments(lot: &mut Rng, scene: &Scene, schema: &Value) -> Value {
    let mut arguments = json!({});
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, about) in schema["properties"].as_object().into_iter().flatten() {
        let wanted = required.contains(&name.as_str());
        if (wanted && lot.u8(0..30) > 0) || (!wanted && lot.bool()) {
            arguments[name.as_str()] = value(lot, scene, name, about);
        }
    }
    if lot.u8(0..15) == 0 {
        arguments[any(lot, &["force", "App", "pid", "", "mode"])] = json!(true);
    }
    arguments
}

fn value(lot: &mut Rng, scene: &Scene, name: &str, about: &Value) -> Value {
    if lot.u8(0..15) == 0 {
        return match lot.u8(0..5) {
            0 => json!(null),
            1 => json!([scene.filled("$V")]),
            2 => json!({ "app": scene.filled("$V") }),
            3 => json!(1e308),
            _ => json!("x".repeat(lot.usize(0..5_000))),
        };
    }
    if let Some(words) = about["enum"].as_array().filter(|_| lot.u8(0..10) > 0) {
        return words[lot.usize(0..words.len())].clone();
    }
    match (name, about["type"].as_str().unwrap_or_default()) {
        ("app", _) => json!(scene.filled(any(lot, &APPS))),
        ("alias", _) => {
            json!(scene.filled(any(lot, &["kcalc", "$C", "$V", "mine", "mousepad", ""])))
        }
        ("query" | "root_query" | "from_query" | "to_query", _) => {
            json!(scene.filled(any(lot, &QUERIES)))
        }
        ("key", _) => json!(any(lot, &KEYS)),
        ("x" | "from_x" | "to_x", _) => json!(point(lot, scene).0),
        ("y" | "from_y" | "to_y", _) => json!(point(lot, scene).1),
        ("timeout_ms" | "duration_ms" | "poll_ms", _) => json!(lot.i32(0..150)),
        (_, "boolean") => json!(lot.bool()),
        (_, "integer") => json!(any(lot, &[0, 1, -1, 3, 100, i64::MAX, i64::MIN])),
        (_, "array") => json!([any(lot, &["shift", "alt", "nonsense"])]),
        (_, "object") => json!({ "x": 40, "y": 40, "width": 300, "height": 200 }),
        (_, _) => json!(any(lot, &["x", "", "1", "\u{202e}x", "50"])),
    }
}

/// A place: in the protected windows more often than elsewhere.
fn point(lot: &mut Rng, scene: &Scene) -> (i32, i32) {
    match lot.u8(0..4) {
        0 => scene.protected.editor_at,
        1 => scene.free_at,
        2 => (lot.i32(-10..2_000), lot.i32(-10..1_100)),
        _ => scene.protected.vault_at,
    }
}

fn any<T: Copy>(lot: &mut Rng, all: &[T]) -> T {
    all[lot.usize(0..all.len())]
}
