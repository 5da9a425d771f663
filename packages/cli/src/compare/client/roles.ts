/**
 * What an address is, by the name of its field. A `claim` was written by the hop before: true only where that is a proxy. A `place`
 * has a number for a name.
 */
export type Role = 'claim' | 'client' | 'peer' | 'place' | 'other' | 'machine' | 'server'

/** The first role that fits a name, of which only letters and digits count: `X-Forwarded-For` is `http_x_forwarded_for` elsewhere. */
const roles: readonly (readonly [Role, RegExp])[] = [
  [
    'claim',
    /forwarded(?!host|proto|port|server|by)|xff$|fwd$|realip$|connectingip$|trueclientip$|xclientip$|externaladdress$/,
  ],
  [
    'server',
    /upstream|backend|local|dest|dst|target|serverip|serveraddr|originip|originaddr|resolver|^sip$|resph$/,
  ],
  ['client', /client|^cs?ip$|cliip$|visitor|viewer|userip|origh$|httprequestremoteip$/],
  ['peer', /remote|peer|source|src|^ip(?:addr(?:ess)?)?$|reqip$|requestip$|^addr(?:ess)?$|^from$/],
  [
    'machine',
    /server|host|node|pod|instance|edge|container|gateway|listen|agent|collector|kubernetes|via$|dns/,
  ],
]

export function roleOf(name: string): Role {
  if (/^[+-]?\d+$/.test(name)) return 'place'
  const letters = name.toLowerCase().replace(/[^a-z\d]/g, '')
  return roles.find(([, pattern]) => pattern.test(letters))?.[0] ?? 'other'
}
