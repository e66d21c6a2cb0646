import { services } from '../../../plugins/index.ts';

/** `docs/services.md`: services that the commands know by name. */
export function servicesPage(): string {
  const rows = services.map(({ name, title, type, host, keyVariable }) => {
    const variable = keyVariable === undefined ? 'none' : `\`${keyVariable}\``;
    return `| \`${name}\` | ${title} | \`${type}\` | ${host === undefined ? "the type's own" : `\`${host}\``} | ${variable} |`;
  });
  return `# Services known by name

\`\`\`sh
gateway init --provider groq --fallback openai   # writes a new gateway.yaml
gateway providers add ollama                     # adds an entry to it
\`\`\`

Each name below is an entry of \`providers:\` with its address and its usual variable for the key. \`--slug\`, \`--key-env\` and \`--set custom_host=…\` of \`providers add\` change them. Without a configuration \`gateway start\` serves each service whose \`…_API_KEY\` is set. Every other service that speaks the format of OpenAI is \`type: openai\` with its base URL as \`custom_host\`.

| Name | Service | Type | \`custom_host\` | Key |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
