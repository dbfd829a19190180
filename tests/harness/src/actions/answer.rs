//! What `deskhand` answered, taken apart.

use serde_json::Value;

use crate::Outcome;

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It says what became of the action.
    Effect {
        /// `confirmed`, `partial`, `unverified`, `no_effect` or `refused`.
        effect: String,
        /// The way it was done.
        way: String,
        /// What was seen.
        evidence: Vec<Value>,
        /// Why the ways that were tried did not do it.
        tried: Vec<String>,
    },
    /// It failed, and says whether anything was sent.
    Failed {
        /// The error's code.
        code: String,
        /// `not_sent`, `sent` or `unknown`.
        delivery: String,
        /// The error's message.
        message: String,
    },
    /// Neither.
    Garbled(String),
}

const EFFECTS: [(&str, i32); 5] =
    [("confirmed", 0), ("partial", 0), ("unverified", 0), ("no_effect", 1), ("refused", 1)];

impl Answer {
    /// Reads the answer of a run with `--format json`.
    pub fn of(outcome: &Outcome) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Ok(value) = serde_json::from_slice::<Value>(&outcome.stdout) {
            let effect = text(&value["effect"]);
            let code = EFFECTS.iter().find(|(name, _)| *name == effect).map(|(_, code)| *code);
            if code.is_some() && outcome.code == code {
                let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
                let told = |one: Value| format!("{}: {}", text(&one["way"]), text(&one["why"]));
                let tried = list("tried").into_iter().map(told).collect();
                let evidence = list("evidence");
                return Self::Effect { effect, way: text(&value["way"]), evidence, tried };
            }
        }
        let line = outcome.stderr.lines().last().unwrap_or_default();
        let error = serde_json::from_str::<Value>(line).map(|value| value["error"].clone());
        match error {
            Ok(error) if outcome.code == Some(1) && error["code"].is_string() => Self::Failed {
                code: text(&error["code"]),
                delivery: text(&error["delivery"]),
                message: text(&error["message"]),
            },
            Ok(_) | Err(_) => Self::Garbled(outcome.to_string()),
        }
    }

    /// Why it is not more than it is, in a few words.
    pub fn reason(&self) -> String {
        match self {
            Self::Effect { tried, .. } if !tried.is_empty() => tried.join("; "),
            Self::Effect { effect, way, .. } if effect == "unverified" => {
                format!("{way}: nothing to be seen of it")
            }
            Self::Effect { evidence, .. } => {
                evidence.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            }
            Self::Failed { code, message, .. } => format!("{code}: {message}"),
            Self::Garbled(text) => text.clone(),
        }
    }

    /// The word it is counted under.
    pub fn word(&self) -> &str {
        match self {
            Self::Effect { effect, .. } => effect,
            Self::Failed { .. } => "failed",
            Self::Garbled(_) => "garbled",
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Effect { effect, way, evidence, tried } => {
                let seen: Vec<String> = evidence.iter().map(ToString::to_string).collect();
                write!(f, "{effect} by {way}: {}", seen.join(" "))?;
                tried.iter().try_for_each(|one| write!(f, "\n    tried {one}"))
            }
            Self::Failed { code, delivery, message } => write!(f, "{code} ({delivery}): {message}"),
            Self::Garbled(text) => write!(f, "{text}"),
        }
    }
}
