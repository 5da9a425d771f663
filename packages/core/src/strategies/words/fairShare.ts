import type { FairNumbers } from '../fair-look.ts'
import { windowPicture } from '../picture.ts'
import { ofWindow, type Words } from './words.ts'

export const fairShare: Words<FairNumbers> = {
  about: 'At most `limit` units per window for all clients of a key together, each with its share.',
  options: {
    ...ofWindow,
    limit: 'Units per window for all clients together; 0 refuses all.',
    weight: 'How many shares a client has whose calls choose this policy.',
    maxClients: 'So many clients have a share of their own; all further ones have one together.',
    noteBytes: 'A longer name of a client is cut to this many bytes.',
  },
  picture: ({ limit, windowUs }) => windowPicture({ title: 'fair share', shape: 'fixed', limit, windowUs }),
}
