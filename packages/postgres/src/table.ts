import { checkNames, optionError } from '@sluice/core/internal'
import type { PostgresPool } from './pool.ts'

export interface TableOptions {
  /** A name, or `schema.name`. Its function is called the same with `_write` behind it. @default 'sluice_states' */
  table?: string | undefined
}

/** Quoted, so that each is a name whatever it spells. */
export interface TableNames {
  readonly table: string
  readonly write: string
}

// With `_write` within the 63 bytes that PostgreSQL keeps of a name.
const name = /^[A-Za-z_][A-Za-z0-9_]{0,49}$/

export function readTable(table: unknown = 'sluice_states'): TableNames {
  const parts = typeof table === 'string' ? table.split('.') : []
  if (parts.length === 0 || parts.length > 2 || !parts.every((part) => name.test(part))) {
    const expected = 'a name or schema.name, of letters, digits and _, at most 50 each'
    throw optionError('table', expected, table)
  }
  const quoted = (last = '') =>
    [...parts.slice(0, -1), `${parts.at(-1)}${last}`].map((part) => `"${part}"`).join('.')
  return { table: quoted(), write: quoted('_write') }
}

/**
 * The SQL that makes the table and its function, for a migration. It may run again.
 *
 * @example console.log(tableSql({ table: 'limits.states' }))
 */
export function tableSql(options: TableOptions = {}): string {
  checkNames(options, '', ['table'])
  const { table, write } = readTable(options.table)
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text COLLATE "C" PRIMARY KEY,
  state text NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 70);

-- Writes states if those that were seen still stand, and answers null; or nothing, and answers a key whose state is another.
CREATE OR REPLACE FUNCTION ${write}(
  seen_keys text[], seen_versions text[], new_keys text[], new_states text[], lives_ms bigint[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  changed text;
BEGIN
  -- A crash of the server may lose the last second of counts, and no request waits for a disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- In one order, so that no two wait for each other; a key that has no row yet is locked, too.
  PERFORM pg_advisory_xact_lock(lock)
    FROM (SELECT DISTINCT hashtextextended(seen, '${table}'::regclass::oid::bigint) AS lock
          FROM unnest(seen_keys) AS seen ORDER BY lock) AS locks;
  SELECT seen.key INTO changed
    FROM unnest(seen_keys, seen_versions) AS seen(key, version) LEFT JOIN ${table} AS stored ON stored.key = seen.key
    WHERE stored.xmin::text IS DISTINCT FROM seen.version LIMIT 1;
  IF FOUND THEN
    RETURN changed;
  END IF;
  DELETE FROM ${table} AS stored USING unnest(new_keys, new_states) AS fresh(key, state)
    WHERE stored.key = fresh.key AND fresh.state IS NULL;
  INSERT INTO ${table} (key, state, expires_at)
    SELECT fresh.key, fresh.state, clock_timestamp() + make_interval(secs => fresh.life_ms / 1000.0)
    FROM unnest(new_keys, new_states, lives_ms) AS fresh(key, state, life_ms) WHERE fresh.state IS NOT NULL
    ON CONFLICT (key) DO UPDATE SET state = excluded.state, expires_at = excluded.expires_at;
  RETURN NULL;
END
$$;
`
}

/**
 * Makes the table and its function where they are missing: once, by a role that may, before the first request.
 *
 * @example await createTable(pool)
 */
export async function createTable(pool: PostgresPool, options: TableOptions = {}): Promise<void> {
  const sql = tableSql(options)
  // Processes that start at the same time make it one after another.
  await pool.query({ text: `SELECT pg_advisory_xact_lock(hashtext('sluice.createTable'));\n${sql}` })
}
