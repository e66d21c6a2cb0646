import type { Endpoint } from '#core/endpoint.ts';
import { type Call, defineProvider, type LocalAnswer, type Operation } from '#core/provider.ts';
import { openaiCompatible } from '../_shared/openai-compatible.ts';
import { openaiFault } from '../_shared/openai-fault.ts';
import { type Question, question } from './answer.ts';
import { chat } from './chat.ts';
import { completions } from './completions.ts';
import { embeddings, images, models, moderations } from './objects.ts';
import { probe } from './probe.ts';
import { inputTokens, responses } from './responses.ts';
import { builtIn, type MockSettings, problems, schema } from './settings.ts';

/** A host that can never be: the mock's requests go nowhere. */
const origin = 'https://mock.invalid';

const format = openaiCompatible<MockSettings>({
  address: (_call, route) => ({ origin, path: `/v1/${route}` }),
  extensions: () => 'pass',
});

const answers = {
  'chat/completions': chat,
  completions,
  embeddings,
  'images/generations': images,
  moderations,
  responses,
  'responses/input_tokens': inputTokens,
  models,
} as const satisfies { readonly [E in Endpoint]?: (asked: Question) => LocalAnswer };

/** The usual operations, answered here instead of sent. */
function operations(): { readonly [E in Endpoint]?: Operation<MockSettings> } {
  const made: { [E in Endpoint]?: Operation<MockSettings> } = {};
  for (const [endpoint, answer] of Object.entries(answers) as [keyof typeof answers, (asked: Question) => LocalAnswer][]) {
    const operation = format[endpoint];
    if (operation === undefined) continue;
    made[endpoint] = {
      ...operation,
      local: ({ body }, call: Call<MockSettings>) => answer(question(body.kind === 'json' ? body.json() : {}, call)),
    };
  }
  return Object.freeze(made);
}

/** Answers without a network: for the first minute, for tests, and for the last target of a fallback. */
export default defineProvider<MockSettings>({
  type: 'mock',
  aliases: [],
  settings: schema,
  requestSettings: [],
  apiKey: 'none',
  check: problems,
  models: (settings) => [...new Set([...Object.keys(builtIn), ...Object.keys(settings.replies ?? {})])].map((id) => ({ id })),
  credential: () => ({ scheme: 'none' }),
  operations: operations(),
  fault: openaiFault,
  probe,
});
