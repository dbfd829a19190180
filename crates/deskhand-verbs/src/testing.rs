//! Helpers for the tests of this crate.

use std::time::Duration;

use deskhand_model::{App, AppId, Node, NodeId, Role, State, Toolkit};
use deskhand_platform::{
    Deadline, Desktop, ProgramActivity,
    fake::{FakeDesktop, FakeWindow},
};
use tempfile::TempDir;

use crate::{
    CallerSession, CancelToken, ConsentGate, Context, Decision, EventListeners, HiddenTextReport,
    NoElicitor, Origin, OutputForm, Result, Risk, ScriptRequest, ScriptReview, WaitMode,
};

/// Returns an app with this root.
pub(crate) fn app(root: &str) -> App {
    App {
        id: AppId(":1.1".to_owned()),
        name: "sample".to_owned(),
        pid: 1,
        started: 1,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit::default(),
        root: NodeId::new(root),
        windows: 1,
        responding: true,
    }
}

/// Returns a visible and enabled element whose id is also its name.
pub(crate) fn element(id: &str, role: Role) -> Node {
    Node {
        name: id.to_owned(),
        states: [State::Enabled, State::Visible, State::Showing].into_iter().collect(),
        ..Node::new(NodeId::new(id), role)
    }
}

/// A consent gate that gives the same decision on every risk.
pub(crate) struct FixedDecision(pub(crate) Decision);

impl ConsentGate for FixedDecision {
    fn check(&self, _: &Risk<'_>) -> Result<Decision> {
        Ok(self.0.clone())
    }

    fn checks_risks(&self) -> bool {
        true
    }

    fn check_model_image(&self) -> Result<()> {
        Ok(())
    }

    fn review_script(&self, _: &ScriptRequest<'_>) -> Result<ScriptReview> {
        Ok(ScriptReview::NotRequired)
    }

    fn record_target(&self, _: &App, _: &Node) {}
}

/// Owns everything that a [`Context`] on a fake desktop borrows.
pub(crate) struct FakeCallEnv {
    pub(crate) fake: FakeDesktop,
    pub(crate) cancel: &'static CancelToken,
    pub(crate) gate: FixedDecision,
    desktop: Desktop,
    listeners: EventListeners,
    session: CallerSession,
    hidden_text: HiddenTextReport,
    state_dir: TempDir,
}

impl FakeCallEnv {
    /// Creates the environment of a call on a window with the given elements.
    pub(crate) fn new(elements: Vec<Node>) -> Self {
        Self::with_tree(elements.into_iter().map(|node| (node, 1)).collect())
    }

    /// Like [`new`](Self::new); each element comes with the position of its parent. The app has
    /// position 0, the window 1, and the first element 2.
    pub(crate) fn with_tree(elements: Vec<(Node, usize)>) -> Self {
        let root = (element("app", Role::Application), 0);
        let window = (element("window", Role::Window), 0);
        let all = [root, window].into_iter().chain(elements).collect();
        let fake = FakeDesktop::new(app("app"), all);
        Self {
            desktop: fake.desktop(),
            fake,
            // Handlers of the fake desktop are 'static, and some of them cancel the call.
            cancel: Box::leak(Box::default()),
            gate: FixedDecision(Decision::Allowed),
            listeners: EventListeners::default(),
            session: CallerSession::default(),
            hidden_text: HiddenTextReport::default(),
            state_dir: tempfile::tempdir().unwrap(),
        }
    }

    /// Gives the app these windows, the frontmost first.
    pub(crate) fn with_windows(mut self, windows: Vec<FakeWindow>) -> Self {
        self.fake.set_windows(windows);
        self.desktop = self.fake.desktop();
        self
    }

    /// Gives the app an activity. The function receives the time until its next scheduled change.
    pub(crate) fn with_activity(
        mut self,
        activity: impl Fn(Option<Duration>) -> Option<ProgramActivity> + Send + 'static,
    ) -> Self {
        self.fake.set_activity(activity);
        self.desktop = self.fake.desktop();
        self
    }

    /// Returns the context of the call.
    pub(crate) fn context(&self) -> Context<'_> {
        Context {
            desktop: &self.desktop,
            state_dir: self.state_dir.path(),
            listeners: &self.listeners,
            deadline: Deadline::after(Duration::from_secs(5)),
            output_form: OutputForm::Data,
            progress: &|_| true,
            after_reply: None,
            wait_mode: WaitMode::Default,
            cancel: self.cancel,
            elicitor: &NoElicitor,
            commands: None,
            session: &self.session,
            origin: Origin::Internal,
            security_mode: "normal",
            consent: &self.gate,
            hidden_text: &self.hidden_text,
        }
    }
}
