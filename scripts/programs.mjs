// What the tests start beside Node.
import { existsSync, readdirSync } from 'node:fs'
import { program } from './apt.mjs'

const debianPostgres = '/usr/lib/postgresql'
/** Debian keeps its servers off the PATH, one folder for each version. */
function postgresFolders() {
  const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres) : []
  return versions.sort((a, b) => b - a).map((version) => `${debianPostgres}/${version}/bin`)
}

export const redisServer = () => program('redis-server', { variable: 'SLUICE_REDIS_SERVER' })
/** The same browser without its windows and desktop, which takes less than half of its processor time. */
export const chromium = () =>
  program('chromium-headless-shell', { variable: 'SLUICE_CHROMIUM', instead: 'chromium' })
export const prometheus = () => program('prometheus', { variable: 'SLUICE_PROMETHEUS' })
export const promtool = () => program('promtool', { variable: 'SLUICE_PROMTOOL', debian: 'prometheus' })
export const nginx = () => program('nginx', { variable: 'SLUICE_NGINX', debian: 'nginx-light' })
export const postgres = () =>
  program('postgres', { variable: 'SLUICE_POSTGRES', debian: 'postgresql', folders: postgresFolders })
