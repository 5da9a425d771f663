import type { catalogue } from '@sluice/core/internal'

/** An example of a strategy: the example values of its options. */
export function exampleOf({ options }: catalogue.DeclaredStrategy): { readonly [option: string]: unknown } {
  const examples = Object.entries(options).map(([name, { example }]) => [name, example])
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined))
}
