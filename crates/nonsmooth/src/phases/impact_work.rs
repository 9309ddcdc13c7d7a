//! The work of impulses against the mean of the velocities before and after.
//!
//! Multiplied by v_φ the impulse balance books p u_φ at each contact: for φ = 0 an impact that stops a mass takes
//! twice its energy, and the column `scheme` gives half of it back. Against ½(u⁻ + u⁺) an impact books what it takes,
//! ½p(u⁻ + u⁺) = ΔT, whatever φ. What moves between the columns leaves their sum alone, so the ledger still closes.

use crate::log::{Contacts, StepLog};

/// Books every impulse against ½(u⁻ + u⁺), at the expense of the column `scheme`.
pub fn impact_work(log: &mut StepLog) {
    let Contacts { components, u_minus, u_plus, impulse, work, .. } = &mut log.contacts;
    for i in 0..work.len() {
        let mean = 0.5 * impulse[i] * (u_minus[i] + u_plus[i]);
        let moved = mean - work[i];
        work[i] = mean;
        let works = &mut log.works;
        *(if components[i] == 0 { &mut works.contact } else { &mut works.friction }) += moved;
        works.scheme -= moved;
    }
}
