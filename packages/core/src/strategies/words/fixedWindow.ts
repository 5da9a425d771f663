import type { Numbers } from '../fixedWindow.ts'
import { type Picture, windowPicture } from '../picture.ts'
import { ofWindow, type Words } from './words.ts'

function picture({ limit, windowUs, calendar }: Numbers): Picture {
  const about = { title: 'fixed window', shape: 'fixed', limit } as const
  if (calendar === undefined) return windowPicture({ ...about, windowUs })
  const { every, timeZone, days } = calendar
  return {
    ...windowPicture({ ...about, windowUs: days * 86_400e6 }),
    rule: `${limit} a ${every} in ${timeZone}`,
  }
}

export const fixedWindow: Words<Numbers> = {
  about: 'At most `limit` units per window, which starts at the first hit, by the clock or by the calendar.',
  options: {
    ...ofWindow,
    start:
      'Whether a window starts at a key’s first hit, or for all keys at multiples of its length since 1970 in UTC, so that `7d` starts on Thursdays.',
    every:
      'A window is a day, week, month, quarter or year of the calendar, from midnight on its first day or from where the text says.',
    timeZone: 'Whose clocks say when a window begins: a name of the IANA time zone database.',
    firstDayOfWeek: 'The first day of a week.',
  },
  picture,
}
