import { createSecureContext } from 'node:tls'
import type { Logger } from '@sluice/core'
import { checkNames, isRecord, optionError } from '@sluice/core/internal'
import { Changing } from './changing.ts'
import { readName, readSecret } from './read-secret.ts'

/** Files of PEM, read again when they change. */
export interface TlsOptions {
  /** The server's certificate, with those between it and the authority. */
  cert: string
  key: string
  /** Authorities of the clients' certificates: a client without a certificate of theirs may not ask. @default every client may */
  clientCa?: string | undefined
}

interface TlsContext {
  readonly cert: Buffer
  readonly key: Buffer
  readonly ca: Buffer | undefined
}

/** The parts that both servers need. */
export interface Tls {
  readonly files: Changing<TlsContext>
  /** Whether clients are asked for certificates. */
  readonly asksClients: boolean
}

export function openTls(options: unknown, logger: Logger): Tls | undefined {
  if (options === undefined) return undefined
  if (!isRecord(options))
    throw optionError('tls', 'names of files such as { cert: "cert.pem", key: "key.pem" }', options)
  checkNames(options, 'tls', ['cert', 'key', 'clientCa'])
  const { cert, key, clientCa } = options
  const names = {
    cert: readName(cert, 'tls.cert'),
    key: readName(key, 'tls.key'),
    clientCa: clientCa === undefined ? undefined : readName(clientCa, 'tls.clientCa'),
  }
  const files = Object.values(names).filter((name) => name !== undefined)
  return {
    files: new Changing(() => contextOf(names), { files, what: 'the certificate', logger }),
    asksClients: names.clientCa !== undefined,
  }
}

function contextOf(names: { cert: string; key: string; clientCa: string | undefined }): TlsContext {
  const context = {
    cert: readSecret(names.cert, 'tls.cert'),
    key: readSecret(names.key, 'tls.key'),
    ca: names.clientCa === undefined ? undefined : readSecret(names.clientCa, 'tls.clientCa'),
  }
  try {
    createSecureContext(context)
  } catch (error) {
    // The message is OpenSSL's, and contains nothing of the key.
    const reason = error instanceof Error ? error.message : String(error)
    throw optionError('tls', `a certificate and its key in PEM (${reason})`, names.cert)
  }
  return context
}
