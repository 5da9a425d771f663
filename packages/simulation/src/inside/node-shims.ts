// What the code takes from Node's modules, by the globals of a simulated process.
export function randomBytes(count: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(count)))
}

export function randomUUID(): string {
  return randomBytes(16).toString('hex')
}

export function hostname(): string {
  return 'simulation'
}
