// The TypeScript SDK's client, driven line by line: a request in JSON on standard input, its result on standard output.
//   node typescript.mjs URL KEY legacy|auto
import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, key, mode] = process.argv.slice(2);
const client = new Client({ name: 'journey', version: '1.0.0' }, { versionNegotiation: { mode } });
const headers = { Authorization: `Bearer ${key}` };
const say = message => process.stdout.write(`${JSON.stringify(message)}\n`);

await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
say({ protocolVersion: client.getNegotiatedProtocolVersion() });

client.setNotificationHandler('notifications/resources/updated', told => say({ updated: told.params.uri }));
client.setNotificationHandler('notifications/resources/list_changed', () => say({ listChanged: true }));

for await (const line of createInterface({ input: process.stdin })) {
    const { method, params } = JSON.parse(line);
    try {
        if (method === 'subscriptions/listen') say({ honored: (await client.listen(params)).honoredFilter });
        else say(method === 'tools/list' ? await client.listTools() : await client.callTool(params));
    } catch (error) {
        say({ thrown: String(error), code: error.code, data: error.data });
    }
}
await client.close();
