import type { Call, CommonSettings } from '#core/provider.ts';

/** A call with nothing set, for asking a provider what it would do. */
export function callOf(over: Partial<Call<CommonSettings>> = {}): Call<CommonSettings> {
  return {
    endpoint: 'chat/completions',
    method: 'POST',
    settings: {},
    model: 'model-1',
    deployment: undefined,
    foundationModel: undefined,
    strict: true,
    stream: false,
    includeUsage: false,
    params: {},
    query: '',
    header: () => undefined,
    form: undefined,
    credential: 'catalog',
    media: new Map(),
    id: 'req_1',
    createdAt: 1_767_312_000,
    ...over,
  };
}
