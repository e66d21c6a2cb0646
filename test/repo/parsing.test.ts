import { expect, it } from 'vitest';
import { projectFiles, readProjectFile } from './tree.ts';

/** Files that may parse JSON without limits, and the reasons. */
const trusted: Readonly<Record<string, string>> = {
  'src/core/json/scan.ts': 'looks first',
  'src/core/json/body.ts': 'the text was scanned within limits',
  'src/core/redaction/texts/strings.ts': 'one string, which is no structure',
  'src/core/redaction/index.ts': 'written by the gateway, then masked',
  'src/core/json/model-fields.ts': 'one string, which is no structure',
  'src/config/check/keys/tokens.ts': 'a file of the operator',
  'src/cli/prompts/index.ts': 'typed by the operator',
  'src/transport/credentials/jwt.ts': 'a file of the operator',
  'src/store/last-good.ts': 'written by the gateway',
  'src/admin/ui/pages/requests/list/use-live.ts': 'written by the gateway',
  'src/admin/ui/browser/stored-signal.ts': 'written by the page itself, in the browser of its user',
  'src/admin/ui/pages/configs/explain-input.ts': 'typed by the user, in the browser',
  'src/admin/ui/pages/prompts/texts.ts': 'typed by the user, in the browser',
  'src/admin/ui/pages/prompts/try-out.tsx': 'a response that the user asked for, in the browser',
  'src/store/decode.ts': 'a line of the spool, written by the gateway',
  'src/telemetry/pretty.ts': 'written by the gateway',
  'src/telemetry/short-line.ts': 'written by the gateway',
};

it('calls JSON.parse only in files that parse trusted JSON', () => {
  const parsing = projectFiles().filter(
    (file) => /^(?:src|plugins)\/.*(?<!\.test)\.tsx?$/.test(file) && /\bJSON\.parse\(/.test(readProjectFile(file)),
  );
  expect(parsing.toSorted()).toEqual(Object.keys(trusted).toSorted());
});
