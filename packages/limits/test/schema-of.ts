import { catalogue } from '@sluice/core/internal'

type Schema = { readonly [keyword: string]: unknown }

const duration: Schema = { $ref: '#/definitions/duration' }

/** The definitions of the strategies in `limits.schema.json`, which follow from their options. */
export function strategyDefinitions(): { readonly [strategy: string]: Schema } {
  return Object.fromEntries(
    [...catalogue.declaredStrategies.values()].map((declared) => [declared.name, schemaOf(declared)]),
  )
}

function schemaOf(strategy: catalogue.DeclaredStrategy): Schema {
  const { name, about, options, inFlight } = strategy
  const entries = Object.entries(options)
  // What is in flight is no amount.
  const amounts = inFlight ? [] : entries.filter(([, option]) => countsAmounts(option))
  const replaced = entries.flatMap(([option]) => (alternativeTo(options, option) === undefined ? [] : option))
  const required = Object.keys(catalogue.optionsFor(strategy, { units: 1, span: '1s' }))
  return {
    description: about,
    type: 'object',
    required: ['strategy', ...required.filter((option) => !replaced.includes(option))],
    additionalProperties: false,
    ...Object.assign({}, ...replaced.map((option) => ({ oneOf: eitherOf(options, option) }))),
    properties: {
      strategy: { const: name },
      shadow: { $ref: '#/definitions/shadow' },
      onStoreFailure: { $ref: '#/definitions/onStoreFailure' },
      ...(amounts.length > 0 && { unit: { $ref: '#/definitions/unit' } }),
      ...Object.fromEntries(
        entries.map((entry) => [
          entry[0],
          optionSchema(entry[1], { mayBeFraction: amounts.includes(entry) }),
        ]),
      ),
    },
    ...(amounts.length > 0 && wholeWithoutUnit(amounts)),
  }
}

/** Without a unit amounts are whole. */
function wholeWithoutUnit(amounts: readonly (readonly [string, catalogue.StrategyOption])[]): Schema {
  const whole = { type: 'integer' }
  const properties = amounts.map(([name, { kind }]) => {
    return [name, kind === 'windows' ? { items: { properties: { limit: whole } } } : whole]
  })
  return {
    if: { not: { required: ['unit'] } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: Object.fromEntries(properties) },
  }
}

/** The options that go with one of two, which take each other's place. */
/** The option that may be given in place of another. */
function alternativeTo(options: catalogue.DeclaredStrategy['options'], option: string): string | undefined {
  return Object.keys(options).find((other) => options[other]?.insteadOf === option)
}

function eitherOf(options: catalogue.DeclaredStrategy['options'], option: string): readonly Schema[] {
  const forms = [option, alternativeTo(options, option) ?? ''].map((name) =>
    Object.entries(options).flatMap(([each, { only }]) => (each === name || only?.with === name ? each : [])),
  )
  return forms.map((names, i) => ({
    required: names.filter((name) => name === names[0] || options[name]?.default === undefined),
    not: { anyOf: (forms[1 - i] ?? []).map((name) => ({ required: [name] })) },
  }))
}

/** Units, of which a policy may count fractions. */
function countsAmounts(option: catalogue.StrategyOption): boolean {
  return option.kind === 'windows' || (option.kind === 'count' && option.scales !== undefined)
}

function optionSchema(option: catalogue.StrategyOption, about: { mayBeFraction: boolean }): Schema {
  const words = defaultWords(option)
  const description = words === undefined ? option.about : `${option.about} ${words} unless set.`
  return { description, ...valueSchema(option, about) }
}

function valueSchema(
  option: catalogue.StrategyOption,
  { mayBeFraction }: { mayBeFraction: boolean },
): Schema {
  switch (option.kind) {
    case 'count': {
      const { min = 1, max } = option
      return {
        type: mayBeFraction ? 'number' : 'integer',
        minimum: min,
        ...(typeof max === 'number' && { maximum: max }),
      }
    }
    case 'duration':
      return option.zero === true ? { anyOf: [duration, { const: 0 }] } : { allOf: [duration] }
    case 'choice':
      return { enum: option.choices }
    case 'time zone':
      return { type: 'string' }
    case 'calendar':
      return { type: 'string', pattern: `^(${option.choices.join('|')})( (from|since) .+)?$` }
    case 'blockFor':
      return { anyOf: [duration, { $ref: '#/definitions/blockFor' }] }
    case 'windows':
      return { type: 'array', minItems: 1, maxItems: option.max, items: { $ref: '#/definitions/window' } }
  }
}

/** What holds where the option is left out; undefined: it is required. */
function defaultWords(option: catalogue.StrategyOption): string | undefined {
  if (option.default === undefined) return undefined
  return typeof option.default === 'object' ? option.default.words : String(option.default)
}
