//! `energy-ledger`: kinetic and potential energy, the work of each kind, and what remains.

use super::{ObserverEntry, Report, RunObserver, Setup};
use crate::results::Memory;
use nonsmooth::model::UserError;
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{Energies, N_WORKS, Works};

pub(super) const ENTRY: ObserverEntry = ObserverEntry {
    name: "energy-ledger",
    about: "kinetic and potential energy, work of each kind, and what remains",
    is_default: true,
    make,
};

fn make(setup: &Setup<'_>) -> Result<Box<dyn RunObserver>, UserError> {
    let ledger = match setup.resumed {
        None => EnergyLedger::default(),
        Some(from) => {
            ledger(&from.memory.numbers).ok_or("the energy ledger in the checkpoint is damaged")?
        }
    };
    Ok(Box::new(ledger))
}

impl RunObserver for EnergyLedger {
    fn memory(&self) -> Memory {
        Memory { numbers: numbers(self), ..Memory::default() }
    }

    fn report(&self, report: &mut Report) {
        report.ledger = Some(*self);
    }
}

/// The ledger as numbers.
pub(super) fn numbers(ledger: &EnergyLedger) -> Vec<f64> {
    let l = ledger;
    let (initial, energies, total) = (l.initial, l.energies, l.total);
    let mut numbers = vec![initial.kinetic, initial.potential, energies.kinetic, energies.potential];
    numbers.extend([l.step_remainder, l.remainder, l.worst_remainder, l.scale]);
    numbers.extend([l.error, l.worst_error, l.largest_kinetic]);
    numbers.extend(total.columns().map(|(_, work)| work));
    numbers
}

/// The ledger from its numbers.
pub(super) fn ledger(numbers: &[f64]) -> Option<EnergyLedger> {
    let (first, works) = numbers.split_first_chunk::<11>()?;
    let [kinetic, potential, now_kinetic, now_potential, rest @ ..] = *first;
    let works: [f64; N_WORKS] = works.try_into().ok()?;
    Some(EnergyLedger {
        initial: Energies { kinetic, potential },
        energies: Energies { kinetic: now_kinetic, potential: now_potential },
        total: Works::from_columns(works),
        step_remainder: rest[0],
        remainder: rest[1],
        worst_remainder: rest[2],
        scale: rest[3],
        error: rest[4],
        worst_error: rest[5],
        largest_kinetic: rest[6],
    })
}
