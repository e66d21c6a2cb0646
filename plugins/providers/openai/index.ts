import { isBatchInput } from '#core/json/batch-file.ts';
import type { LineEdit } from '#core/http/form.ts';
import { defineProvider } from '#core/provider.ts';
import { at, baseOf, customHostProblems, memo, paramOf, relayedRoute, withParam } from '../_shared/address.ts';
import { batchLine } from '#formats/openai-objects/batch-lines.ts';
import { openaiCompatible } from '../_shared/openai-compatible.ts';
import { RealtimeTap } from '#formats/openai-objects/realtime-tap.ts';
import { openaiFault } from '#formats/openai-chat/fault.ts';
import { accountHeaders, openaiHeaders } from './headers.ts';
import { probe } from './probe.ts';
import { requestSettings, type OpenAiSettings, schema } from './settings.ts';

/** Parsed once for each settings object. */
const base = memo((settings: OpenAiSettings) => baseOf(settings.custom_host ?? 'https://api.openai.com/v1'));

const bare = batchLine({ isDated: false, deployment: () => undefined });

/** Takes the slug off a line's model, as it is off every other request; all lines without one keep their bytes. */
const withoutSlug: LineEdit = (line, index) => (line.includes('"@') ? bare(line, index) : line);

/** OpenAI, and by `custom_host` every service that speaks its format. */
export default defineProvider<OpenAiSettings>({
  type: 'openai',
  aliases: [],
  entry: {
    // Half for what may wait (https://platform.openai.com/docs/pricing); other tiers have prices that the list does not have.
    prices: { list: 'openai', tiers: { flex: '0.5', batch: '0.5' }, soundApart: true },
    service: { title: 'OpenAI', host: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
    settings: schema,
    requestSettings,
    accountHeaders: ['openai-organization', 'openai-project'],
    apiKey: 'required',
    check: (settings) => customHostProblems(settings.custom_host),
    credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'bearer', secret: key }),
    probe,
  },
  operations: openaiCompatible<OpenAiSettings>({
    address: (call, route) => at(base(call.settings), route, call.query),
    headers: openaiHeaders,
    lines: (form) => (isBatchInput(form) ? withoutSlug : undefined),
    extensions: (settings) => (settings.custom_host === undefined ? 'drop' : 'pass'),
  }),
  relay(call, path) {
    const isNamed = call.endpoint === 'realtime' || paramOf(call.query, 'model') !== undefined;
    const query = call.model !== '' && isNamed ? withParam(call.query, 'model', call.model) : call.query;
    return { ...at(base(call.settings), relayedRoute(path), query), headers: accountHeaders(call) };
  },
  socketTap: () => new RealtimeTap(),
  fault: openaiFault,
});
