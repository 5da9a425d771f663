import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@sluice/faults/outage'
import { program } from '../programs.ts'
import { alertsFile } from './files.ts'

/** What the API of Prometheus answers a query: one entry for each series. */
export type Series = readonly {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}[]

export interface Rule {
  readonly name: string
  readonly health: string
  readonly lastError?: string
  readonly alerts: readonly { readonly state: string; readonly labels: Readonly<Record<string, string>> }[]
}

/** Asks again and again until there is an answer. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const giveUp = performance.now() + 150_000
  while (performance.now() < giveUp) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await setTimeout(50)
  }
  throw new Error(`no ${what} within 150 s`)
}

/** A Prometheus of the test's own: it scrapes twice a second, and evaluates the alerts of `ops` as often. */
export class Prometheus {
  readonly #child: ChildProcess
  readonly #url: string
  readonly #folder: string
  #said = ''

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#child = child
    this.#url = url
    this.#folder = folder
    child.stderr?.on('data', (chunk) => {
      this.#said += chunk
    })
  }

  /** `jobs`: the address that each is scraped at, `127.0.0.1:1234`. */
  static async start(jobs: { readonly [job: string]: string }): Promise<Prometheus> {
    const folder = await mkdtemp(path.join(tmpdir(), 'prometheus-'))
    const config = path.join(folder, 'prometheus.json')
    const scraped = Object.entries(jobs).map(([job, target]) => ({
      job_name: job,
      static_configs: [{ targets: [target] }],
    }))
    const often = { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' }
    await writeFile(
      config,
      JSON.stringify({ global: often, rule_files: [alertsFile], scrape_configs: scraped }), // JSON is YAML
    )
    const address = `127.0.0.1:${await freePort()}`
    const child = spawn(
      program('prometheus'),
      [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const started = new Prometheus(child, `http://${address}`, folder)
    await until('Prometheus', () => started.#isReady())
    return started
  }

  async #isReady(): Promise<true | undefined> {
    if (this.#child.exitCode !== null) throw new Error(`Prometheus has ended:\n${this.#said}`)
    const answer = await fetch(`${this.#url}/-/ready`).catch(() => undefined)
    return answer?.ok === true ? true : undefined
  }

  async query(expr: string): Promise<Series> {
    const { result } = await this.#ask<{ result: Series }>(`query?${new URLSearchParams({ query: expr })}`)
    return result
  }

  /** Every rule, as it was evaluated last. */
  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.#ask<{ groups: readonly { rules: readonly Rule[] }[] }>('rules')
    return groups.flatMap(({ rules }) => rules)
  }

  async #ask<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.#url}/api/v1/${path}`)
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string } // as its pages say
    if (status !== 'success') throw new Error(`${path}: ${error}`)
    return data
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGKILL')
      await once(this.#child, 'exit')
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}
