import { checkNames, optionError } from '@sluice/core/internal'
import { checkPool, type PostgresPool } from './pool.ts'

export interface TableOptions {
  /** A name, or `schema.name`. The functions have the same name with `_write` and `_lock` behind it. @default 'sluice_states' */
  table?: string | undefined
}

/** The names in quotes, so that none is read as a keyword. */
export interface TableNames {
  readonly table: string
  readonly write: string
  readonly lock: string
}

// With `_write` behind it, a name has no more than the 63 bytes that PostgreSQL keeps.
const name = /^[A-Za-z_][A-Za-z0-9_]{0,49}$/

export function readTable(table: unknown = 'sluice_states'): TableNames {
  const parts = typeof table === 'string' ? table.split('.') : []
  if (parts.length === 0 || parts.length > 2 || !parts.every((part) => name.test(part))) {
    const expected = 'a name or schema.name, of letters, digits and _, at most 50 each'
    throw optionError('table', expected, table)
  }
  const quoted = (last = '') =>
    [...parts.slice(0, -1), `${parts.at(-1)}${last}`].map((part) => `"${part}"`).join('.')
  return { table: quoted(), write: quoted('_write'), lock: quoted('_lock') }
}

/**
 * The SQL that makes the table and its functions, for a migration. It may run again.
 *
 * @example console.log(tableSql({ table: 'limits.states' }))
 */
export function tableSql(options: TableOptions = {}): string {
  checkNames(options, '', ['table'])
  const { table, write, lock } = readTable(options.table)
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text COLLATE "C" PRIMARY KEY,
  state text NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 70);

-- Writes states if those that were seen still stand and it is not too late, and answers null; or nothing, and answers a key that
-- another transaction holds or has changed, or an empty text: it is too late.
CREATE OR REPLACE FUNCTION ${write}(
  seen_keys text[], seen_versions text[], new_keys text[], new_states text[], lives_ms bigint[], until_us bigint, wait_ms int
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  held text;
BEGIN
  -- A crash of the server may lose the last second of counts, and no request waits for a disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Whoever else has locked a row.
  PERFORM set_config('lock_timeout', wait_ms::text, true);
  -- Of a key that has no row yet, too.
  SELECT seen INTO held FROM unnest(seen_keys) AS seen
    WHERE NOT pg_try_advisory_xact_lock(hashtextextended(seen, '${table}'::regclass::oid::bigint)) LIMIT 1;
  IF FOUND THEN
    RETURN held;
  END IF;
  -- Its caller has had another answer by then.
  IF extract(epoch FROM clock_timestamp()) * 1000000 > until_us THEN
    RETURN '';
  END IF;
  SELECT seen.key INTO held
    FROM unnest(seen_keys, seen_versions) AS seen(key, version) LEFT JOIN ${table} AS stored ON stored.key = seen.key
    WHERE stored.xmin::text IS DISTINCT FROM seen.version LIMIT 1;
  IF FOUND THEN
    RETURN held;
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

-- Locks keys until the transaction ends, and answers the time and their states; or only a key that somebody else holds. It waits for
-- the first key for as long as lock_timeout says, with no other in its hands, and a moment for each of the others: two that wait for
-- each other's keys wait no longer.
CREATE OR REPLACE FUNCTION ${lock}(first_key text, all_keys text[])
RETURNS TABLE (now_us bigint, key text, state text, version text) LANGUAGE plpgsql AS $$
DECLARE
  place bigint := '${table}'::regclass::oid::bigint;
  each_key text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(first_key, place));
  FOREACH each_key IN ARRAY all_keys LOOP
    IF NOT pg_try_advisory_xact_lock(hashtextextended(each_key, place)) THEN
      BEGIN
        PERFORM set_config('lock_timeout', '10', true);
        PERFORM pg_advisory_xact_lock(hashtextextended(each_key, place));
      EXCEPTION WHEN lock_not_available THEN
        RETURN QUERY SELECT NULL::bigint, each_key, NULL::text, NULL::text;
        RETURN;
      END;
    END IF;
  END LOOP;
  RETURN QUERY
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, stored.key, stored.state, stored.xmin::text
    FROM (SELECT 1) AS one LEFT JOIN ${table} AS stored ON stored.key = ANY (all_keys);
END
$$;
`
}

/**
 * Makes the table and its functions where they are missing: once, by a role that may, before the first request.
 *
 * @example await createTable(pool)
 */
export async function createTable(pool: PostgresPool, options: TableOptions = {}): Promise<void> {
  const sql = tableSql(options)
  checkPool(pool)
  // Processes that start at the same time make it one after another.
  await pool.query({ text: `SELECT pg_advisory_xact_lock(hashtext('sluice.createTable'));\n${sql}` })
}
