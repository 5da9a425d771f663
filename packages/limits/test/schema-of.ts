import { type DeclaredStrategy, declaredStrategies, type StrategyOption } from '@sluice/core/internal'

type Schema = { readonly [keyword: string]: unknown }

const duration: Schema = { $ref: '#/definitions/duration' }

/** The definitions of the strategies in `limits.schema.json`, which follow from their options. */
export function strategyDefinitions(): { readonly [strategy: string]: Schema } {
  return Object.fromEntries(
    [...declaredStrategies.values()].map((declared) => [declared.name, schemaOf(declared)]),
  )
}

function schemaOf({ name, about, options }: DeclaredStrategy): Schema {
  const entries = Object.entries(options)
  const required = entries.filter(([, option]) => defaultWords(option) === undefined)
  return {
    description: about,
    type: 'object',
    required: ['strategy', ...required.map(([option]) => option)],
    additionalProperties: false,
    properties: {
      strategy: { const: name },
      shadow: { $ref: '#/definitions/shadow' },
      onStoreFailure: { $ref: '#/definitions/onStoreFailure' },
      ...Object.fromEntries(entries.map(([option, declared]) => [option, optionSchema(declared)])),
    },
  }
}

function optionSchema(option: StrategyOption): Schema {
  const words = defaultWords(option)
  const description = words === undefined ? option.about : `${option.about} ${words} unless set.`
  return { description, ...valueSchema(option) }
}

function valueSchema(option: StrategyOption): Schema {
  switch (option.kind) {
    case 'count': {
      const { min = 1, max } = option
      return { type: 'integer', minimum: min, ...(typeof max === 'number' && { maximum: max }) }
    }
    case 'duration':
      return option.zero === true ? { anyOf: [duration, { const: 0 }] } : { allOf: [duration] }
    case 'choice':
      return { enum: option.choices }
    case 'windows':
      return { type: 'array', minItems: 1, maxItems: option.max, items: { $ref: '#/definitions/window' } }
  }
}

/** What holds where the option is left out; undefined: it is required. */
function defaultWords(option: StrategyOption): string | undefined {
  if (option.kind === 'windows' || option.default === undefined) return undefined
  return typeof option.default === 'object' ? option.default.words : String(option.default)
}
