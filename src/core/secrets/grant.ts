/**
 * A text, or the name of the variable of the environment that holds it; `otherwise` where that is unset or empty.
 * `field`: where it can be written instead, for messages.
 */
export type TextOrVariable = string | { readonly env: string; readonly otherwise?: string; readonly field?: string };

/** A token endpoint: the path's segments are encoded, a slash at the end of the base does not count. */
export interface TokenEndpoint {
  readonly base: TextOrVariable;
  readonly path: readonly TextOrVariable[];
}

/**
 * Which field of the credential is at fault when the token endpoint answers with this status, and with this text in its
 * reasons. Codes and names of fields are the provider's. The first that fits counts.
 */
export interface GrantBlame {
  readonly status?: number;
  readonly text?: string;
  readonly field: string;
  /** What is wrong with it, as the rest of a sentence that begins with the field's name: `is expired`. */
  readonly says: string;
}

/** Milliseconds to wait before each repeat of a token request that was answered with one of these statuses. */
export interface GrantRepeat {
  readonly statuses: readonly number[];
  readonly waitsMs: readonly number[];
}

/**
 * One of the local endpoints that give out the machine's own tokens. The first whose variables are all set is asked.
 * The answer is the one of a token endpoint; its numbers may be texts.
 */
export interface InstanceEndpoint {
  /** For messages: what the machine is. */
  readonly name: string;
  /** Variables of the environment that tell such a machine; none: any machine. */
  readonly when: readonly string[];
  /** Why it cannot be used, although it is this one: the rest of a sentence that begins with `name`. */
  readonly unsupported?: string;
  readonly url: TextOrVariable;
  /** Joined to `url`. */
  readonly path?: string;
  readonly method: 'GET' | 'POST';
  /** Parameters beside `resource`: in the query (GET) or as a form (POST). */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, TextOrVariable>>;
  /** Parameter that names one of several identities; absent where the machine has only its own. */
  readonly identity?: string;
  /** The identity where none is configured, if the variable is set. */
  readonly defaultIdentity?: TextOrVariable;
  /** Milliseconds for the connection: on a machine without the endpoint nothing answers. */
  readonly connectMs: number;
  readonly repeats: readonly GrantRepeat[];
  /** A first answer of 401 names a file that proves that the caller is on this machine. */
  readonly challenge?: FileChallenge;
}

/** Which file may be read for a challenge: whoever answers on the local port must not choose any other. */
export interface FileChallenge {
  /** Absolute folders by their parts: the file must lie directly in one of them. */
  readonly folders: readonly (readonly TextOrVariable[])[];
  readonly suffix: string;
  /** Bytes. */
  readonly maxBytes: number;
}

/** Keys of an AWS account, or of a role for as long as their token lives. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Where the keys of a role of AWS come from: their surroundings tell which role. */
export type AwsGrant =
  /** A token that another issuer keeps in a file, for the keys of a role (AWS STS, AssumeRoleWithWebIdentity). */
  | {
      readonly kind: 'aws-web-identity';
      readonly endpoint: TextOrVariable;
      readonly role: TextOrVariable;
      readonly sessionName: TextOrVariable;
      readonly file: TextOrVariable;
      /** What messages call the file and the role. */
      readonly fileField: string;
      readonly roleField: string;
    }
  /** What runs a container gives it keys at a local endpoint: ECS and EKS. */
  | { readonly kind: 'aws-container' }
  /** The instance metadata service of EC2, version 2. */
  | { readonly kind: 'aws-instance'; readonly role: string | undefined };

/** Where a token comes from. The parameters are the provider's; the transport knows only the kinds. */
export type OAuthGrant =
  | AwsGrant
  /** RFC 7523: a signed assertion is exchanged at the token endpoint. */
  | {
      readonly kind: 'jwt-bearer';
      readonly tokenUri: string;
      readonly issuer: string;
      readonly audience: string;
      readonly scope: string;
      /** PEM, PKCS #8. */
      readonly privateKey: string;
      readonly keyId: string | undefined;
    }
  /** RFC 6749 4.4: an application's id and secret. */
  | {
      readonly kind: 'client-credentials';
      readonly endpoint: TokenEndpoint;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string;
      readonly repeats: readonly GrantRepeat[];
      readonly blame: readonly GrantBlame[];
    }
  /** RFC 7523 2.2: a token that another issuer keeps in a file replaces the application's secret. */
  | {
      readonly kind: 'federated-assertion';
      readonly endpoint: TokenEndpoint;
      readonly clientId: TextOrVariable;
      /** Its content changes all the time. */
      readonly file: TextOrVariable;
      /** What messages call the file. */
      readonly fileField: string;
      readonly scope: string;
      readonly repeats: readonly GrantRepeat[];
      readonly blame: readonly GrantBlame[];
    }
  /** The machine's own identity, from a local endpoint that its surroundings offer. */
  | {
      readonly kind: 'instance-identity';
      readonly endpoints: readonly InstanceEndpoint[];
      /** One of several identities of the machine; undefined: its own. */
      readonly identity: string | undefined;
      /** What messages call the identity. */
      readonly identityField: string;
      readonly resource: string;
      readonly blame: readonly GrantBlame[];
    }
  /** The machine's own identity, found by `google-auth-library`: metadata server, workload identity, credential files. */
  | { readonly kind: 'google-ambient'; readonly scopes: readonly string[]; readonly credentialsFile: string | undefined };
