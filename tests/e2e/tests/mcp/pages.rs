//! Web pages of elsewhere in a real browser: whatever they try, no tool is reached.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Stdio,
    sync::mpsc::{Receiver, Sender, channel},
    time::Duration,
};

use harness::{Program, Stage};
use serde_json::{Value, json};

use super::web::{Server, modern_call};

/// What a page tries: each way a browser has of reaching a server that is not the page's own. It says
/// what it got of each.
const PAGE: &str = r#"<!doctype html><title>page</title><script>
const call = CALL, at = "http://SERVER", said = {};
const json = { "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
  "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "ax_clipboard" };
const tell = async (name, trying) => {
  try { said[name] = await Promise.race([trying(), new Promise(r => setTimeout(r, 3000, "silence"))]); }
  catch (error) { said[name] = "failed: " + error; }
};
const reach = (to, more) => async () => {
  const answer = await fetch(to, { method: "POST", body: call, ...more });
  return answer.type + " " + answer.status + " " + await answer.text();
};
const loads = (kind, address) => () => new Promise(done => {
  const it = document.createElement(kind);
  it.onload = () => done(kind == "iframe" ? "shown" : "loaded"); it.onerror = () => done("failed");
  it.src = address; document.body.append(it);
});
const events = address => () => new Promise(done => {
  const source = new EventSource(address);
  source.onopen = () => done("open"); source.onerror = () => done("failed");
});
const form = (type, name) => () => new Promise(done => {
  const frame = document.createElement("iframe"); frame.name = name; document.body.append(frame);
  const form = document.createElement("form");
  form.method = "POST"; form.action = at + "/mcp"; form.enctype = type; form.target = name;
  const field = document.createElement("input");
  field.name = call.slice(0, -1) + ',"x":"'; field.value = '"}';
  form.append(field); document.body.append(form);
  frame.onload = () => done("posted"); form.submit(); setTimeout(done, 1500, "posted");
});
onload = async () => {
  await tell("fetch", reach(at + "/mcp", { headers: json }));
  await tell("plain fetch", reach(at + "/mcp", { headers: { "Content-Type": "text/plain" } }));
  await tell("blind fetch", reach(at + "/mcp", { mode: "no-cors" }));
  await tell("fetch with cookies", reach(at + "/mcp", { headers: json, credentials: "include" }));
  await tell("rebound fetch", reach("http://rebound.example:PORT/mcp", { headers: json }));
  await tell("other name", reach("http://localhost:PORT/mcp", { headers: json }));
  await tell("beacon", async () => String(navigator.sendBeacon(at + "/mcp", call)));
  await tell("form", form("text/plain", "one"));
  await tell("usual form", form("application/x-www-form-urlencoded", "two"));
  await tell("events", events(at + "/sse"));
  await tell("picture", loads("img", at + "/sse"));
  await tell("script", loads("script", at + "/health"));
  await tell("frame", loads("iframe", at + "/health"));
  await tell("socket", () => new Promise(done => {
    const socket = new WebSocket(at.replace("http", "ws") + "/mcp");
    socket.onopen = () => done("open"); socket.onerror = () => done("failed");
  }));
  await fetch("/said", { method: "POST", body: JSON.stringify(said) });
};
</script><body>"#;

/// Serves the page and takes what it says.
fn site(listener: TcpListener, page: String) -> Receiver<Value> {
    let (tell, said) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (page, tell) = (page.clone(), tell.clone());
            std::thread::spawn(move || visit(&stream, &page, &tell));
        }
    });
    said
}

fn visit(mut stream: &TcpStream, page: &str, tell: &Sender<Value>) -> Option<()> {
    let mut reading = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reading.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reading.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reading.read_exact(&mut body).ok()?;
    let body = if first.starts_with("POST /said ") {
        // The test may have heard enough.
        let _ = tell.send(serde_json::from_slice(&body).ok()?);
        ""
    } else {
        page
    };
    let kind = "text/html; charset=utf-8";
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .ok()
}

/// Opens a page in a browser for which every name of elsewhere leads to this machine.
fn browse(stage: &Stage, address: &str) -> Program {
    let mut command = stage.command("chromium");
    command
        .arg(format!("--user-data-dir={}", stage.info().home.join("pages").display()))
        .args([
            "--no-sandbox",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-gpu",
            "--password-store=basic",
            "--disable-component-update",
            "--disable-background-networking",
            "--headless=new",
            "--host-resolver-rules=MAP *.example 127.0.0.1",
            // A person would be asked whether a page may reach this machine; the answer here is yes.
            "--disable-features=LocalNetworkAccessChecks",
        ])
        .arg(address);
    Program::start(command.stderr(Stdio::null()))
}

fn copied(server: &Server) -> Value {
    let reply = server.call_as("none", "ax_clipboard", json!({ "action": "read" }));
    reply.json()["result"]["structuredContent"]["text"].clone()
}

#[test]
fn no_page_of_elsewhere_reaches_a_tool() {
    let stage = Stage::new();
    let server = Server::real(&stage, &["--sse"]);
    let write =
        |words: &str| modern_call("ax_clipboard", json!({ "action": "write", "text": words }));
    let mine = json!({ "action": "write", "text": "mine" });
    assert_eq!(server.call_as("none", "ax_clipboard", mine).status, 200);
    let port = server.at.rsplit(':').next().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let call = write("by a page").to_string();
    let page = PAGE
        .replace("CALL", &json!(call).to_string())
        .replace("SERVER", &server.at)
        .replace("PORT", port);
    let said = site(listener, page);
    let before = server.counts();
    let mut browser = browse(&stage, &format!("http://evil.example:{own}/"));
    let got = said.recv_timeout(Duration::from_secs(60)).expect("the page tells what it got");
    browser.end();
    let tried = got.as_object().unwrap();
    assert_eq!(tried.len(), 14, "{got}");
    for (how, result) in tried {
        let result = result.as_str().unwrap();
        // A page is shown a failure as little as a success, so these say nothing either way.
        let is_blind =
            ["beacon", "form", "usual form", "blind fetch", "frame"].contains(&how.as_str());
        assert!(is_blind || result.starts_with("failed"), "{how}: {result}");
        assert!(!result.contains("jsonrpc"), "{how}: {result}");
    }
    assert_eq!(server.counts(), before, "no session was begun and no tool called: {got}");
    assert_eq!(copied(&server), "mine");
    // The same page of this machine does reach it, so the others were kept out and did not merely fail.
    let mut browser = browse(&stage, &format!("http://localhost:{own}/"));
    let got = said.recv_timeout(Duration::from_secs(60)).expect("the page tells what it got");
    browser.end();
    assert!(got["fetch"].as_str().unwrap().contains("\"success\":true"), "{got}");
    assert_eq!(copied(&server), "by a page");
}
