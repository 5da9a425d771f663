const all = process.env.SLUICE_TEST_HISTORIES === 'all'

/** For our own stores: a share of the random histories, the first of those that `npm run test:trials` plays. */
export function withFewerHistories<T extends object>(subject: T, share: number): T & Fewer {
  return all ? subject : { ...subject, share }
}

/** For one more way to the arithmetic that another suite tries with all histories: the trials play three tenths of them on it. */
export function asOneMoreWay<T extends object>(subject: T, share = 0.1): T & Fewer {
  return { ...subject, share: all ? 0.3 : share }
}

/** For one more client of the server on which another suite tries all histories: it is the way of arguments and replies that is tried. */
export function throughAnotherClient<T extends object>(subject: T): T & Fewer {
  return { ...subject, share: 0.1 }
}

interface Fewer {
  readonly share?: number
}
