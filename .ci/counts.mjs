// counts.mjs FOLDER STATUS…: sums up vitest's JSON reports and prints the last line `N passed, N failed, N skipped`. A non-zero
// status without a failed test (types, lint, a crash) counts as one failure. Runs on any Node.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...statuses] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };

for (const name of readdirSync(folder)) {
  try {
    add(JSON.parse(readFileSync(join(folder, name), 'utf8')));
  } catch (error) {
    process.stderr.write(`${name} is no test report: ${error.message}\n`);
    total.failed += 1;
  }
}

function add(report) {
  for (const file of report.testResults) {
    const results = file.assertionResults;
    total.passed += results.filter((result) => result.status === 'passed').length;
    total.failed += results.filter((result) => result.status === 'failed').length;
    total.skipped += results.filter((result) => !['passed', 'failed'].includes(result.status)).length;
    // A file that could not be loaded has failed without a failed test.
    if (file.status === 'failed' && !results.some((result) => result.status === 'failed')) total.failed += 1;
  }
}

const broken = statuses.some((status) => status !== '0');
if (broken && total.failed === 0) total.failed = 1;
if (!broken && total.passed === 0) {
  process.stderr.write('No test ran.\n');
  total.failed += 1;
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = broken || total.failed > 0 ? 1 : 0;
