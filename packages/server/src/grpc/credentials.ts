import { ServerCredentials } from '@grpc/grpc-js'
import { requestMs } from '../decide.ts'
import type { Tls } from '../secrets/tls.ts'

/** Credentials whose files may change: connections that begin afterwards get the new ones. */
class FileCredentials extends ServerCredentials {
  constructor({ files, asksClients }: Tls) {
    super(
      { requestCert: asksClients, rejectUnauthorized: asksClients, handshakeTimeout: requestMs },
      files.value,
    )
    files.whenChanged((context) => this.updateSecureContextOptions(context))
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other
  }
}

export function credentialsOf(tls: Tls | undefined): ServerCredentials {
  return tls === undefined ? ServerCredentials.createInsecure() : new FileCredentials(tls)
}
