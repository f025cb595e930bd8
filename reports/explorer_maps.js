/* The explorer, third part: scores over α and μ, one map per method and drift rate; a cell shows its curves. */

const MOST_MAPS = 6;
/* What tells maps apart. */
const MAP_FIELDS = ["environment", "variant", "method", "drift"];

/* The curves of each map, of those that are chosen but for α and μ: several of both. */
const mapsOf = () => {
  const some = ofEnvironment().filter(
    (curve) => isTuned(curve) && ["variant", "method", "drift"].every((field) => fits(field, curve))
  );
  const maps = [...Map.groupBy(some, (curve) => JSON.stringify(MAP_FIELDS.map((field) => curve[field]))).values()];
  return maps.filter((map) => values("alpha", map).length > 1 && values("mu", map).length > 1);
};

const isOnly = (field, value) => ticked[field]?.size === 1 && ticked[field].has(value);

/* A table of buttons: a row per μ, a column per α. */
const mapTable = (map, name, [low, high]) => {
  const [alphas, mus] = [values("alpha", map), values("mu", map)];
  const cell = (alpha, mu) => {
    const curve = map.find((one) => one.alpha === alpha && one.mu === mu);
    if (!curve) return make("td");
    const score = scoreOf(curve, ui.score.value);
    const place = score === -Infinity ? 0 : (score - low) / (high - low || 1);
    const text = score === -Infinity ? "–" : plainNumber(score).replace("-", "−");
    const button = make("button", {
      type: "button",
      value: String(curves.indexOf(curve)),
      textContent: text,
      ariaLabel: `α ${label("alpha", alpha)}, μ ${label("mu", mu)}: ${text}`,
      ariaPressed: String(isOnly("alpha", alpha) && isOnly("mu", mu) && isOnly("method", curve.method)),
    });
    button.style.background = looks.shades[Math.round(place * (looks.shades.length - 1))];
    button.style.color = place > 0.55 ? "#000" : "#fff";
    return make("td", {}, button);
  };
  const head = (scope, text) => make("th", { scope, textContent: text });
  const rows = mus.map((mu) => make("tr", {}, head("row", label("mu", mu)), ...alphas.map((alpha) => cell(alpha, mu))));
  const top = make("tr", {}, make("td", { textContent: "μ \\ α" }), ...alphas.map((one) => head("col", label("alpha", one))));
  const caption = make("caption", { textContent: name });
  return make("div", { className: "scroll" }, make("table", { className: "map" }, caption, top, ...rows));
};

const drawMaps = () => {
  const all = mapsOf();
  const maps = all.slice(0, MOST_MAPS);
  ui.heat.hidden = !maps.length;
  if (!maps.length) return;
  const focused = ui.maps.contains(document.activeElement) ? document.activeElement.value : null;
  const found = maps.flat().map((curve) => scoreOf(curve, ui.score.value)).filter(Number.isFinite);
  const differing = MAP_FIELDS.filter((field) => values(field, all.flat()).length > 1);
  const tables = maps.map((map) =>
    mapTable(map, nameOf(map[0], differing), [Math.min(...found), Math.max(...found)])
  );
  ui.maps.replaceChildren(...tables);
  ui["heat-about"].textContent =
    "Choose a cell to see its curves; choose it again to see all. Brighter is better." +
    (all.length > MOST_MAPS ? ` The first ${MOST_MAPS} of ${all.length} maps are shown.` : "");
  if (focused !== null) ui.maps.querySelector(`button[value="${focused}"]`)?.focus();
};

/* Shows the curves of a cell; if they are what is shown, all curves of its map. */
const pickCell = (button) => {
  if (!button) return;
  const curve = curves[button.value];
  const isShown = button.ariaPressed === "true";
  for (const field of ["variant", "method", "drift"]) ticked[field] = new Set([curve[field]]);
  for (const field of ["alpha", "mu"]) {
    if (isShown) delete ticked[field];
    else ticked[field] = new Set([curve[field]]);
  }
  ui.best.checked = false;
  draw();
};
