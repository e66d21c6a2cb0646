/** Minimum length of a run of characters that can be a key. */
export const minKeyLength = 16;

/** Keys in the forms that their issuers document, and private keys (PEM) in base64. */
const forms: readonly string[] = [
  String.raw`sk-[\w-]{16,}`,
  String.raw`[sr]k_(?:live|test)_\w{16,}`,
  String.raw`gw_(?:live|test)_\w{16,}`,
  String.raw`A(?:KIA|SIA|GPA|IDA|ROA)[0-9A-Z]{16}(?![0-9A-Za-z])`,
  String.raw`AIza[\w-]{30,}`,
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  String.raw`gh[pousr]_\w{30,}`,
  String.raw`github_pat_\w{22,}`,
  String.raw`glpat-[\w-]{20,}`,
  String.raw`xox[a-z]-[\w-]{16,}`,
  String.raw`hf_\w{30,}`,
  String.raw`gsk_\w{30,}`,
  String.raw`r8_\w{30,}`,
  String.raw`nvapi-[\w-]{30,}`,
  String.raw`pplx-\w{30,}`,
  String.raw`xai-\w{30,}`,
  String.raw`tvly-[\w-]{20,}`,
  String.raw`npm_\w{30,}`,
  String.raw`pypi-[\w-]{30,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  String.raw`ek_[A-Za-z0-9]{20,}`,
  String.raw`whsec_[\w+/=]{20,}`,
  String.raw`dapi[0-9a-f]{32}`,
  String.raw`shp(?:at|ca|pa|ss)_[0-9a-f]{32}`,
  String.raw`lsv2_[ps]t_[0-9a-f_]{32,}`,
  String.raw`tgp_v1_[\w-]{30,}`,
  String.raw`fw_[A-Za-z0-9]{20,}`,
  String.raw`csk-[a-z0-9]{20,}`,
  String.raw`jina_[A-Za-z0-9]{30,}`,
  String.raw`ABSK[A-Za-z0-9+/=]{40,}`,
  String.raw`ATATT3[\w\-=]{30,}`,
  String.raw`dop_v1_\w{40,}`,
  String.raw`hvs\.[\w-]{20,}`,
  String.raw`sb(?:p_[0-9a-f]{40}|_secret_[\w-]{20,})`,
  String.raw`lin_api_\w{30,}`,
  String.raw`ntn_\w{40,}`,
  String.raw`figd_[\w-]{30,}`,
  String.raw`PMAK-[0-9a-f-]{40,}`,
  String.raw`glsa_\w{30,}`,
  String.raw`dckr_(?:pat|oat)_[\w-]{20,}`,
  String.raw`AGE-SECRET-KEY-1[0-9A-Z]{50,}`,
  String.raw`NRAK-[A-Z0-9]{27}`,
  String.raw`sntry[su]_[\w+/=-]{30,}`,
  String.raw`pcsk_\w{30,}`,
  String.raw`sk_[0-9a-f]{40,}`,
  String.raw`pscale_(?:tkn|pw|oauth)_[\w-]{30,}`,
  String.raw`dp\.(?:pt|st|ct|sa)\.\w{40,}`,
  String.raw`gl(?:dt|rt|cbt|ptt|ft|soat)-[\w-]{20,}`,
  String.raw`phx_\w{30,}`,
  String.raw`hooks\.slack\.com\/services\/[\w/]{30,}`,
  String.raw`discord(?:app)?\.com\/api\/webhooks\/\d{15,}\/[\w-]{50,}`,
  String.raw`AQ\.[\w-]{40,}`,
  String.raw`APA91b[\w-]{100,}`,
  String.raw`ATBB[A-Za-z0-9]{32}(?![A-Za-z0-9])`,
  String.raw`HRKU-[\w-]{58,}`,
  String.raw`SK[0-9a-f]{32}(?![0-9A-Za-z])`,
  String.raw`[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}`,
  String.raw`[\w~.-]{3}[78]Q~[\w~.-]{31,}`,
  String.raw`[0-9a-f]{32}-us\d{1,2}(?![0-9A-Za-z])`,
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}`,
  String.raw`aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])`,
  String.raw`bedrock-api-key-[\w+/=-]{40,}`,
  String.raw`cio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?![\w-])`,
  String.raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`,
  String.raw`oy2[a-z0-9]{43}(?![A-Za-z0-9])`,
  String.raw`pa-(?=[\w-]{0,42}\d)(?=[\w-]{0,42}[A-Z])[\w-]{43}(?![\w-])`,
  String.raw`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`,
  String.raw`pn[bu]_[A-Za-z0-9]{36}(?![A-Za-z0-9])`,
  String.raw`pul-[0-9a-f]{40}`,
  String.raw`rdme_[a-z0-9]{64,}`,
  String.raw`rubygems_[0-9a-f]{48}`,
  String.raw`secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])`,
  String.raw`sl\.[\w-]{100,}`,
  String.raw`sq0(?:atp|csp)-[\w-]{22,}`,
  String.raw`tskey-[a-z]{3,8}-[\w-]{20,}`,
  String.raw`xapp-\d-[A-Z0-9]{6,}-\d{6,}-[0-9a-f]{32,}`,
  String.raw`x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}`,
  String.raw`1\/\/0[\w-]{40,}`,
  String.raw`LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFU|FQyBQUklWQVRF|PUEVOU1NI|FTkNSWVBURUQg|QR1AgUFJJVkFU|EU0EgUFJJVkFU)[A-Za-z0-9+/=]*`,
];

const issuedKeyPattern = new RegExp(`(?<![A-Za-z0-9])(?:${forms.join('|')})`, 'g');

/** The beginning of a JSON Web Token: a JSON object in base64. */
export const tokenPattern = /(?<![A-Za-z0-9])eyJ[\w-]{8}/;

/** The first characters of all forms that have any, up to three. */
const beginnings =
  'sk- sk_ rk_ gw_ AKI ASI AGP AID ARO AIz AQ. APA ATA ATB ABS ya2 GOC ghp gho ghu ghs ghr git glp gld glr glc glf gls xox xap hf_ gsk r8_ nva ppl xai tvl npm ' +
  'pyp SG. ek_ whs dap shp lsv tgp fw_ csk jin dop hvs sbp sb_ lin ntn fig PMA dck AGE NRA HRK snt pcs psc dp. phx hoo dis eyJ aio bed cio dt0 oy2 pa- pnb pnu ' +
  'pul rdm rub sec sl. sq0 tsk xke xsm 1// LS0 SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf';

const firstTwo = new Uint8Array(128 * 128);
const firstThree = new Set<number>();
for (const [first, second, third] of beginnings.split(' ').map((one) => Buffer.from(one, 'latin1'))) {
  const two = (first as number) * 128 + (second as number);
  firstTwo[two] = 1;
  firstThree.add(two * 128 + (third as number));
}

/** True if a key may begin with these characters. @param third NaN if it is not known */
export const beginsLikeKey = (first: number, second: number, third: number): boolean =>
  second < 128 && firstTwo[first * 128 + second] === 1 && (Number.isNaN(third) || firstThree.has((first * 128 + second) * 128 + third));

/** True for a character at which a form without a fixed beginning can be recognized: `Q~` of Azure, `-us1` of Mailchimp. */
export const isInsideKey = (text: string, at: number, c: number): boolean =>
  (c === 0x7e && text[at - 1] === 'Q') || (c === 0x2d && text[at + 1] === 'u' && text[at + 2] === 's');

/** True if a run of key characters contains a key. */
export function isIssued(run: string): boolean {
  issuedKeyPattern.lastIndex = 0;
  return issuedKeyPattern.test(run) || tokenPattern.test(run);
}

/** Calls `found` for each key in a run of key characters. */
export function eachIssued(run: string, found: (from: number, to: number) => void): void {
  issuedKeyPattern.lastIndex = 0;
  for (let match = issuedKeyPattern.exec(run); match !== null; match = issuedKeyPattern.exec(run))
    found(match.index, match.index + match[0].length);
}

/** The token of a Telegram bot, after its number and a colon. */
const botToken = /^AA[\w-]{33}(?![\w-])/;
const botNumber = /(?:^|[^\w]|bot)\d{8,10}:$/;

/** The end of the bot token that begins at an offset; -1 if there is none. */
export function endOfBotToken(text: string, start: number, end: number): number {
  if (text.charCodeAt(start - 1) !== 0x3a || text[start] !== 'A' || text[start + 1] !== 'A' || end - start < 35) return -1;
  const isToken = botToken.test(text.slice(start, start + 36)) && botNumber.test(text.slice(Math.max(0, start - 15), start));
  return isToken ? start + 35 : -1;
}
