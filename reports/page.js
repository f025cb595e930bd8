/* What the pages with scripts share: their data, their parts by name, number tokens, and the colours in force. */

const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (byte) => byte.charCodeAt(0));
const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
const ui = Object.fromEntries([...document.querySelectorAll("[id]")].map((part) => [part.id, part]));

const make = (tag, properties = {}, ...parts) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...parts);
  return made;
};
const plural = (count, one) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

const number = (token) => {
  const [base, power = 1] = String(token).split("^");
  return base ** power;
};
const RAISED = Object.fromEntries([..."-0123456789"].map((sign, i) => [sign, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i]]));
/* A number token as it is printed: 2⁻¹⁰. */
const raised = (token) => token.replace(/\^(-?\d+)$/, (_, power) => [...power].map((sign) => RAISED[sign]).join(""));

const dark = matchMedia("(prefers-color-scheme: dark)");
/* Registered as a colour, a variable of the style sheet is read as the colour in force. */
for (const name of ["--card", "--ink", "--soft", "--edge", "--grid"]) {
  CSS.registerProperty({ name, syntax: "<color>", inherits: true, initialValue: "transparent" });
}
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

/* Copies a text, also where a page from a file may not use the clipboard. */
const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = make("textarea", { value: text, className: "aside" });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
};
