//! Smooth noise: nobody is ever quite still.

use std::f64::consts::TAU;

use glam::Vec3;

use crate::dice::Dice;

/// Frequencies of the sines over the lowest one. No two have a common multiple, so that the sum
/// does not repeat.
const RATIOS: [f64; 3] = [1.0, 1.618_033_988_749_895, 2.414_213_562_373_095];
const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];

/// A sum of three sines with seeded phases, from −1 to 1.
#[derive(Clone, Debug)]
pub(crate) struct Wobble {
    hertz: f64,
    phases: [f64; 3],
}

impl Wobble {
    pub(crate) fn new(hertz: f64, dice: &mut Dice) -> Wobble {
        Wobble {
            hertz,
            phases: std::array::from_fn(|_| f64::from(dice.unit())),
        }
    }

    pub(crate) fn at(&self, time: f64) -> f32 {
        let mut sum = 0.0;
        for ((ratio, phase), weight) in RATIOS.iter().zip(&self.phases).zip(WEIGHTS) {
            let turns = time * self.hertz * ratio + phase;
            // Reduced before it becomes an f32, so that it is as smooth after hours.
            sum += weight * libm::sinf(((turns - turns.floor()) * TAU) as f32);
        }
        sum
    }
}

/// Three independent wobbles.
#[derive(Clone, Debug)]
pub(crate) struct Wobble3([Wobble; 3]);

impl Wobble3 {
    pub(crate) fn new(hertz: f64, dice: &mut Dice) -> Wobble3 {
        Wobble3(std::array::from_fn(|_| Wobble::new(hertz, dice)))
    }

    pub(crate) fn at(&self, time: f64) -> Vec3 {
        let [x, y, z] = &self.0;
        Vec3::new(x.at(time), y.at(time), z.at(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Stream;

    #[test]
    fn a_wobble_stays_within_1_and_moves_smoothly_even_after_a_day() {
        let wobble = Wobble::new(1.0, &mut Dice::new(3, Stream::Head));
        for start in [0.0, 86_400.0] {
            let mut before = wobble.at(start);
            for step in 1..1000 {
                let now = wobble.at(start + f64::from(step) * 0.01);
                assert!(now.abs() <= 1.0);
                assert!((now - before).abs() < 0.1, "{before} to {now}");
                before = now;
            }
        }
    }
}
