/* The explorer, second part: from curves to a chart in Vega-Lite. */

const palette = (field, domain) => {
  const look = dark.matches ? "dark" : "light";
  if (field === "method") return domain.map((method) => looks.methods[method][look]);
  if (TOKENS.includes(field)) {
    /* Leaves out the end of the palette that would not show on a page of this brightness. */
    const [from, to] = dark.matches ? [0.4, 1] : [0, 0.8];
    const step = (to - from) / Math.max(domain.length - 1, 1);
    return domain.map((_, i) => looks.shades[Math.round((from + step * i) * (looks.shades.length - 1))]);
  }
  const { none, ...coloured } = looks.methods;
  const hues = Object.values(coloured);
  return domain.map((_, i) => hues[i % hues.length][look]);
};

const plainNumber = (value) => {
  const digits = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 1 ? 2 : 4;
  return Number(value.toFixed(digits)).toLocaleString("en");
};
const panelName = (field, value) => {
  const isNumber = TOKENS.includes(field) && label(field, value) !== "untuned";
  return isNumber ? `${NAMES[field]} = ${label(field, value)}` : short(field, value);
};
/* The full name of a curve: all fields in which the drawn curves differ. */
const nameOf = (curve, differing) => {
  const parts = differing.map((field) => {
    if (field === "smoothing") return `mean of ${curve.smoothing}`;
    if (field === "variant") return `readings: ${label(field, curve.variant)}`;
    return panelName(field, curve[field]).replace(" rate", "").replace(" =", "");
  });
  return parts.join(", ") || short("method", curve.method);
};
const endOf = ({ mean, low, high, seeds }) => {
  const interval = low.length ? ` (${plainNumber(low.at(-1))} to ${plainNumber(high.at(-1))})` : "";
  return `${plainNumber(mean.at(-1))}${interval}, ${plural(seeds.length, "run")}`;
};

/* The line of a curve, and those of its single runs if they are shown; each with its values over a grid. */
const linesOf = (curve) => {
  const line = { kind: "curve", seed: "", x: grids[curve.grid], y: curve.mean, low: curve.low, high: curve.high };
  if (!ui.runs.checked) return [line];
  const x = grids[curve.run_grid];
  return [line, ...curve.runs.map((y, i) => ({ kind: "run", seed: curve.seeds[i], x, y, low: [], high: [] }))];
};

const rowsOf = (some, { colours, panels, dashes, differing }) => {
  const rows = [];
  let runs = 0;
  for (const curve of some) {
    const shared = {
      panel: panels ? panelName(panels, curve[panels]) : "",
      colour: short(colours, curve[colours]),
      dash: dashes ? short(dashes, curve[dashes]) : "",
      name: nameOf(curve, differing),
      last: endOf(curve),
    };
    for (const { kind, seed, x, y, low, high } of linesOf(curve)) {
      if (kind === "run" && runs++ >= MOST_RUNS) break;
      const line = `${curves.indexOf(curve)} ${seed}`;
      y.forEach((value, i) => {
        if (value === null) return;
        const row = { kind, line, x: x[i], y: value, ...shared };
        if (ui.bands.checked && low.length) Object.assign(row, { low: low[i], high: high[i] });
        rows.push(row);
      });
    }
  }
  return rows;
};

/* The step-sizes of the curves whose runs keep β: a line for each group of weights, told apart by dashes. */
const betaRowsOf = (some, { colours, panels, differing }) =>
  some.flatMap((curve) =>
    (curve.beta ?? []).flatMap((values, i) => {
      const shared = {
        kind: "curve",
        line: `${curves.indexOf(curve)} ${i}`,
        panel: panels ? panelName(panels, curve[panels]) : "",
        colour: short(colours, curve[colours]),
        dash: curve.beta_groups[i],
        name: `${nameOf(curve, differing)}: ${curve.beta_groups[i]}`,
        last: values.at(-1) === null ? "not finite: a run diverged" : `2^${plainNumber(values.at(-1))}`,
      };
      const x = grids[curve.beta_grid];
      return values.flatMap((y, k) => (y === null ? [] : [{ ...shared, x: x[k], y }]));
    })
  );

/* What the vertical axis shows of curves, by their measure, or of step-sizes. */
const verticalOf = (measure, some, isLow) => {
  const window = `the last ${values("smoothing", some).join(" or ")}`;
  if (measure === "beta") return { title: isLow ? "log₂ step-size" : "log₂ of the step-size", scale: { zero: false } };
  if (measure === "loss") {
    return { title: `Loss (${window} ${some[0].axis}s)`, scale: { type: "log" }, axis: { tickCount: 6, format: "~g" } };
  }
  return { title: isLow ? `Return (${window})` : `Return, mean of ${window} episodes`, scale: { zero: false } };
};

