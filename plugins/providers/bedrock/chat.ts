import { type EmptyBody, JsonBody } from '#core/json/body.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Call, Operation, UpstreamRequest } from '#core/provider.ts';
import { offersOutput } from '#formats/anthropic-messages/response/output-tool.ts';
import { withStoredThinking } from '#formats/anthropic-messages/response/thoughts.ts';
import { betasOf, headerFields } from '#formats/anthropic-messages/headers.ts';
import { ConverseStream } from '#formats/bedrock-converse/response/stream.ts';
import { ConverseTap } from '#formats/bedrock-converse/response/tap.ts';
import { fromConverse } from '#formats/bedrock-converse/response/whole.ts';
import { equivalentPaths } from '#formats/bedrock-converse/request/fields.ts';
import { mediaNeeds, toConverse } from '#formats/bedrock-converse/request/index.ts';
import { withToolNames } from '#formats/tool-names/index.ts';
import { openaiNames } from '#formats/tool-names/rule.ts';
import { type BedrockCall, modelRequest } from './address.ts';
import type { BedrockSettings } from './settings.ts';

/** Chat completions, converted to Converse and ConverseStream, for models of all vendors. */
export const chat: Operation<BedrockSettings> = withToolNames(
  {
    isConverted: true,
    ownForms: ['additionalModelRequestFields', 'additional_model_request_fields', 'outputConfig'],
    sameMeaning: equivalentPaths,
    media: (body) => (body.kind === 'json' && body.mayContainUrl() ? mediaNeeds(body.json()) : []),
    begin(body, call) {
      const sent = request(body, call);
      return {
        request: sent,
        tap: new ConverseTap(),
        reader: () => new ConverseStream(call, offersOutput(sent.body)),
        result: (text, answer) => fromConverse(text, call, answer),
      };
    },
  },
  () => openaiNames,
);

function request(body: JsonBody | EmptyBody, call: BedrockCall): UpstreamRequest {
  const action = call.stream ? 'converse-stream' : 'converse';
  if (body.kind === 'none') return modelRequest(call, call.model, action, {});
  const { settings } = call;
  const chatBody = Object.fromEntries(Object.entries(withStoredThinking(body, call)).filter(([name]) => !isHeaderField(name)));
  const converted = toConverse(chatBody, call, {
    media: call.media,
    betas: betasOf(call, body, settings.anthropic_beta),
    maxTokens: settings.max_tokens,
    defaults: defaultsOf(settings, call),
  });
  return modelRequest(call, call.model, action, { body: JsonBody.of(converted.body), dropped: converted.dropped, isStream: call.stream });
}

const isHeaderField = (name: string): boolean => headerFields.some((one) => one === name);

/** Returns the provider's defaults for every request. The stream processing mode is sent only for streams. */
function defaultsOf({ guardrail, latency }: BedrockSettings, { stream }: Pick<Call, 'stream'>): JsonObject {
  const mode = guardrail?.stream_processing_mode;
  return {
    ...(guardrail === undefined
      ? {}
      : {
          guardrailConfig: {
            guardrailIdentifier: guardrail.id,
            guardrailVersion: guardrail.version,
            ...(guardrail.trace === undefined ? {} : { trace: guardrail.trace }),
            ...(mode === undefined || !stream ? {} : { streamProcessingMode: mode }),
          },
        }),
    ...(latency === undefined ? {} : { performanceConfig: { latency } }),
  };
}
