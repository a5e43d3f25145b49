//! Keeping a program on one core.

/// Starts something, and keeps the programs and threads that it starts on one of the cores that this thread may use:
/// where threads take turns, one wakes the next sooner on the core that both have been on. Elsewhere than on Linux they
/// go where they like.
pub(crate) fn on_one_core<T>(start: impl FnOnce() -> T) -> T {
    #[cfg(target_os = "linux")]
    let _held = linux::CpuAffinityGuard::pin_current_thread();
    start()
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// While this lives, its thread stays on one core, and so do the programs that it starts, for good.
    pub(super) struct CpuAffinityGuard {
        /// Affinity mask to restore.
        before: CpuSet,
    }

    impl CpuAffinityGuard {
        /// Holds the calling thread where it is; `None` if the system does not let it.
        pub(super) fn pin_current_thread() -> Option<Self> {
            let before = sched_getaffinity(None).ok()?;
            let mut here = CpuSet::new();
            here.set(sched_getcpu());
            sched_setaffinity(None, &here).ok()?;
            Some(Self { before })
        }
    }

    impl Drop for CpuAffinityGuard {
        fn drop(&mut self) {
            // What it may use can only have become less, and then the system has seen to that.
            let _ = sched_setaffinity(None, &self.before);
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::fs::read_to_string;
    use std::process::{Command, Stdio};

    /// The cores that a process may use, as the system writes them.
    fn cores_of(status: &str) -> String {
        let word = |line: &str| Some(line.strip_prefix("Cpus_allowed_list:")?.trim().to_owned());
        status.lines().find_map(word).unwrap()
    }

    #[test]
    fn a_program_stays_on_one_core_and_whoever_started_it_does_not() {
        let own = || cores_of(&read_to_string("/proc/thread-self/status").unwrap());
        let before = own();
        let mut command = Command::new("cat");
        let command = command.arg("/proc/self/status").stdout(Stdio::piped());
        let program = on_one_core(|| command.spawn()).unwrap();
        let status = program.wait_with_output().unwrap().stdout;
        let cores = cores_of(&String::from_utf8(status).unwrap());
        assert!(cores.parse::<usize>().is_ok(), "{cores}");
        assert_eq!(own(), before);
    }
}
