import { type CredentialSpec, defineProvider, type Probe } from '#core/provider.ts';
import { geminiFault } from '#formats/google-generate/fault.ts';
import { developerMedia } from '#formats/google-generate/request/media/needs.ts';
import { geminiOperations } from '../_google/operations.ts';
import { customHostProblems } from '../_shared/address.ts';
import { baseFor, modelOf } from './address.ts';
import { listModels } from './models.ts';
import { type GeminiSettings, requestSettings, schema } from './settings.ts';

const keyFix = 'check the key, and that the Generative Language API is enabled for its project';

/** Listing the models verifies the key and is free. The service returns 400 for a wrong key. */
const probe: Probe = {
  endpoint: 'models',
  method: 'GET',
  model: '',
  proves: 'credential',
  fixes: { 400: keyFix, 401: keyFix, 403: keyFix },
};

/** Gemini with an API key. */
export default defineProvider<GeminiSettings>({
  type: 'gemini',
  aliases: ['google'],
  entry: {
    // Flex costs half (https://ai.google.dev/gemini-api/docs/optimization). The price of priority differs by model.
    prices: { list: 'google', tiers: { flex: '0.5' } },
    telemetryName: 'gcp.gemini',
    service: { title: 'Google Gemini', host: 'https://generativelanguage.googleapis.com', keyVariable: 'GEMINI_API_KEY' },
    settings: schema,
    requestSettings,
    accountHeaders: ['x-goog-user-project'],
    apiKey: 'required',
    check: (settings) => customHostProblems(settings.custom_host),
    credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : credentialOf(key)),
    probe: () => [probe],
  },
  operations: {
    ...geminiOperations<GeminiSettings>({
      surface: 'developer',
      address(call, method) {
        const { origin, path } = baseFor(call.settings);
        return { origin, path: `${path}/models/${encodeURIComponent(modelOf(call))}:${method}` };
      },
      headers: ({ stream }) => ['accept', stream ? 'text/event-stream' : 'application/json', 'content-type', 'application/json'],
      googleModel: modelOf,
      chatModel: modelOf,
      media: developerMedia,
    }),
    models: listModels,
  },
  fault: geminiFault,
});

/** Keys are sent in a header, never in the query, which appears in logs. Access tokens are recognized by their prefix. */
const credentialOf = (key: string): CredentialSpec =>
  key.startsWith('ya29.') ? { scheme: 'bearer', secret: key } : { scheme: 'header', name: 'x-goog-api-key', secret: key };
