// The bare TypeScript SDK: its server with one tool, stateless, answering in JSON. Nothing around it.
//   node server.mjs --port PORT --upstream URL
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const { values } = parseArgs({ options: { port: { type: 'string' }, upstream: { type: 'string' } } });
const headers = { accept: 'application/json', authorization: 'Bearer bench' };

async function listPersonas() {
    const text = await (await fetch(`${values.upstream}/api/v1/minds`, { headers })).text();
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
}

function server() {
    const made = new McpServer({ name: 'bench', version: '1' });
    made.registerTool('list_my_ai_personas', { description: 'Lists personas.' }, listPersonas);
    return made;
}

const handle = toNodeHandler(createMcpHandler(server, { responseMode: 'json' }));
createServer((request, response) => {
    if (request.url === '/livez') response.end('{}');
    else handle(request, response);
}).listen(Number(values.port), '127.0.0.1');
