//! An MCP server with everything that the settings ask for.

use std::sync::Arc;

use deskhand::{
    commands::{self, Callers, CommandTools, PreparedCommands},
    host,
    settings::{
        self, Settings,
        table::{LOG_LEVEL, TIMEOUT, WEBSITE_URL},
    },
};
use deskhand_client::Servers;
use deskhand_engine::{AuditLog, CallFailure, Engine};
use deskhand_mcp::{HttpOptions, ListenAddress, McpServer, ServerOptions};
use deskhand_run::Network;

use crate::{
    Endpoint, Notify, ServerMessage, definitions::Definitions, mode_watch, other_servers,
    tools::selection,
};

/// The tools that a server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// The tools that the settings select.
    Tools,
    /// The fixtures of the official MCP conformance suite.
    #[cfg(feature = "conformance")]
    ConformanceFixtures,
}

/// An MCP server with the tools, limits and transport of the settings.
pub struct Server {
    mcp: McpServer,
    endpoint: Endpoint,
    audit_log: AuditLog,
    notify: Notify,
    _definitions: Option<Definitions>,
    _other_servers: Option<Arc<Servers>>,
}

impl Server {
    /// Opens the desktop and prepares everything that the settings ask for.
    ///
    /// # Errors
    ///
    /// If a setting is invalid, the desktop cannot be opened, or the sandbox of commands does not work.
    pub fn open(
        settings: &Settings,
        endpoint: Endpoint,
        offer: Offer,
        notify: Notify,
    ) -> Result<Self, CallFailure> {
        let command_tools = commands::selected_tools(settings)?;
        let options = options(settings, &command_tools, offer)?;
        let (gate, timeout) = (settings::gate(settings, host::machine())?, settings.get(&TIMEOUT)?);
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            pid = std::process::id(),
            transport = endpoint.transport(),
            mode = gate.policy.mode.name(),
            touch = ?gate.policy.write_access,
            toolsets = ?options.selection.toolsets,
            "server starting"
        );
        for text in settings.unsupported_warnings()? {
            notify(ServerMessage::Warning(&text));
        }
        if let Some(text) = commands::no_sandbox_warning(settings)? {
            notify(ServerMessage::Warning(text));
        }
        let prepared = prepare_commands(settings, &endpoint, &command_tools, notify)?;
        let wait_mode = prepared.wait_mode;
        let audit_log = gate.audit_log.clone();
        let referenced = other_servers::referenced_variables(settings)?;
        let referenced = referenced.into_iter().map(|(name, _)| name);
        let secrets = settings::secret_variables().into_iter().map(str::to_owned);
        let desktop = host::open_hiding_env(secrets.chain(referenced).collect())?;
        let engine = Engine::new(desktop, host::refs_folder()?, timeout, gate)
            .with_commands(prepared.service, wait_mode);
        let catalogue = engine.catalogue();
        let definitions =
            Definitions::watch(catalogue, &command_tools, wait_mode, prepared.session, notify);
        let other_servers = other_servers::offer(catalogue, settings, notify)?;
        let mcp = McpServer::new(engine, &options)?;
        mode_watch::follow(settings.folders().config.clone(), mcp.mode_control(), notify)?;
        Ok(Self {
            mcp,
            endpoint,
            audit_log,
            notify,
            _definitions: definitions,
            _other_servers: other_servers,
        })
    }

    /// Serves until the client disconnects or the process is asked to end.
    ///
    /// # Errors
    ///
    /// If the endpoint cannot be used, for example because its port is in use.
    pub fn run(self) -> Result<(), CallFailure> {
        let notify = self.notify;
        match &self.endpoint {
            Endpoint::Stdio => self.mcp.serve_stdio()?,
            Endpoint::Socket(path) => self.mcp.serve_unix(path, || {
                notify(ServerMessage::Note(&format!("serving at {}", path.display())));
            })?,
            Endpoint::Http(web) => self.mcp.serve_http(web, |at| announce(web, at, notify))?,
        }
        // A call that hangs may still use the engine, so the log is closed here.
        self.audit_log.close();
        Ok(())
    }
}

