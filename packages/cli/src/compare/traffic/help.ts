import { type Default, type Setting, trafficKinds } from './settings.ts'

/** For `--help`: every kind, its settings and their defaults. */
export function trafficHelp(): string {
  const { poisson, ...others } = trafficKinds
  const kinds = Object.entries(others).map(([name, { about, settings }]) => {
    return [`  ${name}: ${about}`, ...Object.entries(settings).filter(isOwn).map(line)]
  })
  return [`  poisson: ${poisson.about}`, ...Object.entries(poisson.settings).map(line), ...kinds.flat()].join(
    '\n',
  )
}

type Entry = [name: string, setting: Setting]

/** Whether a setting differs from the common ones. */
function isOwn([name, setting]: Entry): boolean {
  const common: Readonly<Record<string, unknown>> = trafficKinds.poisson.settings
  return common[name] !== setting
}

function line([name, { meaning, byDefault }]: Entry): string {
  return `    ${name.padEnd(9)} ${meaning} (${defaultWords(byDefault)})`
}

function defaultWords(byDefault: Default): string {
  return typeof byDefault === 'object' ? byDefault.words : String(byDefault)
}
