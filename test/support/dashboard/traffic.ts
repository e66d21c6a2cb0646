import { startTestGateway, type TestGateway } from '../gateway.ts';

/** Two mock providers, a config that falls back from one to the other, and stored bodies. */
const yaml = `version: 1
server: {admin: {open: true}}
logging: {requests: {bodies: full}}
providers:
  openai-main:
    type: mock
    replies:
      gpt-4o-mini: {text: "Open Settings, choose the customer, and press Reset. They get an e-mail with a link that works for one hour.", chunks: 12, chunk_delay: 25ms, delay: 60ms}
      gpt-4o: {text: "The notice period is three months to the end of a quarter.", chunks: 8, chunk_delay: 40ms, delay: 180ms}
      gpt-4o-cut: {text: "The notice period is", chunks: 4, breaks: reset}
      gpt-4o-tools: {tool_call: {name: find_customer, arguments: {name: Ada}}, delay: 90ms}
  azure-eu:
    type: mock
    replies:
      gpt-4o-mini: {text: "Open Settings and press Reset.", chunks: 6, chunk_delay: 30ms, delay: 120ms}
configs:
  support:
    strategy: {mode: fallback, on_status_codes: [429, 500]}
    override_params: {temperature: 0.2}
    targets:
      - {provider: openai-main}
      - {provider: azure-eu, override_params: {model: gpt-4o-mini}}
  search:
    targets: [{provider: openai-main}]
prompts:
  welcome:
    model: "@openai-main/gpt-4o-mini"
    variables: {product: {required: true}, tone: {default: friendly}}
    messages:
      - {role: system, content: "You greet customers of {{product}} in a {{tone}} tone."}
      - {role: user, content: "{{question}}"}
`;

export const startBusyGateway = (options: { stateDir?: string } = {}): Promise<TestGateway> =>
  startTestGateway(yaml, { admin: true, ...options });

const requests = [
  { config: 'support', model: 'gpt-4o-mini', stream: true, content: 'How do I reset the password of a customer?' },
  { config: 'search', model: 'gpt-4o', stream: true, content: 'What is the notice period in this contract?' },
  { config: 'support', model: 'rate-limited', stream: true, content: 'A customer cannot sign in. What now?' },
  { config: 'support', model: 'gpt-4o-tools', stream: false, content: 'Which plan does Ada have?' },
  { config: 'search', model: 'fail', stream: false, content: 'Which of these invoices are overdue?' },
  { config: 'support', model: 'gpt-4o-mini', stream: true, content: 'Write a friendly reminder for invoice 1042.' },
] as const;

/** Sends a request whose stream breaks; its status is 200. */
export async function sendCut({ url }: TestGateway): Promise<void> {
  const body = JSON.stringify({ model: '@openai-main/gpt-4o-cut', stream: true, messages: [{ role: 'user', content: 'Go on.' }] });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await response.text();
}

/** Sends one of several kinds of requests and reads the whole response. @returns its id */
export async function send({ url }: TestGateway, n: number): Promise<string> {
  const { config, model, stream, content } = requests[n % requests.length] ?? requests[0];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-config': config,
      'x-gateway-metadata': JSON.stringify({ user: `u${n % 7}`, team: n % 2 === 0 ? 'support' : 'web' }),
    },
    body: JSON.stringify({ model, stream, temperature: 0.9, messages: [{ role: 'user', content }] }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}
