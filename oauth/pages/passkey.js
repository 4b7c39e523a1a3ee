// A form with data-passkey asks an authenticator for what its data-options say, and sends the answer as a field of its own.

const FRESH = 120_000;  // milliseconds; the server takes a challenge for five minutes, of which the person needs some
const loaded = Date.now();

const PROBLEMS = {
  NotAllowedError: 'Nothing was done: it was cancelled, or took too long.',
  InvalidStateError: 'This device has a passkey for your account already.',
  SecurityError: 'Passkeys do not work at this address. Open the page at the address that this server was set up with.',
};

const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), each => each.charCodeAt(0));
const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

// By hand, not by toJSON and parseRequestOptionsFromJSON: browsers of 2024 and some password managers lack them.
const decoded = options => ({
  ...options,
  challenge: bytes(options.challenge),
  ...options.user && { user: { ...options.user, id: bytes(options.user.id) } },
  ...options.excludeCredentials && {
    excludeCredentials: options.excludeCredentials.map(each => ({ ...each, id: bytes(each.id) })),
  },
});
const encoded = ({ id, rawId, type, response }) => {
  const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const sent = Object.fromEntries(parts.filter(each => response[each]).map(each => [each, text(response[each])]));
  return JSON.stringify({ id, rawId: text(rawId), type, response: { ...sent, transports: response.getTransports?.() } });
};

// The form of a page that was open for long gets the challenge of a new one; where that has none, the page is loaded again.
const refresh = async form => {
  const page = new DOMParser().parseFromString(await (await fetch(form.getAttribute('action'))).text(), 'text/html');
  const fresh = page.querySelector('form[data-passkey]');
  if (!fresh) return location.assign(form.action);
  form.dataset.options = fresh.dataset.options;
  for (const name of ['csrf', 'ticket']) form.elements[name].value = fresh.elements[name].value;
};

const say = (form, words) => {
  form.querySelector('[role=alert]')?.remove();
  const line = Object.assign(document.createElement('p'), { className: 'error below', role: 'alert', textContent: words });
  if (words) form.append(line);
};

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential) continue;  // an old browser, or a page that came over plain http
  for (const each of document.querySelectorAll('[data-without-passkeys]')) each.remove();
  form.hidden = false;
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const button = event.submitter ?? form.querySelector('button');
    button.disabled = true;
    say(form, '');
    try {
      if (Date.now() - loaded > FRESH) await refresh(form);
      const publicKey = decoded(JSON.parse(form.dataset.options));
      form.elements.answer.value = encoded(await navigator.credentials[form.dataset.passkey]({ publicKey }));
      form.submit();
    } catch (fault) {
      say(form, PROBLEMS[fault.name] ?? 'That did not work. Load the page again and try once more.');
      button.disabled = false;
    }
  });
}
