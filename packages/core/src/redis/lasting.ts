/** A secret by a function: where that throws, an attempt would end for good, so what it answered last holds instead. */
export function lasting(secret: () => string): () => string | undefined {
  let last: string | undefined
  return () => {
    try {
      last = secret()
    } catch {
      // The server says what it thinks of the last one.
    }
    return last
  }
}
