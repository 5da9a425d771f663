import type { HttpOptions } from '@sluice/http'

type Settle = NonNullable<HttpOptions<object>['settle']>

/** The `settle` functions of the documentation, to the letter: a test holds the pages and this list together. */
export const settleRecipes: {
  readonly [about: string]: { readonly settle: Settle; readonly giveBack: readonly number[] }
} = {
  // biome-ignore format: as the pages have them
  'failures only': { settle: (_req, { status }) => (status < 400 ? 0 : undefined), giveBack: [200] },
  // biome-ignore format: as the pages have them
  'not for our own failures': { settle: (_req, { status }) => (status >= 500 ? 0 : undefined), giveBack: [500] },
}
