// A host of widgets, for development: as MCP Apps hosts are, or as ChatGPT was before.
const page = document.getElementById('dev');
const form = page.querySelector('form');
const stage = document.getElementById('stage');
const log = document.getElementById('log');
const uris = JSON.parse(page.dataset.tools);
let frame = null, call = null;

const note = (way, message) => {
  log.append(Object.assign(document.createElement('li'), { textContent: `${way} ${JSON.stringify(message).slice(0, 400)}` }));
};
const say = message => { note('→', message); frame.contentWindow.postMessage(message, '*'); };
const rpc = message => say({ jsonrpc: '2.0', ...message });
const theme = () => form.elements.theme.value;

const callTool = async (tool, args) => {
  if (form.elements.offline.checked) throw new Error('offline');
  const body = new URLSearchParams({ csrf: page.dataset.csrf, tool, arguments: JSON.stringify(args ?? {}) });
  const response = await fetch(page.dataset.call, { method: 'POST', body });
  return response.json();
};

// The result may be there before the widget, or after it.
const tellInput = () => rpc({ method: 'ui/notifications/tool-input', params: { arguments: call.args } });
const tellResult = async () => rpc({ method: 'ui/notifications/tool-result', params: await call.result });
const tellGlobals = async () => {
  say({ openai: 'globals', globals: { theme: theme(), toolInput: call.args } });
  const { structuredContent, _meta } = await call.result;
  say({ openai: 'globals', globals: { toolOutput: structuredContent, toolResponseMetadata: _meta ?? {} } });
};

const asked = {
  'ui/initialize': async () => ({
    protocolVersion: '2026-01-26', hostInfo: { name: 'dev', version: '1' },
    hostCapabilities: { serverTools: {}, openLinks: {}, updateModelContext: {} },
    hostContext: { theme: theme(), locale: 'en-US', displayMode: 'inline' },
  }),
  'tools/call': params => callTool(params.name, params.arguments),
  'ui/open-link': async ({ url }) => { document.getElementById('opened').textContent = url; return {}; },
  'ui/update-model-context': async () => ({}),
};

addEventListener('message', async ({ source, data }) => {
  if (!frame || source !== frame.contentWindow) return;
  note('←', data);
  if (data.openai === 'ready') {
    await tellGlobals();
  } else if (data.openai) {
    const answer = { openai: 'answer', id: data.id };
    try {
      const result = data.openai === 'callTool' ? await callTool(data.params.name, data.params.arguments) : await asked['ui/open-link']({ url: data.params.href });
      say({ ...answer, result });
    } catch (error) {
      say({ ...answer, error: error.message });
    }
  } else if (form.elements.host.value === 'chatgpt') {
    // A host of before MCP Apps does not know these messages.
  } else if (data.method === 'ui/notifications/initialized') {
    if (form.elements.order.value === 'result first') { await tellResult(); tellInput(); }
    else { tellInput(); await tellResult(); }
  } else if (data.method === 'ui/notifications/size-changed') {
    frame.height = data.params.height;
  } else if (data.id !== undefined && asked[data.method]) {
    try {
      rpc({ id: data.id, result: await asked[data.method](data.params) });
    } catch (error) {
      rpc({ id: data.id, error: { code: -32000, message: error.message } });
    }
  }
});

form.addEventListener('submit', event => {
  event.preventDefault();
  delete form.dataset.sent;
  const { tool, args, host } = form.elements;
  call = { args: JSON.parse(args.value || '{}') };
  call.result = callTool(tool.value, call.args);
  frame = document.createElement('iframe');
  frame.title = `Widget of ${tool.value}`;
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  frame.width = '100%';
  frame.height = 600;
  frame.src = `${page.dataset.frame}?${new URLSearchParams({ uri: uris[tool.value], host: host.value })}`;
  stage.replaceChildren(frame);
});
form.elements.theme.addEventListener('change', () => {
  if (!frame) return;
  if (form.elements.host.value === 'chatgpt') say({ openai: 'globals', globals: { theme: theme() } });
  else rpc({ method: 'ui/notifications/host-context-changed', params: { theme: theme() } });
});
document.getElementById('teardown').addEventListener('click', () => frame && rpc({ id: 1_000, method: 'ui/resource-teardown', params: {} }));
