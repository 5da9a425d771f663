const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** For gutters, which are narrow. */
export const shortNumber = (value) => (value >= 1000 ? compact.format(value).toLowerCase() : String(value))
