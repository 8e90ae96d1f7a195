package dev.sluice.engine.load.completion;

import static dev.sluice.engine.load.completion.TwoDatabases.table;

import dev.sluice.config.TableId;
import java.util.List;

/** Tables with everything that a table can have, and queries that show whether two are the same. */
final class RichSchema {
  static final List<TableId> TABLES =
      List.of(
          table("derived"),
          table("sale"),
          table("customer"),
          table("booking"),
          table("base"),
          table("scratch"));

  static final String[] STATEMENTS = {
    "CREATE SCHEMA app",
    "CREATE SCHEMA kinds",
    "CREATE EXTENSION citext SCHEMA kinds",
    "CREATE EXTENSION pg_trgm SCHEMA kinds",
    "CREATE EXTENSION btree_gist SCHEMA kinds",
    "CREATE COLLATION kinds.plain (provider = libc, locale = 'C')",
    "CREATE TYPE kinds.mood AS ENUM ('sad', 'ok')",
    "CREATE FUNCTION kinds.positive(n int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT n > 0'",
    "CREATE FUNCTION kinds.doubled(n int) RETURNS int IMMUTABLE LANGUAGE sql RETURN n * 2",
    "CREATE FUNCTION kinds.next_name() RETURNS text LANGUAGE sql AS 'SELECT ''nobody'''",
    "CREATE DOMAIN kinds.amount AS int CONSTRAINT amounts CHECK (kinds.positive(VALUE))",
    """
    CREATE FUNCTION app.touch() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM count(*) FROM app.customer;
      RETURN coalesce(NEW, OLD);
    END $$
    """,
    """
    CREATE TABLE app.customer (
      id int GENERATED ALWAYS AS IDENTITY,
      name text COLLATE kinds.plain NOT NULL DEFAULT kinds.next_name(),
      email kinds.citext,
      mood kinds.mood DEFAULT 'ok',
      amount kinds.amount,
      twice int GENERATED ALWAYS AS (kinds.doubled(id)) STORED,
      boss int,
      note text,
      CONSTRAINT customer_key PRIMARY KEY (id) INCLUDE (name) WITH (fillfactor = 60),
      CONSTRAINT "Mail ON app" UNIQUE NULLS NOT DISTINCT (email, id) DEFERRABLE INITIALLY DEFERRED,
      CONSTRAINT "named ""check\""" CHECK (kinds.positive(id)),
      CONSTRAINT boss_is_there FOREIGN KEY (boss) REFERENCES app.customer DEFERRABLE)
    WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_enabled = false)
    """,
    "ALTER TABLE app.customer ALTER name SET STATISTICS 300",
    "ALTER TABLE app.customer ALTER name SET (n_distinct = 5)",
    "ALTER TABLE app.customer ALTER note SET STORAGE EXTERNAL",
    "ALTER TABLE app.customer ALTER note SET COMPRESSION pglz",
    "CREATE INDEX customer_by_name ON app.customer (lower(name) text_pattern_ops DESC NULLS LAST)"
        + " INCLUDE (mood) WITH (fillfactor = 80) WHERE mood <> 'sad'",
    "CREATE INDEX customer_by_function ON app.customer (kinds.doubled(boss), name COLLATE \"C\")",
    "CREATE INDEX customer_words ON app.customer USING gin (name kinds.gin_trgm_ops)",
    "CREATE INDEX customer_places ON app.customer USING brin (id) WITH (pages_per_range = 16)",
    "CREATE INDEX customer_hash ON app.customer USING hash (note)",
    "CREATE UNIQUE INDEX customer_twice ON app.customer (twice)",
    "ALTER TABLE app.customer CLUSTER ON customer_by_function",
    "CREATE STATISTICS app.customer_pairs (ndistinct, dependencies) ON name, mood FROM app.customer",
    "CREATE STATISTICS app.customer_halves ON (id / 2), mood FROM app.customer",
    "COMMENT ON TABLE app.customer IS 'who buys: it''s them'",
    "COMMENT ON COLUMN app.customer.email IS E'a back\\\\slash'",
    "COMMENT ON INDEX app.customer_by_name IS 'found fast'",
    "COMMENT ON CONSTRAINT \"named \"\"check\"\"\" ON app.customer IS 'checked'",
    "COMMENT ON CONSTRAINT customer_key ON app.customer IS 'the key'",
    "COMMENT ON STATISTICS app.customer_pairs IS 'paired'",
    "INSERT INTO app.customer (name, email, boss) SELECT 'name ' || i, 'Mail' || i, 1"
        + " FROM generate_series(1, 2000) i",
    "ALTER TABLE app.customer ADD CONSTRAINT broken_by_rows CHECK (boss < 1) NOT VALID",
    """
    CREATE TABLE app.sale (
      id int, day date, customer int DEFAULT 1, amount numeric CHECK (amount > 0), what text,
      CONSTRAINT sale_key PRIMARY KEY (id, day),
      CONSTRAINT sale_customer FOREIGN KEY (customer) REFERENCES app.customer ON DELETE SET NULL)
    PARTITION BY RANGE (day)
    """,
    """
    CREATE TABLE app.sale_2023 PARTITION OF app.sale
      FOR VALUES FROM ('2023-01-01') TO ('2024-01-01') PARTITION BY HASH (id)
    """,
    "CREATE TABLE app.sale_2023_0 PARTITION OF app.sale_2023 FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
    """
    CREATE TABLE app.sale_2023_1 PARTITION OF app.sale_2023 (
      amount DEFAULT 9, what NOT NULL DEFAULT 'sub', CONSTRAINT own CHECK (length(what) < 100))
      FOR VALUES WITH (MODULUS 2, REMAINDER 1) WITH (fillfactor = 50)
    """,
    "CREATE TABLE app.sale_rest (what text, gone int, amount numeric CONSTRAINT sale_amount_check"
        + " CHECK (amount > 0), customer int, day date NOT NULL, id int NOT NULL)",
    "ALTER TABLE app.sale_rest DROP COLUMN gone",
    "ALTER TABLE app.sale ATTACH PARTITION app.sale_rest DEFAULT",
    "CREATE INDEX sale_by_what ON app.sale (what)",
    "ALTER INDEX app.sale_2023_1_what_idx RENAME TO \"a name of its own\"",
    "CREATE UNIQUE INDEX only_here ON app.sale_2023_0 (customer, id)",
    "COMMENT ON TABLE app.sale_2023_1 IS 'half of a year'",
    "ALTER TABLE app.sale_2023_0 ALTER what SET STORAGE MAIN",
    "INSERT INTO app.sale SELECT i, '2023-10-01'::date + i, 1 + i % 7, i, 'sold ' || i"
        + " FROM generate_series(1, 200) i",
    """
    CREATE TABLE app.booking (
      room int, during int4range, sale int, day date,
      CONSTRAINT one_at_a_time EXCLUDE USING gist (room WITH =, during WITH &&) WHERE (room > 0),
      CONSTRAINT booking_sale FOREIGN KEY (sale, day) REFERENCES app.sale MATCH FULL)
    """,
    "ALTER TABLE app.booking REPLICA IDENTITY FULL",
    "INSERT INTO app.booking VALUES (1, '[1,3)', NULL, NULL), (1, '[3,5)', 1, '2023-10-02')",
    "CREATE TABLE app.base (a int PRIMARY KEY, b text DEFAULT 'x', CONSTRAINT above CHECK (a > 0),"
        + " CONSTRAINT here_alone CHECK (a < 100) NO INHERIT)",
    "CREATE TABLE app.derived (c int DEFAULT 3, CONSTRAINT low CHECK (c < 10)) INHERITS (app.base)",
    "ALTER TABLE app.derived ALTER b SET DEFAULT 'y', ADD PRIMARY KEY (a)",
    "INSERT INTO app.base VALUES (1)",
    "INSERT INTO app.derived VALUES (200)",
    "ALTER TABLE app.booking ADD CONSTRAINT not_looked_at FOREIGN KEY (room) REFERENCES app.base"
        + " NOT VALID",
    "CREATE UNLOGGED TABLE app.scratch (a int)",
    "CREATE TRIGGER plain BEFORE UPDATE OF name ON app.customer FOR EACH ROW"
        + " WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION app.touch('an', 'argument')",
    "CREATE TRIGGER off AFTER INSERT ON app.customer EXECUTE FUNCTION app.touch()",
    "ALTER TABLE app.customer DISABLE TRIGGER off",
    "CREATE TRIGGER always AFTER DELETE ON app.customer REFERENCING OLD TABLE AS gone"
        + " EXECUTE FUNCTION app.touch()",
    "ALTER TABLE app.customer ENABLE ALWAYS TRIGGER always",
    "CREATE TRIGGER copied AFTER INSERT ON app.customer EXECUTE FUNCTION app.touch()",
    "ALTER TABLE app.customer ENABLE REPLICA TRIGGER copied",
    "CREATE CONSTRAINT TRIGGER later AFTER INSERT ON app.booking FROM app.sale DEFERRABLE"
        + " INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.touch()",
    "CREATE TRIGGER each AFTER INSERT ON app.sale FOR EACH ROW EXECUTE FUNCTION app.touch()",
    "ALTER TABLE app.sale_rest DISABLE TRIGGER each",
    "COMMENT ON TRIGGER plain ON app.customer IS 'touches'",
  };

