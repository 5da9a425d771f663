/** How a program comes to its store. */
export const clients = ['a URL', 'ioredis', 'node-redis'] as const
export type Client = (typeof clients)[number]

export const limit = 500
export const keys: readonly string[] = ['a', 'b', 'c', 'd', 'e']
