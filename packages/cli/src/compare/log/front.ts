/** A line without what collectors put before it, and the last time that stood there. */
export interface Unwrapped {
  readonly text: string
  readonly time: string | undefined
}

const isoTime = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)`
const stamp = String.raw`(?:(${isoTime}|\d{10}\.\d+)|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?)`

/** What collectors put before a line; each captures a time or nothing. The order matters: longer ones come first. */
const fronts: readonly RegExp[] = [
  // Docker Compose, services of a swarm, Foreman, pm2: `web-1  | `
  /^(?:\d\d:\d\d:\d\d (?:[AP]M )?)?[\w.@/-]+(?:\|[\w.-]+)? +\| ()/,
  // Syslog of RFC 5424, with its length before it or not
  new RegExp(
    String.raw`^(?:\d+ )?<\d{1,3}>1 (${isoTime}|-) \S+ \S+ \S+ \S+ (?:-|(?:\[[^\]]*\])+)(?: \uFEFF?|$)`,
  ),
  // Containers of Kubernetes on their node
  new RegExp(`^(${isoTime}) (?:stdout|stderr) [FP] `),
  // Fly.io: `… app[148e21] fra [info]`
  new RegExp(String.raw`^(${isoTime}) \w+\[\w+\] [a-z]{3} \[\w+\] ?`),
  // Heroku: `… app[web.1]: `
  new RegExp(String.raw`^(${isoTime}) [\w-]+\[[\w.-]+\]: `),
  // Caddy to a terminal: time, level, and tabs between
  /^(\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d{3})\t[A-Z]+\t/,
  // env_logger: `[2026-03-10T13:00:00Z INFO  actix_web::middleware::logger] `
  new RegExp(String.raw`^\[(${isoTime}) +[A-Z]+ +[^\]]{1,100}\] `),
  // Syslog of RFC 3164, journald: `Mar 10 13:00:00 web1 nginx[7]: `
  new RegExp(String.raw`^(?:<\d{1,3}>)?${stamp} \S+ [\w./@()-]+(?:\[\d+\])?: `),
  // kubectl --timestamps, docker logs --timestamps
  new RegExp(`^(${isoTime}) `),
  // kubectl --prefix, concurrently, levels: `[pod/web-7/nginx] `, `[info] `
  /^\[(?![A-Z]{3,7}\]\d)(?:[A-Za-z][\w.:/-]{0,100}|\d{1,3})\] ?()/,
  // uvicorn and others: `INFO:     `
  /^(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|trace|debug|info|http|warn|error):? +()/,
]

/** Colours and other commands to a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
const terminal = /\u001b(?:\[[\d;?]*[A-Za-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g

/** The line begins with an address, and has nothing before it: most lines of most logs. */
const addressFirst = /^(?!\d\d:\d\d:\d\d )[\da-fA-F]{0,4}[.:][\da-fA-F.:]*,? /
const most = 4

export function withoutFront(line: string): Unwrapped {
  if (addressFirst.test(line)) return { text: line, time: undefined }
  let text = line.includes('\u001b') ? line.replace(terminal, '') : line
  let time: string | undefined
  for (let i = 0; i < most; i++) {
    const front = frontOf(text)
    if (front === undefined) break
    text = text.slice(front.length)
    time = front.time ?? time
  }
  return { text, time }
}

function frontOf(text: string): { readonly length: number; readonly time: string | undefined } | undefined {
  for (const front of fronts) {
    const found = front.exec(text)
    if (found !== null) return { length: found[0].length, time: found[1] || undefined }
  }
  return undefined
}
