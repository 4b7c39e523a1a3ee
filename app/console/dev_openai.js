// What ChatGPT of before MCP Apps puts before a widget: `window.openai`, here spoken to the page around it.
(() => {
  const waiting = new Map();
  let next = 1;
  const ask = (kind, params) => new Promise((resolve, reject) => {
    waiting.set(next, { resolve, reject });
    parent.postMessage({ openai: kind, id: next++, params }, '*');
  });
  window.openai = {
    theme: 'light', locale: 'en-US', toolInput: null, toolOutput: null, toolResponseMetadata: null,
    callTool: (name, args) => ask('callTool', { name, arguments: args }),
    openExternal: ({ href }) => ask('openExternal', { href }),
  };
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || !data?.openai) return;
    if (data.openai === 'globals') {
      Object.assign(window.openai, data.globals);
      dispatchEvent(new CustomEvent('openai:set_globals', { detail: { globals: data.globals } }));
    } else if (data.openai === 'answer') {
      const { resolve, reject } = waiting.get(data.id);
      if (data.error) reject(new Error(data.error)); else resolve(data.result);
    }
  });
  parent.postMessage({ openai: 'ready' }, '*');
})();
