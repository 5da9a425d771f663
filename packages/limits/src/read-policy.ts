import { didYouMean } from '@sluice/core/internal'
import { isMap, isScalar, isSeq } from 'yaml'
import type { LimitsDocument, Part } from './document.ts'
import { noteUnknown } from './fields.ts'
import { isUnknownField, makePolicy, type Refused } from './make-policy.ts'
import { entryAt, PlainReader } from './plain.ts'
import { readChoice, readTruth, readWhole } from './scalars.ts'
import type { Level } from './tree.ts'

export type PolicyRead = Pick<Level, 'policy' | 'rule' | 'shadow' | 'onStoreFailure'>

export const policyShape = 'three numbers (burst, count, period in seconds) or a mapping with `strategy`'

/** Reads a policy in a file; returns undefined, with problems noted, if it is not valid. */
export function readPolicy(document: LimitsDocument, part: Part): PolicyRead | undefined {
  if (isSeq(part.node)) return readNumbers(document, part, part.node.items)
  if (isMap(part.node)) return readMapping(document, part)
  return document.note(part, policyShape)
}

/** `[15, 30, 60]`: 30 per 60 seconds plus a burst of 15; `[0, 0, 60]` refuses all. */
function readNumbers(
  document: LimitsDocument,
  part: Part,
  items: readonly unknown[],
): PolicyRead | undefined {
  if (items.length !== 3) return document.note(part, 'three numbers: burst, count, period in seconds')
  const parts = items.map((item, i) => document.part(item, part, `${part.path}[${i}]`))
  const [burst, count, seconds] = parts.map((each, i) => readWhole(document, each, i === 2 ? 1 : 0))
  if (burst === undefined || count === undefined || seconds === undefined) return undefined
  const made = makePolicy({ strategy: 'gcra', count, period: `${seconds}s`, burst })
  if ('policy' in made) return { ...made, shadow: undefined, onStoreFailure: undefined }
  const wrong = parts[['burst', 'count', 'period'].indexOf(made.path)] ?? part
  return document.note(wrong, made.expected, made.got)
}

function readMapping(document: LimitsDocument, part: Part): PolicyRead | undefined {
  const entries = document.entries(part)
  const shadow = entries.get('shadow')?.value
  const onStoreFailure = entries.get('onStoreFailure')?.value
  const common = {
    shadow: shadow && readTruth(document, shadow),
    onStoreFailure: onStoreFailure && readChoice(document, onStoreFailure, ['local', 'allow', 'deny']),
  }
  const strategy = entries.get('strategy')?.value.node
  const reader = new PlainReader(document, isScalar(strategy) ? strategy.value : undefined)
  const { shadow: _shadow, onStoreFailure: _onStoreFailure, ...data } = reader.options(part)
  // Invalid data would only be reported a second time.
  if (!reader.sound) return undefined
  const made = makePolicy(data)
  return 'policy' in made ? { ...made, ...common } : noteRefused(document, part, made)
}

/** The fields of every policy; all others belong to its strategy. */
const commonNames = ['strategy', 'shadow', 'onStoreFailure']

function noteRefused(document: LimitsDocument, part: Part, refused: Refused): undefined {
  const { path, expected, got } = refused
  const unknown = [...document.entries(part).values()].filter(({ name }) => !commonNames.includes(name))
  const misspelt = unknown.find(({ name }) =>
    path === 'strategy' ? didYouMean(name, [path]) : name === path && didYouMean(name, commonNames),
  )
  if (misspelt !== undefined) return noteUnknown(document, misspelt, { names: commonNames, hint: '' })
  const { key, value } = entryAt(document, part, path)
  return document.note(isUnknownField(refused) ? key : value, expected, got)
}
