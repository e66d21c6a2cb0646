import { type CredentialSpec, defineProvider } from '#core/provider.ts';
import { customHostProblems, memo } from '../_shared/address.ts';
import { geminiFault } from '#formats/google-generate/fault.ts';
import { placeOf } from './address.ts';
import { listModels } from './models.ts';
import { probe } from './probe.ts';
import { chat, countInputTokens, embeddings, images } from './routes.ts';
import { type GeminiSettings, requestSettings, schema } from './settings.ts';

/** Worked out once for each settings object. */
const place = memo(placeOf);

/** Gemini with an API key. */
export default defineProvider<GeminiSettings>({
  type: 'gemini',
  aliases: ['google'],
  service: { title: 'Google Gemini', host: 'https://generativelanguage.googleapis.com', keyVariable: 'GEMINI_API_KEY' },
  settings: schema,
  requestSettings,
  accountHeaders: ['x-goog-user-project'],
  apiKey: 'required',
  check: (settings) => customHostProblems(settings.custom_host),
  credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : signedWith(key)),
  operations: {
    'chat/completions': chat(place),
    embeddings: embeddings(place),
    'images/generations': images(place),
    'responses/input_tokens': countInputTokens(place),
    models: listModels(place),
  },
  fault: geminiFault,
  probe,
});

/** Keys go in a header, never in the query, where logs would show them; access tokens are recognised by their start. */
const signedWith = (key: string): CredentialSpec =>
  key.startsWith('ya29.') ? { scheme: 'bearer', secret: key } : { scheme: 'header', name: 'x-goog-api-key', secret: key };
