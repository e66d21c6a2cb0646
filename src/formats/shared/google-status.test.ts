import { expect, it } from 'vitest';
import { googleFault } from './google-status.ts';

it.each([
  ['models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.', 'model_not_found'],
  ['Publisher Model `projects/p/locations/l/publishers/google/models/x` was not found.', 'model_not_found'],
  ['Endpoint `projects/p/locations/l/endpoints/5` not found.', 'model_not_found'],
  ['The BatchPredictionJob projects/p/locations/l/batchPredictionJobs/5 does not exist.', 'NOT_FOUND'],
  ['Not found: cached content metadata for 5.', 'NOT_FOUND'],
])('says what is missing: %s', (message, code) => {
  expect(googleFault({ code: 404, message, status: 'NOT_FOUND' })).toMatchObject({ message, code, type: 'invalid_request_error' });
});
