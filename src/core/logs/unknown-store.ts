/** `StoreState.kind` until the store has responded. Its size is not known either. */
export const unknownStore = 'not known yet';
