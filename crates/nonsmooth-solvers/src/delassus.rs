//! W = J M̂⁻¹ Jᵀ + D, the operator of a one-step problem.
//!
//! ```text
//! u = W p + u_free,     v = v_free + M̂⁻¹ Jᵀ p
//! ```
//!
//! M̂⁻¹ by mass groups, J by rows of constraints, D ≥ 0 a number per row (compliance). Masses and rows belong to those who made
//! them; the operator shares them until `release`. W itself may be given in their place. Solvers ask for W p, for blocks
//! W_cc, for J and M, or for W by rows; what they ask for is derived once and kept until masses or rows change.

use crate::jacobian::{ContactRows, Jacobian};
use crate::mass_groups::{Inertia, MassGroups};
use crate::posed::{FORMED, Posed};
use crate::primal::Primal;
use crate::responses::assemble;
use crate::sparse::Sparse;
use crate::stamp::next_stamp;
use std::sync::{Arc, OnceLock};

/// How W is kept.
// There is one operator per step, so the size of its variants does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// W by rows [1/kg].
    Explicit(Sparse),
    /// J and M of a file.
    Primal(Primal),
    /// Masses and rows.
    Posed(Posed),
}

impl Default for Form {
    fn default() -> Self {
        Form::Explicit(Sparse::default())
    }
}

/// W, by masses and rows or given as it is.
#[derive(Clone, Debug, Default)]
pub struct Delassus {
    pub(crate) form: Form,
    pub(crate) source: Option<Source>,
    /// Whether W is symmetric by construction (up to rounding).
    pub symmetric: bool,
    /// Names the values of W: two operators with the same `Some` stamp have the same W, so that a solver may reuse its
    /// factors. `None` promises nothing.
    pub stamp: Option<u64>,
}

/// Masses and rows, and which of the rows.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    mass: Arc<MassGroups>,
    jacobian: Arc<Jacobian>,
    /// Stamps of both.
    stamps: (u64, u64),
    /// Constraints that take part; none: all.
    list: Option<Vec<u32>>,
    /// D per row that takes part; empty: none.
    compliance: Vec<f64>,
}

impl Source {
    fn constraints(&self) -> impl Iterator<Item = usize> + '_ {
        let all = if self.list.is_none() { 0..self.jacobian.n_constraints() } else { 0..0 };
        all.chain(self.list.iter().flatten().map(|&c| c as usize))
    }

    /// The number in the whole of a constraint that takes part.
    fn number(&self, c: u32) -> u32 {
        self.list.as_ref().map_or(c, |list| list[c as usize])
    }
}

impl Delassus {
    /// W of all constraints; `compliance` is D ≥ 0 per row, empty where there is none.
    pub fn new(mass: Arc<MassGroups>, jacobian: Arc<Jacobian>, compliance: Vec<f64>) -> Self {
        let mut new = Self::default();
        new.set(mass, jacobian, None, compliance);
        new
    }

    /// W itself.
    pub fn explicit(w: Sparse) -> Self {
        let symmetric = w.is_symmetric(0.0);
        Self { form: Form::Explicit(w), source: None, symmetric, stamp: None }
    }

    /// W = J M⁻¹ Jᵀ of sparse matrices; `symmetric` says whether M is.
    pub fn from_primal(primal: Primal, symmetric: bool) -> Self {
        Self { form: Form::Primal(primal), source: None, symmetric, stamp: None }
    }

    /// W by rows, to be filled anew.
    pub fn explicit_mut(&mut self) -> &mut Sparse {
        self.source = None;
        if !matches!(self.form, Form::Explicit(_)) {
            self.form = Form::default();
        }
        match &mut self.form {
            Form::Explicit(w) => w,
            _ => unreachable!("replaced above"),
        }
    }

    /// Spatial bodies and contacts alone, filled anew by `fill` in memory that is kept; `dims` has the rows of each contact.
    pub fn fill_contacts(
        &mut self,
        dims: impl Iterator<Item = usize>,
        fill: impl FnOnce(&mut Vec<Inertia>, &mut Vec<ContactRows>),
    ) {
        let (mut mass, mut jacobian) = self.source.take().map_or_else(
            || (Arc::new(MassGroups::default()), Arc::new(Jacobian::default())),
            |source| (source.mass, source.jacobian),
        );
        self.drop_form();
        // Shared with somebody else: a new one takes its place.
        if Arc::get_mut(&mut mass).is_none() || Arc::get_mut(&mut jacobian).is_none() {
            (mass, jacobian) = Default::default();
        }
        let (Some(masses), Some(rows)) = (Arc::get_mut(&mut mass), Arc::get_mut(&mut jacobian)) else {
            unreachable!("nobody else has them");
        };
        masses.fill_spatial(|bodies| rows.fill_contacts(dims, |contacts| fill(bodies, contacts)));
        self.set(mass, jacobian, None, Vec::new());
    }

