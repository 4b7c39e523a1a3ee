// What makes the pages better where scripts run: they work without it.

const toast = (text, className = 'toast') => {
  const line = Object.assign(document.createElement('p'), { className, role: 'status', textContent: text });
  document.body.append(line);
  setTimeout(() => line.remove(), 4000);
};

// <time datetime="…" data-moment>: in the time zone of who reads, with what stood there before to look at.
const KINDS = { day: { dateStyle: 'medium' }, moment: { dateStyle: 'medium', timeStyle: 'short' }, clock: { timeStyle: 'short' } };
const localize = root => {
  for (const time of root.querySelectorAll('time')) {
    const kind = Object.keys(KINDS).find(each => each in time.dataset), at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    time.title = time.textContent;
    time.textContent = new Intl.DateTimeFormat('en-GB', KINDS[kind]).format(at);
  }
};
localize(document);

// <button data-copy="id of what is copied" hidden>: shown only where it can work.
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) continue;  // not on plain http, but for this machine's own addresses
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    toast('Copied');
  });
}

// <div data-picks="id of boxes" hidden> with a filter, a button and an output: chooses among many.
for (const tools of document.querySelectorAll('[data-picks]')) {
  const labels = [...document.getElementById(tools.dataset.picks).querySelectorAll('label')];
  const [filter, all, count] = ['input', 'button', 'output'].map(each => tools.querySelector(each));
  const boxes = () => labels.filter(each => !each.hidden).map(each => each.control);
  const tell = () => {
    const shown = boxes(), chosen = labels.filter(each => each.control.checked).length;
    const isFull = shown.length > 0 && shown.every(each => each.checked);
    all.textContent = isFull ? 'Clear all shown' : 'Select all shown';
    all.disabled = !shown.length;
    count.textContent = `${chosen} chosen` + (shown.length < labels.length ? `, ${shown.length} of ${labels.length} shown` : '');
  };
  filter.addEventListener('input', () => {
    const wanted = filter.value.toLowerCase().split(/\s+/);
    for (const label of labels) label.hidden = !wanted.every(word => label.textContent.toLowerCase().includes(word));
    tell();
  });
  filter.addEventListener('keydown', event => { if (event.key === 'Enter') event.preventDefault(); });  // which would send the form
  all.addEventListener('click', () => {
    const wanted = all.textContent.startsWith('Select');
    for (const box of boxes()) box.checked = wanted;
    tell();
  });
  for (const label of labels) label.control.addEventListener('change', tell);
  tell();
  tools.hidden = false;
}

// <div data-live="address of server-sent events">: each `message` is the new content as HTML of this server, `done` loads
// the page again, which then shows what has become of it, and `end` leaves it as it is.
for (const part of document.querySelectorAll('[data-live]')) {
  const events = new EventSource(part.dataset.live);
  events.addEventListener('message', event => {
    const next = new DOMParser().parseFromString(event.data, 'text/html').body;
    localize(next);
    part.replaceChildren(...next.childNodes);
  });
  events.addEventListener('end', () => events.close());
  events.addEventListener('done', () => {
    events.close();
    location.reload();
  });
}

// <form data-part="id">: sent without leaving the page, whose element of this id becomes that of the answer. This tab
// remembers the input with data-keep, so that loading the page again shows the same. `data-told` of the new element is
// said to those who do not see it.
const keyOf = input => `${location.pathname} ${input.name}`;
const sendPart = async form => {
  const part = document.getElementById(form.dataset.part);
  part.setAttribute('aria-busy', 'true');
  try {
    const answer = await fetch(form.getAttribute('action'), { method: 'post', body: new FormData(form) });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const next = page.getElementById(part.id);
    if (!next) return location.reload();  // signed out, or gone: the page says so
    const field = next.querySelector('[autofocus]');
    field?.removeAttribute('autofocus');  // of no use in a part, and browsers complain
    part.replaceWith(next);
    field?.focus();
    for (const input of next.querySelectorAll('[data-keep]')) sessionStorage.setItem(keyOf(input), input.value);
    if (next.dataset.told && form.dataset.sent) toast(next.dataset.told, 'hidden');
  } catch {
    part.removeAttribute('aria-busy');
    part.inert = false;
    delete form.dataset.sent;
    toast('This did not arrive. Try again.');
  }
};
for (const input of document.querySelectorAll('[data-keep]')) {
  const kept = sessionStorage.getItem(keyOf(input));
  if (input.value) sessionStorage.setItem(keyOf(input), input.value);
  else if (kept) {
    input.value = kept;
    document.getElementById(input.form.dataset.part).inert = true;  // nobody writes into what is about to be replaced
    sendPart(input.form);
  }
}

// A form is sent once, and shows that it was.
document.addEventListener('submit', event => {
  const form = event.target;
  if (form.method !== 'post') return;
  if (form.dataset.sent || form.dataset.part) event.preventDefault();
  if (form.dataset.sent || form.closest('[aria-busy=true]')) return;
  form.dataset.sent = 'yes';
  if (form.dataset.part) sendPart(form);
  else event.submitter?.setAttribute('aria-busy', 'true');
});
// Enter sends a message, and Shift with it begins a new line; an input method takes Enter for itself.
document.addEventListener('keydown', event => {
  const box = event.target;
  if (!box.matches?.('textarea[data-enter]') || event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  box.form.requestSubmit();
});
addEventListener('pageshow', () => {  // also when the browser goes back to a page that it has kept
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
  for (const button of document.querySelectorAll('button[aria-busy]')) button.removeAttribute('aria-busy');
});
