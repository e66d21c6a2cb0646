import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Self-signed certificates, used only by tests. */
export const certificates = {
  /** Of `localhost` and the loopback addresses. */
  good: {
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgExcuULyrzy63sxex
SUrE9qFRLtVvTXEP1hNO3bahcMyhRANCAATaxHBPLhCo9sPlCJtcMaoicUTBY4Sg
5yiIesGkWOT80a1CB0W6Q66vQjb49sECizhTHlUgSnN1guEEiNa7kwPX
-----END PRIVATE KEY-----`,
    cert: `-----BEGIN CERTIFICATE-----
MIIBizCCATKgAwIBAgIUfcj15tcvAD/pkd2SaOh89/YWIXMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAx
MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATaxHBPLhCo9sPlCJtcMaoicUTBY4Sg5yiIesGkWOT80a1CB0W6Q66v
Qjb49sECizhTHlUgSnN1guEEiNa7kwPXo2AwXjAsBgNVHREEJTAjgglsb2NhbGhv
c3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAEwDwYDVR0TAQH/BAUwAwEB/zAdBgNV
HQ4EFgQUGLsMHPF/L7VWliEU2ab+auPwUSowCgYIKoZIzj0EAwIDRwAwRAIgYo1d
10CkZs57dFwXTSq227UZihxyHmdPjPV39Bc3NAACIClvS4s1ozfQq3SCXkJDxGCP
j22QNHN3kPeiOvE5HVxV
-----END CERTIFICATE-----`,
  },
  expired: {
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzUHTyc8RtDTqtr8+
aIJLPcrCrttSV32hp6qVSnbP7XChRANCAAT+6Rbk4pTXX9+QbBFDJVPhJaD3AQhD
1XwwQLAJHyxIDaHjUFy9rk5kFX728EbOpRDJ2Prs++goVWxJYKEN/oUV
-----END PRIVATE KEY-----`,
    cert: `-----BEGIN CERTIFICATE-----
MIIBdzCCAR6gAwIBAgIUdoHsDrnQDwbduapviFZ8+0/ZFbcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAw
MDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAE/ukW5OKU11/fkGwRQyVT4SWg9wEIQ9V8MECwCR8sSA2h41Bcva5OZBV+
9vBGzqUQydj67PvoKFVsSWChDf6FFaNOMEwwGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFBdYeMeid6lSLpjCXmOG
QTQOkQBxMAoGCCqGSM49BAMCA0cAMEQCIF0XvKtG76LrXEvn+ARByt3bnC74ds72
haM5mmYCI+tvAiBpv/7tYz0yVXLCJvde8jgVB4f61SU1TxbvtwVZj4rmgg==
-----END CERTIFICATE-----`,
  },
  notYetValid: {
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAKnTN2IjxU18djy4
8aXDE9GRyMczZkkzlorxrdgr8ZKhRANCAAS5OrWqas0f5soBccbth054qLYKJDfN
aB0mpgwNtGmXLr/Cs/JrD2kUlaT1+2cfjWR+UJJ6AZRtkm3k0IebX60k
-----END PRIVATE KEY-----`,
    cert: `-----BEGIN CERTIFICATE-----
MIIBfDCCASKgAwIBAgIULkV6wWKhdjh39r4qW8zsFviMMoMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCIYDzIxMDAwMTAxMDAwMDAwWhgPMjEyMDAx
MDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABLk6tapqzR/mygFxxu2HTniotgokN81oHSamDA20aZcuv8Kz8msP
aRSVpPX7Zx+NZH5QknoBlG2SbeTQh5tfrSSjTjBMMBoGA1UdEQQTMBGCCWxvY2Fs
aG9zdIcEfwAAATAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQSNwHVS/T6AoO9
jQ2hv0HYKka7BzAKBggqhkjOPQQDAgNIADBFAiEA7leEFoFamjd0Ogu1YWp5CkU6
3HmVlXnr+Gbjzbsbv98CIHd+yYgk+bSIaJOohE04bkoSMU1dwqXeBcwu2fEfIQiN
-----END CERTIFICATE-----`,
  },
  otherHost: {
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9UYxEf+N6qmXmz+G
era14SYC1JdgdufQnEEkyM546oyhRANCAAQsdcCt/o1y66S1NVy9uGnX5/N5XhIT
xYN/BcbsTe+2F0zDwCcYcbGjPxmajEkyKKSBeTF0dcXaM7V4OJGb8Rwv
-----END PRIVATE KEY-----`,
    cert: `-----BEGIN CERTIFICATE-----
MIIBgDCCASagAwIBAgIUS3VA14wR2F86PYa6Iy/rs3fFVl8wCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIw
MDEwMTAwMDAwMFowGDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABCx1wK3+jXLrpLU1XL24adfn83leEhPFg38FxuxN77YX
TMPAJxhxsaM/GZqMSTIopIF5MXR1xdoztXg4kZvxHC+jTDBKMBgGA1UdEQQRMA+C
DW90aGVyLmV4YW1wbGUwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQU6j18ZTL7
gfEEofI1zUxkZEPvNfQwCgYIKoZIzj0EAwIDSAAwRQIgP9N7c7B0I04MP9X0mgpf
wxPI2JOM6b+nj6iio/WBYjsCIQCndqxeuwbjOdNpysB1S6nL28XZmxjXlJJip1Mc
qsfYDg==
-----END CERTIFICATE-----`,
  },
  /** Of `localhost`, but never trusted. */
  untrusted: {
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyRuQ5lDddBcgIaK3
bjSmg1PWyOYjTFXy2UGBggKcs92hRANCAAQEIjFs2e29iV3HIxZyAciwt04KhD8Z
fCpxG2FT9bvcgxPC7TNq2Zr/pXJhMxwKaXHGlmnumtoKEPD2CmJ6KwaU
-----END PRIVATE KEY-----`,
    cert: `-----BEGIN CERTIFICATE-----
MIIBeTCCASCgAwIBAgIUcGmJCs4GbCfggsqIKAs96kSWq6wwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAx
MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQEIjFs2e29iV3HIxZyAciwt04KhD8ZfCpxG2FT9bvcgxPC7TNq2Zr/
pXJhMxwKaXHGlmnumtoKEPD2CmJ6KwaUo04wTDAaBgNVHREEEzARgglsb2NhbGhv
c3SHBH8AAAEwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUb1Hy/aWB7xCiCNfa
xI5I25My5owwCgYIKoZIzj0EAwIDRwAwRAIgBbG0CmYfOhh0f0xmnnUNm3nreKKV
7vuehNq/ssoo5ZYCIBiTGc/lKpAFmzYcpTrlvvK/XUBEe80swrxqs7EoOR5i
-----END CERTIFICATE-----`,
  },
} as const;

let trusting = 0;
let before: string[] = [];

/** Trusts the certificates in this process until the returned function is called, each time it was called. */
export function trustTestCertificates(): () => void {
  if (trusting === 0) {
    before = getCACertificates('default');
    setDefaultCACertificates([
      ...before,
      ...Object.values(certificates)
        .filter((each) => each !== certificates.untrusted)
        .map(({ cert }) => cert),
    ]);
  }
  trusting += 1;
  return () => {
    trusting -= 1;
    if (trusting === 0) setDefaultCACertificates(before);
  };
}
