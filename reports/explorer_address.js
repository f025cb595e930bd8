/* The explorer, fourth part: the address holds every choice, so that a view can be shared, and Back returns to it. */

const SELECTS = ["figure", "environment", "panels", "colours", "score", "table"];
const SWITCHES = ["bands", "runs", "best", "beta", "only"];

/* No value is ticked. The empty text is the config's own readings. */
const NOTHING = "-";

const address = () => {
  const kept = new URLSearchParams(SELECTS.map((id) => [id, ui[id].value]));
  for (const field of FIELDS) {
    if (ticked[field]) kept.set(field, ticked[field].size ? [...ticked[field]].join(" ") : NOTHING);
  }
  for (const id of SWITCHES) kept.set(id, ui[id].checked ? "1" : "0");
  if (sorting.column) kept.set("sort", `${sorting.down ? "-" : ""}${sorting.column}`);
  if (everything) kept.set("rows", "all");
  return `#${kept}`;
};

/* `how`: "pushState", a new entry of the history, or "replaceState". */
const remember = (how) => {
  if (address() === location.hash) return;
  try {
    history[how](null, "", address());
  } catch {
    /* Inside Snakemake's report the page has no address of its own. */
  }
};

/* What the address does not say is as it is when the page opens: the first figure with tuning, as the paper has it. */
const recall = () => {
  const kept = new URLSearchParams(location.hash.slice(1));
  const tuned = new Set(curves.filter(isTuned).flatMap((curve) => curve.figures));
  const first = (words.figures.find(({ name }) => tuned.has(name)) ?? words.figures[0]).name;
  const start = { figure: first, score: "final", table: "settings" };
  for (const id of SELECTS) {
    const wanted = [kept.get(id), start[id]].find((value) => [...ui[id].options].some((one) => one.value === value));
    if (wanted !== undefined && (id in start || kept.has(id))) ui[id].value = wanted;
    if (id === "figure") {
      preset();
      listEnvironments();
    }
  }
  fitTable();
  for (const field of FIELDS) {
    if (kept.has(field)) ticked[field] = new Set(kept.get(field).split(" ").filter((value) => value !== NOTHING));
  }
  for (const id of SWITCHES) {
    if (kept.has(id)) ui[id].checked = kept.get(id) === "1";
    else if (id !== "best") ui[id].checked = id !== "runs";
  }
  const [, minus, column] = /^(-?)(.*)$/.exec(kept.get("sort") ?? "");
  sorting = { column: column || null, down: minus === "-" };
  everything = kept.get("rows") === "all";
};