    /// These constraints alone, of the same masses and rows.
    pub fn part(&self, constraints: &[u32]) -> Self {
        let Some(source) = &self.source else { return Self::default() };
        let mut compliance = Vec::new();
        if !source.compliance.is_empty() {
            let mut start = vec![0];
            for c in source.constraints() {
                start.push(start[start.len() - 1] + source.jacobian.rows_of(c).len());
            }
            for &c in constraints {
                compliance
                    .extend_from_slice(&source.compliance[start[c as usize]..start[c as usize + 1]]);
            }
        }
        let list = constraints.iter().map(|&c| source.number(c)).collect();
        let mut part = Self::default();
        part.set(source.mass.clone(), source.jacobian.clone(), Some(list), compliance);
        part
    }

    /// Other masses and rows: those of `constraints`, or all. Where nothing changed, what was derived stays.
    pub fn renew(
        &mut self,
        mass: &Arc<MassGroups>,
        jacobian: &Arc<Jacobian>,
        constraints: Option<&[u32]>,
        compliance: &[f64],
    ) {
        let stamps = (mass.stamp(), jacobian.stamp());
        let same = self.source.as_ref().is_some_and(|known| {
            known.stamps == stamps
                && known.list.as_deref() == constraints
                && known.compliance == compliance
        });
        if same {
            // Nothing was released.
            if self.source.as_ref().is_some_and(|known| {
                Arc::ptr_eq(&known.mass, mass) && Arc::ptr_eq(&known.jacobian, jacobian)
            }) {
                return;
            }
            if let Some(source) = &mut self.source {
                (source.mass, source.jacobian) = (mass.clone(), jacobian.clone());
            }
            if let (Form::Posed(posed), None) = (&mut self.form, constraints) {
                (posed.mass, posed.jacobian) = (mass.clone(), jacobian.clone());
            }
            return;
        }
        // The memory of the lists is used again.
        let known = self.source.take();
        let (known_list, mut own) = known.map_or_else(Default::default, |s| (s.list, s.compliance));
        let list = constraints.map(|constraints| {
            let mut list = known_list.unwrap_or_default();
            list.clear();
            list.extend_from_slice(constraints);
            list
        });
        own.clear();
        own.extend_from_slice(compliance);
        self.set(mass.clone(), jacobian.clone(), list, own);
    }

    /// Lets masses and rows go, so that their owners may write them; `renew` comes before the next question.
    pub fn release(&mut self) {
        if let Some(source) = &mut self.source {
            (source.mass, source.jacobian) = nothing();
            if let (Form::Posed(posed), None) = (&mut self.form, &source.list) {
                (posed.mass, posed.jacobian) = nothing();
            }
        }
    }

    fn drop_form(&mut self) {
        if let Form::Posed(posed) = &mut self.form {
            (posed.mass, posed.jacobian) = nothing();
        }
    }

    fn set(
        &mut self,
        mass: Arc<MassGroups>,
        jacobian: Arc<Jacobian>,
        list: Option<Vec<u32>>,
        compliance: Vec<f64>,
    ) {
        self.symmetric = mass.is_symmetric();
        self.stamp = Some(next_stamp());
        let stamps = (mass.stamp(), jacobian.stamp());
        let (own_mass, own_rows) = match &list {
            None => (mass.clone(), jacobian.clone()),
            Some(list) => {
                let (own_mass, own_rows) = jacobian.part(list, &mass);
                (Arc::new(own_mass), Arc::new(own_rows))
            }
        };
        let small = own_rows.n_rows() <= FORMED && own_rows.is_general();
        if small {
            let mut w = match std::mem::take(&mut self.form) {
                Form::Explicit(w) => w,
                _ => Sparse::default(),
            };
            assemble(&own_mass, &own_rows, &compliance, &mut w);
            self.form = Form::Explicit(w);
        } else if let Form::Posed(posed) = &mut self.form {
            (posed.mass, posed.jacobian) = (own_mass, own_rows);
            posed.compliance.clone_from(&compliance);
            posed.forget();
        } else {
            self.form = Form::Posed(Posed::new(own_mass, own_rows, compliance.clone()));
        }
        self.source = Some(Source { mass, jacobian, stamps, list, compliance });
    }

