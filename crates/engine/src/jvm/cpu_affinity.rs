//! CPU affinity: pins a program to one core.

/// Runs `start`, and pins the programs and threads that it starts to one of the allowed cores. Threads that run
/// alternately wake each other faster on the same core. Only Linux supports this.
pub(crate) fn start_on_one_core<T>(start: impl FnOnce() -> T) -> T {
    #[cfg(target_os = "linux")]
    let _guard = linux::CpuAffinityGuard::pin_current_thread();
    start()
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Pins its thread to one core while it exists. Programs that the thread starts stay pinned.
    pub(super) struct CpuAffinityGuard {
        /// Affinity mask to restore.
        previous_mask: CpuSet,
    }

    impl CpuAffinityGuard {
        /// Pins the calling thread to its current core; `None` if the system does not allow it.
        pub(super) fn pin_current_thread() -> Option<Self> {
            let previous_mask = sched_getaffinity(None).ok()?;
            let mut mask = CpuSet::new();
            mask.set(sched_getcpu());
            sched_setaffinity(None, &mask).ok()?;
            Some(Self { previous_mask })
        }
    }

    impl Drop for CpuAffinityGuard {
        fn drop(&mut self) {
            // This fails only if fewer cores are allowed now, and then the system has set the mask.
            let _ = sched_setaffinity(None, &self.previous_mask);
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::fs::read_to_string;
    use std::process::{Command, Stdio};

    /// Returns the allowed cores of a process, in the system's notation.
    fn allowed_cores(status: &str) -> String {
        let core_list =
            |line: &str| Some(line.strip_prefix("Cpus_allowed_list:")?.trim().to_owned());
        status.lines().find_map(core_list).unwrap()
    }

    #[test]
    fn only_the_started_program_is_pinned() {
        let own_cores = || allowed_cores(&read_to_string("/proc/thread-self/status").unwrap());
        let cores_before = own_cores();
        let mut command = Command::new("cat");
        let command = command.arg("/proc/self/status").stdout(Stdio::piped());
        let program = start_on_one_core(|| command.spawn()).unwrap();
        let status = program.wait_with_output().unwrap().stdout;
        let cores = allowed_cores(&String::from_utf8(status).unwrap());
        assert!(cores.parse::<usize>().is_ok(), "{cores}");
        assert_eq!(own_cores(), cores_before);
    }
}
