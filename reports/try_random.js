/* Try it, first part: numpy's random numbers (SeedSequence, PCG64 and what is drawn from them), number for number. */

/* ---- From a seed to the words that a generator starts with: numpy.random.SeedSequence ---- */

const POOL = 4;

/* A hash of 32-bit words, whose constants move on with every word. */
const hashOf = (constant, factor) => (word) => {
  let hashed = word ^ constant;
  constant = Math.imul(constant, factor);
  hashed = Math.imul(hashed, constant);
  return (hashed ^ (hashed >>> 16)) >>> 0;
};
const mixed = (one, other) => {
  const made = Math.imul(0xca01f9dd, one) - Math.imul(0x4973f715, other);
  return (made ^ (made >>> 16)) >>> 0;
};

/* The seed and the path of spawned children, in a pool of four words that all depend on all of them. */
const poolOf = (seed, path) => {
  const entropy = [seed >>> 0];
  if (seed >= 2 ** 32) entropy.push(Math.floor(seed / 2 ** 32));
  while (path.length && entropy.length < POOL) entropy.push(0);
  entropy.push(...path);
  const hash = hashOf(0x43b0d7e5, 0x931e8875);
  const pool = Array.from({ length: POOL }, (_, i) => hash(entropy[i] ?? 0));
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) if (from !== to) pool[to] = mixed(pool[to], hash(pool[from]));
  }
  for (const word of entropy.slice(POOL)) {
    for (let to = 0; to < POOL; to++) pool[to] = mixed(pool[to], hash(word));
  }
  return pool;
};

/* Four words of 64 bits. */
const wordsOf = (pool) => {
  const hash = hashOf(0x8b51f9dd, 0x58f38ded);
  const halves = Array.from({ length: 8 }, (_, i) => BigInt(hash(pool[i % POOL])));
  return [0, 2, 4, 6].map((i) => halves[i] | (halves[i + 1] << 64n >> 32n));
};

/* ---- The generator: numpy.random.PCG64 (O'Neill 2014, XSL RR 128/64) ---- */

const FACTOR = 0x2360ed051fc65da44385df649fccf645n;

/* numpy.random.Generator(PCG64(SeedSequence(seed, spawn_key=path))). */
class Generator {
  constructor(seed, path) {
    const [high, low, more, less] = wordsOf(poolOf(seed, path));
    this.increment = BigInt.asUintN(128, (((more << 64n) | less) << 1n) | 1n);
    this.state = 0n;
    this.move();
    this.state += (high << 64n) | low;
    this.move();
    this.half = null;
  }

  move() {
    this.state = BigInt.asUintN(128, this.state * FACTOR + this.increment);
  }

  /* 64 bits: both halves of the state, combined and turned by its six highest bits. */
  bits() {
    this.move();
    const [folded, turn] = [(this.state >> 64n) ^ BigInt.asUintN(64, this.state), this.state >> 122n];
    const word = BigInt.asUintN(64, folded);
    return BigInt.asUintN(64, (word >> turn) | (word << (64n - turn)));
  }

  /* random(): uniform in [0, 1). */
  random() {
    return Number(this.bits() >> 11n) * 2 ** -53;
  }

  /* uniform(low, high). */
  uniform(low, high) {
    return low + (high - low) * this.random();
  }

  /* integers(0, 2**32, dtype=uint32): of 64 bits first the lower half, then the upper one. */
  word() {
    if (this.half !== null) {
      const word = this.half;
      this.half = null;
      return word;
    }
    const bits = this.bits();
    this.half = Number(bits >> 32n);
    return Number(BigInt.asUintN(32, bits));
  }

  /* standard_exponential(): the ziggurat of Marsaglia and Tsang (2000), 256 layers. */
  exponential() {
    for (;;) {
      const bits = this.bits() >> 3n;
      const layer = Number(bits & 255n);
      const place = Number(bits >> 8n);
      const x = place * ZIGGURAT.width[layer];
      if (place < ZIGGURAT.inside[layer]) return x;
      if (layer === 0) return TAIL - Math.log1p(-this.random());
      const [above, below] = [ZIGGURAT.height[layer - 1], ZIGGURAT.height[layer]];
      if ((above - below) * this.random() + below < Math.exp(-x)) return x;
    }
  }

  /* geometric(p), for p < 1/3: how many draws up to the first success. */
  geometric(p) {
    return Math.ceil(-this.exponential() / Math.log1p(-p));
  }
}

/* Layers of equal area under e^−x; the lowest one holds the tail, from TAIL on. A place in a layer has 53 bits. */
const TAIL = 7.69711747013104972;
const ZIGGURAT = (() => {
  const [layers, area, unit] = [256, 3.949659822581572e-3, 2 ** 53];
  const edges = Array(layers);
  edges[layers - 1] = TAIL;
  for (let i = layers - 2; i > 0; i--) edges[i] = -Math.log(area / edges[i + 1] + Math.exp(-edges[i + 1]));
  edges[0] = 0;
  const base = area / Math.exp(-TAIL);
  return {
    width: edges.map((edge, i) => (i ? edge : base) / unit),
    inside: edges.map((edge, i) => (i ? Math.floor((edges[i - 1] / edge) * unit) : Math.floor((TAIL / base) * unit))),
    height: edges.map((edge) => Math.exp(-edge)),
  };
})();
