import type { Operation } from '#core/provider.ts';
import { historyOf, type HistoryRules, openHistory } from '#formats/history/rules.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks/quirk.ts';
import { openaiChat } from '../_shared/openai-compatible.ts';
import { mistralQuirks } from '../_shared/mistral.ts';
import { endpointAddress, modelAddress, projectHeaders } from './address.ts';
import { fileRules } from './files/storage.ts';
import { modelFor } from './model.ts';
import { checkOpenFiles } from './open-files.ts';
import type { VertexSettings } from './settings.ts';

/** Single models reject fields of OpenAI's own platform, of its audio and search models, and its newer names. */
export const openQuirk: ChatQuirk = {
  drops: ['store', 'service_tier', 'prompt_cache_key', 'metadata', 'modalities', 'audio', 'web_search_options'],
  renames: { max_completion_tokens: 'max_tokens' },
  roles: { developer: 'system' },
  functionsAsTools: true,
  offersAllowedTools: true,
};

const operationFor = (history: HistoryRules, quirks: readonly ChatQuirk[]): Operation<VertexSettings> =>
  openaiChat({
    address(call) {
      const model = modelFor(call.model, false);
      if (model.kind === 'mistral') return modelAddress(call, 'mistralai', model.name, call.stream ? 'streamRawPredict' : 'rawPredict');
      return endpointAddress(call, model.kind === 'endpoint' ? model.id : 'openapi', '/chat/completions');
    },
    headers: projectHeaders,
    extensions: () => 'drop',
    history: () => history,
    quirks,
    bodyModel: () => undefined,
    convertBody: (body, call) => body.edit(new Map([['model', bodyModel(call.model)]])),
  });

/** Calls of earlier turns are sent as tool calls. */
export const toolHistory: HistoryRules = { ...openHistory, refused: new Set([...openHistory.refused, 'function_call']) };

const openOperation = operationFor(toolHistory, [openQuirk]);
const mistralOperation = operationFor(historyOf(mistralQuirks), [
  ...mistralQuirks,
  { drops: ['prompt_cache_key', 'metadata'], offersAllowedTools: true },
]);

/** Models of other vendors and self-deployed ones: the client's own format at another address. */
export const openChat: Operation<VertexSettings> = {
  ...openOperation,
  begin(body, call) {
    checkOpenFiles(body, fileRules(call));
    return (modelFor(call.model, false).kind === 'mistral' ? mistralOperation : openOperation).begin(body, call);
  },
};

/** Returns publisher and name for open models. A self-deployed server has only one model and needs no name. */
function bodyModel(name: string): string {
  const model = modelFor(name, false);
  if (model.kind === 'open') return model.model;
  return model.kind === 'mistral' ? model.name : '';
}
