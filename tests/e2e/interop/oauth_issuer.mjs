// An OAuth authorization server (oidc-provider): dynamic registration, PKCE, resource indicators,
// single-use refresh tokens, revocation and a consent page.

import { createServer } from 'node:http';

import { Provider } from 'oidc-provider';

const scopes = 'deskhand:read deskhand:act deskhand:full';
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'known',
        client_secret: 'a-secret-of-the-file',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    scopes: ['openid', 'offline_access', ...scopes.split(' ')],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_, interaction) => `/ask/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_, resource) => ({
          scope: scopes,
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 3600,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });

  const grantConsent = async ({ prompt, params, session, grantId }) => {
    const grant = grantId
      ? await provider.Grant.find(grantId)
      : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    const { missingOIDCScope, missingResourceScopes } = prompt.details;
    if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
    for (const [resource, wanted] of Object.entries(missingResourceScopes ?? {})) {
      grant.addResourceScope(resource, wanted.join(' '));
    }
    return { consent: { grantId: await grant.save() } };
  };

  const ask = async (request, response) => {
    const details = await provider.interactionDetails(request, response);
    const answer = request.url.split('/')[3];
    if (answer === 'no') {
      const error = { error: 'access_denied', error_description: 'the user denied access' };
      return provider.interactionFinished(request, response, error);
    }
    if (answer === 'yes') {
      const login = { login: { accountId: 'ann' } };
      const result = details.prompt.name === 'login' ? login : await grantConsent(details);
      return provider.interactionFinished(request, response, result);
    }
    response.end(`${details.prompt.name}: yes or no?`);
  };

  const rest = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url.startsWith('/ask/')) return rest(request, response);
    ask(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  console.log(issuer);
});
