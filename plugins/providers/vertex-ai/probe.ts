import type { Probe } from '#core/provider.ts';

/** Counted by every project that may call models at all; a name that is retired later is answered 404. */
const model = 'gemini-2.5-flash';

/** Counting tokens costs nothing and asks for the same permission as an answer. */
export const probes: readonly Probe[] = [
  {
    endpoint: 'responses/input_tokens',
    method: 'POST',
    model,
    body: { input: 'ping' },
    proves: 'credential',
    accepts: { 404: `credential accepted · ${model} is not available there` },
    fixes: {
      401: 'check the service account or the identity of the machine: its token is not accepted',
      403: 'grant the role "Vertex AI User" in this project, and enable the Vertex AI API',
    },
  },
];
