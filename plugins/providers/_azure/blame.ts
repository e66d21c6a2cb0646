import type { GrantBlame } from '#core/secrets/grant.ts';

/** Names of the credential fields where they were set: in `auth:` or in headers. */
export interface FieldNames {
  readonly tenant: string;
  readonly client: string;
  readonly secret: string;
  readonly scope: string;
  readonly file: string;
}

type Row = readonly [code: number, field: keyof FieldNames, says: string];

/** Maps error codes of the token endpoint to the field at fault. */
const codes: readonly Row[] = [
  [7000215, 'secret', 'is wrong (it must be the value of the secret, not its id)'],
  [7000222, 'secret', 'is expired'],
  [7000216, 'secret', 'is missing'],
  [700016, 'client', 'names no application of this tenant'],
  [7000229, 'client', 'names an application that this tenant does not know'],
  [7000112, 'client', 'names an application that is disabled'],
  [7000218, 'secret', 'is missing'],
  [90002, 'tenant', 'names no tenant of this cloud'],
  [900023, 'tenant', 'names no tenant'],
  [900382, 'tenant', 'belongs to another cloud than the authority'],
  [500011, 'scope', 'names no service that this tenant knows'],
  [1002012, 'scope', 'is not valid: it must end in /.default'],
  [70011, 'scope', 'is not valid'],
  [70021, 'client', 'has no federated credential for this token'],
  [700211, 'client', 'has no federated credential for the issuer of this token'],
  [700212, 'client', 'has no federated credential for the audience of this token'],
  [700213, 'client', 'has no federated credential for the subject of this token'],
  [700024, 'file', 'contains an expired token'],
  [700027, 'file', 'contains a token whose signature is not accepted'],
  [50027, 'file', 'contains no token'],
];

/** Returns the table for one set of field names. The trailing colon ensures that no code matches as the prefix of another. */
export function blameFor(names: FieldNames): readonly GrantBlame[] {
  return codes.map(([code, field, says]) => ({ text: `AADSTS${code}:`, field: names[field], says }));
}

/** The endpoint of a machine returns 400 for an identity that is not assigned to the machine. */
export function instanceBlame(field: string, isNamed: boolean): readonly GrantBlame[] {
  const says = isNamed ? 'names no identity that is assigned to this machine' : 'is not set, and the machine has no identity';
  return [{ status: 400, field, says }];
}
