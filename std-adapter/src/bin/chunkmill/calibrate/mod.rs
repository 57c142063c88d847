//! `chunkmill calibrate`

mod page;
mod profile;
mod sweep;
mod threshold;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use chunkmill::Pool;
use chunkmill_measure::machine::Machine;

use self::profile::Profile;
use self::sweep::{Sweep, ladder};
use self::threshold::{Point, Rules, search};
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
    let threads = args.threads.unwrap_or_else(Pool::default_threads);
    if machine.cores == 1 || threads == 1 {
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
    console::say(&format!("{} lengths, one thread and {threads} in turn, {runs} runs of each ...", ladder.len()));
    let (points, unrest) = Pool::scope(threads, |pool| {
        let mut sweep = Sweep::new(pool, ladder.iter().copied().max().unwrap_or(0));
        let points = if threads == 1 {
            BTreeMap::new()
        } else {
            search(&ladder, &rules, runs, |bytes, runs| sweep.measure(bytes, runs), console::say)?
        };
        Ok::<_, Failure>((points, sweep.unrest))
    })?;
    if unrest > RESTLESS {
        console::say(&format!("the machine has other work: one thread took up to {unrest:.1} times its median"));
    }
    let found = rules.thresholds(&points);
    Ok(Profile::new(&machine, threads, rules, found, points.into_values().collect()))
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
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let limit = std::fs::read_to_string(format!("/sys/fs/cgroup/{group}/cpu.max")).ok()?;
    let limit = limit.trim();
    (!limit.starts_with("max")).then(|| limit.to_owned())
}

fn write(out: &mut impl Write, profile: &Profile) -> io::Result<()> {
    let Profile { machine, threads, points, .. } = profile;
    writeln!(out, "{machine}; {threads} threads against one")?;
    writeln!(out, "{:>12} {:>8} {:>8} {:>6}", "bytes", "speed", "CPU", "runs")?;
    for Point { bytes, speed, cpu, runs } in points {
        writeln!(out, "{bytes:>12} {speed:>7.2}x {cpu:>7.2}x {runs:>6}")?;
    }
    writeln!(out)?;
    for (objective, threshold, why) in verdicts(profile) {
        writeln!(out, "{:<22} {threshold:>9}   {why}", format!("--objective {objective}"))?;
    }
    out.flush()
}

/// Each objective, its threshold, and what that means.
fn verdicts(profile: &Profile) -> [(&'static str, String, String); 3] {
    let Profile { rules, threshold_bytes: found, .. } = profile;
    let (margin, overhead) = (rules.margin * 100.0, rules.max_cpu_overhead * 100.0);
    let threshold =
        |bytes: Option<u64>| bytes.map_or("never".to_owned(), |bytes| format!("{} KiB", bytes.div_ceil(1024)));
    [
        ("wall", threshold(found.wall), format!("always faster by {margin} % from here on")),
        ("balanced", threshold(found.balanced), format!("and for no more than {overhead} % more CPU time")),
        ("cpu", threshold(found.cpu), "and for no more CPU time".to_owned()),
    ]
}
