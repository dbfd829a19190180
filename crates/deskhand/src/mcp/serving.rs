//! How clients come to the server: the options of `deskhand mcp serve` and the variables that stand
//! in for them.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use deskhand_engine::Failure;
use deskhand_mcp::{Place, Web};

/// The usual port.
const PORT: u16 = 8741;

/// A setting that variables can make where no option does; the first that is set counts.
struct Setting {
    names: &'static [&'static str],
    what: &'static str,
}

const TRANSPORT: Setting =
    Setting { names: &["DESKHAND_TRANSPORT", "MCP_TRANSPORT"], what: "stdio, http or sse" };
const HTTP_PORT: Setting = Setting {
    names: &["DESKHAND_HTTP_PORT", "MCP_HTTP_PORT", "AXTERMINATOR_HTTP_PORT"],
    what: "the port of HTTP",
};
const HTTP_BIND: Setting = Setting {
    names: &["DESKHAND_HTTP_BIND", "AXTERMINATOR_HTTP_BIND"],
    what: "the address of HTTP",
};
const HTTP_SOCKET: Setting = Setting {
    names: &["DESKHAND_HTTP_SOCKET", "MCP_HTTP_SOCKET"],
    what: "the unix socket of HTTP",
};
const HEARTBEAT: Setting = Setting {
    names: &["DESKHAND_HEARTBEAT_INTERVAL", "MCP_HEARTBEAT_INTERVAL"],
    what: "as --heartbeat",
};
const TIMEOUT: Setting = Setting {
    names: &["DESKHAND_CONNECTION_TIMEOUT", "MCP_CONNECTION_TIMEOUT"],
    what: "as --connection-timeout",
};

/// The variables, for the help.
fn variables() -> String {
    let mut text = String::from("Variables, where no option says otherwise:");
    for setting in [TRANSPORT, HTTP_PORT, HTTP_BIND, HTTP_SOCKET, HEARTBEAT, TIMEOUT] {
        text.push_str(&format!("\n  {}: {}", setting.names.join(", "), setting.what));
    }
    text
}

/// What a variable holds.
type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Setting {
    /// The name and the value of the variable that makes it.
    fn given(&self, variables: Variables<'_>) -> Option<(&'static str, String)> {
        let set = |name: &&'static str| variables(name).filter(|value| !value.trim().is_empty());
        self.names.iter().find_map(|name| set(name).map(|value| (*name, value.trim().to_owned())))
    }

    fn parsed<T: std::str::FromStr>(
        &self,
        variables: Variables<'_>,
        wanted: &str,
    ) -> Result<Option<T>, Failure> {
        let Some((name, value)) = self.given(variables) else { return Ok(None) };
        match value.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(unfit(&format!("{name}={value}"), wanted)),
        }
    }
}

/// The ways clients come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By the standard streams.
    Streams,
    /// By lines of JSON at a unix socket.
    Lines(PathBuf),
    /// By HTTP.
    Http(Web),
}

/// Adds the options that choose how clients come.
pub(super) fn options(command: Command) -> Command {
    let seconds = |id: &'static str, help: &'static str| {
        Arg::new(id)
            .long(id)
            .value_name("SECONDS")
            .value_parser(clap::value_parser!(f64))
            .help(help)
    };
    command
        .after_help(variables())
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDR:PORT")
                .num_args(0..=1)
                .value_parser(clap::value_parser!(SocketAddr))
                .help("Serve HTTP at /mcp instead; 127.0.0.1:8741 when no address is given"),
        )
        .arg(Arg::new("sse").long("sse").action(ArgAction::SetTrue).help(
            "Serve HTTP with the older HTTP+SSE as well, at /sse and /messages, /events and \
                 /message",
        ))
        .arg(
            Arg::new("socket")
                .long("socket")
                .value_name("PATH")
                .conflicts_with("http")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Serve at a unix socket instead: lines of JSON, or HTTP with --sse"),
        )
        .arg(seconds(
            "heartbeat",
            "Show on silent streams of HTTP that they live, this often; 30 when not given",
        ))
        .arg(seconds(
            "connection-timeout",
            "Keep a session of HTTP so long without any sign of its client; 3600 when not given",
        ))
}

