/** Where the dashboard and the admin API are, or why they are not. */
export type AdminState =
  | {
      /** `http://127.0.0.1:8788`, `unix:/path`. */
      readonly url: string;
      /** An address that signs a browser in once, within an hour; undefined for a socket. */
      link(): string | undefined;
      /** Somebody can sign in without a link: a token holds, or none is needed. */
      canSignIn(): boolean;
    }
  | { readonly fault: string };
