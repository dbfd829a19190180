//! The pages with transcripts, and the apps, servers and files that each of them uses.

use std::any::Any;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use harness::remote_servers::{Issuer, OauthServer, everything, free_port};
use harness::{App, Outcome, Program, TestDesktop};
use serde_json::json;

use super::repository;

/// The environment of a page's commands.
pub(crate) struct Preparation {
    /// The folder in which they run.
    pub(crate) folder: PathBuf,
    /// Additional environment variables.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// Apps and servers. They end when this is dropped.
    pub(crate) running: Vec<Box<dyn Any>>,
}

/// Prepares a desktop for the text of a page.
type Prepare = fn(&TestDesktop, &str) -> Preparation;

/// All pages with transcripts that show output.
pub(crate) const PAGES: [(&str, Prepare); 7] = [
    ("README.md", editor_and_widgets),
    ("docs/cli.md", editor_and_widgets),
    ("docs/security.md", denied_app),
    ("docs/mcp.md", mcp_clients),
    ("docs/tools-from-files.md", definitions),
    ("docs/commands.md", git_project),
    ("docs/servers.md", other_servers),
];

/// Starts a desktop of the size that the pages show.
pub(crate) fn desktop() -> TestDesktop {
    TestDesktop::with_displays(&["1280x800"])
}

impl Preparation {
    /// Runs commands in a folder, which is created if it is missing.
    fn new(folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).unwrap();
        Self { folder, variables: Vec::new(), running: Vec::new() }
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Starts an editor with a file, and GTK's widget factory.
fn editor_and_widgets(desktop: &TestDesktop, _: &str) -> Preparation {
    let home = desktop.info().home.clone();
    let hello = "Deskhand reads what is on the screen.\nThis line came from a file.";
    write(&home, "hello.txt", hello);
    write(&home, ".claude.json", "{}\n");
    fs::create_dir_all(home.join("project")).unwrap();
    symlink(repository(), home.join("deskhand")).unwrap();
    let factory = desktop.start_unread(App::Gtk3WidgetFactory);
    let file = home.join("hello.txt");
    let editor = desktop.start_with(App::Mousepad, |command| {
        command.arg(file);
    });
    wait_until_complete(desktop, &factory, App::Gtk3WidgetFactory.at_least());
    wait_until_complete(desktop, &editor, App::Mousepad.at_least());
    // Refs are numbered in the order in which elements are first printed.
    for app in ["mousepad", "gtk3-widget-factory"] {
        desktop.deskhand(&["tree", "--app", app]).expect_ok();
    }
    let mut preparation = Preparation::new(home);
    preparation.running = vec![Box::new(factory), Box::new(editor)];
    preparation
}

/// Starts an editor, and a calculator that the policy denies.
fn denied_app(desktop: &TestDesktop, _: &str) -> Preparation {
    let calculator = desktop.start_unread(App::Kcalc);
    let editor = desktop.start_unread(App::Featherpad);
    wait_until_complete(desktop, &editor, App::Featherpad.at_least());
    desktop.write_app_rules("denied = [\"kcalc\"]\ndefault_write_blocked = false");
    let mut preparation = Preparation::new(desktop.info().home.clone());
    preparation.running = vec![Box::new(calculator), Box::new(editor)];
    preparation
}

/// Writes the settings of three clients, and a certificate.
fn mcp_clients(desktop: &TestDesktop, _: &str) -> Preparation {
    let home = desktop.info().home.clone();
    write(&home, ".claude.json", "{}\n");
    let cursor = "{\n  // what I use\n  \"mcpServers\": {\n    \"files\": { \"command\": \"files-server\" } // keep\n  }\n}\n";
    write(&home, ".cursor/mcp.json", cursor);
    fs::create_dir_all(home.join(".codex")).unwrap();
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    write(&home, "cert.pem", &certificate.cert.pem());
    write(&home, "key.pem", &certificate.signing_key.serialize_pem());
    Preparation::new(home)
}

/// Writes the first example of the page as a definition, next to that of git, and a draft of it with two
/// mistakes.
fn definitions(desktop: &TestDesktop, text: &str) -> Preparation {
    let folder = desktop.info().home.join("definitions");
    let (_, rest) = text.split_once("```json\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    write(&folder, ".deskhand/tools/todo.json", example);
    let git = fs::read_to_string(repository().join("tools/git.json")).unwrap();
    write(&folder, ".deskhand/tools/git.json", &git);
    let mut draft = example.replacen("\"command\"", "\"comand\"", 1);
    draft =
        draft.replacen("\"project\", \"type\": \"string\"", "\"project\", \"type\": \"bool\"", 1);
    write(&folder, "drafts/todo.json", &draft);
    Preparation::new(folder)
}

/// Creates a git repository with two new files.
fn git_project(desktop: &TestDesktop, _: &str) -> Preparation {
    let folder = desktop.info().home.join("repository");
    write(&folder, "one", "");
    write(&folder, "two", "");
    let mut git = Command::new("git");
    Outcome::of(git.args(["init", "--quiet"]).current_dir(&folder)).expect_ok();
    Preparation::new(folder)
}

/// Starts a server with a login and one without, and lists them with two that cannot be reached.
fn other_servers(desktop: &TestDesktop, _: &str) -> Preparation {
    let issuer = Issuer::start();
    let desk = OauthServer::start(desktop, &issuer);
    let port = free_port();
    let reference = everything(port);
    let servers = json!({ "servers": {
        "desk": { "url": desk.url },
        "everything": { "url": format!("http://127.0.0.1:{port}/mcp") },
        "gone": { "url": format!("http://127.0.0.1:{}/mcp", free_port()) },
        "later": { "url": "https://example.com/mcp", "enabled": false },
    } });
    let home = desktop.info().home.clone();
    write(&home, ".config/deskhand/mcp.json", &servers.to_string());
    write(
        &home,
        "typo.json",
        "{\n  \"servers\": {\n    \"desk\": { \"ulr\": \"http://127.0.0.1:7777/mcp\" }\n  }\n}\n",
    );
    let browser = issuer.browser(&home, &["yes", "no"]);
    let mut preparation = Preparation::new(home);
    preparation.variables = vec![("BROWSER", browser.display().to_string())];
    preparation.running = vec![Box::new(desk), Box::new(issuer), Box::new(reference)];
    preparation
}

/// Waits until the tree of an app has stopped growing. Reads it without `deskhand`, which would number
/// elements that the pages do not print.
fn wait_until_complete(desktop: &TestDesktop, program: &Program, at_least: usize) {
    let end = Instant::now() + Duration::from_secs(30);
    let mut last = 0;
    loop {
        let count = desktop.plain_walk(program.pid()).len();
        if count >= at_least && count == last {
            return;
        }
        assert!(Instant::now() < end, "{count} of {at_least} elements");
        last = count;
    }
}
