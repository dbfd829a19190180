//! `find`: finds the element that a query matches.

use deskhand_locate::{MatchMethod, Query, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Int, Render, Requirement, Result, Style, StyledLine, StyledText, Tool,
    ToolSpec,
    verbs::{
        self,
        tree::element::{ElementInfo, describe},
        tree::sanitize::HiddenTextPolicy,
    },
};

pub(crate) struct FindCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The query: text, `role:button title:Save`, `/regex/i`, XPath such as
    /// `//button[@title='Save']`, an element path, a JSON selector, or a ref.
    query: String,
    /// The app: its name, pid or desktop-file id (default: the focused app).
    app: Option<String>,
    /// Show every match instead of requiring exactly one.
    #[serde(default)]
    all: bool,
    /// Interpretation of the query; `auto` tries all strategies.
    #[serde(default)]
    strategy: Strategy,
    /// Maximum number of matches with `all` (default: 50).
    limit: Option<Int<1, 10_000>>,
    /// Include invisible text, marked.
    #[serde(default)]
    hidden: bool,
}

/// One match.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Match {
    /// Always true; a query without a match is an error.
    found: bool,
    /// The source of the match: `accessibility`.
    method: &'static str,
    /// The strategy that matched: `title_exact`, `role_title`, `contains`, …
    strategy: &'static str,
    /// Confidence of the match, from 0 to 1.
    confidence: f32,
    /// Healing details, if the query itself no longer matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<Healing>,
    #[serde(flatten)]
    element: ElementInfo,
}

/// Details of a healed match.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Healing {
    /// The healing strategy.
    strategy: &'static str,
    /// Confidence of the healing, from 0 to 1.
    confidence: f32,
}

/// The result of a search.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Matches {
    /// The only match.
    One(Box<Match>),
    /// Every match, best first.
    Every(Vec<Match>),
}

impl Render for Matches {
    fn render(&self) -> StyledText {
        let hits: &[Match] = match self {
            Self::One(hit) => std::slice::from_ref(hit),
            Self::Every(hits) => hits,
        };
        hits.iter().fold(StyledText::default(), |page, hit| page.line(hit.line()))
    }
}

impl Match {
    fn line(&self) -> StyledLine {
        let by = match &self.healed {
            None => format!("({})", self.strategy),
            Some(healed) => {
                format!("(healed by {}, {:.0} %)", healed.strategy, healed.confidence * 100.0)
            }
        };
        self.element.to_line().with(Style::Faint, by)
    }

    fn new(
        by: MatchMethod,
        confidence: f32,
        healed: Option<Healing>,
        element: ElementInfo,
    ) -> Self {
        let strategy = by.word();
        Self { found: true, method: "accessibility", strategy, confidence, healed, element }
    }
}

impl Tool for FindCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "find",
        command: "find",
        about: "Find exactly one element. Several matches are an error that lists their refs; no \
                match lists near elements.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = Matches;

    fn run(cx: &Context<'_>, args: Args) -> Result<Matches> {
        let query = Query::parse(&args.query, args.strategy)?;
        let app = verbs::app::resolve_app(cx, args.app.as_deref())?;
        if args.all {
            let mut sought = verbs::tree::find_elements(
                cx,
                &app,
                &query,
                HiddenTextPolicy::from_include_hidden(args.hidden),
            )?;
            sought.found.truncate(args.limit.map_or(50, Int::count));
            let places: Vec<_> = sought.found.iter().map(|hit| hit.index).collect();
            let elements = describe(cx, &app, &mut sought.tree, &places)?;
            sought.tree.save_refs()?;
            let hits = sought.found.iter().zip(elements);
            let hits = hits.map(|(hit, element)| Match::new(hit.by, hit.confidence, None, element));
            return Ok(Matches::Every(hits.collect()));
        }
        let mut sought = verbs::tree::find_element_with(
            cx,
            &app,
            &query,
            HiddenTextPolicy::from_include_hidden(args.hidden),
        )?;
        let hit = sought.found;
        let mut elements = describe(cx, &app, &mut sought.tree, &[hit.index])?;
        sought.tree.save_refs()?;
        let healed = hit
            .healed
            .map(|healed| Healing { strategy: healed.by.word(), confidence: healed.confidence });
        Ok(Matches::One(Box::new(Match::new(hit.by, hit.confidence, healed, elements.remove(0)))))
    }
}
