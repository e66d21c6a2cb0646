import { describeFinder } from '../../../../test/support/finder-tests.ts';

const found: readonly string[] = [
  'mytool --password ‹hunter2›',
  'sshpass -p ‹word›',
  'mytool --db-password "‹hunter2›" x',
  'mytool --token ‹hunter2x1›',
  'mysql -u root -p‹hunter› db',
  'mysqldump -h db -p"‹hunter›" db',
  'sshpass -p ‹hunter› ssh root@h',
  "sshpass -p'‹hunter›' ssh root@h",
  'docker login -u jo -p ‹hunter› registry.example',
  'az login --service-principal -u x -p ‹hunter2› --tenant y',
  'mongosh -u jo -p ‹hunter› h',
  'redis-cli -h x -a ‹hunter›',
  'ldapsearch -D cn=x -w ‹hunter›',
  'curl -s -u jo:‹hunter› https://x.example',
  'curl --user "jo:‹pass-word›" x',
  'curl -b "‹sid=abc123def456›" https://x.example',
  'openssl rsa -passin pass:‹hunter2x1› -in x',
  'cd x && mysql -p‹hunter›',
  'ls -p x1\nmysql -p‹hunter›',
  'a | b'.replace('b', 'sshpass -p ‹hunter› x'),
];

const clean: readonly string[] = [
  'mysql -u root -p db',
  'mysql -p$PASSWORD db',
  'mysql -p<password> db',
  'mysql -h x; mkdir -p a1b2',
  'mysql x\nmkdir -p a1b2',
  'mkdir -p a1b2',
  'docker run -p 8080:80 x',
  'docker login x && docker run -p 8080:80 x',
  'docker login -u jo -p your-password',
  'docker run -u 1000:1000 x',
  'curl -u jo: x',
  'curl -u jo:$PASSWORD x',
  'curl -u user:password x',
  'aws s3 ls --next-token abc12345x --starting-token abc12345x',
  'x --password-file abc12345x --password letmein --token <abc12345x>',
  '--user jo:hunter',
  'non-p a1b2c3d4',
  '---- mysql ----p',
];

describeFinder('values of options of commands', {
  found,
  clean,
  repeated: ['mysql -p', 'mysql -p1 ', '--password ', '- ', 'curl -u a:b1 ', 'redis-cli -a '],
});
