package dev.sluice.connector.postgres.writers;

/*
 * No lock of a table keeps nextval from giving out values, and LOCK TABLE takes no sequences. ALTER SEQUENCE … OWNED
 * BY, with the owner that it has, takes a lock that does, and rewrites nothing. It is refused for sequences of
 * identity columns; their values are given out by INSERT, which waits already.
 */
/**
 * Keeps the sequences of the locked tables from giving out values until the transaction ends, as
 * far as this user owns them and nobody has just used them. Stateless.
 */
final class StoppedSequences {
  private StoppedSequences() {}

  /** Each wait is short, and so are all of them together: whoever waits is held as well. */
  private static final String STOP =
      """
      DO $stop$
      DECLARE
        used record;
        longest timestamptz := pg_catalog.clock_timestamp() + interval '300 ms';
      BEGIN
        FOR used IN
          SELECT DISTINCT ON (s.oid) s.oid::pg_catalog.regclass AS name,
            pg_catalog.format('%I.%I.%I', n.nspname, t.relname, a.attname) AS owner
          FROM pg_catalog.pg_class s
          JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
            AND d.objid = s.oid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
            AND d.deptype = 'a' AND d.refobjsubid > 0
          JOIN pg_catalog.pg_class t ON t.oid = d.refobjid
          JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
          JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
          WHERE s.relkind = 'S' AND t.oid = ANY ($tables)
            AND pg_catalog.pg_has_role(s.relowner, 'USAGE')
          ORDER BY s.oid
        LOOP
          EXIT WHEN pg_catalog.clock_timestamp() > longest;
          BEGIN
            PERFORM pg_catalog.set_config('lock_timeout', '50ms', true);
            EXECUTE pg_catalog.format('ALTER SEQUENCE %s OWNED BY %s', used.name, used.owner);
          EXCEPTION WHEN OTHERS THEN
            -- It is read with what was given out so far.
            NULL;
          END;
        END LOOP;
        PERFORM pg_catalog.set_config('lock_timeout', '0', true);
      END $stop$""";

  /** The statement for the tables of a tree. */
  static String statement(TableTree tree) {
    return STOP.replace("$tables", tree.oids());
  }
}
