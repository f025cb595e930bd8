/* The explorer, first part: its data, and how values are called and ordered. */

const { curves, looks, words } = data;

/* In this order: each list of choices shows what those above it leave. */
const FIELDS = ["variant", "method", "drift", "mu", "alpha"];
const TOKENS = ["alpha", "mu", "drift"];
const SETTING = ["environment", "method", ...TOKENS];
/* The fields that name a curve, the most telling first. */
const NAMING = ["method", "mu", "drift", "variant", "environment", "alpha", "smoothing"];
const NAMES = {
  variant: "readings", environment: "environment", method: "method", drift: "drift rate", mu: "μ", alpha: "α",
};
const TEXTS = { variant: words.variants, environment: words.environments, method: words.methods };
const AXES = { episode: "Training episode", frame: "Observed frames", example: "Training example" };
const UNTUNED = "0";
const ALL_GAMES = "all games";
const MOST_CURVES = 150;
const MOST_RUNS = 1500;
const MOST_BETA = 40;
const FIRST_ROWS = 50;

/* Lists of numbers hold the steps from one to the next, in units of the last decimal; null where there is none. */
const summed = (steps, unit = 1) => {
  let sum = 0;
  return steps.map((step) => (step === null ? null : (sum += step) / unit));
};
const grids = data.grids.map((steps) => summed(steps));
for (const curve of curves) {
  const unit = 10 ** curve.decimals;
  /* A loss is kept as its logarithm to base 10, β as a natural one. */
  const read = (steps) =>
    summed(steps, unit).map((value) => (value !== null && curve.measure === "loss" ? 10 ** value : value));
  for (const part of ["mean", "low", "high"]) curve[part] = read(curve[part]);
  curve.runs = curve.runs.map(read);
  curve.beta = curve.beta?.map((steps) => summed(steps, 100 * Math.LN2));
}

/* The columns of a table, each with its cells. */
const columnsOf = (table) =>
  Object.entries(data.tables[table]).map(([key, { numbers, texts, places }]) => ({
    key,
    isNumber: Boolean(numbers),
    cells: numbers ?? places.map((place) => texts[place]),
  }));

const rank = (field, value) => {
  if (field in TEXTS) return Object.keys(TEXTS[field]).indexOf(value);
  return field === "alpha" || field === "mu" ? -number(value) : number(value);
};
const values = (field, some) =>
  [...new Set(some.map((curve) => curve[field]))].sort((one, other) => rank(field, one) - rank(field, other));
const label = (field, value) => {
  if (field in TEXTS) return TEXTS[field][value];
  if (field === "mu" && value === UNTUNED) return "untuned";
  return raised(value);
};
const short = (field, value) => (field === "method" ? looks.methods[value].name : label(field, value));
const isTuned = (curve) => curve.mu !== UNTUNED;
const figureOf = (name) => words.figures.find((figure) => figure.name === name);

/* The mean scores of every setting of every figure: final return and AUC. */
const SCORES = { final: "final return", auc: "mean return (AUC)" };
const scores = new Map();
if (data.tables.settings) {
  const cells = Object.fromEntries(columnsOf("settings").map((column) => [column.key, column.cells]));
  cells.figure.forEach((figure, i) => {
    const key = JSON.stringify([figure, ...SETTING.map((field) => cells[field][i])]);
    scores.set(key, Object.fromEntries(Object.keys(SCORES).map((score) => [score, cells[score][i] ?? -Infinity])));
  });
}
/* A score of a curve, the larger the better; a loss counts by its end. */
const scoreOf = (curve, score = "final") => {
  if (curve.measure === "loss") return -(curve.mean.findLast((value) => value !== null) ?? Infinity);
  const key = JSON.stringify([figureOf(curve.figures[0]).short, ...SETTING.map((field) => curve[field])]);
  return scores.get(key)?.[score] ?? -Infinity;
};