  private static final String IN_APP =
      " JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'app' ";

  /** Each gives the same rows for the same tables, whatever the server's version. */
  static final List<String> COMPARED =
      List.of(
          "SELECT c.relname, c.relkind, c.relpersistence, c.reloptions::text, t.reloptions::text,"
              + " obj_description(c.oid), pg_get_partkeydef(c.oid),"
              + " pg_get_expr(c.relpartbound, c.oid),"
              + " (SELECT array_agg(inhparent::regclass ORDER BY inhseqno)"
              + "  FROM pg_inherits WHERE inhrelid = c.oid),"
              + " (SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute"
              + "  WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)"
              + " FROM pg_class c LEFT JOIN pg_class t ON t.oid = c.reltoastrelid"
              + IN_APP
              + "WHERE c.relkind IN ('r', 'p') ORDER BY c.relname",
          "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,"
              + " a.attidentity, a.attgenerated, a.attcollation::regcollation, a.attstorage,"
              + " a.attcompression, nullif(a.attstattarget, -1), a.attoptions, a.attislocal,"
              + " pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)"
              + " FROM pg_class c"
              + IN_APP
              + "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
              + " LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum"
              + " WHERE c.relkind IN ('r', 'p') ORDER BY c.relname, a.attname",
          "SELECT pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisclustered, i.indisprimary,"
              + " obj_description(i.indexrelid),"
              + " (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = i.indexrelid)"
              + " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
              + IN_APP
              + "ORDER BY 1",
          "SELECT c.relname, k.conname, pg_get_constraintdef(k.oid), k.convalidated,"
              + " k.contype = 'c' AND k.conislocal, obj_description(k.oid, 'pg_constraint')"
              + " FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
              + IN_APP
              + "WHERE k.contype IN ('p', 'u', 'x', 'c', 'f')"
              + " AND (k.contype <> 'f' OR k.conparentid = 0) ORDER BY 1, 2",
          "SELECT pg_get_triggerdef(g.oid), g.tgenabled, obj_description(g.oid, 'pg_trigger')"
              + " FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid"
              + IN_APP
              + "WHERE NOT g.tgisinternal ORDER BY 1",
          "SELECT pg_get_statisticsobjdef(oid), obj_description(oid, 'pg_statistic_ext')"
              + " FROM pg_statistic_ext ORDER BY 1",
          "SELECT pg_get_functiondef(p.oid) FROM pg_proc p"
              + " WHERE p.pronamespace IN ('app'::regnamespace, 'kinds'::regnamespace)"
              + " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid"
              + "                 AND d.deptype = 'e') ORDER BY 1");

  private RichSchema() {}
}
