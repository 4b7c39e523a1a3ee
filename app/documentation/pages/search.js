// Results while one types. Without this script the form does the same.
const input = document.getElementById("q");
const found = document.getElementById("found");
const pages = document.getElementById("pages");
const PAUSE = 250;
let waiting;
let latest = 0;

function entry(one) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = one.url;
  link.textContent = one.heading && one.heading !== one.title ? `${one.title}: ${one.heading}` : one.title;
  const text = document.createElement("p");
  text.className = "soft";
  text.textContent = one.snippet;
  item.append(link, text);
  return item;
}

async function search() {
  const turn = ++latest;
  const query = input.value.trim();
  pages.hidden = Boolean(query);
  if (!query) {
    found.replaceChildren();
    return;
  }
  const address = `${input.dataset.source}?format=json&q=${encodeURIComponent(query)}`;
  const answer = await fetch(address).catch(() => null);
  if (!answer || !answer.ok || turn !== latest) return;
  const { results } = await answer.json();
  const list = document.createElement("ol");
  list.append(...results.map(entry));
  found.replaceChildren(results.length ? list : "Nothing was found. Try other words.");
}

input.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, PAUSE);
});
