/**
 * A text, or the name of an environment variable with it; `otherwise` is used if that is unset or empty. `field`: the
 * equivalent setting, for messages.
 */
export type TextOrVariable = string | { readonly env: string; readonly otherwise?: string; readonly field?: string };

/** A token endpoint. The path's segments are encoded; a trailing slash of the base is ignored. */
export interface TokenEndpoint {
  readonly base: TextOrVariable;
  readonly path: readonly TextOrVariable[];
}

/**
 * Maps a token endpoint's error status, and a text in its error message, to the credential field at fault. Codes and
 * field names are the provider's. The first match applies.
 */
export interface GrantBlame {
  readonly status?: number;
  readonly text?: string;
  readonly field: string;
  /** The problem, as the rest of a sentence that begins with the field's name: `is expired`. */
  readonly says: string;
}

/** Delays in milliseconds before each retry of a token request that failed with one of these statuses. */
export interface GrantRepeat {
  readonly statuses: readonly number[];
  readonly waitsMs: readonly number[];
}

/**
 * A local endpoint that issues tokens for the machine's identity. The first one whose variables are all set is used.
 * Its response has the form of a token endpoint's; numbers may be strings.
 */
export interface InstanceEndpoint {
  /** Kind of the machine, for messages. */
  readonly name: string;
  /** Environment variables that identify such a machine; none: any machine. */
  readonly when: readonly string[];
  /** Why this kind of machine cannot be used: the rest of a sentence that begins with `name`. */
  readonly unsupported?: string;
  readonly url: TextOrVariable;
  /** Appended to `url`. */
  readonly path?: string;
  readonly method: 'GET' | 'POST';
  /** Parameters besides `resource`: in the query (GET) or as a form (POST). */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, TextOrVariable>>;
  /** Parameter that selects one of several identities; absent if the machine has only one. */
  readonly identity?: string;
  /** The identity used if none is configured and the variable is set. */
  readonly defaultIdentity?: TextOrVariable;
  /** Connection timeout in milliseconds: on a machine without the endpoint, connection attempts get no response. */
  readonly connectMs: number;
  readonly repeats: readonly GrantRepeat[];
  /** A first response of 401 names a file whose content proves that the caller runs on this machine. */
  readonly challenge?: FileChallenge;
}

/** The files that may be read for a challenge: the server on the local port must not be able to choose any other one. */
export interface FileChallenge {
  /** Absolute directories by their parts: the file must be directly in one of them. */
  readonly folders: readonly (readonly TextOrVariable[])[];
  readonly suffix: string;
  /** Maximum file size in bytes. */
  readonly maxBytes: number;
}

/** AWS access keys, permanent or temporary (of a role). */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Sources of temporary keys of an AWS role; the environment determines the role. */
export type AwsGrant =
  /** A token file of another issuer, exchanged for the keys of a role (AWS STS, AssumeRoleWithWebIdentity). */
  | {
      readonly kind: 'aws-web-identity';
      readonly endpoint: TextOrVariable;
      readonly role: TextOrVariable;
      readonly sessionName: TextOrVariable;
      readonly file: TextOrVariable;
      /** Names of the file and the role in messages. */
      readonly fileField: string;
      readonly roleField: string;
    }
  /** The local endpoint that a container runtime offers: ECS and EKS. */
  | { readonly kind: 'aws-container' }
  /** The instance metadata service of EC2, version 2. */
  | { readonly kind: 'aws-instance'; readonly role: string | undefined };

/** Source of a token. The parameters are the provider's; the transport knows only the kinds. */
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
      /** Name of the setting or header that contains the key, for messages. */
      readonly keyField: string;
      readonly repeats: readonly GrantRepeat[];
    }
  /** RFC 6749 4.4: an application's ID and secret. */
  | {
      readonly kind: 'client-credentials';
      readonly endpoint: TokenEndpoint;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string;
      readonly repeats: readonly GrantRepeat[];
      readonly blame: readonly GrantBlame[];
    }
  /** RFC 7523 2.2: a token file of another issuer replaces the application's secret. */
  | {
      readonly kind: 'federated-assertion';
      readonly endpoint: TokenEndpoint;
      readonly clientId: TextOrVariable;
      /** Read for each token request, because its content changes. */
      readonly file: TextOrVariable;
      /** Name of the file in messages. */
      readonly fileField: string;
      readonly scope: string;
      readonly repeats: readonly GrantRepeat[];
      readonly blame: readonly GrantBlame[];
    }
  /** The machine's own identity, from a local endpoint. */
  | {
      readonly kind: 'instance-identity';
      readonly endpoints: readonly InstanceEndpoint[];
      /** One of several identities of the machine; undefined: its default. */
      readonly identity: string | undefined;
      /** Name of the identity in messages. */
      readonly identityField: string;
      readonly resource: string;
      readonly blame: readonly GrantBlame[];
    }
  /** The machine's own identity, found by `google-auth-library`: metadata server, workload identity, credential files. */
  | {
      readonly kind: 'google-ambient';
      readonly scopes: readonly string[];
      readonly credentialsFile: string | undefined;
      /** Name of the file in messages. */
      readonly fileField: string;
    };
