// What makes the pages better where scripts run: they work without it.

const toast = text => {
  const line = Object.assign(document.createElement('p'), { className: 'toast', role: 'status', textContent: text });
  document.body.append(line);
  setTimeout(() => line.remove(), 4000);
};

// <button data-copy="id of what is copied" hidden>: shown only where it can work.
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) continue;  // not on plain http, but for this machine's own addresses
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    toast('Copied');
  });
}

// <div data-live="address of server-sent events">: each `message` is the new content as HTML of this server, `done` loads
// the page again, which then shows what has become of it.
for (const part of document.querySelectorAll('[data-live]')) {
  const events = new EventSource(part.dataset.live);
  events.addEventListener('message', event => {
    part.replaceChildren(...new DOMParser().parseFromString(event.data, 'text/html').body.childNodes);
  });
  events.addEventListener('done', () => {
    events.close();
    location.reload();
  });
}

// A form is sent once, and shows that it was.
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', event => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    event.submitter?.setAttribute('aria-busy', 'true');
  });
}
addEventListener('pageshow', () => {  // also when the browser goes back to a page that it has kept
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
});
