/** Address of the dashboard and the admin API, or the reason why they are not available. */
export type AdminState =
  | {
      /** Such as `http://127.0.0.1:8788` or `unix:/path`. */
      readonly url: string;
      /** One-time sign-in link for a browser, valid for one hour; undefined for a Unix socket. */
      link(): string | undefined;
      /** True if sign-in is possible without a link: a token is configured, or none is required. */
      canSignIn(): boolean;
    }
  | { readonly fault: string };
