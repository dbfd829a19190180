//! Web forms: filled and sent in a browser; the server that received them tells what was sent.

use std::collections::HashMap;
use std::time::Duration;

use super::{Agent, Server, decoded};
use crate::{App, Stage};

const PAGE: &str = r#"<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Order</title><h1>Order</h1>
<form method="post" action="/order" autocomplete="off">
<p><label>Name <input name="name"></label></p>
<p><label>Password <input type="password" name="password"></label></p>
<p><label><input type="checkbox" name="gift" value="yes"> Gift wrap</label></p>
<p><label><input type="checkbox" name="news" value="yes" checked> Send news</label></p>
<p><label><input type="radio" name="size" value="s" checked> Small</label>
<label><input type="radio" name="size" value="l"> Large</label></p>
<p><label>Country <select name="country"><option>Finland<option selected>Norway<option>Sweden</select></label></p>
<p><label>Notes <textarea name="notes" rows="3"></textarea></label></p>
<p><button>Send order</button></p>
</form></html>
"#;

const FILLED: [(&str, &str); 6] = [
    ("name", "Grüße 世界"),
    ("password", "pässword & more"),
    ("gift", "yes"),
    ("size", "l"),
    ("country", "Sweden"),
    // Browsers send line ends so.
    ("notes", "first line\r\nsecond line"),
];

pub(super) fn chromium(stage: &Stage) {
    fill(stage, App::Chromium);
}

pub(super) fn firefox(stage: &Stage) {
    fill(stage, App::Firefox);
}

fn fill(stage: &Stage, browser: fn(&'static str) -> App) {
    let server = Server::of(PAGE);
    let agent = Agent::start(stage, browser(server.address()));
    agent.sees("role:button title:\"Send order\"");
    agent.must(&["type", "Grüße 世界", "--clear", "--into", "role:textbox title:Name"]);
    agent.must(&["type", "pässword & more", "--into", "role:password title:Password"]);
    agent.must(&["click", "role:checkbox title:\"Gift wrap\""]);
    agent.must(&["click", "role:checkbox title:\"Send news\""]);
    agent.must(&["click", "role:radio title:Large"]);
    let sweden = "//combobox//menuitem[@title='Sweden']";
    agent.choose("role:combobox title:Country", "Sweden", sweden);
    let notes = "first line\nsecond line";
    agent.must(&["type", notes, "--into", "role:textbox title:Notes"]);
    agent.must(&["click", "role:button title:\"Send order\""]);
    let sent = server.posted(Duration::from_secs(10)).expect("the form was not sent");
    let wanted: HashMap<String, String> =
        FILLED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(decoded(&sent), wanted);
}
