//! A minimal MCP client over the standard streams of `deskhand mcp serve`.

use std::collections::HashMap;
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::stdio_server::StdioServer;
use crate::timing::{MCP_RESPONSE_TIMEOUT, SHUTDOWN_TIMEOUT};
use crate::{TestDesktop, outcome};

/// The client's support for elicitation requests.
#[derive(Debug, Clone)]
pub enum Elicitation {
    /// The client does not declare the capability.
    Unsupported,
    /// The client accepts with the answer stored under the name of the form's first field, and
    /// declines all other forms.
    Answers(HashMap<String, Value>),
}

/// A client and the server process it started.
pub struct McpClient {
    server: StdioServer,
    next: u64,
    elicitation: Elicitation,
    /// Elicitation requests received so far, in order.
    pub elicitations: Vec<Value>,
    /// Notifications received so far, in order.
    pub notifications: Vec<Value>,
}

/// The result of a tool call.
#[derive(Debug)]
pub struct ToolResult {
    /// The structured content, or null.
    pub data: Value,
    /// All text blocks, joined by newlines.
    pub text: String,
    /// The MIME types of the images.
    pub images: Vec<String>,
    /// The value of `isError`.
    pub failed: bool,
}

impl McpClient {
    /// Starts a server on a test desktop and performs the handshake.
    pub fn start(desktop: &TestDesktop, elicitation: Elicitation) -> Self {
        Self::start_with_env(desktop, elicitation, &[])
    }

    /// Like [`Self::start`], with extra environment variables for the server.
    pub fn start_with_env(
        desktop: &TestDesktop,
        elicitation: Elicitation,
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = desktop.command(outcome::binary());
        command.args(["mcp", "serve"]).envs(variables.iter().copied());
        let server = StdioServer::start(command.stderr(Stdio::null()));
        let (elicitations, notifications) = (Vec::new(), Vec::new());
        let mut client = Self { server, next: 1, elicitation, elicitations, notifications };
        let capabilities = match &client.elicitation {
            Elicitation::Unsupported => json!({}),
            Elicitation::Answers(_) => json!({ "elicitation": {} }),
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "e2e", "version": "1" },
        });
        let answer = client.request("initialize", &hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Returns the process id of the server.
    pub fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Sends a request and waits for its response.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.response(id)
    }

    /// Sends a request without waiting and returns its id.
    pub fn begin(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: u64) {
        let params = json!({ "requestId": id });
        let method = "notifications/cancelled";
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Waits for the response to a request. Answers elicitation requests that arrive before it.
    pub fn response(&mut self, id: u64) -> Value {
        self.first_response(&[id])
    }

    /// Waits for the first response to one of these requests.
    pub fn first_response(&mut self, ids: &[u64]) -> Value {
        let end = Instant::now() + MCP_RESPONSE_TIMEOUT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.server.next_line(left);
            let line = line.unwrap_or_else(|| panic!("no response to {ids:?}"));
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let answers = |id: &u64| message["id"] == *id;
            if message.get("method").is_none() && ids.iter().any(answers) {
                return message;
            }
            self.handle_server_message(message);
        }
    }

    fn handle_server_message(&mut self, message: Value) {
        if message.get("id").is_none() {
            self.notifications.push(message);
            return;
        }
        let asks = message["method"] == "elicitation/create";
        assert!(asks, "an unexpected message: {message}");
        let question = message["params"].clone();
        let fields = question["requestedSchema"]["properties"].as_object();
        let field = fields.and_then(|all| all.keys().next()).cloned().unwrap_or_default();
        let answer = match &self.elicitation {
            Elicitation::Unsupported => panic!(
                "elicitation request to a client without the \
                                                capability: {question}"
            ),
            Elicitation::Answers(known) => known.get(&field).cloned(),
        };
        let result = match answer {
            Some(answer) => json!({ "action": "accept", "content": { field: answer } }),
            None => json!({ "action": "decline" }),
        };
        self.elicitations.push(question);
        self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> ToolResult {
        let response = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &response["result"];
        assert!(result["content"].is_array(), "{tool}: {response}");
        let blocks = || result["content"].as_array().into_iter().flatten();
        let text: Vec<&str> = blocks().filter_map(|block| block["text"].as_str()).collect();
        let images =
            blocks().filter_map(|block| block["mimeType"].as_str()).map(str::to_owned).collect();
        ToolResult {
            data: result["structuredContent"].clone(),
            text: text.join("\n"),
            images,
            failed: result["isError"] == true,
        }
    }

    /// Calls a tool that must succeed and returns its structured content.
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments.clone());
        assert!(!result.failed, "{tool} {arguments}: {}", result.text);
        result.data
    }

    /// Calls a tool that must fail and returns its text.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone());
        assert!(result.failed, "{tool} {arguments}: {}", result.text);
        // Texts for MCP clients name tools and arguments, never CLI commands or flags.
        assert!(!result.text.contains("`deskhand"), "{}", result.text);
        assert!(!result.text.contains(" --"), "{}", result.text);
        result.text
    }

    fn send(&mut self, message: &Value) {
        self.server.send(message.to_string().as_bytes());
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // A server that still runs after this is killed.
        self.server.close_input();
        self.server.wait(SHUTDOWN_TIMEOUT);
    }
}