/// The way clients come, as options say, or variables where no option does.
pub(super) fn way(given: &ArgMatches, variables: Variables<'_>) -> Result<Way, Failure> {
    let (http, sse) = (given.contains_id("http"), given.get_flag("sse"));
    let socket = given.get_one::<PathBuf>("socket").cloned();
    let (http, sse, socket) = if http || sse || socket.is_some() {
        (http, sse, socket)
    } else {
        let by_variable = || HTTP_SOCKET.given(variables).map(|(_, path)| PathBuf::from(path));
        match TRANSPORT.given(variables) {
            None => return Ok(Way::Streams),
            Some((_, word)) if word == "stdio" => return Ok(Way::Streams),
            Some((_, word)) if word == "http" => (true, false, by_variable()),
            Some((_, word)) if word == "sse" => (true, true, by_variable()),
            Some((name, word)) => {
                return Err(unfit(&format!("{name}={word}"), "stdio, http or sse"));
            }
        }
    };
    if let (Some(path), false, false) = (&socket, sse, http) {
        return Ok(Way::Lines(path.clone()));
    }
    let at = match (socket, given.get_one::<SocketAddr>("http")) {
        (Some(path), _) => Place::Socket(path),
        (None, Some(at)) => Place::Address(*at),
        (None, None) => {
            let ip = HTTP_BIND.parsed(variables, "an IP address such as 127.0.0.1")?;
            let port = HTTP_PORT.parsed(variables, "a port from 0 to 65535")?;
            let ip = ip.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
            Place::Address(SocketAddr::new(ip, port.unwrap_or(PORT)))
        }
    };
    let heartbeat = seconds(given, "heartbeat", &HEARTBEAT, variables, 30.0)?;
    let idle = seconds(given, "connection-timeout", &TIMEOUT, variables, 3600.0)?;
    Ok(Way::Http(Web { at, sse, heartbeat, idle }))
}

fn seconds(
    given: &ArgMatches,
    option: &str,
    setting: &Setting,
    variables: Variables<'_>,
    usual: f64,
) -> Result<Duration, Failure> {
    const WANTED: &str = "a number of seconds above 0 and up to 86400";
    let (shown, seconds) = match given.get_one::<f64>(option) {
        Some(seconds) => (format!("--{option} {seconds}"), *seconds),
        None => {
            let name = setting.given(variables).map_or("", |(name, _)| name);
            let seconds = setting.parsed(variables, WANTED)?.unwrap_or(usual);
            (format!("{name}={seconds}"), seconds)
        }
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() && seconds <= 86_400.0 => Ok(time),
        Ok(_) | Err(_) => Err(unfit(&shown, WANTED)),
    }
}

