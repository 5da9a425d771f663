/** How a program comes to its store. */
export const clients = ['a URL', 'ioredis', 'node-redis'] as const
export type Client = (typeof clients)[number]

export const limit = 500
export const keys: readonly string[] = ['a', 'b', 'c', 'd', 'e']

/** What a process prints that has asked from its first moment on. */
export interface Asked {
  /** By key. */
  readonly admitted: { readonly [key: string]: number }
  readonly sources: { readonly [source: string]: number }
  /** Why the store was missed. */
  readonly failures: readonly string[]
}
