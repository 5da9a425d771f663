// Starts programs, and passes on to them the signals that end us: npm ends us, but not what we have started.
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import path from 'node:path'
import { root } from './setup.mjs'

const running = new Set()
let ended = null
/** jest does not end by a signal while its workers are busy: it starts others. */
const patienceMs = 5000

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    ended = signal
    for (const pass of running) pass(signal)
  })
}

/** The signal that requested our end, or null. */
export const endedBy = () => ended

/** The path of a program that an installed package brings. */
export const tool = (name) => path.join(root, 'node_modules', '.bin', name)

/**
 * Runs a program to its end, or until `signal` aborts: `{ code, output, seconds, killed }`. In the foreground it has
 * the terminal; otherwise it leads a group of its own, so that nothing it has started outlives it, and the group is
 * killed if it has not ended `graceMs` after a signal. Only captured output is in `output`. With the lowest `priority` it has what
 * others leave of the processor.
 */
export function run(command, args, options = {}) {
  const { cwd = root, env, foreground = false, capture = false, signal, graceMs = patienceMs } = options
  const { priority } = options
  const start = performance.now()
  const stream = capture ? 'pipe' : 'inherit'
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: !foreground,
    stdio: foreground ? 'inherit' : ['ignore', stream, stream],
  })
  if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority)
  const chunks = []
  let patience
  child.stdout?.on('data', (chunk) => chunks.push(chunk))
  child.stderr?.on('data', (chunk) => chunks.push(chunk))
  const pass = (name) => {
    // Ctrl-C reaches every process of the terminal; sent twice, it could interrupt an orderly shutdown.
    if (foreground && name === 'SIGINT' && process.stdin.isTTY) return
    send(child.pid, foreground, name)
    if (!foreground) patience ??= setTimeout(send, graceMs, child.pid, foreground, 'SIGKILL')
  }
  running.add(pass)
  let killed = false
  const kill = () => {
    killed = true
    send(child.pid, foreground, 'SIGKILL')
  }
  signal?.addEventListener('abort', kill, { once: true })
  return new Promise((resolve) => {
    const finish = (code) => {
      signal?.removeEventListener('abort', kill)
      running.delete(pass)
      clearTimeout(patience)
      const seconds = (performance.now() - start) / 1000
      resolve({ code, output: Buffer.concat(chunks).toString(), seconds, killed })
    }
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`))
      finish(127)
    })
    child.once('exit', () => foreground || send(child.pid, foreground, 'SIGKILL'))
    child.once('close', (code, endedBySignal) => finish(code ?? 128 + constants.signals[endedBySignal]))
  })
}

function send(pid, foreground, signal) {
  try {
    process.kill(foreground ? pid : -pid, signal)
  } catch {
    // It has already ended.
  }
}
