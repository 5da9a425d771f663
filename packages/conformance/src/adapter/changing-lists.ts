import type { Listed, Lists } from '@sluice/core'

/** Lists on which this machine's address stands as `listed` says, from its next request on. */
export interface ChangingLists extends Lists {
  listed: Listed | undefined
}

export function changingLists(): ChangingLists {
  const lists: ChangingLists = {
    listed: undefined,
    ofAddress: (address) => (address === '127.0.0.1' ? lists.listed : undefined),
    ofKey: () => undefined,
  }
  return lists
}