/// Checks the settings of a server, before a private desktop is started for it.
///
/// # Errors
///
/// If a setting or a rules file is invalid.
pub fn check(settings: &Settings) -> Result<(), CallFailure> {
    settings::gate(settings, host::machine())?;
    selection(settings, &commands::selected_tools(settings)?)?;
    Endpoint::from_settings(settings).map(drop)
}

fn options(
    settings: &Settings,
    command_tools: &CommandTools,
    offer: Offer,
) -> Result<ServerOptions, CallFailure> {
    #[allow(clippy::needless_update, reason = "one field exists only with a feature")]
    let options = ServerOptions {
        selection: selection(settings, command_tools)?,
        // The setting accepts only names of log levels.
        log_level: settings.get(&LOG_LEVEL)?.parse().unwrap_or_default(),
        website_url: settings.get(&WEBSITE_URL)?,
        ..ServerOptions::default()
    };
    Ok(match offer {
        Offer::Tools => options,
        #[cfg(feature = "conformance")]
        Offer::ConformanceFixtures => ServerOptions { conformance: true, ..options },
    })
}

/// Prepares for running commands, and tells the user where they run.
fn prepare_commands(
    settings: &Settings,
    endpoint: &Endpoint,
    command_tools: &CommandTools,
    notify: Notify,
) -> Result<PreparedCommands, CallFailure> {
    let callers = match endpoint {
        Endpoint::Stdio | Endpoint::Socket(_) => Callers::One,
        Endpoint::Http(_) => Callers::Many,
    };
    let prepared = commands::prepare(settings, callers, command_tools)?;
    if let Endpoint::Http(web) = endpoint {
        check_reachable(web, &commands::network(&prepared.service, settings)?)?;
    }
    if let CommandTools::Enabled(_) = command_tools {
        let scope = prepared.service.scope().map(|scope| scope.display().to_string());
        let scope = scope.unwrap_or_else(|| "the first local root of each client".to_owned());
        notify(ServerMessage::Note(&format!("command-line tools are on; commands run in {scope}")));
    }
    Ok(prepared)
}

/// Checks that commands cannot call the HTTP server that started them: a command could use it to work
/// outside its scope.
fn check_reachable(web: &HttpOptions, network: &Network) -> Result<(), CallFailure> {
    let ListenAddress::Tcp(at) = &web.listen else { return Ok(()) };
    let can_reach = match network {
        Network::Off => false,
        Network::On => true,
        Network::Ports(ports) => at.port() == 0 || ports.contains(&at.port()),
    };
    if !can_reach || !web.auth.is_open() {
        return Ok(());
    }
    let message = "commands can reach the network and this server requires no token, so a command could \
                   call the server to work outside its scope";
    let hint = "set a token (DESKHAND_HTTP_TOKEN) or an authorization server (http.oauth_issuer), or \
                turn off the network of commands: commands.network = \"off\"";
    Err(CallFailure::new("token_required", message, hint))
}

fn announce(web: &HttpOptions, at: &str, notify: Notify) {
    let sse = if web.sse { " and /sse" } else { "" };
    notify(ServerMessage::Note(&match web.listen {
        ListenAddress::Tcp(_) => format!("serving at {at}/mcp{sse}"),
        ListenAddress::Unix(_) => format!("serving HTTP at {at}: /mcp{sse}"),
    }));
    if web.sends_tokens_in_clear() {
        notify(ServerMessage::Warning(
            "tokens cross the network unencrypted; set DESKHAND_HTTP_TLS_CERT and \
             DESKHAND_HTTP_TLS_KEY",
        ));
    }
}

#[cfg(test)]
mod tests {
    use deskhand::settings::values::LOG_LEVELS;
    use deskhand_mcp::LogLevel;

    #[test]
    fn every_log_level_of_the_settings_is_one_of_the_protocol() {
        for name in LOG_LEVELS {
            assert_eq!(name.parse().map(LogLevel::as_str), Ok(name));
        }
    }
}
