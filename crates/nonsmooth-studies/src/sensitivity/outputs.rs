//! What derivatives are asked of.

use crate::sweep::outputs::{Quantity, is_coordinate, known};
use nonsmooth::Model;
use nonsmooth::integrators::flow::{Dual, Extremes, Flow, FlowEventKind};
use nonsmooth_solvers::nearest;

/// What is made of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Final,
    Max,
    Min,
    TimeOfMax,
    TimeOfMin,
}

const OF: [(&str, Of); 5] = [
    ("final", Of::Final),
    ("max", Of::Max),
    ("min", Of::Min),
    ("time-of-max", Of::TimeOfMax),
    ("time-of-min", Of::TimeOfMin),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Of the quantity with this number.
    Of(Of, usize),
    /// The instant of this impact, from 0.
    Impact(usize),
    LastImpact,
}

/// An output, as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) name: String,
    what: What,
}

/// The outputs and the quantities that they are made of.
pub(super) struct Outputs {
    pub(super) list: Vec<Output>,
    pub(super) quantities: Vec<Quantity>,
}

impl Outputs {
    /// What was asked for, or every mistake; without anything, the end of every coordinate.
    pub(super) fn parse(texts: &[String], model: &Model) -> Result<Self, String> {
        let known: Vec<(String, Quantity)> =
            known(model).into_iter().filter(|(_, quantity)| quantity.is_of_a_state()).collect();
        let mut asked: Vec<String> = texts.iter().map(|text| text.trim().to_owned()).collect();
        if asked.is_empty() {
            let ends = known.iter().filter(|(_, quantity)| is_coordinate(*quantity));
            asked.extend(ends.map(|(name, _)| name.clone()));
        }
        let mut out = Self { list: Vec::new(), quantities: Vec::new() };
        let mut mistakes = Vec::new();
        for name in asked {
            match out.find(&name, &known) {
                _ if out.list.iter().any(|output| output.name == name) => {
                    mistakes.push(format!("--of {name}: given twice"));
                }
                Ok(what) => out.list.push(Output { name, what }),
                Err(mistake) => mistakes.push(format!("--of {name}: {mistake}")),
            }
        }
        if mistakes.is_empty() { Ok(out) } else { Err(mistakes.join("\n")) }
    }

    fn find(&mut self, text: &str, known: &[(String, Quantity)]) -> Result<What, String> {
        let (of, name) = match text.split_once(':') {
            None if text == "first-impact" => return Ok(What::Impact(0)),
            None if text == "last-impact" => return Ok(What::LastImpact),
            None => (Of::Final, text),
            Some(("impact", number)) => {
                let number = number.parse().ok().filter(|number: &usize| *number > 0);
                return number
                    .map(|number| What::Impact(number - 1))
                    .ok_or_else(|| "write impact:K with K from 1".into());
            }
            Some((word, name)) => {
                let found = OF.iter().find(|(name, _)| *name == word);
                let words = || OF.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                (found.ok_or_else(|| format!("no `{word}`; there are: {}, impact", words()))?.1, name)
            }
        };
        let Some((_, quantity)) = known.iter().find(|(known, _)| known == name) else {
            let words = ["first-impact", "last-impact"];
            let near = nearest(name, known.iter().map(|(name, _)| name.as_str()).chain(words));
            let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
            return Err(format!("no state of the scene has `{name}`{near}"));
        };
        let place = self.quantities.iter().position(|known| known == quantity);
        let place = place.unwrap_or_else(|| {
            self.quantities.push(*quantity);
            self.quantities.len() - 1
        });
        Ok(What::Of(of, place))
    }

    /// Whether any output is an extreme.
    pub(super) fn has_extremes(&self) -> bool {
        self.list.iter().any(|o| matches!(o.what, What::Of(of, _) if of != Of::Final))
    }
}

impl Output {
    /// Its value with derivatives; none where there is no such impact.
    pub(super) fn of(&self, flow: &Flow) -> Option<Dual> {
        let mut impacts = flow.events.iter().filter(|event| event.kind == FlowEventKind::Impact);
        let of = |of: Of, Extremes { last, max, min, .. }: &Extremes| match of {
            Of::Final => last.clone(),
            Of::Max => max[0].clone(),
            Of::TimeOfMax => max[1].clone(),
            Of::Min => min[0].clone(),
            Of::TimeOfMin => min[1].clone(),
        };
        match self.what {
            What::Of(what, k) => Some(of(what, &flow.extremes[k])),
            What::Impact(k) => impacts.nth(k).map(|event| event.t.clone()),
            What::LastImpact => impacts.next_back().map(|event| event.t.clone()),
        }
    }
}
