use super::*;
use core::sync::atomic::AtomicUsize;
use core::time::Duration;
use std::sync::mpsc;
use std::time::Instant;

/// Fails, rather than hangs, when `test` does.
fn within_a_minute(test: impl FnOnce() + Send + 'static) {
    let (done, end) = mpsc::channel();
    let thread = thread::spawn(move || {
        test();
        let _ = done.send(());
    });
    match end.recv_timeout(Duration::from_secs(60)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("still running"),
        _ => thread.join().unwrap(),
    }
}

#[test]
fn every_helper_takes_part_once_in_each_job() {
    within_a_minute(|| {
        for threads in 1..=5 {
            Pool::scope(threads, |pool| {
                for _ in 0..100 {
                    let inside = AtomicUsize::new(0);
                    let all_here = || inside.load(Ordering::Acquire) == threads;
                    let help = || {
                        inside.fetch_add(1, Ordering::AcqRel);
                    };
                    pool.run(Job::Long, threads - 1, &help, || {
                        help();
                        while !all_here() {
                            thread::yield_now();
                        }
                    });
                    assert!(all_here());
                }
            });
        }
    });
}

#[test]
fn no_helper_is_inside_when_a_job_ends() {
    within_a_minute(|| {
        Pool::scope(4, |pool| {
            for round in 0..2000 {
                let inside = AtomicUsize::new(0);
                let help = || {
                    inside.fetch_add(1, Ordering::SeqCst);
                    if round % 16 == 0 {
                        thread::sleep(Duration::from_micros(100));
                    }
                    inside.fetch_sub(1, Ordering::SeqCst);
                };
                pool.run(Job::Long, 3, &help, || ());
                assert_eq!(inside.load(Ordering::SeqCst), 0);
            }
        });
    });
}

#[test]
fn a_panic_of_a_helper_reaches_the_caller_and_the_pool_goes_on() {
    within_a_minute(|| {
        Pool::scope(3, |pool| {
            for _ in 0..20 {
                let started = AtomicBool::new(false);
                let help = || {
                    started.store(true, Ordering::Release);
                    panic!("helper");
                };
                let lead = || {
                    while !started.load(Ordering::Acquire) {
                        thread::yield_now();
                    }
                };
                let panic = catch_unwind(AssertUnwindSafe(|| pool.run(Job::Long, 2, &help, lead))).unwrap_err();
                assert_eq!(panic.downcast_ref(), Some(&"helper"));
                assert_eq!(pool.run(Job::Long, 2, &|| (), || 5), 5);
            }
        });
    });
}

#[test]
fn a_panic_of_the_caller_waits_for_the_helpers() {
    within_a_minute(|| {
        Pool::scope(2, |pool| {
            let (started, ended) = (AtomicBool::new(false), AtomicBool::new(false));
            let help = || {
                started.store(true, Ordering::Release);
                thread::sleep(Duration::from_millis(20));
                ended.store(true, Ordering::Release);
            };
            let lead = || {
                while !started.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                panic!("lead");
            };
            assert!(catch_unwind(AssertUnwindSafe(|| pool.run(Job::Long, 1, &help, lead))).is_err());
            assert!(ended.load(Ordering::Acquire));
        });
    });
}

#[test]
fn a_helpers_panic_is_forgotten_when_the_caller_panics_too() {
    within_a_minute(|| {
        Pool::scope(2, |pool| {
            let started = AtomicBool::new(false);
            let help = || {
                started.store(true, Ordering::Release);
                panic!("helper");
            };
            let lead = || {
                while !started.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                panic!("lead");
            };
            let panic = catch_unwind(AssertUnwindSafe(|| pool.run(Job::Long, 1, &help, lead))).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"lead"));
            assert_eq!(pool.run(Job::Long, 1, &|| (), || 5), 5);
        });
    });
}

#[test]
fn a_job_within_a_job_runs_alone() {
    within_a_minute(|| {
        Pool::scope(4, |pool| {
            let outer = pool.run(Job::Long, 3, &|| (), || pool.run(Job::Long, 3, &|| panic!("nobody helps"), || 1) + 1);
            assert_eq!(outer, 2);
        });
    });
}

#[test]
fn no_thread_is_started_before_it_is_wanted() {
    Pool::scope(4, |pool| {
        pool.run(Job::Long, 0, &|| panic!("nobody helps"), || ());
        assert!(pool.helpers.get().is_none());
        pool.run(Job::Long, 1, &|| (), || ());
        assert_eq!(pool.helpers.get().map(Vec::len), Some(3));
    });
    Pool::scope(0, |pool| assert_eq!(pool.threads(), 1));
    Pool::scope(1000, |pool| assert_eq!(pool.threads(), 64));
}

/// Parked helpers use no CPU time: less than a hundredth of the time they lie idle.
#[test]
fn an_idle_pool_uses_no_cpu() {
    Pool::scope(4, |pool| {
        let (times, clock) = mpsc::channel();
        let ids = Mutex::new(Vec::new());
        let here = || {
            let _ = times.send(());
            ids.lock().unwrap().push(rustix::thread::gettid());
        };
        pool.run(Job::Long, 3, &here, || (0..3).for_each(|_| clock.recv().unwrap()));
        let cpu = || -> u64 { ids.lock().unwrap().iter().map(|id| ticks(id.as_raw_pid())).sum() };
        thread::sleep(Duration::from_millis(50));
        let (before, start) = (cpu(), Instant::now());
        thread::sleep(Duration::from_secs(1));
        assert!(cpu() - before <= 1, "of {} ticks", start.elapsed().as_millis() / 10);
    });
}

/// Clock ticks (1/100 s) that a thread of this process has worked.
fn ticks(thread: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// For short jobs helpers are kept off the caller's CPU, for long ones they are not.
#[cfg(target_os = "linux")]
#[test]
fn short_jobs_keep_helpers_off_the_callers_cpu() {
    use rustix::thread::{gettid, sched_getaffinity};

    within_a_minute(|| {
        let allowed = sched_getaffinity(None).unwrap();
        if allowed.count() == 1 {
            eprintln!("one CPU: helpers have nowhere else to go");
            return;
        }
        Pool::scope(2, |pool| {
            let cpus_of_helper = |job| {
                let cpus = Mutex::new(None);
                let help = || *cpus.lock().unwrap() = Some(sched_getaffinity(Some(gettid())).unwrap());
                pool.run(job, 1, &help, || {
                    while cpus.lock().unwrap().is_none() {
                        thread::yield_now();
                    }
                });
                cpus.into_inner().unwrap().unwrap()
            };
            // At the first job the helper may not have started yet.
            cpus_of_helper(Job::Short);
            assert_eq!(cpus_of_helper(Job::Short).count(), allowed.count() - 1);
            assert_eq!(cpus_of_helper(Job::Long), allowed);
            assert_eq!(cpus_of_helper(Job::Short).count(), allowed.count() - 1);
        });
    });
}
