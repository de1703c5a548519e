// An OpenID provider with the client "ana", at any port of 127.0.0.1. Its arguments are the directory with its packages,
// and the URLs to which users return, who are all "ana" and need no password.
// Reads lines from standard input: the names of the keys that it publishes, of which it signs with the first. Prints them
// and its URL when it uses them.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [packages, ...returns] = process.argv.slice(2);
const { default: Provider } = await import(`${packages}/node_modules/oidc-provider/lib/index.js`);
const audience = 'fdt://dtn.example.org';
const scopes = 'storage.read:/a storage.modify:/b storage.read:/rucio storage.modify:/rucio';
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
            grant_types: ['client_credentials', ...returns.map(() => 'authorization_code')],
            redirect_uris: returns,
            response_types: returns.map(() => 'code'),
            id_token_signed_response_alg: 'ES256',
        }],
        scopes: scopes.split(' '),
        pkce: { required: () => false },
        interactions: { url: (context, interaction) => `/interaction/${interaction.uid}` },
        findAccount: (context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
        extraTokenClaims: () => ({ 'wlcg.ver': '1.0' }),
        features: {
            devInteractions: { enabled: false },
            clientCredentials: { enabled: true },
            resourceIndicators: {
                enabled: true,
                defaultResource: () => audience,
                useGrantedResource: () => true,
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
    const callback = provider.callback();
    answer = async (request, response) => {
        if (!request.url.startsWith('/interaction/')) {
            callback(request, response);
            return;
        }
        const { params } = await provider.interactionDetails(request, response);
        const grant = new provider.Grant({ accountId: 'ana', clientId: params.client_id });
        grant.addOIDCScope(params.scope);
        grant.addResourceScope(audience, params.scope);
        const consent = { grantId: await grant.save() };
        await provider.interactionFinished(request, response, { login: { accountId: 'ana' }, consent });
    };
    console.log(`${line}: ${url}`);
}
process.exit();
