const all = process.env.SLUICE_TEST_HISTORIES === 'all'

/**
 * For our own stores: a share of the random histories, the first of those that `npm run test:trials` plays. A tenth is for one more way to
 * arithmetic that another suite tries.
 */
export function withFewerHistories<T extends object>(
  subject: T,
  share = 0.1,
): T & { readonly share?: number } {
  return all ? subject : { ...subject, share }
}
