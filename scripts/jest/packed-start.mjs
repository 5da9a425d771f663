import { packed } from '../packed.mjs'

/** jest's global set-up: the tarballs are made before several workers ask for them. */
export default async function packFirst() {
  await packed()
}
