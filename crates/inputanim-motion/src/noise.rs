//! Smooth noise, since a person never holds quite still.

use std::f64::consts::TAU;

use glam::Vec3;

use crate::random::SeededRandom;

/// The frequencies of the sines, divided by the lowest one. Their ratios are irrational, so that
/// the sum does not repeat.
const RATIOS: [f64; 3] = [1.0, 1.618_033_988_749_895, 2.414_213_562_373_095];
const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];

/// A sum of three sines with random phases, from −1 to 1.
#[derive(Clone, Debug)]
pub(crate) struct Noise {
    hertz: f64,
    phases: [f64; 3],
}

impl Noise {
    pub(crate) fn new(hertz: f64, random: &mut SeededRandom) -> Noise {
        Noise {
            hertz,
            phases: std::array::from_fn(|_| f64::from(random.unit())),
        }
    }

    pub(crate) fn at(&self, time: f64) -> f32 {
        let mut sum = 0.0;
        for ((ratio, phase), weight) in RATIOS.iter().zip(&self.phases).zip(WEIGHTS) {
            let turns = time * self.hertz * ratio + phase;
            // The phase is reduced in double precision, so that the noise stays smooth after hours.
            sum += weight * libm::sinf(((turns - turns.floor()) * TAU) as f32);
        }
        sum
    }
}

/// Three independent noise signals.
#[derive(Clone, Debug)]
pub(crate) struct Noise3([Noise; 3]);

impl Noise3 {
    pub(crate) fn new(hertz: f64, random: &mut SeededRandom) -> Noise3 {
        Noise3(std::array::from_fn(|_| Noise::new(hertz, random)))
    }

    pub(crate) fn at(&self, time: f64) -> Vec3 {
        let [x, y, z] = &self.0;
        Vec3::new(x.at(time), y.at(time), z.at(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn noise_stays_within_1_and_is_smooth_after_a_day() {
        let noise = Noise::new(1.0, &mut SeededRandom::new(3, RandomStream::Head));
        for start in [0.0, 86_400.0] {
            let mut before = noise.at(start);
            for step in 1..1000 {
                let now = noise.at(start + f64::from(step) * 0.01);
                assert!(now.abs() <= 1.0);
                assert!((now - before).abs() < 0.1, "{before} to {now}");
                before = now;
            }
        }
    }
}
