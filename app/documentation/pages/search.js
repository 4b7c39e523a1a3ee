// Results while one types. Without this script the form does the same.
const [form, words, status, results] = ["form", "words", "status", "results"]
  .map(name => document.getElementById(`search.${name}`));
const pages = document.getElementById("pages");
const PAUSE = 250; // milliseconds after the last key
let waiting;
let latest = 0;

function made(tag, ...inside) {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
}

function entry(one) {
  const link = made("a", made("bdi", one.title));
  link.href = one.url;
  if (one.heading && one.heading !== one.title) link.append(": ", made("bdi", one.heading));
  const snippet = made("p", made("bdi", one.snippet));
  snippet.className = "soft";
  return made("li", link, snippet);
}

async function search() {
  const turn = ++latest;
  const query = words.value.trim();
  const address = `${form.action}?${new URLSearchParams({ q: query, format: "json" })}`;
  const answer = query ? await fetch(address).catch(() => null) : null;
  const found = answer?.ok ? (await answer.json()).results : [];
  if (turn !== latest) return;
  results.replaceChildren(...found.map(entry));
  if (pages) pages.hidden = Boolean(query);
  const count = `${found.length || "No"} result${found.length === 1 ? "" : "s"}`;
  status.textContent = !query ? "" : answer?.ok ? count : "The search does not answer. Press Search to try again.";
}

words.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, PAUSE);
});

// The arrows go from result to result, and back into the field; Escape goes there at once.
form.parentElement.addEventListener("keydown", event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [words, ...results.querySelectorAll("a")];
  const next = event.key === "Escape" ? words : step && stops[stops.indexOf(document.activeElement) + step];
  if (!next || !stops.includes(document.activeElement)) return;
  event.preventDefault();
  next.focus();
});
