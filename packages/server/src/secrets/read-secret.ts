import { readFileSync } from 'node:fs'
import { optionError } from '@sluice/core/internal'

export function readName(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw optionError(path, 'the name of a file', value)
}

export function readSecret(file: string, path: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // of node:fs
    throw optionError(path, `a file that can be read (${file}: ${code ?? message})`, file)
  }
}
