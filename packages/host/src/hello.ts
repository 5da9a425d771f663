import { codedError } from '@sluice/core/internal'
import { framed } from './frames.ts'

const name = 'sluice-host'
/**
 * Raised by whatever changes what is written: frames, the numbers of a strategy, what a receipt says. Processes of different numbers
 * do not count together, as neither would know what the other means.
 */
const protocol = 1

/** The first frame of both ends. */
export const helloFrame: Buffer = framed([name, protocol])

/** Throws unless the other end speaks as this one does. */
export function checkHello(frame: unknown): void {
  const [theirName, theirs]: readonly unknown[] = Array.isArray(frame) ? frame : []
  if (theirName !== name) throw new TypeError('no process of Sluice')
  if (theirs === protocol) return
  throw codedError(
    `the process that holds the counts speaks version ${String(theirs)} of the host store's protocol, this one ${protocol}: they do not count together; restart the older ones`,
    { code: 'SLUICE_HOST_VERSION' },
  )
}
