//! Web forms: fill in and submit a form in a browser, then check the request that the server
//! received.

use std::collections::HashMap;
use std::time::Duration;

use super::{Agent, Server, decode_form};
use crate::{App, TestDesktop};

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
    // Browsers submit line breaks as CRLF.
    ("notes", "first line\r\nsecond line"),
];

pub(super) fn chromium(desktop: &TestDesktop) {
    fill(desktop, App::Chromium);
}

pub(super) fn firefox(desktop: &TestDesktop) {
    fill(desktop, App::Firefox);
}

fn fill(desktop: &TestDesktop, browser: fn(&'static str) -> App) {
    let server = Server::serve(PAGE);
    let agent = Agent::start(desktop, browser(server.address()));
    agent.wait_for("role:button title:\"Send order\"");
    agent.must_confirm(&["type", "Grüße 世界", "--clear", "--into", "role:textbox title:Name"]);
    agent.must_confirm(&["type", "pässword & more", "--into", "role:password title:Password"]);
    agent.must_confirm(&["click", "role:checkbox title:\"Gift wrap\""]);
    agent.must_confirm(&["click", "role:checkbox title:\"Send news\""]);
    agent.must_confirm(&["click", "role:radio title:Large"]);
    let sweden = "//combobox//menuitem[@title='Sweden']";
    agent.choose("role:combobox title:Country", "Sweden", sweden);
    let notes = "first line\nsecond line";
    agent.must_confirm(&["type", notes, "--into", "role:textbox title:Notes"]);
    agent.must_confirm(&["click", "role:button title:\"Send order\""]);
    let sent = server.next_post(Duration::from_secs(10)).expect("the form was not sent");
    let wanted: HashMap<String, String> =
        FILLED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(decode_form(&sent), wanted);
}
