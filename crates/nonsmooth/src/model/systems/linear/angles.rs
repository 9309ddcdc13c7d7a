//! Angles by which the parts of a linear system turn.
//!
//! ```text
//! θ_k = ‖A_k q‖          A_k: one row in the plane, three in space
//! ```
//!
//! A linear system is right for small rotations alone: a part that turns by θ seems longer by 1 − cos θ. So a run tells where θ is no longer small.

use nonsmooth_solvers::Sparse;

/// The angles of the parts of a linear system.
#[derive(Clone, Debug)]
pub struct Angles {
    /// Rows over the coordinates of the system, those of a part one after the other [rad/m, –].
    pub rows: Sparse,
    /// Rows of a part: 1 or 3.
    pub rows_of_part: usize,
}

impl Angles {
    /// The largest angle of a part [rad]; not a number where q is none.
    pub(super) fn largest(&self, q: &[f64]) -> f64 {
        let n_parts = self.rows.n_rows() / self.rows_of_part;
        let squared = |k: usize| -> f64 {
            let rows = k * self.rows_of_part..(k + 1) * self.rows_of_part;
            rows.map(|row| self.rows.row_dot(row, q).powi(2)).sum()
        };
        (0..n_parts).map(squared).fold(0.0, |most, x| if x <= most { most } else { x }).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Linear, ModelBuilder};

    #[test]
    fn the_largest_angle_is_that_of_all_rows_of_a_part() {
        let rows = Sparse::from_rows(&[
            vec![1.0, 0.0],
            vec![0.0, 0.0],
            vec![0.0, 1.0],
            vec![4.0, 0.0],
            vec![0.0, 0.0],
            vec![0.0, 0.0],
        ]);
        let angles = Angles { rows, rows_of_part: 3 };
        assert_eq!(angles.largest(&[0.3, -0.4]), 1.2);
        assert_eq!(angles.largest(&[0.0, -0.4]), 0.4);
        assert!(angles.largest(&[f64::NAN, 0.0]).is_nan());
    }

    #[test]
    fn angles_that_do_not_fit_are_refused() {
        let of = |rows: &[Vec<f64>], rows_of_part: usize| {
            let rows = Sparse::from_rows(rows);
            let angles = Some(Angles { rows, rows_of_part });
            let mut builder = ModelBuilder::new();
            builder.linear(Linear { angles, ..Linear::new("a", Sparse::diagonal(&[1.0; 2])) });
            builder.build(0.0).map(|_| ()).map_err(|error| error.to_string())
        };
        let good = vec![1.0, 2.0];
        assert_eq!(of(&[good.clone(), good.clone()], 1), Ok(()));
        let wide = vec![1.0; 3];
        for (rows, part) in [(vec![wide], 1), (vec![good.clone(); 2], 3), (vec![good.clone()], 0)] {
            let wrong = of(&rows, part).expect_err("they do not fit");
            assert!(
                wrong.contains("angles") && wrong.contains("a multiple of the rows of a part"),
                "{wrong}"
            );
        }
        let wrong = of(&[vec![1.0, f64::NAN]], 1).expect_err("not finite");
        assert!(wrong.contains("every number must be finite"), "{wrong}");
    }
}
