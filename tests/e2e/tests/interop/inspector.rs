//! Inspector, the project's own client for those who write servers: it finds no fault with a schema,
//! and works the editor from a shell.

use harness::{Outcome, interop, outcome};
use serde_json::{Value, json};

use super::scene::{FIELD, Scene, TEXT};

/// Inspector on the scene's desktop, told where the server is.
struct Inspector<'a> {
    scene: &'a Scene,
    server: Vec<String>,
    era: &'static str,
}

impl Inspector<'_> {
    fn asks(&self, method: &str, words: &[&str]) -> Value {
        let program = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
        let mut command = interop::node();
        self.scene.stage.info().apply(&mut command);
        command.arg(interop::module(program)).arg("--cli").args(&self.server);
        command.args(["--method", method, "--format", "json", "--protocol-era", self.era]);
        let run = Outcome::of(command.args(words));
        assert_eq!(run.code, Some(0), "{run}");
        serde_json::from_str(&run.text()).unwrap_or_else(|error| panic!("{run}: {error}"))
    }

    fn calls(&self, tool: &str, arguments: &Value) -> Value {
        let words = ["--tool-name", tool, "--tool-args-json", &arguments.to_string()];
        self.asks("tools/call", &words)["result"]["structuredContent"].clone()
    }

    /// Reads the declarations of all tools, and has nothing to say against them.
    fn finds_no_fault(&self) {
        let tools = self.asks("tools/list", &["--strict"]);
        assert!(tools.get("schemaFindings").is_none(), "{}", tools["schemaFindings"]);
        assert!(tools["result"]["tools"].as_array().map_or(0, Vec::len) >= 20, "{tools}");
    }

    /// Lists what is there beside tools.
    fn lists(&self) {
        for (method, list, least) in [
            ("resources/list", "resources", 3),
            ("resources/templates/list", "resourceTemplates", 5),
            ("prompts/list", "prompts", 7),
        ] {
            let answer = self.asks(method, &[]);
            let count = answer["result"][list].as_array().map_or(0, Vec::len);
            assert!(count >= least, "{method}: {answer}");
        }
    }

    /// Writes into the editor and saves.
    fn writes(&self) {
        let app = self.scene.editor();
        let field = json!({ "app": app, "query": FIELD, "text": TEXT });
        assert_eq!(self.calls("ax_type", &field)["effect"], "confirmed");
        self.calls("ax_key_press", &json!({ "app": app, "key": "s", "modifiers": ["ctrl"] }));
        self.scene.assert_saved(TEXT);
        let value = self.calls("ax_get_value", &json!({ "app": app, "query": FIELD }));
        assert_eq!(value["value"], TEXT, "{value}");
    }
}

/// The words that make Inspector start a server, which it shows nothing of its own environment.
fn started(scene: &Scene) -> Vec<String> {
    let command = scene.stage.command("");
    let shown = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let shown = shown.flat_map(|(name, value)| {
        let pair = format!("{}={}", name.to_string_lossy(), value.to_string_lossy());
        ["-e".to_owned(), pair]
    });
    let program = outcome::binary().to_string_lossy().into_owned();
    shown.chain([program, "mcp".to_owned(), "serve".to_owned()]).collect()
}

#[test]
fn inspector_finds_no_fault_over_streamable_http() {
    let scene = Scene::new();
    let server = scene.serve(&[]);
    let one = |era| Inspector { scene: &scene, server: vec![server.at("/mcp")], era };
    one("legacy").finds_no_fault();
    one("modern").finds_no_fault();
    one("modern").lists();
    one("modern").writes();
}

#[test]
fn inspector_finds_no_fault_over_standard_streams() {
    let scene = Scene::new();
    let one = |era| Inspector { scene: &scene, server: started(&scene), era };
    one("modern").finds_no_fault();
    one("legacy").writes();
}

#[test]
fn inspector_finds_no_fault_over_legacy_sse() {
    let scene = Scene::new();
    let server = scene.serve(&["--sse"]);
    let one = Inspector { scene: &scene, server: vec![server.at("/sse")], era: "legacy" };
    one.finds_no_fault();
    one.lists();
    one.writes();
}
