/* Try it, second part: mountain car, its tile features, their drift and noise (metatrace/domains/mountain_car). */

const N_ACTIONS = 3;
const TIME_LIMIT = 200;
const [MIN_POSITION, MAX_POSITION, MAX_SPEED, GOAL] = [-1.2, 0.6, 0.07, 0.5];
const [N_TILINGS, PER_DIMENSION, PER_RANGE] = [16, 10, 9];
const N_TILES = N_TILINGS * PER_DIMENSION ** 2;
const N_NOISE = 32;

const clipped = (value, low, high) => Math.min(Math.max(value, low), high);

/* Position and velocity after pushing left (0), not at all (1) or right (2) for a step. */
const nextState = ([position, velocity], action) => {
  let speed = velocity + ((action - 1) * 0.001 + Math.cos(3 * position) * -0.0025);
  speed = clipped(speed, -MAX_SPEED, MAX_SPEED);
  const place = clipped(position + speed, MIN_POSITION, MAX_POSITION);
  return [place, place === MIN_POSITION && speed < 0 ? 0 : speed];
};
const atGoal = ([position, velocity]) => position >= GOAL && velocity >= 0;

/* The active tile of each tiling; an observation is rounded to 32 bits. */
const activeTiles = ([position, velocity]) => {
  const x = ((Math.fround(position) - MIN_POSITION) / (MAX_POSITION - MIN_POSITION)) * PER_RANGE;
  const y = ((Math.fround(velocity) + MAX_SPEED) / (2 * MAX_SPEED)) * PER_RANGE;
  return Array.from({ length: N_TILINGS }, (_, tiling) => {
    const offset = tiling / N_TILINGS;
    const column = Math.min(Math.trunc(x + offset), PER_DIMENSION - 1);
    const row = Math.min(Math.trunc(y + offset), PER_DIMENSION - 1);
    return tiling * PER_DIMENSION ** 2 + column * PER_DIMENSION + row;
  });
};

/* The signs of the tiles, each of which flips with probability `rate` in a step, and the noise. */
class Drift {
  constructor(rate, flips, noise) {
    Object.assign(this, { rate, flips, noise, signs: new Float64Array(N_TILES).fill(1) });
    this.next = this.gap() - 1;
  }

  gap() {
    return this.flips.geometric(this.rate);
  }

  step() {
    for (; this.next < N_TILES; this.next += this.gap()) this.signs[this.next] *= -1;
    this.next -= N_TILES;
  }

  /* The noise features of an observation that are 1. */
  draw() {
    const word = this.noise.word();
    return [...Array(N_NOISE).keys()].filter((bit) => (word >>> bit) & 1);
  }
}

/* Mountain car as an agent meets it: drifting, with noise, where `drift` is above 0; plain where it is 0. */
class World {
  constructor(drift, seed) {
    this.starts = new Generator(seed, [0]);
    this.drift = drift > 0 ? new Drift(drift, new Generator(seed, [0, 0]), new Generator(seed, [0, 1])) : null;
    this.nFeatures = N_TILES + (this.drift ? N_NOISE : 0);
  }

  reset() {
    this.state = [this.starts.uniform(-0.6, -0.4), 0];
  }

  step(action) {
    this.state = nextState(this.state, action);
    this.drift?.step();
  }

  /* All features that are not 0 in the present state, with their values. Noise is drawn afresh. */
  observe() {
    const features = activeTiles(this.state);
    const values = features.map((tile) => (this.drift ? this.drift.signs[tile] : 1));
    for (const bit of this.drift?.draw() ?? []) {
      features.push(N_TILES + bit);
      values.push(1);
    }
    return { features, values };
  }
}
