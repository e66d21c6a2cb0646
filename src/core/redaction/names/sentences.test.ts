import { describeFinder } from '../../../../test/support/finder-tests.ts';

const found: readonly string[] = [
  'my password is ‹hunter2›, ok?',
  'my password is ‹a:1:b2›',
  'x\npassword is ‹hunter2›',
  'The PASSWORD IS secret, the password is now ‹hunter2›.',
  'the admin password was "‹hunter-2›"',
  'password is **‹hunter2›**',
  'I changed the password to ‹hunter2x›.',
  "ALTER USER jo WITH PASSWORD '‹hunter2x›'",
  'the password `‹hunter2x›` works',
  "IDENTIFIED WITH mysql_native_password BY '‹hunter2›'",
  '| password | ‹hunter2› |',
  'machine api.example.com login jo password ‹hunter2›',
  'machine api.example.com\n  login jo\n  password ‹h2›\n',
  'default login jo password ‹7hunter›',
];

const clean: readonly string[] = [
  'the password is required',
  'the password is sha256-hashed',
  'the password is SHA256',
  'the password is base64 text',
  'the password is 8-character',
  'the password is 12chars',
  'the password hunter2x',
  'password to user12345',
  'the password is in /etc/file12',
  'the password is $PASSWORD1',
  'login form password field1',
  'a login jo password h2',
  'keyword is hunter2',
  'the password is\nhunter',
  'passwords is hunter2',
  '| password | varchar(64) |',
];

describeFinder('passwords after the word', {
  found,
  clean,
  repeated: ['password is ', 'password to ', 'machine a login b password ', 'machine ', 'word ', '| password | '],
});
