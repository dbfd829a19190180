//! Foreign web pages in a real browser cannot reach a tool.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Stdio,
    sync::mpsc::{Receiver, Sender, channel},
    time::Duration,
};

use harness::{Program, TestDesktop};
use serde_json::{Value, json};

use super::http_server::{HttpServer, modern_call};

/// A page that tries every way a browser has to reach a foreign server, and reports the result of
/// each.
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

/// Serves the page and receives its report.
fn serve_page(listener: TcpListener, page: String) -> Receiver<Value> {
    let (reports, report) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (page, reports) = (page.clone(), reports.clone());
            std::thread::spawn(move || handle_request(&stream, &page, &reports));
        }
    });
    report
}

fn handle_request(mut stream: &TcpStream, page: &str, reports: &Sender<Value>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = if first.starts_with("POST /said ") {
        // The test may have ended already.
        let _ = reports.send(serde_json::from_slice(&body).ok()?);
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

/// Opens a page in a browser that resolves every foreign name to this machine.
fn open_browser(stage: &TestDesktop, address: &str) -> Program {
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
            // The browser would ask the user to allow access to this machine. The flag allows it.
            "--disable-features=LocalNetworkAccessChecks",
        ])
        .arg(address);
    Program::start(command.stderr(Stdio::null()))
}

fn clipboard_text(server: &HttpServer) -> Value {
    let reply = server.call_as("none", "ax_clipboard", json!({ "action": "read" }));
    reply.json()["result"]["structuredContent"]["text"].clone()
}

#[test]
fn foreign_web_page_in_chromium_reaches_no_tool() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &["--sse"]);
    let write =
        |text: &str| modern_call("ax_clipboard", json!({ "action": "write", "text": text }));
    let own_text = json!({ "action": "write", "text": "mine" });
    assert_eq!(server.call_as("none", "ax_clipboard", own_text).status, 200);
    let port = server.address.rsplit(':').next().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let page_port = listener.local_addr().unwrap().port();
    let call = write("by a page").to_string();
    let page = PAGE
        .replace("CALL", &json!(call).to_string())
        .replace("SERVER", &server.address)
        .replace("PORT", port);
    let report = serve_page(listener, page);
    let before = server.session_and_call_counts();
    let mut browser = open_browser(&stage, &format!("http://evil.example:{page_port}/"));
    let results =
        report.recv_timeout(Duration::from_secs(60)).expect("the page reports its results");
    browser.end();
    let attempts = results.as_object().unwrap();
    assert_eq!(attempts.len(), 14, "{results}");
    for (attempt, result) in attempts {
        let result = result.as_str().unwrap();
        // The page cannot see success or failure of these requests.
        let is_blind =
            ["beacon", "form", "usual form", "blind fetch", "frame"].contains(&attempt.as_str());
        assert!(is_blind || result.starts_with("failed"), "{attempt}: {result}");
        assert!(!result.contains("jsonrpc"), "{attempt}: {result}");
    }
    assert_eq!(
        server.session_and_call_counts(),
        before,
        "a session was created or a tool was called: {results}"
    );
    assert_eq!(clipboard_text(&server), "mine");
    // The same page on a local origin reaches the tool, so the foreign page was blocked and did not
    // merely fail.
    let mut browser = open_browser(&stage, &format!("http://localhost:{page_port}/"));
    let results =
        report.recv_timeout(Duration::from_secs(60)).expect("the page reports its results");
    browser.end();
    assert!(results["fetch"].as_str().unwrap().contains("\"success\":true"), "{results}");
    assert_eq!(clipboard_text(&server), "by a page");
}
