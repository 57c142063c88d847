//! `chunkmill calibrate`

mod page;
mod profile;
mod sweep;
mod threshold;

use std::io::{self, Write};
use std::path::Path;

use chunkmill::Pool;
use chunkmill_measure::machine::Machine;

use self::profile::{Profile, Swept};
use self::sweep::{Sweep, ladder};
use self::threshold::{Point, Rules, Thresholds, search};
use crate::args::CalibrateArgs;
use crate::console;
use crate::failure::{Failure, Outcome, stdout_written};
use crate::output::{Output, PLAIN};

pub(crate) use self::profile::saved_threshold;

/// One thread's own figures may be so far apart before they say more of the machine's other work than of it.
const RESTLESS: f64 = 2.0;

pub(crate) fn run(args: &CalibrateArgs) -> Result<Outcome, Failure> {
    let profile = match &args.from_json {
        Some(path) => Profile::read(path)?,
        None => calibrate(args)?,
    };
    if let Some(path) = &args.json {
        profile.write(path)?;
    }
    if let Some(path) = &args.svg {
        let picture =
            page::svg(&profile).ok_or_else(|| Failure::Usage("--svg: there is no figure to draw".to_owned()))?;
        write_file(path, &picture)?;
    }
    if let Some(path) = &args.html {
        write_file(path, &page::html(&profile))?;
    }
    let written = write(&mut io::stdout(), &profile);
    if args.save {
        let path = profile.save()?;
        console::say(&format!("saved to {}; later runs use it", crate::names::printable(&path)));
    }
    stdout_written(written, Outcome::Done)
}

fn calibrate(args: &CalibrateArgs) -> Result<Profile, Failure> {
    let machine = Machine::detect();
    let most = args.threads.unwrap_or_else(Pool::default_threads);
    if machine.cores == 1 || most == 1 {
        console::say("one thread: there is nothing to split, and no length from which that pays");
    }
    if cfg!(debug_assertions) {
        console::say("this is not an optimised build: its thresholds are not those of one");
    }
    if let Some(limit) = cpu_limit() {
        console::say(&format!("a limit on CPU time is set ({limit}): figures may be those of the limit"));
    }
    let (runs, doublings) = match (args.quick, args.thorough) {
        (true, _) => (9, 1),
        (_, true) => (41, 3),
        _ => (21, 2),
    };
    let runs = args.runs.unwrap_or(runs);
    let rules = Rules { margin: args.margin / 100.0, max_cpu_overhead: args.max_cpu_overhead / 100.0 };
    let ladder = ladder(doublings);
    let mut sweeps = Vec::new();
    for threads in 2..=most {
        console::say(&format!("{} lengths, one thread and {threads} in turn, {runs} runs of each ...", ladder.len()));
        sweeps.push(swept(threads, &ladder, &rules, runs)?);
    }
    Ok(Profile::new(&machine, rules, sweeps))
}

/// Measures the lengths of the ladder on so many threads.
fn swept(threads: usize, ladder: &[u64], rules: &Rules, runs: u32) -> Result<Swept, Failure> {
    let (points, unrest) = Pool::scope(threads, |pool| {
        let mut sweep = Sweep::new(pool, ladder.iter().copied().max().unwrap_or(0));
        let points = search(ladder, rules, runs, |bytes, runs| sweep.measure(bytes, runs), console::say)?;
        Ok::<_, Failure>((points, sweep.unrest))
    })?;
    if let Some(warning) = restless(unrest) {
        console::say(&warning);
    }
    Ok(Swept { threads, threshold_bytes: rules.thresholds(&points), points: points.into_values().collect() })
}

/// A word about a machine whose figures are far apart.
fn restless(unrest: f64) -> Option<String> {
    (unrest > RESTLESS)
        .then(|| format!("the machine has other work: one thread took up to {unrest:.1} times its median"))
}

/// Writes a file, over one that is there.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let mut output = Output::create(path, PLAIN)?;
    output.write_all(text.as_bytes()).map_err(|error| Failure::io("cannot write", path, &error))?;
    output.replace()
}

/// The limit of this process's group of processes, as the system writes it: microseconds in so many.
fn cpu_limit() -> Option<String> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_of(&groups, |group| std::fs::read_to_string(format!("/sys/fs/cgroup/{group}/cpu.max")).ok())
}

/// The limit that the group itself, or one that it is part of, has.
fn limit_of(groups: &str, limit: impl Fn(&str) -> Option<String>) -> Option<String> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let above = Path::new(group).ancestors().filter_map(Path::to_str);
    above.filter_map(limit).map(|limit| limit.trim().to_owned()).find(|limit| !limit.starts_with("max"))
}

fn write(out: &mut impl Write, profile: &Profile) -> io::Result<()> {
    let Profile { machine, rules, sweeps, .. } = profile;
    writeln!(out, "{machine}")?;
    if sweeps.is_empty() {
        writeln!(out, "one thread: nothing to split")?;
    }
    for swept in sweeps {
        writeln!(out, "\n{} threads against one", swept.threads)?;
        writeln!(out, "{:>12} {:>8} {:>8} {:>6}", "bytes", "speed", "CPU", "runs")?;
        for Point { bytes, speed, cpu, runs } in &swept.points {
            writeln!(out, "{bytes:>12} {speed:>7.2}x {cpu:>7.2}x {runs:>6}")?;
        }
        writeln!(out)?;
        for (objective, threshold, why) in verdicts(rules, &swept.threshold_bytes) {
            let options = format!("--threads {} --objective {objective}", swept.threads);
            writeln!(out, "{options:<34} {threshold:>9}   {why}")?;
        }
    }
    out.flush()
}

/// Each objective, its threshold, and what that means.
fn verdicts(rules: &Rules, found: &Thresholds) -> [(&'static str, String, String); 3] {
    let (margin, overhead) = (rules.margin * 100.0, rules.max_cpu_overhead * 100.0);
    let threshold =
        |bytes: Option<u64>| bytes.map_or("never".to_owned(), |bytes| format!("{} KiB", bytes.div_ceil(1024)));
    [
        ("wall", threshold(found.wall), format!("always faster by {margin} % from here on")),
        ("balanced", threshold(found.balanced), format!("and for no more than {overhead} % more CPU time")),
        ("cpu", threshold(found.cpu), "and for no more CPU time".to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_on_any_group_above_counts() {
        let groups = "12:cpu:/old\n0::/user.slice/job\n";
        let limits = |limited: &'static str| {
            move |group: &str| Some(if group == limited { "50000 100000\n" } else { "max 100000\n" }.to_owned())
        };
        assert_eq!(limit_of(groups, limits("user.slice/job")).as_deref(), Some("50000 100000"));
        assert_eq!(limit_of(groups, limits("user.slice")).as_deref(), Some("50000 100000"));
        assert_eq!(limit_of(groups, limits("")).as_deref(), Some("50000 100000"));
        assert_eq!(limit_of(groups, limits("another")), None);
        assert_eq!(limit_of(groups, |_| None), None);
        assert_eq!(limit_of("12:cpu:/old\n", limits("old")), None);
    }

    #[test]
    fn figures_far_apart_are_worth_a_word() {
        assert_eq!(restless(1.3), None);
        assert!(restless(2.6).is_some_and(|warning| warning.contains("2.6 times")));
    }
}
