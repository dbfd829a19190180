//! The MCP Inspector, the official debugging client: it accepts all schemas and can operate the
//! editor.

use std::path::Path;

use harness::{Outcome, TestDesktop, interop, outcome};
use serde_json::{Value, json};

use super::fixture::{FIELD, Fixture, TEXT};

/// An Inspector on the test desktop, connected to a server.
struct Inspector<'a> {
    fixture: &'a Fixture,
    server: Vec<String>,
    era: &'static str,
}

impl Inspector<'_> {
    fn request(&self, method: &str, words: &[&str]) -> Value {
        let program = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
        let mut command = interop::node();
        self.fixture.stage.info().apply(&mut command);
        command.arg(interop::module(program)).arg("--cli").args(&self.server);
        command.args(["--method", method, "--format", "json", "--protocol-era", self.era]);
        let run = Outcome::of(command.args(words));
        assert_eq!(run.code, Some(0), "{run}");
        serde_json::from_str(&run.text()).unwrap_or_else(|error| panic!("{run}: {error}"))
    }

    fn call_tool(&self, tool: &str, arguments: &Value) -> Value {
        let words = ["--tool-name", tool, "--tool-args-json", &arguments.to_string()];
        self.request("tools/call", &words)["result"]["structuredContent"].clone()
    }

    /// Lists all tools with strict schema checks.
    fn assert_valid_schemas(&self) {
        let tools = self.request("tools/list", &["--strict"]);
        assert!(tools.get("schemaFindings").is_none(), "{}", tools["schemaFindings"]);
        assert!(tools["result"]["tools"].as_array().map_or(0, Vec::len) >= 20, "{tools}");
    }

    /// Lists resources, templates and prompts.
    fn assert_lists(&self) {
        for (method, list, minimum) in [
            ("resources/list", "resources", 3),
            ("resources/templates/list", "resourceTemplates", 5),
            ("prompts/list", "prompts", 7),
        ] {
            let answer = self.request(method, &[]);
            let count = answer["result"][list].as_array().map_or(0, Vec::len);
            assert!(count >= minimum, "{method}: {answer}");
        }
    }

    /// Types text into the editor and saves it.
    fn type_and_save(&self) {
        let app = self.fixture.editor();
        let field = json!({ "app": app, "query": FIELD, "text": TEXT });
        assert_eq!(self.call_tool("ax_type", &field)["effect"], "confirmed");
        self.call_tool("ax_key_press", &json!({ "app": app, "key": "s", "modifiers": ["ctrl"] }));
        self.fixture.assert_saved(TEXT);
        let value = self.call_tool("ax_get_value", &json!({ "app": app, "query": FIELD }));
        assert_eq!(value["value"], TEXT, "{value}");
    }
}

/// Arguments with which Inspector starts a server. The environment is passed explicitly, because
/// Inspector does not pass on its own.
fn server_command(fixture: &Fixture) -> Vec<String> {
    let command = fixture.stage.command("");
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let variables = variables.flat_map(|(name, value)| {
        let pair = format!("{}={}", name.to_string_lossy(), value.to_string_lossy());
        ["-e".to_owned(), pair]
    });
    let program = outcome::binary().to_string_lossy().into_owned();
    variables.chain([program, "mcp".to_owned(), "serve".to_owned()]).collect()
}

#[test]
fn inspector_works_over_streamable_http() {
    let fixture = Fixture::new();
    let server = fixture.serve(&[]);
    let inspector = |era| Inspector { fixture: &fixture, server: vec![server.at("/mcp")], era };
    inspector("legacy").assert_valid_schemas();
    inspector("modern").assert_valid_schemas();
    inspector("modern").assert_lists();
    inspector("modern").type_and_save();
}

#[test]
fn inspector_works_over_stdio() {
    let fixture = Fixture::new();
    let inspector = |era| Inspector { fixture: &fixture, server: server_command(&fixture), era };
    inspector("modern").assert_valid_schemas();
    inspector("legacy").type_and_save();
}

#[test]
fn inspector_works_over_legacy_sse() {
    let fixture = Fixture::new();
    let server = fixture.serve(&["--sse"]);
    let inspector = Inspector { fixture: &fixture, server: vec![server.at("/sse")], era: "legacy" };
    inspector.assert_valid_schemas();
    inspector.assert_lists();
    inspector.type_and_save();
}

#[test]
fn inspector_script_starts_the_server_and_prints_its_log() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/inspector.sh");
    let desktop = TestDesktop::new();
    let mut command = desktop.command(script);
    command.args(["--cli", "--method", "tools/list", "--format", "json"]);
    command.env("DESKHAND", outcome::binary()).env("INTEROP", interop::folder());
    command.env("DESKHAND_TOOLSETS", "desktop");
    let run = Outcome::of(&mut command);
    let listed = run.json();
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "get_display"), "{run}");
    assert!(run.stderr.contains("server starting"), "{run}");
}
