import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A certificate of this machine for itself, in a folder of its own. */
export interface Certificate {
  readonly file: string
  readonly keyFile: string
  /** The options of a client that trusts the certificate. */
  readonly options: { readonly ca: string }
  remove(): void
}

/** Makes a certificate for names such as `DNS:localhost`. */
export function makeCertificate(...names: readonly string[]): Certificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'certificate-'))
  const file = path.join(folder, 'cert.pem')
  const keyFile = path.join(folder, 'key.pem')
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names.join(',')}`]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', keyFile, '-out', file]
  const { status, stderr } = spawnSync('openssl', ['req', ...kind, ...subject, ...files])
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
  return {
    file,
    keyFile,
    options: { ca: readFileSync(file, 'utf8') },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Whether there are a redis-server that was built with TLS and an openssl to make certificates. */
export function speaksTls(): boolean {
  const program = process.env.SLUICE_REDIS_SERVER ?? 'redis-server'
  // The server ends at once in either case: a missing file is one error, TLS that it lacks is another.
  const { stdout } = spawnSync(program, ['--tls-cert-file', '/nowhere', '--tls-port', '1', '--port', '0'], {
    timeout: 2000,
  })
  return String(stdout).includes('Failed to configure TLS') && spawnSync('openssl', ['version']).status === 0
}
