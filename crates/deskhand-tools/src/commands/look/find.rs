//! `find`: the element a query means.

use deskhand_locate::{By, Query, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Int, Line, Need, Page, Result, Shown, Spec, Style, Tool,
    verbs::{
        self,
        element::{Element, describe},
        sift::Sift,
    },
};

pub(crate) struct Find;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// What to look for: text, `role:button title:Save`, `/regex/i`, XPath such as
    /// `//button[@title='Save']`, an element path, a JSON selector, or a ref.
    query: String,
    /// The app: its name, pid or desktop-file id. The focused one when absent.
    app: Option<String>,
    /// Show every match instead of insisting on one.
    #[serde(default)]
    all: bool,
    /// How to read the query; `auto` tries them all.
    #[serde(default)]
    strategy: Strategy,
    /// How many matches to show with `all`; 50 when absent.
    limit: Option<Int<1, 10_000>>,
    /// Look also among words no person could see, which are marked.
    #[serde(default)]
    hidden: bool,
}

/// One match.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Hit {
    /// Always true; an element that is not found is an error.
    found: bool,
    /// Where it was found: `accessibility`.
    method: &'static str,
    /// What matched: `title_exact`, `role_title`, `contains`, …
    strategy: &'static str,
    /// How sure the match is, from 0 to 1.
    confidence: f32,
    /// How the element was recognised when the query's own words no longer fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<Healed>,
    #[serde(flatten)]
    element: Element,
}

/// How an element was recognised.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Healed {
    /// What it was recognised by.
    strategy: &'static str,
    /// How sure that is, from 0 to 1.
    confidence: f32,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Found {
    /// The one element.
    One(Box<Hit>),
    /// Every match, best first.
    Every(Vec<Hit>),
}

impl Shown for Found {
    fn page(&self) -> Page {
        let hits: &[Hit] = match self {
            Self::One(hit) => std::slice::from_ref(hit),
            Self::Every(hits) => hits,
        };
        hits.iter().fold(Page::default(), |page, hit| page.line(hit.line()))
    }
}

impl Hit {
    fn line(&self) -> Line {
        let by = match &self.healed {
            None => format!("({})", self.strategy),
            Some(healed) => {
                format!("(healed by {}, {:.0} %)", healed.strategy, healed.confidence * 100.0)
            }
        };
        self.element.line().with(Style::Faint, by)
    }

    fn new(by: By, confidence: f32, healed: Option<Healed>, element: Element) -> Self {
        let strategy = by.word();
        Self { found: true, method: "accessibility", strategy, confidence, healed, element }
    }
}

impl Tool for Find {
    const SPEC: Spec = Spec {
        name: "find",
        command: "find",
        about: "Find one element. Refuses to guess: several matches are listed with their refs, and \
                nothing found lists what comes near.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Found;

    fn run(cx: &Context<'_>, args: Args) -> Result<Found> {
        let query = Query::parse(&args.query, args.strategy)?;
        let app = verbs::app::meant(cx, args.app.as_deref())?;
        if args.all {
            let mut sought = verbs::look::every(cx, &app, &query, Sift::asked_for(args.hidden))?;
            sought.found.truncate(args.limit.map_or(50, Int::count));
            let places: Vec<_> = sought.found.iter().map(|hit| hit.index).collect();
            let elements = describe(cx, &app, &mut sought.look, &places)?;
            sought.look.keep()?;
            let hits = sought.found.iter().zip(elements);
            let hits = hits.map(|(hit, element)| Hit::new(hit.by, hit.confidence, None, element));
            return Ok(Found::Every(hits.collect()));
        }
        let mut sought = verbs::look::one_of(cx, &app, &query, Sift::asked_for(args.hidden))?;
        let hit = sought.found;
        let mut elements = describe(cx, &app, &mut sought.look, &[hit.index])?;
        sought.look.keep()?;
        let healed = hit
            .healed
            .map(|healed| Healed { strategy: healed.by.word(), confidence: healed.confidence });
        Ok(Found::One(Box::new(Hit::new(hit.by, hit.confidence, healed, elements.remove(0)))))
    }
}
