//! A description of the machine without its name.

use std::fs;
use std::time::SystemTime;

use serde::Serialize;

/// The kind of machine, and the date of the run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    /// The number of processors.
    pub(crate) cores: usize,
    /// `true` for a virtual machine.
    pub(crate) virtual_machine: bool,
    /// The memory in gigabytes.
    pub(crate) memory_gb: u64,
    /// The name of the distribution.
    pub(crate) system: String,
    /// The one-minute load average at the start.
    pub(crate) load: f64,
    /// The date.
    pub(crate) date: String,
}

/// Describes this machine.
pub(crate) fn describe() -> Machine {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key).map(str::to_owned));
        line.unwrap_or_default()
    };
    let memory = after(&read("/proc/meminfo"), "MemTotal:");
    let kilobytes = memory.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    let system = after(&read("/etc/os-release"), "PRETTY_NAME=");
    let load = read("/proc/loadavg").split(' ').next().and_then(|word| word.parse().ok());
    let days = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs() / 86_400);
    Machine {
        cores: std::thread::available_parallelism().map_or(1, Into::into),
        virtual_machine: read("/proc/cpuinfo").contains("hypervisor"),
        memory_gb: (kilobytes.unwrap_or(0) as f64 / 1_048_576.0).round() as u64,
        system: system.trim_matches('"').to_owned(),
        load: load.unwrap_or(0.0),
        date: date(days as i64),
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.virtual_machine { "virtual machine" } else { "machine" };
        write!(f, "{}-core {kind}, {} GB, {}", self.cores, self.memory_gb, self.system)
    }
}

/// Converts days since 1970-01-01 to a date, with Howard Hinnant's algorithm.
fn date(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_772), "2026-11-15");
    }
}