/*
The chart in Vega-Lite: panels, each with layers for bands, runs, lines, and what the pointer can hit.

`measure` is "return" or "loss", or "beta" for step-sizes, whose dashes tell groups of weights apart.
*/
const specification = (some, rows, { colours, panels, dashes }, measure) => {
  const wide = ui.chart.clientWidth;
  const panelTexts = panels ? values(panels, some).map((value) => panelName(panels, value)) : [""];
  const most = wide < 620 ? 1 : wide < 900 ? 2 : 3;
  const columns = Math.min(panelTexts.length === 4 ? 2 : panelTexts.length, most);
  const colourValues = values(colours, some);
  const colourTexts = colourValues.map((value) => short(colours, value));
  const isBeta = measure === "beta";
  const groups = [...new Set(some.flatMap((curve) => curve.beta_groups ?? []))];
  const dashTexts = isBeta ? groups : dashes ? values(dashes, some).map((value) => short(dashes, value)) : [];
  const legendTexts = [...(colourTexts.length > 1 ? colourTexts : []), ...dashTexts];
  const longest = Math.max(...legendTexts.map((text) => text.length), 0);
  const below = wide < 620 || longest > 24;
  const legendWidth = below || longest === 0 ? 0 : 60 + 7 * longest;
  const axisWidth = measure === "loss" ? 125 : 84; // a loss may be a million
  const ownScales = panels === "environment"; // and so an axis for each panel
  const width = Math.max((wide - legendWidth - axisWidth) / columns - (ownScales ? 50 : 22), 150);
  const isRow = panelTexts.length === columns;
  const height = columns === 1 ? Math.min(Math.max(width * 0.55, 220), 430) : width * (isRow ? 1.1 : 0.72);
  const axis = AXES[some[0].axis];
  const [card, ink, soft, edge, grid] = ["--card", "--ink", "--soft", "--edge", "--grid"].map(css);

  const x = {
    field: "x",
    type: "quantitative",
    title: axis,
    scale: { nice: false, zero: false },
    axis: {
      tickCount: Math.max(Math.round(width / 90), 2),
      labelFlush: false,
      format: some[0].axis === "frame" ? "~s" : ",d",
    },
  };
  const y = {
    field: "y",
    type: "quantitative",
    ...verticalOf(measure, some, height < 240),
  };
  const color = {
    field: "colour",
    title: NAMES[colours],
    sort: null,
    scale: { domain: colourTexts, range: palette(colours, colourValues) },
    legend: colourTexts.length > 1 ? {} : null,
  };
  const strokeDash = {
    field: "dash",
    title: isBeta ? "weights" : NAMES[dashes],
    sort: null,
    scale: { domain: dashTexts, range: looks.dashes.slice(0, dashTexts.length) },
    legend: { symbolStrokeColor: ink },
  };
  const strokeWidth = { condition: { param: "pointed", empty: false, value: 3.2 }, value: 1.7 };
  const tooltip = [{ field: "name", title: "Curve" }, { field: "last", title: "At the end" }];
  const select = { type: "point", fields: ["name"], on: "pointerover", clear: "pointerout" };
  const layer = (kind, mark, encoding, more = {}) => ({
    transform: [{ filter: `datum.kind === '${kind}'` }],
    mark: { type: "line", aria: false, ...mark },
    encoding: { x, y, detail: { field: "line" }, ...encoding },
    ...more,
  });
  const runs = new Set(rows.filter((row) => row.kind === "run").map((row) => row.line)).size;
  const layers = [
    layer("curve", {}, { color, strokeWidth, ...(dashTexts.length && { strokeDash }) }),
    /* A wide invisible line, which the pointer can hit. */
    layer("curve", { strokeWidth: 11, opacity: 0 }, { tooltip }, { params: [{ name: "pointed", select }] }),
  ];
  if (runs) layers.unshift(layer("run", { strokeWidth: 0.8, opacity: runs > 300 ? 0.25 : 0.5 }, { color }));
  if (rows.some((row) => "low" in row)) {
    const band = { y: { ...y, field: "low" }, y2: { field: "high" } };
    layers.unshift(layer("curve", { type: "area", opacity: 0.16 }, { ...band, color }));
  }
  return {
    data: { name: "rows", values: rows },
    description:
      `${y.title} against ${axis.toLowerCase()}: ${some.length} curves, a colour for each ${NAMES[colours]}` +
      `${panels ? `, a panel for each ${NAMES[panels]}` : ""}. The tables below have the numbers.`,
    facet: {
      field: "panel",
      title: null,
      sort: panelTexts,
      header: { labels: Boolean(panels), labelFontSize: 13, labelFontWeight: 600, labelColor: ink, labelPadding: 4 },
    },
    resolve: { scale: { y: ownScales ? "independent" : "shared" } },
    columns,
    spacing: 22,
    padding: 4,
    background: card,
    spec: { width, height, layer: layers },
    config: {
      font: getComputedStyle(document.body).fontFamily,
      axis: {
        labelColor: soft, titleColor: ink, gridColor: grid, domainColor: edge, tickColor: edge,
        labelFontSize: 11.5, titleFontSize: 12.5, titleFontWeight: 500, titlePadding: 8,
      },
      legend: {
        orient: below ? "bottom" : "right", direction: "vertical", layout: { bottom: { direction: "vertical" } },
        /* As many to a row as fit: they are read along the rows. */
        columns: below ? Math.max(Math.floor(wide / (50 + 7 * longest)), 1) : 1,
        symbolType: "stroke", symbolSize: 260, symbolStrokeWidth: 2.6, symbolOpacity: 1,
        labelColor: ink, labelFontSize: 12, labelLimit: 400,
        titleColor: ink, titleFontSize: 12.5, titleFontWeight: 600, rowPadding: 3,
      },
      view: { stroke: edge },
    },
  };
};
