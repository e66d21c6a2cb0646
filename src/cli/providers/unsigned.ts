import type { MakeCredential } from '../../config/compile/binding.ts';

/** For commands that send nothing: signs nothing, and loads no part of the transport. */
export const unsigned: MakeCredential = (_spec, owner) => ({ owner, headers: () => [] });
