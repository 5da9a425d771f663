/** The client that a program gives to its store. With one that is made for a URL the simulation plays it. */
export const clients = ['ioredis', 'node-redis'] as const
export type Client = (typeof clients)[number]

export const limit = 500
export const keys: readonly string[] = ['a', 'b', 'c', 'd', 'e']
