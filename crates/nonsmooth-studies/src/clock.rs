//! Processor time.

/// Processor time of this process, all threads together [s].
#[cfg(unix)]
pub fn seconds() -> f64 {
    // Exact to a microsecond; what /proc tells about it moves by ticks of 4 ms.
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_or_else(|_| elapsed(), |t| t.tv_sec() as f64 + 1e-9 * t.tv_nsec() as f64)
}

/// Time since the first call, where there is no clock of processor time [s].
#[cfg(not(unix))]
pub fn seconds() -> f64 {
    elapsed()
}

fn elapsed() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
