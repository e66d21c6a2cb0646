import { providers } from '../../../plugins/index.ts';
import { vendors } from '../../../plugins/providers/vendors/index.ts';
import type { Quirk } from '../../../plugins/providers/vendors/row.ts';

/** `docs/services.md`: services that are a type of their own, and how each differs from the format that it speaks. */
export function servicesPage(): string {
  const rows = providers.flatMap(({ type, aliases, entry: { service } }) => {
    if (service === undefined) return [];
    const names = [type, ...aliases.filter((alias) => !neutral.test(alias))].map((name) => `\`${name}\``).join(', ');
    return [
      `| ${names} | ${service.title} | \`${service.host}\` | ${service.keyVariable === undefined ? 'none' : `\`${service.keyVariable}\``} |`,
    ];
  });
  const providerRows = vendors.map(({ type, title, docs, routes, quirks = [] }) =>
    [
      `### ${title}`,
      `\`type: ${type}\` serves ${routes.map((route) => `\`${route}\``).join(', ')} ([documentation](${docs.split(',')[0]?.split(';')[0] ?? ''})).`,
      ...(quirks.length === 0 ? [] : [quirks.map((quirk) => `- ${about(quirk)} ([source](${firstLink(quirk.source)}))`).join('\n')]),
    ].join('\n\n'),
  );
  return `# Services known by name

\`\`\`sh
gateway init --provider groq --fallback openai   # writes a new gateway.yaml
gateway providers add ollama                     # adds a provider to it
\`\`\`

\`\`\`yaml
version: 1
providers:
  groq: {type: groq, api_key: "\${env:GROQ_API_KEY}"}
  gpu: {type: vllm, custom_host: http://10.0.0.11:8000/v1}
\`\`\`

Each type below has a default address and a default environment variable for its key; \`custom_host\` sets another address. \`providers add\` has options for other values: \`--slug\`, \`--key-env\` and \`--set custom_host=…\`. Without a configuration file, \`gateway start\` serves each service whose variable is set and ends in \`_API_KEY\`. For any other service with an OpenAI-compatible API, use \`type: openai\` with its base URL as \`custom_host\`.

| Type | Service | Address | Key |
|---|---|---|---|
${rows.join('\n')}

## What differs

These services have an OpenAI-compatible API. The gateway forwards requests and responses unchanged, except for fields that a service would reject: it removes or renames them, and lists the removed ones in \`x-gateway-dropped-params\`. Extensions of the gateway (\`labels\`, \`thinking\`, \`content_blocks\`, …) are left out except where the list says that a service has them; \`extensions: pass\` sends them. Tools of Anthropic's API (\`web_search_20250305\`, …) are left out too. Only OpenAI has \`tool_choice: allowed_tools\`: the other services are offered only those tools. Other paths below \`/v1/\` are passed through to the same address.

${providerRows.join('\n\n')}
`;
}

/** Aliases that only old configurations use. */
const neutral = /^(?:cloud-)?(?:provider|vendor)-[a-z]$/;

const firstLink = (source: string): string => /https:[^\s,;]+[^\s,;:]/.exec(source)?.[0] ?? '';

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** A quirk in a sentence. */
function about(quirk: Quirk): string {
  const parts = [
    ...(quirk.drops === undefined
      ? []
      : [
          `leaves out ${code(quirk.drops)}${quirk.models === undefined ? '' : ` for the models that reject ${quirk.drops.length === 1 ? 'it' : 'them'}`}`,
        ]),
    ...Object.entries(quirk.renames ?? {}).map(([from, to]) => `sends \`${from}\` as \`${to}\``),
    ...Object.entries(quirk.roles ?? {}).map(([from, to]) => `sends messages of \`${from}\` as \`${to}\``),
    ...(quirk.schemaKeywords === undefined ? [] : [`leaves out ${code(quirk.schemaKeywords)} in the schemas of tools`]),
    ...(quirk.prefill === undefined
      ? []
      : [`sets \`${quirk.prefill}\` on a last message of the assistant, which the model then continues`]),
    ...(quirk.systemFirst === true ? ['sends system messages inside a conversation in front of it'] : []),
    ...(quirk.rejectsEmpty === true ? ['leaves out empty messages of the assistant'] : []),
    ...(quirk.afterResults === undefined
      ? []
      : [`adds a message of the assistant, \`${quirk.afterResults}\`, between tool results and a user message`]),
    ...(quirk.efforts === undefined ? [] : ['sends a `reasoning_effort` that a model rejects as the nearest that it accepts']),
    ...(quirk.thinksByDefault === true
      ? ['disables thinking for `reasoning_effort: none` and where a tool is forced, unless the request has `thinking`']
      : []),
    ...(quirk.switchesThinking === true ? ['sends a `thinking.type` other than `enabled` and `disabled` as `enabled`'] : []),
    ...(quirk.schemaInPrompt === true ? ['sends the schema of `response_format` as an instruction, in JSON mode'] : []),
    ...(quirk.functionsAsTools === true
      ? ['sends `functions` and `function_call` as `tools` and `tool_choice`, and returns calls in `function_call`']
      : []),
    ...(quirk.joinsTexts === true ? ['joins text parts into one text'] : []),
    ...(quirk.refuses === undefined ? [] : [`leaves out ${code(quirk.refuses)} of earlier responses`]),
    ...(quirk.refusesOf === undefined
      ? []
      : [`and ${code([...new Set(Object.values(quirk.refusesOf).flat())])} of messages of ${code(Object.keys(quirk.refusesOf))}`]),
    ...(quirk.thoughts === undefined ? [] : [`sends the thinking text of earlier responses as \`${quirk.thoughts}\``]),
    ...(quirk.takes === undefined ? [] : [`keeps ${code(quirk.takes)} of earlier responses`]),
    ...(quirk.needsThoughts === true ? ['adds an empty thinking text to earlier messages with tool calls that have none'] : []),
    ...(quirk.thoughtParts === true ? ['keeps the thinking text of its own earlier responses in their `content`'] : []),
    ...(quirk.repliesInParts === true
      ? [
          'joins responses whose `content` is a list to one text, and returns their thinking text as `reasoning_content` if the client asks for it, unless `strict_compliance` is false',
        ]
      : []),
    ...(quirk.details === true ? ['sends signed and encrypted reasoning of earlier responses in `reasoning_details`'] : []),
    ...(quirk.callIds === undefined ? [] : ['replaces the ids of tool calls of other services with ids of nine letters and digits']),
    ...(quirk.rejectsNulls === true ? ['leaves out members of earlier responses that are `null`'] : []),
    ...(quirk.uniqueIds === true ? ['makes the ids of tool calls distinct'] : []),
    ...(quirk.imageEdits === undefined ? [] : ['sends image edits as JSON, without `size` and `style`']),
    ...(quirk.thinkingAsReasoning === true ? ['sends `thinking` as `reasoning`'] : []),
    ...(quirk.supportedExtensions === undefined || quirk.thinkingAsReasoning === true
      ? []
      : [`passes on ${code(quirk.supportedExtensions)}`]),
  ];
  const [first = '', ...more] = parts;
  return [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...more].join(', ');
}
