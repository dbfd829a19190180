//! A client that speaks lines of JSON to the built server and hides nothing.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use harness::{Stage, outcome};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// One running server and the line to it.
pub(crate) struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    waiting: VecDeque<Value>,
    next: i64,
    meta: Option<Value>,
}

impl Talk {
    /// Starts a server on a stage.
    pub(crate) fn begin(stage: &Stage, options: &[&str]) -> Self {
        Self::begin_changed(stage, options, |_| {})
    }

    /// The same, with a change to the command that starts it.
    pub(crate) fn begin_changed(
        stage: &Stage,
        options: &[&str],
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let mut command = stage.command(outcome::binary());
        change(&mut command);
        let mut child = command
            .args(["mcp", "serve"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, waiting: VecDeque::new(), next: 1, meta: None }
    }

    /// A server that a client of a version of the handshake has initialized.
    pub(crate) fn initialized(stage: &Stage, options: &[&str], version: &str, can: Value) -> Self {
        let mut talk = Self::begin(stage, options);
        let result = talk.initialize(version, can);
        assert_eq!(result["result"]["protocolVersion"], version, "{result}");
        talk.notify("notifications/initialized", json!({}));
        talk
    }

    /// A server spoken to as of 2026-07-28.
    pub(crate) fn modern(stage: &Stage, options: &[&str], can: &Value) -> Self {
        Self::begin(stage, options).speaking_modern(can)
    }

    /// Speaks as of 2026-07-28 from now on.
    pub(crate) fn speaking_modern(mut self, can: &Value) -> Self {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "talk", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": can,
        }));
        self
    }

    /// Asks to be initialized.
    pub(crate) fn initialize(&mut self, version: &str, can: Value) -> Value {
        let client = json!({ "name": "talk", "version": "1" });
        let params =
            json!({ "protocolVersion": version, "capabilities": can, "clientInfo": client });
        self.ask("initialize", params)
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a message as it is.
    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(message.to_string().as_bytes());
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> i64 {
        if let Some(meta) = &self.meta {
            let mut meta = meta.clone();
            for (key, value) in params["_meta"].as_object().cloned().unwrap_or_default() {
                meta[key] = value;
            }
            params["_meta"] = meta;
        }
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message, if one comes in time.
    pub(crate) fn within(&mut self, time: Duration) -> Option<Value> {
        if let Some(message) = self.waiting.pop_front() {
            return Some(message);
        }
        let line = self.lines.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON on the wire: {line}")))
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        self.within(PATIENCE).expect("the server says nothing")
    }

    /// The answer to a request; what else comes meanwhile is kept.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.first(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The first message that fits; what else comes meanwhile is kept.
    pub(crate) fn first(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let mut others = VecDeque::new();
        loop {
            let message = self.next();
            if fits(&message) {
                others.append(&mut self.waiting);
                self.waiting = others;
                return message;
            }
            others.push_back(message);
        }
    }

    /// Asks and returns the whole answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Proves that the connection lives and nothing else was on its way.
    pub(crate) fn assert_quiet(&mut self) {
        let id = self.request("tools/list", json!({}));
        let next = self.next();
        assert_eq!(next["id"], id, "{next}");
        assert!(next["result"]["tools"].is_array(), "{next}");
    }

    /// Asks the process to end.
    pub(crate) fn ask_to_end(&self, how: Signal) {
        kill_process(Pid::from_child(&self.child), how).unwrap();
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes this side, waits for the server to end, and returns its exit code and what it still
    /// said.
    pub(crate) fn close(mut self) -> (Option<i32>, Vec<Value>) {
        self.input = None;
        let mut said = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            said.push(serde_json::from_str(&line).unwrap());
        }
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It has ended already where the test closed it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
