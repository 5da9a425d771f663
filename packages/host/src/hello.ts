import { createHash } from 'node:crypto'
import { catalogue, codedError, definitions, partsOf } from '@sluice/core/internal'
import { framed } from './frames.ts'

const name = 'sluice-host'
/** Raised by every change of what frames mean, or of what a number of a strategy does. */
const format = 2

/**
 * Processes of different versions do not count together, as neither would know what the other means. A version is the format of frames
 * and a digest of the names of all strategies' numbers.
 */
let own: string | undefined

function version(): string {
  own ??= `${format}-${createHash('sha256').update(namesOfNumbers()).digest('hex').slice(0, 8)}`
  return own
}

function namesOfNumbers(): string {
  const named = [...catalogue.declaredStrategies.values()].map((declared) => {
    const options = catalogue.optionsFor(declared, { units: 1, span: '1m' })
    const policy = catalogue.policyOfData({ strategy: declared.name, ...options })
    const members = [policy, definitions.chosenFor(policy)].map((each) =>
      Object.keys(partsOf(each).numbers as object).sort(),
    )
    return [declared.name, ...members]
  })
  return JSON.stringify(named)
}

/** The first frame of both ends. */
export function helloFrame(): Buffer {
  return framed([name, version()])
}

/** Throws unless the other end speaks as this one does. */
export function checkHello(frame: unknown): void {
  const [theirName, theirs]: readonly unknown[] = Array.isArray(frame) ? frame : []
  if (theirName !== name) throw new TypeError('no process of Sluice')
  if (theirs === version()) return
  throw codedError(
    `processes of two versions of @sluice/host or @sluice/core do not count together: this one speaks ${version()}, the other ${String(theirs)}; restart the older ones`,
    { code: 'SLUICE_HOST_VERSION' },
  )
}
