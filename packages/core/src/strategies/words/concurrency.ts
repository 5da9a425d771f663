import type { Numbers } from '../concurrency.ts'
import { rateWindowUs } from '../picture.ts'
import type { Words } from './words.ts'

export const concurrency: Words<Numbers> = {
  about: 'At most `limit` requests in flight at once.',
  options: {
    limit: 'Units in flight at once; 0 refuses all.',
    lease: 'How long a unit counts if it is neither released nor renewed.',
  },
  picture: ({ limit }) => ({
    title: 'concurrency',
    rule: `${limit} at once`,
    windowUs: rateWindowUs,
    most: limit,
    shape: 'in-flight',
  }),
}
