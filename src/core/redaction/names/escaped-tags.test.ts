import { describeFinder } from '../../../../test/support/finder-tests.ts';

const found: readonly string[] = [
  '&lt;password&gt;‹hunter›&lt;/password&gt;',
  '&lt;a&gt;&lt;api_key id=&quot;1&quot;&gt; ‹abc-def›\n&lt;/api_key&gt;&lt;/a&gt;',
  '&lt;x:Password&gt;‹hunter›&lt;/x:Password&gt;',
  '&lt;pass&gt;‹hunter›&lt;/pass&gt;',
];

const clean: readonly string[] = [
  '&lt;password&gt;&lt;min&gt;8&lt;/min&gt;&lt;/password&gt;',
  '&lt;password&gt;&lt;/password&gt;',
  '&lt;password&gt;your new one&lt;/password&gt;',
  '&lt;user&gt;hunter&lt;/user&gt;',
  '&lt;user&gt;hunter&lt;/password&gt;',
  'hunter&lt;/password&gt;',
  '&lt;pass&gt;true&lt;/pass&gt;',
  '&lt;password&gt;${env.PASSWORD}&lt;/password&gt;',
];

describeFinder('elements of XML that is escaped', {
  found,
  clean,
  repeated: ['&lt;/password&gt;', '&lt;password&gt;', '&lt;/'],
});