fn unfit(what: &str, wanted: &str) -> Failure {
    Failure {
        code: "invalid_parameter".to_owned(),
        message: format!("{what} cannot be meant"),
        hint: Some(format!("give {wanted}")),
        delivery: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(words: &[&str], set: &[(&str, &str)]) -> Result<Way, Failure> {
        let line = std::iter::once("serve").chain(words.iter().copied());
        let given = options(Command::new("serve")).get_matches_from(line);
        let value = |name: &str| set.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        way(&given, &value)
    }

    fn web(words: &[&str], set: &[(&str, &str)]) -> Web {
        match chosen(words, set).unwrap() {
            Way::Http(web) => web,
            other @ (Way::Streams | Way::Lines(_)) => panic!("{other:?}"),
        }
    }

    fn address(text: &str) -> Place {
        Place::Address(text.parse().unwrap())
    }

    #[test]
    fn the_standard_streams_are_usual() {
        assert_eq!(chosen(&[], &[]).unwrap(), Way::Streams);
        let stray = [("MCP_HTTP_PORT", "9"), ("MCP_HTTP_SOCKET", "/s"), ("MCP_TRANSPORT", "")];
        assert_eq!(chosen(&[], &stray).unwrap(), Way::Streams);
        assert_eq!(chosen(&[], &[("MCP_TRANSPORT", "stdio")]).unwrap(), Way::Streams);
    }

    #[test]
    fn options_choose_and_variables_fill_in() {
        let usual = web(&["--http"], &[]);
        assert_eq!((usual.at, usual.sse), (address("127.0.0.1:8741"), false));
        assert_eq!(usual.heartbeat, Duration::from_secs(30));
        assert_eq!(usual.idle, Duration::from_secs(3600));
        assert_eq!(
            web(&["--http", "127.0.0.1:9"], &[("MCP_HTTP_PORT", "8")]).at,
            address("127.0.0.1:9")
        );
        assert_eq!(web(&["--http"], &[("MCP_HTTP_PORT", "8")]).at, address("127.0.0.1:8"));
        let both = web(&["--sse", "--http", "[::1]:7"], &[("MCP_TRANSPORT", "stdio")]);
        assert_eq!((both.at, both.sse), (address("[::1]:7"), true));
        assert!(web(&["--sse"], &[]).sse);
        assert_eq!(chosen(&["--socket", "/s"], &[]).unwrap(), Way::Lines("/s".into()));
        assert_eq!(web(&["--socket", "/s", "--sse"], &[]).at, Place::Socket("/s".into()));
        let beat = web(&["--sse", "--heartbeat", "0.5"], &[("MCP_HEARTBEAT_INTERVAL", "9")]);
        assert_eq!(beat.heartbeat, Duration::from_millis(500));
    }

    #[test]
    fn variables_choose_where_no_option_does() {
        let set = [
            ("MCP_TRANSPORT", "sse"),
            ("MCP_HTTP_PORT", "8080"),
            ("MCP_HEARTBEAT_INTERVAL", "5"),
            ("MCP_CONNECTION_TIMEOUT", "60"),
        ];
        let one = web(&[], &set);
        assert_eq!((one.at, one.sse), (address("127.0.0.1:8080"), true));
        assert_eq!((one.heartbeat.as_secs(), one.idle.as_secs()), (5, 60));
        let socket = [("MCP_TRANSPORT", "sse"), ("MCP_HTTP_SOCKET", "/tmp/mcp-server.sock")];
        assert_eq!(web(&[], &socket).at, Place::Socket("/tmp/mcp-server.sock".into()));
        let older = [("AXTERMINATOR_HTTP_PORT", "1"), ("AXTERMINATOR_HTTP_BIND", "::1")];
        assert_eq!(web(&["--http"], &older).at, address("[::1]:1"));
        let ours = [("MCP_TRANSPORT", "stdio"), ("DESKHAND_TRANSPORT", "http")];
        assert!(!web(&[], &ours).sse);
    }

    #[test]
    fn what_cannot_be_meant_is_told() {
        for set in [
            [("MCP_TRANSPORT", "pigeon")].as_slice(),
            &[("MCP_TRANSPORT", "sse"), ("MCP_HTTP_PORT", "many")],
            &[("MCP_TRANSPORT", "sse"), ("MCP_HEARTBEAT_INTERVAL", "0")],
            &[("MCP_TRANSPORT", "sse"), ("MCP_CONNECTION_TIMEOUT", "-1")],
        ] {
            let failure = chosen(&[], set).unwrap_err();
            let (name, value) = set[set.len() - 1];
            assert_eq!(failure.code, "invalid_parameter");
            assert!(failure.message.contains(&format!("{name}={value}")), "{}", failure.message);
        }
    }
}
