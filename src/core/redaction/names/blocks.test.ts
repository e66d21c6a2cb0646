import { describeFinder } from '../../../../test/support/finder-tests.ts';

const found: readonly string[] = [
  'private_key: |\n  ‹MIIEpAIBAAKCAQEA1\n  zzzzAABBCCDD1234›\nnext: a1',
  'password: >-\n  ‹hunter2x1›\nnext: a1',
  'db:\n  password: |2\n    ‹hunter2x1›\n  user: jo',
  '- api_key: |+\n    ‹abc12345\n\n    def67890›\n  name: x',
  'password: |\r\n  ‹hunter2x1›\r\nnext: a1',
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: db-12345678\ndata:\n  user: ‹YWRtaW4=›\n  tls.crt: "‹YWJjZGVm›"\ntype: Opaque',
  'data:\n  region: ‹ZXUtd2VzdA==›\n  # a comment\n  zone: ‹YWJjZGVm›\nkind: Secret\nmetadata:\n  name: db',
  'kind: Secret\nstringData:\n    host: ‹db.example›\n    port: |\n      1234\n',
];

const clean: readonly string[] = [
  'password: |\n  Your password must have 8 characters.\n',
  'private_key: |\nabc12345def\n',
  'description: |\n  abc12345def\n',
  'password: |\n  ${PASSWORD_12345678}\n  more words 12345678\n',
  'kind: ConfigMap\ndata:\n  region: ZXUtd2VzdA==\n',
  'kind: SecretList\ndata:\n  region: ZXUtd2VzdA==\n',
  'kind: Secret\nmetadata:\n  name: ZXUtd2VzdA==\n',
];

describeFinder('secrets in the lines below their name', {
  found,
  clean,
  repeated: ['password: |\n a\n', 'data:\n', 'kind: Secret\ndata:\n a: bbbb\n', ' data:\n a: bbbb\n', 'password: |\\\\\\\\'],
});
