// Elements, and the host of this widget: MCP Apps (revision 2026-01-26) first, `window.openai` of older ChatGPT second.

// Text is only ever set as text: nothing that a persona says can become markup.
const el = (tag, props = {}, ...children) => {
  const made = tag === 'svg' || tag === 'rect' ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter(child => child != null && child !== false));
  return made;
};
const bdi = text => el('bdi', { dir: 'auto' }, text ?? '');
const app = document.getElementById('app');

// Have a screen reader say it. What `show` draws anew it does not always notice.
const announce = text => { document.getElementById('heard').textContent = text; };

// Put `parts` in place, and keep the focus and what was opened where they are.
const show = (...parts) => {
  const { id, selectionStart: at } = document.activeElement ?? {};
  const open = [...app.querySelectorAll('details')].map(each => each.open);
  app.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  app.setAttribute('aria-busy', 'false');
  app.querySelectorAll('details').forEach((each, place) => { each.open = open[place] ?? false; });
  const focused = id && document.getElementById(id);
  focused?.focus?.();
  if (at != null) focused?.setSelectionRange?.(at, at);
};

const refuse = problem => show(el('h1', {}, words('refused')), el('p', { class: 'error', role: 'alert' }, bdi(problem)));

const REQUEST_MS = 120_000;

class Host {
  #next = 1;
  #waiting = new Map();
  #handlers;
  #openai = null;
  capabilities = {};

  constructor(handlers) {
    this.#handlers = handlers;
  }

  // Find out who the host is, and tell it that we are ready.
  async connect() {
    if (window.parent !== window) {
      addEventListener('message', event => this.#receive(event));
      const hello = { protocolVersion: '2026-01-26', appInfo: { name: 'minds', version: '1' }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] } };
      try {
        const told = await this.#request('ui/initialize', hello, window.openai ? 1_500 : 5_000);
        this.capabilities = told.hostCapabilities ?? {};
        this.#context(told.hostContext ?? {});
        this.#notify('ui/notifications/initialized', {});
        this.#reportSize();
        return;
      } catch {
        // No answer: a host of before MCP Apps.
      }
    }
    if (window.openai) this.#useOpenai();
    else this.#handlers.alone();
  }

  get canCall() {
    return Boolean(this.#openai?.callTool || this.capabilities.serverTools);
  }

  // The result of a tool. Throws where it cannot be called or the call got lost.
  async call(name, args) {
    if (this.#openai) return this.#openai.callTool(name, args);
    return this.#request('tools/call', { name, arguments: args });
  }

  async open(url) {
    if (!/^https?:\/\//i.test(url)) return;
    if (this.#openai) await this.#openai.openExternal({ href: url });
    else await this.#request('ui/open-link', { url });
  }

  // Tell the model what was said here, so that it can go on from there. It is no fault if the host does not take it.
  async remember(text) {
    if (this.capabilities.updateModelContext) {
      await this.#request('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {});
    }
  }

  #post(message) {
    window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #notify(method, params) {
    this.#post({ method, params });
  }

  #request(method, params, patience = REQUEST_MS) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id, { error: { message: 'timeout' } }), patience);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#post({ id, method, params });
    });
  }

  #settle(id, { result, error }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }

  #receive({ source, data }) {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    if (data.method === undefined) {
      this.#settle(data.id, data);
      return;
    }
    const { toolInput, toolResult, cancelled, teardown } = this.#handlers;
    switch (data.method) {
      case 'ui/notifications/tool-input': toolInput(data.params?.arguments ?? {}); break;
      case 'ui/notifications/tool-result': toolResult(data.params ?? {}); break;
      case 'ui/notifications/tool-cancelled': cancelled(); break;
      case 'ui/notifications/host-context-changed': this.#context(data.params ?? {}); break;
      case 'ui/resource-teardown': teardown(); this.#post({ id: data.id, result: {} }); return;
      case 'ping': this.#post({ id: data.id, result: {} }); return;
    }
    if (data.id !== undefined) this.#post({ id: data.id, error: { code: -32601, message: 'Method not found' } });
  }

  #context({ theme, locale, styles }) {
    const root = document.documentElement;
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    if (locale) root.lang = 'en';  // what stands here is English, whatever the host speaks; figures follow the host
    if (locale) this.locale = locale;
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      if (/^--[a-z0-9-]+$/.test(name) && value != null) root.style.setProperty(name, value);
    }
  }

  #reportSize() {
    new ResizeObserver(() => {
      const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
      this.#notify('ui/notifications/size-changed', { width: Math.ceil(innerWidth), height });
    }).observe(document.documentElement);
  }

  // toolOutput may come before or after we look; ChatGPT tells of each change by an event.
  #useOpenai() {
    this.#openai = window.openai;
    let given, shown;
    const read = () => {
      const { theme, locale, toolInput, toolOutput, toolResponseMetadata } = window.openai;
      this.#context({ theme, locale });
      if (toolInput && toolInput !== given) this.#handlers.toolInput(given = toolInput);
      if (toolOutput && toolOutput !== shown) {
        shown = toolOutput;
        this.#handlers.toolResult({ structuredContent: toolOutput, _meta: toolResponseMetadata ?? {} });
      }
    };
    addEventListener('openai:set_globals', read);
    if (!window.openai.toolOutput) show(el('p', { role: 'status' }, words('waiting')));
    read();
  }
}

// The sentence of a failed call: our own tools write one that says what to do.
const failureOf = result => {
  if (!result.isError && !result.structuredContent?.error) return null;
  return result.structuredContent?.error?.message ?? result.content?.[0]?.text ?? words('unreachable');
};

// Watches something until it is over: by events of the gateway where the host lets them through, else by calling `poll`.
// `take(content)` gives the milliseconds until the next look, or null when it is over.
const follow = async ({ live, poll, take, stopped }) => {
  if (live) {
    try {
      const response = await fetch(live.url, { method: 'POST', body: live.token });  // a plain request: no preflight
      if (!response.ok) throw new Error(String(response.status));
      let text = '', reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
        const events = text.split('\n\n');
        text = events.pop();
        for (const event of events.filter(each => each.startsWith('data: '))) {
          if (stopped() || take(JSON.parse(event.slice(6))) === null) return reader.cancel();
        }
      }
    } catch {
      // The host's policy or the network: look by calls instead.
    }
  }
  let pause = 1_000;
  while (host.canCall && !stopped()) {
    await new Promise(resolve => setTimeout(resolve, pause));
    if (stopped()) return;
    const result = await poll().catch(() => null);
    if (stopped()) return;
    const wanted = result === null || failureOf(result) !== null ? 5_000 : take(result.structuredContent);
    if (wanted === null) return;
    pause = Math.min(Math.max(wanted, 1_000), 10_000);
  }
};
