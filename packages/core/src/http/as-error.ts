/** What a user's function threw, as an error: frameworks take `undefined` or `'route'` for a sign to go on, which would admit. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(`a rate limit's function threw ${String(thrown)}`, { cause: thrown })
}
