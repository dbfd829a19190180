//! Text input in browsers, checked with the value that the page posts to a local server.

use std::time::{Duration, Instant};

use harness::tasks::{Agent, Server};
use harness::{App, TestDesktop};

use crate::unicode::check_all_input_methods;

/// A page with a text area that accepts tabs, as web editors do, and posts its value 200 ms after
/// the last change.
const PAGE: &str = r#"<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Words</title>
<label>Words <textarea rows="9" cols="70"></textarea></label>
<script>
const area = document.querySelector("textarea");
let rest;
area.addEventListener("keydown", (event) => {
  if (event.key === "Tab") {
    event.preventDefault();
    document.execCommand("insertText", false, "\t");
  }
});
area.addEventListener("input", () => {
  clearTimeout(rest);
  rest = setTimeout(() => fetch("/", { method: "POST", body: area.value }), 200);
});
</script></html>
"#;

fn check_text_arrives(browser: fn(&'static str) -> App) {
    let server = Server::serve(PAGE);
    let stage = TestDesktop::new();
    let agent = Agent::start(&stage, browser(server.address()));
    agent.wait_for("role:textbox title:Words");
    check_all_input_methods(&stage, &agent, "role:textbox title:Words", |text| {
        let end = Instant::now() + Duration::from_secs(10);
        let mut last = None;
        while last.as_deref() != Some(text) {
            assert!(Instant::now() < end, "{text:?}: {last:?}");
            last = server.next_post(Duration::from_secs(3)).or(last);
        }
    });
}

#[test]
fn text_arrives_in_chromium() {
    check_text_arrives(App::Chromium);
}

#[test]
fn text_arrives_in_firefox() {
    check_text_arrives(App::Firefox);
}