    /// W by rows; formed on first use where it was given otherwise.
    #[inline]
    pub fn assembled(&self) -> &Sparse {
        match &self.form {
            Form::Explicit(w) => w,
            Form::Primal(primal) => primal.assembled(),
            Form::Posed(posed) => posed.assembled(),
        }
    }

    /// J, M and M⁻¹ Jᵀ, where W is not given by rows and no group of M has a sparse factor.
    pub fn primal(&self) -> Option<&Primal> {
        match &self.form {
            Form::Explicit(_) => None,
            Form::Primal(primal) => Some(primal),
            Form::Posed(posed) => posed.primal(),
        }
    }

    /// W where it was given by rows.
    pub(crate) fn given(&self) -> Option<&Sparse> {
        match &self.form {
            Form::Explicit(w) => Some(w),
            _ => None,
        }
    }

    /// D of a row, which `primal` does not have; 0 where W was given by rows.
    #[inline]
    pub(crate) fn compliance(&self, row: usize) -> f64 {
        self.source.as_ref().and_then(|source| source.compliance.get(row)).copied().unwrap_or(0.0)
    }

    /// D by row; empty where there is none.
    #[inline]
    pub(crate) fn compliances(&self) -> &[f64] {
        self.source.as_ref().map_or(&[], |source| &source.compliance)
    }

    /// Whether some rows are contacts of bodies, given by frames and arms.
    pub(crate) fn has_contacts(&self) -> bool {
        matches!(&self.form, Form::Posed(posed) if !posed.contacts().is_empty())
    }

    /// Bodies and other groups that rows may name; none where W is given by rows.
    pub(crate) fn n_groups(&self) -> Option<usize> {
        match &self.form {
            Form::Posed(posed) => Some(posed.mass.n_groups()),
            _ => None,
        }
    }

    /// u ← u + W p, without forming W; `scratch` is for velocities.
    pub fn apply(&self, p: &[f64], scratch: &mut Vec<f64>, u: &mut [f64]) {
        match &self.form {
            Form::Explicit(w) => w.multiply_add(1.0, p, u),
            Form::Primal(primal) => match primal.response() {
                Some(response) => {
                    scratch.clear();
                    scratch.resize(response.n_columns, 0.0);
                    response.add_combination(p, scratch);
                    primal.jacobian.multiply_add(1.0, scratch, u);
                }
                None => primal.assembled().multiply_add(1.0, p, u),
            },
            Form::Posed(posed) => posed.add_product(p, scratch, u),
        }
    }

    /// v ← v + M̂⁻¹ Jᵀ p over all velocities; nothing where W was given by rows.
    #[inline]
    pub fn push(&self, p: &[f64], v: &mut [f64]) {
        let Some(source) = &self.source else { return };
        if source.list.is_none() {
            source.jacobian.push_all(&source.mass, p, v);
        } else {
            self.push_listed(source, p, v);
        }
        if source.mass.has_factored() {
            self.push_factored(source, p, v);
        }
    }

    /// The same of chosen constraints, but for groups with a sparse factor.
    #[inline(never)]
    fn push_listed(&self, source: &Source, p: &[f64], v: &mut [f64]) {
        let mut begin = 0;
        for c in source.constraints() {
            let end = begin + source.jacobian.rows_of(c).len();
            source.jacobian.push(c, &source.mass, &p[begin..end], v);
            begin = end;
        }
    }

    /// The same for groups with a sparse factor.
    #[inline(never)]
    fn push_factored(&self, source: &Source, p: &[f64], v: &mut [f64]) {
        let p_of = || {
            let mut begin = 0;
            source.constraints().map(move |c| {
                let first = begin;
                begin += source.jacobian.rows_of(c).len();
                (c, first)
            })
        };
        source.mass.push_factored_groups(v, |x, group| {
            p_of().for_each(|(c, first)| {
                source.jacobian.add_group_force(c, &p[first..], group, &source.mass, x)
            });
        });
    }
}

/// Masses and rows of nothing, shared by all who let theirs go.
fn nothing() -> (Arc<MassGroups>, Arc<Jacobian>) {
    static NOTHING: OnceLock<(Arc<MassGroups>, Arc<Jacobian>)> = OnceLock::new();
    NOTHING.get_or_init(Default::default).clone()
}
