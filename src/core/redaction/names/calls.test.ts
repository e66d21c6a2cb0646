import { describeFinder } from '../../../../test/support/finder-tests.ts';

const found: readonly string[] = [
  'db.setPassword("‹hunter2›");',
  'x();\nsetPassword("‹hunter2›")',
  "x;\nauth=('jo', '‹hunter2›')",
  "client.withApiKey('‹hunter2abc›')",
  'cfg.set_secret("‹pass-word›" )',
  'conn.setAuthToken(`‹abc123›`)',
  'builder.password("‹hunter2x1›").build()',
  "requests.get(url, auth=('jo', '‹hunter2›'))",
  "HTTPBasicAuth('jo', '‹pass-word›')",
];

const clean: readonly string[] = [
  'client.getSecret("prod/db-12345678")',
  'client.secret("prod-db-12345678")',
  'vault.setSecret("db-name-12345", value)',
  'form.setPassword("password")',
  'form.setPassword(`${name}-12345`)',
  'translate("password.min-8")',
  'res.setCookie("name-12345678")',
  'the password ("hunter2")',
  "auth=('jo', 'secret')",
  'parse_password("hunter2x1")',
];

describeFinder('secrets passed to functions', {
  found,
  clean,
  repeated: ['setPassword("', 'setPassword("a1")', 'auth=("', 'auth=("a","', '("'],
});
