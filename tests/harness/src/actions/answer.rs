//! Parses the output of an acting command.

use serde_json::Value;

use crate::Outcome;

/// The parsed output of an acting command.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The command reported an effect.
    Effect {
        /// `confirmed`, `partial`, `unverified`, `no_effect` or `refused`.
        effect: String,
        /// The strategy that was used.
        strategy: String,
        /// The observed evidence.
        evidence: Vec<Value>,
        /// The strategies that failed, with reasons.
        failed_strategies: Vec<String>,
    },
    /// The command failed and reported its delivery.
    Failed {
        /// The error code.
        code: String,
        /// `not_sent`, `sent` or `unknown`.
        delivery: String,
        /// The error message.
        message: String,
    },
    /// The output is neither an effect nor an error.
    Unparsable(String),
}

const EFFECTS: [(&str, i32); 5] =
    [("confirmed", 0), ("partial", 0), ("unverified", 0), ("no_effect", 1), ("refused", 1)];

impl Answer {
    /// Parses the output of a command that ran with `--format json`.
    pub fn from_outcome(outcome: &Outcome) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Ok(value) = serde_json::from_slice::<Value>(&outcome.stdout) {
            let effect = text(&value["effect"]);
            let code = EFFECTS.iter().find(|(name, _)| *name == effect).map(|(_, code)| *code);
            if code.is_some() && outcome.code == code {
                let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
                let describe = |one: Value| format!("{}: {}", text(&one["way"]), text(&one["why"]));
                let failed_strategies = list("tried").into_iter().map(describe).collect();
                let evidence = list("evidence");
                return Self::Effect {
                    effect,
                    strategy: text(&value["way"]),
                    evidence,
                    failed_strategies,
                };
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
            Ok(_) | Err(_) => Self::Unparsable(outcome.to_string()),
        }
    }

    /// Returns a short reason for the effect.
    pub fn reason(&self) -> String {
        match self {
            Self::Effect { failed_strategies, .. } if !failed_strategies.is_empty() => {
                failed_strategies.join("; ")
            }
            Self::Effect { effect, strategy, .. } if effect == "unverified" => {
                format!("{strategy}: no visible effect")
            }
            Self::Effect { evidence, .. } => {
                evidence.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            }
            Self::Failed { code, message, .. } => format!("{code}: {message}"),
            Self::Unparsable(text) => text.clone(),
        }
    }

    /// Returns the effect, `failed` or `garbled`, for counting.
    pub fn word(&self) -> &str {
        match self {
            Self::Effect { effect, .. } => effect,
            Self::Failed { .. } => "failed",
            Self::Unparsable(_) => "garbled",
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Effect { effect, strategy, evidence, failed_strategies } => {
                let evidence_text: Vec<String> = evidence.iter().map(ToString::to_string).collect();
                write!(f, "{effect} by {strategy}: {}", evidence_text.join(" "))?;
                failed_strategies.iter().try_for_each(|one| write!(f, "\n    tried {one}"))
            }
            Self::Failed { code, delivery, message } => write!(f, "{code} ({delivery}): {message}"),
            Self::Unparsable(text) => write!(f, "{text}"),
        }
    }
}
