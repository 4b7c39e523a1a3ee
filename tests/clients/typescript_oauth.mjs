// The TypeScript SDK's client with its OAuth provider, driven line by line, as typescript.mjs is.
//   node typescript_oauth.mjs URL REDIRECT legacy|auto CLIENT
// CLIENT is a JSON object: {} registers, {"client_id": …} is known already, {"document": …} describes itself there.
// It says {"open": ADDRESS} instead of opening a browser, and is told {"code", "state", "iss"} in the next line.
import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const [url, redirectUrl, mode, known] = process.argv.slice(2);
const { document, ...information } = JSON.parse(known);
const say = message => process.stdout.write(`${JSON.stringify(message)}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => {
    const { done, value } = await lines.next();
    return done ? undefined : JSON.parse(value);
};

const kept = { information: information.client_id ? information : undefined };
const provider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], client_name: 'journey', token_endpoint_auth_method: 'none' },
    clientMetadataUrl: document,
    state: () => (kept.state = crypto.randomUUID()),
    clientInformation: () => kept.information,
    saveClientInformation: value => { kept.information = value; },
    tokens: () => kept.tokens,
    saveTokens: value => { kept.tokens = value; },
    saveCodeVerifier: value => { kept.verifier = value; },
    codeVerifier: () => kept.verifier,
    redirectToAuthorization: address => say({ open: String(address) }),
};
const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
const client = new Client({ name: 'journey', version: '1.0.0' }, { versionNegotiation: { mode } });

await client.connect(transport);
say({ protocolVersion: client.getNegotiatedProtocolVersion() });

const ask = async ({ method, params }) => {
    try {
        return method === 'tools/list' ? await client.listTools() : await client.callTool(params);
    } catch (error) {
        if (!(error instanceof UnauthorizedError)) return { thrown: String(error), code: error.code };
        const answer = await read();
        if (answer.state !== kept.state) throw new Error('this answer is to another question');
        await transport.finishAuth(new URLSearchParams(answer));
        return ask({ method, params });
    }
};
for (let line = await read(); line !== undefined; line = await read()) say(await ask(line));
await client.close();
