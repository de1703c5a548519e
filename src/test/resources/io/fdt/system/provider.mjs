// An OpenID provider with the client "ana", at any port of 127.0.0.1. Its argument is the directory with its packages.
// Reads lines from standard input: the names of the keys that it publishes, of which it signs with the first. Prints them
// and its URL when it uses them.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const { default: Provider } = await import(`${process.argv[2]}/node_modules/oidc-provider/lib/index.js`);
const scopes = 'storage.read:/a storage.modify:/b';
const made = {};

function key(kid) {
    made[kid] ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    return { ...made[kid], kid, alg: 'ES256', use: 'sig' };
}

let answer = () => {};
const server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
await new Promise((ready) => server.once('listening', ready));
const url = `http://127.0.0.1:${server.address().port}`;

for await (const line of createInterface({ input: process.stdin })) {
    const provider = new Provider(url, {
        jwks: { keys: line.split(' ').map(key) },
        clients: [{
            client_id: 'ana',
            client_secret: 'secret',
            grant_types: ['client_credentials'],
            redirect_uris: [],
            response_types: [],
            id_token_signed_response_alg: 'ES256',
        }],
        scopes: scopes.split(' '),
        extraTokenClaims: () => ({ 'wlcg.ver': '1.0' }),
        features: {
            devInteractions: { enabled: false },
            clientCredentials: { enabled: true },
            resourceIndicators: {
                enabled: true,
                getResourceServerInfo: (context, resource) => ({
                    scope: scopes,
                    audience: resource,
                    accessTokenFormat: 'jwt',
                    accessTokenTTL: 600,
                    jwt: { sign: { alg: 'ES256' } },
                }),
            },
        },
    });
    answer = provider.callback();
    console.log(`${line}: ${url}`);
}
process.exit();
