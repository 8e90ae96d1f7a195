-- The event triggers that Sluice installs on a source. They write altered table definitions into
-- the source's log, between the changes of rows. All tasks of the database share one installation;
-- it is re-created whenever this text changes. Three rules. An application's statement never fails
-- because of it: any error here ends as a warning. It costs next to nothing for statements that
-- alter no table definition and for temporary tables; else its cost depends on the altered tables,
-- never on the size of the catalog. A report has the table's definition after a statement, not the
-- statement's text.

-- Trust: what is written here becomes statements on the targets, run with their loaders' rights. So
-- only the owner writes to report and known, only the owner executes the functions, and no session
-- setting is trusted.

CREATE SCHEMA IF NOT EXISTS sluice_ddl;

-- The reports. A row is inserted and deleted at once, so it exists only in the log. There the
-- table's name proves who wrote it; a logical message could be written by any role.
CREATE TABLE IF NOT EXISTS sluice_ddl.report (
  -- The transaction's id: a transaction has one row at a time. A sequence could be changed by
  -- others.
  entry bigint DEFAULT pg_current_xact_id()::text::bigint PRIMARY KEY,
  content text NOT NULL);

-- The log position from which on the reports are published; no row: not known yet. A slot that
-- still has log from before it cannot be read with their publication.
CREATE TABLE IF NOT EXISTS sluice_ddl.published (since pg_lsn PRIMARY KEY);

-- The transactions that are making a report at present: what the triggers alter themselves is not
-- reported.
CREATE TABLE IF NOT EXISTS sluice_ddl.reporting (transaction xid8 PRIMARY KEY);

-- The tables that a transaction has rewritten since it last reported them.
CREATE TABLE IF NOT EXISTS sluice_ddl.rewritten (
  transaction xid8,
  relation oid,
  -- Whether values of columns were converted, by a cast or an expression.
  converted boolean NOT NULL DEFAULT true,
  PRIMARY KEY (transaction, relation));

-- The tasks that replicate tables of this database.
CREATE TABLE IF NOT EXISTS sluice_ddl.task (
  name text PRIMARY KEY,
  -- Distinguishes the task from others of its name, with other targets.
  owner text NOT NULL,
  publication text NOT NULL,
  gives_identity boolean NOT NULL,
  selection jsonb NOT NULL,
  -- Whether it replicates new tables: not before its slot exists.
  takes_new boolean NOT NULL DEFAULT true);

-- The tables that a task replicates, by the oid of the ordinary table or of the root, with the
-- first and the last log position; NULL: still replicated. Changes outside of these are not the
-- task's, even if the publication sends them.
CREATE TABLE IF NOT EXISTS sluice_ddl.followed (
  task text REFERENCES sluice_ddl.task ON DELETE CASCADE,
  relation oid,
  since pg_lsn DEFAULT '0/0',
  until pg_lsn,
  PRIMARY KEY (task, relation, since));

-- The definitions of each table; the newest entry is the present one. NULL: it was dropped.
CREATE TABLE IF NOT EXISTS sluice_ddl.known (
  relation oid,
  -- Numbered for each table: of two transactions that do not see each other's entries of a table,
  -- the later one fails here, since its description would be incomplete.
  entry bigint,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Changes of the table before this log position were made under the previous entry: the
  -- statement's lock on the table excludes others.
  place pg_lsn NOT NULL DEFAULT pg_current_wal_insert_lsn(),
  definition jsonb,
  PRIMARY KEY (relation, entry));
-- Each only if needed: also without effect these statements wait for the transactions of all
-- statements that fired the triggers.
DO $do$
BEGIN
  IF to_regclass('sluice_ddl.known_name') IS NULL THEN
    CREATE INDEX known_name ON sluice_ddl.known
      ((definition ->> 'schema'), (definition ->> 'name'));
  END IF;
  -- For lookups: the former partitions of a table, and the tables whose replica identity is an
  -- index.
  IF to_regclass('sluice_ddl.known_parent') IS NULL THEN
    CREATE INDEX known_parent ON sluice_ddl.known (((definition #>> '{partition,relation}')::int8))
      WHERE (definition #>> '{partition,relation}')::int8 IS NOT NULL;
    CREATE INDEX known_by_index ON sluice_ddl.known (relation)
      WHERE definition ->> 'identity' = 'i';
  END IF;
  -- An earlier release counted with sequences.
  IF EXISTS (SELECT FROM pg_attribute WHERE attidentity <> ''
             AND attrelid IN ('sluice_ddl.known'::regclass, 'sluice_ddl.report'::regclass)) THEN
    ALTER TABLE sluice_ddl.known ALTER COLUMN entry DROP IDENTITY IF EXISTS;
    ALTER TABLE sluice_ddl.report ALTER COLUMN entry DROP IDENTITY IF EXISTS,
      ALTER COLUMN entry SET DEFAULT pg_current_xact_id()::text::bigint;
  END IF;
  -- An earlier release left a task out altogether until its slot was there.
  IF NOT EXISTS (SELECT FROM pg_attribute
                 WHERE attrelid = 'sluice_ddl.task'::regclass AND attname = 'takes_new') THEN
    ALTER TABLE sluice_ddl.task ADD COLUMN takes_new boolean NOT NULL DEFAULT true;
  END IF;
  -- An earlier release did not tell why a table was rewritten.
  IF NOT EXISTS (SELECT FROM pg_attribute
                 WHERE attrelid = 'sluice_ddl.rewritten'::regclass AND attname = 'converted') THEN
    ALTER TABLE sluice_ddl.rewritten ADD COLUMN converted boolean NOT NULL DEFAULT true;
  END IF;
  -- An earlier release kept only the tables that are followed now.
  IF NOT EXISTS (SELECT FROM pg_attribute
                 WHERE attrelid = 'sluice_ddl.followed'::regclass AND attname = 'since') THEN
    ALTER TABLE sluice_ddl.followed
      ADD COLUMN since pg_lsn DEFAULT '0/0', ADD COLUMN until pg_lsn,
      DROP CONSTRAINT followed_pkey, ADD PRIMARY KEY (task, relation, since);
  END IF;
END
$do$;

-- The database in which this was installed. A dump that is restored elsewhere includes the triggers
-- and the oids of tables, which belong to other tables there.
CREATE TABLE IF NOT EXISTS sluice_ddl.home (database oid, known oid, PRIMARY KEY (database, known));

CREATE OR REPLACE FUNCTION sluice_ddl.is_home() RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM sluice_ddl.home h JOIN pg_database d ON d.oid = h.database
    WHERE d.datname = current_database() AND h.known = 'sluice_ddl.known'::regclass);
END
$function$;

-- A role that may write to all tables (pg_write_all_data) must not write to these: to some only the
-- owner may, to the others also the roles of tasks to which the owner has granted it.
CREATE OR REPLACE FUNCTION sluice_ddl.refuse_others() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  guarded pg_class;
BEGIN
  SELECT * INTO guarded FROM pg_class WHERE oid = TG_RELID;
  IF pg_has_role(guarded.relowner, 'USAGE') OR TG_ARGV[0] = 'granted' AND EXISTS (
      SELECT FROM aclexplode(guarded.relacl) a
      WHERE a.privilege_type = TG_OP AND pg_has_role(a.grantee, 'USAGE')) THEN
    RETURN NULL;
  END IF;
  RAISE insufficient_privilege USING MESSAGE =
    format('only Sluice writes to %s', TG_RELID::regclass);
END
$function$;

-- Tables that got REPLICA IDENTITY FULL from the triggers, because they have no key or complete old
-- rows are needed, with their former identity: default, nothing, or index and its name.
CREATE TABLE IF NOT EXISTS sluice_ddl.full_identity (
  relation oid PRIMARY KEY,
  was text NOT NULL,
  whole boolean NOT NULL);

DO $do$
DECLARE
  guarded pg_class;
BEGIN
  FOR guarded IN SELECT * FROM pg_class
      WHERE relnamespace = 'sluice_ddl'::regnamespace AND relkind = 'r' LOOP
    -- The condition avoids the call of the function for the owner.
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = guarded.oid AND tgname = 'refuse_others'
                   AND tgenabled = 'A' AND tgqual IS NOT NULL) THEN
      EXECUTE format('DROP TRIGGER IF EXISTS refuse_others ON %s', guarded.oid::regclass);
      EXECUTE format('CREATE TRIGGER refuse_others BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE'
        ' ON %s FOR EACH STATEMENT WHEN (NOT pg_catalog.pg_has_role(%s::pg_catalog.oid, ''USAGE''))'
        ' EXECUTE FUNCTION sluice_ddl.refuse_others(%L)', guarded.oid::regclass, guarded.relowner,
        CASE WHEN guarded.relname IN ('task', 'followed', 'published', 'full_identity')
          THEN 'granted' ELSE 'owner' END);
      EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER refuse_others', guarded.oid::regclass);
    END IF;
  END LOOP;
  IF NOT EXISTS (SELECT FROM pg_publication WHERE pubname = 'sluice_ddl') THEN
    CREATE PUBLICATION sluice_ddl FOR TABLE ONLY sluice_ddl.report WITH (publish = 'insert');
    DELETE FROM sluice_ddl.published;
  ELSIF NOT EXISTS (SELECT FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid
                    WHERE p.pubname = 'sluice_ddl' AND r.prrelid = 'sluice_ddl.report'::regclass)
  THEN
    ALTER PUBLICATION sluice_ddl SET TABLE ONLY sluice_ddl.report;
    DELETE FROM sluice_ddl.published;
  END IF;
END
$do$;

-- Records a table's replica identity before it gets REPLICA IDENTITY FULL.
CREATE OR REPLACE FUNCTION sluice_ddl.note_identity(wanted oid, needs_whole boolean) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $function$
INSERT INTO sluice_ddl.full_identity AS f (relation, was, whole)
SELECT c.oid, CASE c.relreplident WHEN 'n' THEN 'nothing'
    WHEN 'i' THEN coalesce('index ' || (SELECT x.relname FROM pg_index i
      JOIN pg_class x ON x.oid = i.indexrelid
      WHERE i.indrelid = c.oid AND i.indisreplident), 'default')
    ELSE 'default' END, needs_whole
FROM pg_class c WHERE c.oid = wanted AND c.relreplident <> 'f'
ON CONFLICT (relation) DO UPDATE SET was = excluded.was, whole = excluded.whole
$function$;

DO $do$
BEGIN
  IF NOT sluice_ddl.is_home() THEN
    -- The content of another database is not valid here.
    DELETE FROM sluice_ddl.task;
    DELETE FROM sluice_ddl.followed;
    DELETE FROM sluice_ddl.known;
    DELETE FROM sluice_ddl.full_identity;
    DELETE FROM sluice_ddl.published;
    DELETE FROM sluice_ddl.rewritten;
    DELETE FROM sluice_ddl.home;
    INSERT INTO sluice_ddl.home
    SELECT oid, 'sluice_ddl.known'::regclass FROM pg_database WHERE datname = current_database();
  END IF;
END
$do$;

-- Functions that run in a statement are in PL/pgSQL, which keeps query plans for the session. An
-- SQL function is planned again in each statement, which takes several times as long as the query.
-- The two entry points, command_ended and objects_dropped, set the search path and generic plans
-- for all functions that they call; a setting on each function would cost a little in each call.
-- Plans may only look up by indexes: by its statistics, or without any, the planner would take a
-- small catalog for one that is best read as a whole, and keep that plan for the session.

-- The key columns of a table's rows in the log, by the same rule as in SourceCatalog: those of the
-- replica identity's index, or with DEFAULT and FULL of the primary key; NULL: none. A deferrable
-- key is not used, nor one with a generated column, whose values are not in the log.
CREATE OR REPLACE FUNCTION sluice_ddl.key_columns(wanted oid, identity "char") RETURNS int2[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT (i.indkey::int2[])[0:i.indnkeyatts - 1] FROM pg_index i
    WHERE i.indrelid = wanted AND i.indisvalid AND i.indimmediate
      AND CASE identity WHEN 'i' THEN i.indisreplident WHEN 'n' THEN false ELSE i.indisprimary END
      AND NOT EXISTS (SELECT FROM pg_attribute g WHERE g.attrelid = wanted AND g.attgenerated <> ''
                      AND g.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])));
END
$function$;

-- Whether REPLICA IDENTITY FULL works for a table. From version 18 on PostgreSQL refuses the UPDATE
-- and DELETE of a published table with a generated column.
CREATE OR REPLACE FUNCTION sluice_ddl.may_be_full(wanted oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT current_setting('server_version_num')::int < 180000
      OR NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = wanted AND attgenerated <> ''));
END
$function$;

-- The sequence from which a column gets its values; NULL: none.
CREATE OR REPLACE FUNCTION sluice_ddl.sequence_of(
  wanted oid, number int2, is_identity boolean, expression text) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
  found oid;
BEGIN
  IF is_identity THEN
    SELECT s.oid INTO found FROM pg_depend e JOIN pg_class s ON s.oid = e.objid
    WHERE e.refclassid = 'pg_class'::regclass AND e.refobjid = wanted AND e.refobjsubid = number
      AND e.classid = 'pg_class'::regclass AND e.deptype = 'i' AND s.relkind = 'S' LIMIT 1;
  ELSE
    SELECT s.oid INTO found
    FROM pg_attrdef d JOIN pg_depend e ON e.classid = 'pg_attrdef'::regclass AND e.objid = d.oid
    JOIN pg_class s ON s.oid = e.refobjid
    WHERE d.adrelid = wanted AND d.adnum = number
      AND e.refclassid = 'pg_class'::regclass AND e.deptype <> 'i' AND s.relkind = 'S' LIMIT 1;
  END IF;
  IF found IS NULL THEN
    RETURN NULL;
  END IF;
  RETURN (
    SELECT jsonb_build_object('schema', n.nspname, 'name', s.relname,
      'options', format('AS %s START WITH %s INCREMENT BY %s MINVALUE %s MAXVALUE %s CACHE %s%s',
        format_type(q.seqtypid, NULL), q.seqstart, q.seqincrement, q.seqmin, q.seqmax,
        q.seqcache, CASE WHEN q.seqcycle THEN ' CYCLE' ELSE ' NO CYCLE' END),
      'plain', expression = 'nextval(' || quote_literal(s.oid::regclass) || '::regclass)',
      'owned', EXISTS (SELECT FROM pg_depend o WHERE o.classid = 'pg_class'::regclass
        AND o.objid = s.oid AND o.refclassid = 'pg_class'::regclass AND o.refobjid = wanted
        AND o.refobjsubid = number AND o.deptype IN ('a', 'i')))
    FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
    JOIN pg_sequence q ON q.seqrelid = s.oid
    WHERE s.oid = found);
END
$function$;

-- The values of a root's columns in rows that are older than the column, by the column's name.
CREATE OR REPLACE FUNCTION sluice_ddl.existing_below(root oid) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN (
    -- Without pg_partition_tree, which would lock each leaf.
    WITH RECURSIVE below AS (
      SELECT root AS relation
      UNION ALL
      SELECT i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = b.relation)
    SELECT jsonb_object_agg(m.attname, (m.attmissingval::text::text[])[1])
    FROM pg_attribute m
    WHERE m.attrelid = ANY (ARRAY(SELECT relation FROM below)) AND m.attnum > 0 AND m.atthasmissing);
END
$function$;

-- A partition's condition with table names instead of oids. The condition of a hash partition has
-- its parent's oid, and it includes those of all ancestors.
CREATE OR REPLACE FUNCTION sluice_ddl.condition_by_name(wanted oid, by_number text) RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN (
    WITH RECURSIVE named AS (
      SELECT wanted AS ancestor, by_number AS condition
      UNION ALL
      SELECT a.oid, replace(named.condition, '''' || a.oid || '''::oid',
        quote_literal(format('%I.%I', an.nspname, a.relname)) || '::regclass')
        COLLATE "default"
      FROM named
      -- A plain join would read the inheritance of the whole catalog.
      CROSS JOIN LATERAL (SELECT i.inhparent FROM pg_inherits i
                          WHERE i.inhrelid = named.ancestor LIMIT 1) up
      JOIN pg_class a ON a.oid = up.inhparent JOIN pg_namespace an ON an.oid = a.relnamespace)
    SELECT condition FROM named WHERE ancestor = pg_partition_root(wanted));
END
$function$;

-- The condition of a partition in its last description. An error if it has another parent or bound
-- now, or is a default partition, whose condition depends on the other partitions.
CREATE OR REPLACE FUNCTION sluice_ddl.known_condition(wanted oid) RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
  was jsonb := (SELECT k.definition -> 'partition' FROM sluice_ddl.known k
                WHERE k.relation = wanted ORDER BY k.entry DESC LIMIT 1);
BEGIN
  IF was ->> 'condition' IS NULL OR was ->> 'bound' = 'DEFAULT' OR NOT EXISTS (
      SELECT FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid
      WHERE c.oid = wanted AND i.inhparent = (was ->> 'relation')::oid
        AND pg_get_expr(c.relpartbound, c.oid) = was ->> 'bound') THEN
    RAISE lock_not_available USING MESSAGE =
      'another session holds the lock of a table that this one is a partition of';
  END IF;
  RETURN was ->> 'condition';
END
$function$;

-- The collation of a column, unless it is that of its type.
CREATE OR REPLACE FUNCTION sluice_ddl.own_collation(typed oid, used oid) RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN (
    SELECT format('%I.%I', n.nspname, l.collname)
    FROM pg_type t JOIN pg_collation l ON l.oid = used
    JOIN pg_namespace n ON n.oid = l.collnamespace
    WHERE t.oid = typed AND t.typcollation <> used);
END
$function$;

-- The default value of a domain.
CREATE OR REPLACE FUNCTION sluice_ddl.default_of(domain oid) RETURNS text
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN (SELECT pg_get_expr(t.typdefaultbin, 0) FROM pg_type t WHERE t.oid = domain AND t.typtype = 'd');
END
$function$;

-- The tables from which a table inherits, in their order.
CREATE OR REPLACE FUNCTION sluice_ddl.parents_of(wanted oid) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN (
    SELECT jsonb_agg(jsonb_build_object('relation', p.oid::int8, 'schema', n.nspname, 'name', p.relname)
      ORDER BY h.inhseqno)
    FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent
    JOIN pg_namespace n ON n.oid = p.relnamespace
    WHERE h.inhrelid = wanted);
END
$function$;

-- The parents of partitions and the roots of these, by the parent's oid.
CREATE OR REPLACE FUNCTION sluice_ddl.above(partitions oid[]) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN (
    SELECT jsonb_object_agg(up.relation, jsonb_build_object(
      'parent', (SELECT jsonb_build_object('relation', p.oid::int8, 'schema', n.nspname, 'name', p.relname)
                 FROM pg_class p JOIN pg_namespace n ON n.oid = p.relnamespace
                 WHERE p.oid = up.relation),
      'root', (SELECT jsonb_build_object('relation', r.oid::int8, 'schema', n.nspname, 'name', r.relname)
               FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace
               WHERE r.oid = up.root)))
    FROM (SELECT i.inhparent AS relation, pg_partition_root(i.inhparent)::oid AS root
          FROM pg_inherits i WHERE i.inhrelid = ANY (partitions) GROUP BY i.inhparent) up);
END
$function$;

-- The definitions of tables, in the order of their oids; NULL: not a table that can be replicated.
-- One query for all tables, since its start-up costs more than one table does. It is kept small,
-- because each session plans it once and each statement starts it up: rare properties are left to
-- functions, which are called only for the tables and columns that have them.
--   condition_as_known: PostgreSQL locks a partition's parents to read its condition. True uses the
--     last described condition, which is valid as long as parent and bound are the same.
CREATE OR REPLACE FUNCTION sluice_ddl.definitions(wanted oid[], condition_as_known boolean)
RETURNS jsonb[]
LANGUAGE plpgsql STABLE
SET DateStyle = 'ISO, YMD' SET IntervalStyle = 'postgres' SET TimeZone = 'UTC'
SET extra_float_digits = 3 SET bytea_output = 'hex' SET quote_all_identifiers = off
SET standard_conforming_strings = on SET lc_monetary = 'C' SET array_nulls = on
AS $function$
DECLARE
  found jsonb[];
BEGIN
  SELECT array_agg(d.definition ORDER BY w.place) INTO found
  FROM unnest(wanted) WITH ORDINALITY w(relation, place) LEFT JOIN LATERAL (
    SELECT jsonb_build_object(
      'relation', c.oid::int8, 'schema', n.nspname, 'name', c.relname,
      'logged', c.relpersistence = 'p',
      'partitionedBy', CASE WHEN c.relkind = 'p' THEN pg_get_partkeydef(c.oid) END,
      'root', CASE WHEN c.relispartition THEN up.above -> 'root'
        ELSE jsonb_build_object('relation', c.oid::int8, 'schema', n.nspname, 'name', c.relname) END,
      'partition', CASE WHEN c.relispartition THEN up.above -> 'parent' || jsonb_build_object(
          -- Without the table's oid, which PostgreSQL would open: there is no column in it.
          'bound', pg_get_expr(c.relpartbound, 0),
          'condition', CASE WHEN strpos(up.condition, 'satisfies_hash_partition(') = 0
            THEN up.condition ELSE sluice_ddl.condition_by_name(c.oid, up.condition) END) END,
      'parents', CASE WHEN NOT c.relispartition
          AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid OFFSET 0)
        THEN sluice_ddl.parents_of(c.oid) END,
      'identity', c.relreplident,
      'wholeRows', c.relreplident = 'f',
      'journalKey', (
        -- By the rule of key_columns.
        SELECT to_jsonb((i.indkey::int2[])[0:i.indnkeyatts - 1]) FROM pg_index i
        WHERE i.indrelid = c.oid AND i.indisvalid AND i.indimmediate
          AND CASE c.relreplident WHEN 'i' THEN i.indisreplident WHEN 'n' THEN false
                ELSE i.indisprimary END
          AND (parts.generated IS NULL
            OR NOT (i.indkey::int2[])[0:i.indnkeyatts - 1] && parts.generated)),
      'key', (SELECT jsonb_strip_nulls(jsonb_build_object('name', k.conname,
                'columns', to_jsonb(k.conkey),
                'checked', CASE WHEN k.condeferred THEN 'DEFERRED'
                             WHEN k.condeferrable THEN 'DEFERRABLE' END))
              FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p'),
      'columns', coalesce(parts.columns, '[]')) AS definition
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL (
      SELECT CASE WHEN c.relispartition THEN
          (SELECT sluice_ddl.above(wanted))
          -> (SELECT i.inhparent::text FROM pg_inherits i WHERE i.inhrelid = c.oid) END AS above,
        CASE WHEN NOT c.relispartition THEN NULL
          WHEN condition_as_known THEN sluice_ddl.known_condition(c.oid)
          ELSE pg_get_partition_constraintdef(c.oid) END AS condition,
        CASE WHEN c.relkind = 'p' THEN sluice_ddl.existing_below(c.oid) END AS existing
      OFFSET 0) up
    CROSS JOIN LATERAL (
      SELECT array_agg(a.attnum) FILTER (WHERE a.attgenerated <> '') AS generated,
        jsonb_agg(jsonb_build_object(
          'number', a.attnum, 'name', a.attname,
          'type', format_type(a.atttypid, a.atttypmod), 'typeNumber', a.atttypid::int8,
          'modifier', a.atttypmod, 'notNull', a.attnotnull)
          || CASE WHEN a.atthasdef OR a.atthasmissing OR a.attidentity <> '' OR c.relkind = 'p'
              -- Built-in types have fixed oids below 10000. These have the default collation.
              OR a.atttypid >= 10000 OR a.attcollation <> 0
                AND (a.attcollation <> 100 OR a.atttypid <> ALL ('{25,1042,1043}'::oid[]))
            THEN jsonb_strip_nulls(jsonb_build_object(
              'collation', CASE WHEN a.attcollation <> 0 THEN
                sluice_ddl.own_collation(a.atttypid, a.attcollation) END,
              'generated', nullif(a.attgenerated::text, ''),
              'identity', nullif(a.attidentity::text, ''),
              'default', CASE WHEN a.atthasdef THEN stored.expression
                WHEN a.atttypid >= 10000 THEN sluice_ddl.default_of(a.atttypid) END,
              -- The value in rows that are older than the column; for a root it is stored with its
              -- leaves.
              'existing', CASE WHEN c.relkind = 'p' THEN up.existing ->> a.attname
                WHEN a.atthasmissing THEN (a.attmissingval::text::text[])[1] END,
              -- A sequence is in an expression as a constant of regclass.
              'sequence', CASE WHEN a.attidentity <> ''
                  OR a.attgenerated = '' AND strpos(stored.expression, '::regclass') > 0 THEN
                sluice_ddl.sequence_of(c.oid, a.attnum, a.attidentity <> '', stored.expression) END))
            ELSE '{}' END
          ORDER BY a.attnum) AS columns
      FROM pg_attribute a CROSS JOIN LATERAL (
        SELECT CASE WHEN a.atthasdef THEN
          -- Only those of generated columns have columns.
          (SELECT pg_get_expr(d.adbin, CASE WHEN a.attgenerated = '' THEN 0 ELSE a.attrelid END)
           FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum) END AS expression OFFSET 0) stored
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) parts
    WHERE c.oid = w.relation AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
      AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'sluice_ddl')) d ON true;
  IF cardinality(found) <> cardinality(wanted) THEN
    RAISE serialization_failure USING MESSAGE =
      'tables were altered since the beginning of this transaction, which still sees them as they were';
  END IF;
  RETURN found;
END
$function$;

-- Whether the log identifies the row of an UPDATE or DELETE.
CREATE OR REPLACE FUNCTION sluice_ddl.has_identity(wanted oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT CASE c.relreplident WHEN 'f' THEN sluice_ddl.may_be_full(wanted)
      ELSE sluice_ddl.key_columns(wanted, c.relreplident) IS NOT NULL END
    FROM pg_class c WHERE c.oid = wanted);
END
$function$;

-- The decision of a task's selection rules on a table: whether it is selected, whether its rows are
-- filtered, and whether updates need the old row.
CREATE OR REPLACE FUNCTION sluice_ddl.rules(
  selection jsonb, table_schema text, table_name text,
  OUT selects boolean, OUT filters boolean, OUT wants_old_rows boolean)
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  SELECT coalesce(bool_or(NOT excluding), false) AND NOT coalesce(bool_or(excluding), false),
    coalesce(bool_or(filtering), false), coalesce(bool_or(whole), false)
  INTO selects, filters, wants_old_rows
  FROM (SELECT (rule ->> 'exclude')::boolean AS excluding, (rule ->> 'filters')::boolean AS filtering,
          (rule ->> 'wholeRows')::boolean AS whole
        FROM jsonb_array_elements(selection) rule
        WHERE table_schema ~ (rule ->> 'schema') AND table_name ~ (rule ->> 'table')) matching;
END
$function$;

-- Whether a task's rules filter the rows of a table, or of its root, of that name.
CREATE OR REPLACE FUNCTION sluice_ddl.filtered(task sluice_ddl.task, definition jsonb)
RETURNS boolean LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN (SELECT r.filters FROM sluice_ddl.rules(
    task.selection, definition #>> '{root,schema}', definition #>> '{root,name}') r);
END
$function$;

-- Sets REPLICA IDENTITY FULL on a filtered table: without complete old rows PostgreSQL would refuse
-- the application's own UPDATE.
CREATE OR REPLACE FUNCTION sluice_ddl.keep_whole_rows(wanted oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE oid = wanted AND relreplident <> 'f')
      AND sluice_ddl.may_be_full(wanted) THEN
    PERFORM sluice_ddl.note_identity(wanted, true);
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', wanted::regclass);
  END IF;
END
$function$;

-- The same for a table whose old rows a task needs; returns whether the log has them now.
CREATE OR REPLACE FUNCTION sluice_ddl.give_whole_rows(wanted oid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  PERFORM sluice_ddl.keep_whole_rows(wanted);
  RETURN sluice_ddl.may_be_full(wanted);
END
$function$;

-- Sets REPLICA IDENTITY FULL on a table without an identity; restores its own when it has a key
-- again. Returns whether it has one now.
CREATE OR REPLACE FUNCTION sluice_ddl.mend_identity(wanted oid, gives boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  IF NOT sluice_ddl.has_identity(wanted) THEN
    IF NOT gives OR NOT sluice_ddl.may_be_full(wanted) THEN
      RETURN false;
    END IF;
    PERFORM sluice_ddl.note_identity(wanted, false);
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', wanted::regclass);
  ELSIF EXISTS (SELECT FROM sluice_ddl.full_identity f WHERE f.relation = wanted AND NOT f.whole)
      AND EXISTS (SELECT FROM pg_class c WHERE c.oid = wanted AND c.relreplident = 'f')
      AND sluice_ddl.key_columns(wanted, 'd') IS NOT NULL THEN
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY DEFAULT', wanted::regclass);
    DELETE FROM sluice_ddl.full_identity WHERE relation = wanted;
  END IF;
  RETURN true;
END
$function$;

-- Adds a table to a publication unless the publication already includes it.
CREATE OR REPLACE FUNCTION sluice_ddl.publish(wanted oid, publication text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  found oid;
  has_all boolean;
BEGIN
  SELECT p.oid, p.puballtables INTO found, has_all
  FROM pg_publication p WHERE p.pubname = publication;
  IF has_all OR EXISTS (
      SELECT FROM pg_publication_rel r WHERE r.prpubid = found AND r.prrelid = ANY (
        wanted || ARRAY(SELECT relid::oid FROM pg_partition_ancestors(wanted))) OFFSET 0) THEN
    RETURN;
  END IF;
  EXECUTE format('ALTER PUBLICATION %I ADD TABLE ONLY %s', publication, wanted::regclass);
END
$function$;

-- Removes a table from a publication that lists it.
CREATE OR REPLACE FUNCTION sluice_ddl.withdraw(wanted oid, publication text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  IF EXISTS (SELECT FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid
             WHERE p.pubname = publication AND r.prrelid = wanted) THEN
    EXECUTE format('ALTER PUBLICATION %I DROP TABLE ONLY %s', publication, wanted::regclass);
  END IF;
END
$function$;

-- Whether a task replicates the table of that oid now.
CREATE OR REPLACE FUNCTION sluice_ddl.is_followed(task_name text, root oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT EXISTS (SELECT FROM sluice_ddl.followed f
                   WHERE f.task = task_name AND f.relation = root AND f.until IS NULL));
END
$function$;

-- The decision of a task on a table after a statement: 'follows', 'begins', 'ends', NULL (not the
-- task's table), or why it cannot replicate the table.
CREATE OR REPLACE FUNCTION sluice_ddl.follow(
  task sluice_ddl.task, before jsonb, after jsonb) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  ancestor oid;
  was_followed boolean := sluice_ddl.is_followed(
    task.name, (coalesce(before, after) #>> '{root,relation}')::oid);
  root oid := (after #>> '{root,relation}')::oid;
  relation oid := (after ->> 'relation')::oid;
  is_followed boolean;
  rows_before boolean := false;
  is_selected boolean;
  is_filtered boolean;
  wants_old_rows boolean;
BEGIN
  IF after IS NULL THEN
    RETURN CASE WHEN was_followed THEN 'follows' END;
  END IF;
  SELECT r.selects, r.filters, r.wants_old_rows INTO is_selected, is_filtered, wants_old_rows
  FROM sluice_ddl.rules(
    task.selection, after #>> '{root,schema}', after #>> '{root,name}') r;
  is_followed := sluice_ddl.is_followed(task.name, root);
  IF NOT is_selected THEN
    IF root = relation THEN
      UPDATE sluice_ddl.followed f SET until = pg_current_wal_insert_lsn()
      WHERE f.task = follow.task.name AND f.relation = root AND f.until IS NULL;
    END IF;
    IF is_followed OR was_followed THEN
      PERFORM sluice_ddl.withdraw(relation, task.publication);
      RETURN 'ends';
    END IF;
    RETURN NULL;
  END IF;
  IF NOT (after ->> 'logged')::boolean THEN
    RETURN CASE WHEN is_followed THEN 'it is UNLOGGED: its changes are not in the log'
      ELSE 'refused: it is UNLOGGED' END;
  END IF;
  IF after -> 'partition' <> 'null' THEN
    IF NOT is_followed THEN
      RETURN CASE WHEN was_followed THEN 'ends' END;
    END IF;
    IF after ->> 'partitionedBy' IS NULL AND NOT sluice_ddl.mend_identity(relation, true) THEN
      -- PostgreSQL would refuse the application's own UPDATE and DELETE, and the leaf is published
      -- by its root.
      FOR ancestor IN SELECT relid FROM pg_partition_ancestors(relation) LOOP
        PERFORM sluice_ddl.withdraw(ancestor, task.publication);
      END LOOP;
      RETURN 'its partition has no replica identity any more, and the generated columns keep REPLICA IDENTITY FULL from being one';
    END IF;
    IF before IS NOT NULL AND sluice_ddl.filtered(task, before) THEN
      RETURN 'it got a partition of which a rule carried some rows only';
    END IF;
    IF before IS NOT NULL AND NOT was_followed THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', relation::regclass) INTO rows_before;
      IF rows_before THEN
        RETURN 'it got a partition whose rows were not followed';
      END IF;
    END IF;
    IF after ->> 'partitionedBy' IS NULL THEN
      IF wants_old_rows AND NOT sluice_ddl.give_whole_rows(relation) THEN
        RETURN 'its partition has generated columns, which keep it from REPLICA IDENTITY FULL, and a rule asks for what rows were before their updates';
      END IF;
      PERFORM sluice_ddl.publish(relation, task.publication);
    END IF;
    RETURN 'follows';
  END IF;
  IF is_followed AND was_followed AND (is_filtered OR before IS NOT NULL
      AND sluice_ddl.filtered(task, before)) THEN
    -- The daemon owns the publication's entry with the filter; the triggers never change a filter.
    IF is_filtered IS DISTINCT FROM sluice_ddl.filtered(task, before) THEN
      RETURN 'by its new name another filter is for its rows';
    END IF;
    PERFORM sluice_ddl.keep_whole_rows(relation);
    IF NOT EXISTS (SELECT FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid
                   WHERE p.pubname = task.publication AND r.prrelid = relation) THEN
      RETURN 'it is not in the publication any more, which has its filter';
    END IF;
    RETURN 'follows';
  END IF;
  IF is_followed AND was_followed THEN
    IF after ->> 'partitionedBy' IS NULL THEN
      IF NOT sluice_ddl.mend_identity(relation, true) THEN
        -- PostgreSQL would refuse the application's own UPDATE and DELETE.
        PERFORM sluice_ddl.withdraw(relation, task.publication);
        RETURN 'it has no replica identity any more, and its generated columns keep REPLICA IDENTITY FULL from being one';
      END IF;
      IF wants_old_rows AND NOT sluice_ddl.give_whole_rows(relation) THEN
        RETURN 'a rule asks for what its rows were before their updates, and its generated columns keep it from REPLICA IDENTITY FULL';
      END IF;
      PERFORM sluice_ddl.publish(relation, task.publication);
    END IF;
    RETURN 'follows';
  END IF;
  -- A table that is new, or was not replicated so far: replicated from its first row on, or not at
  -- all.
  IF NOT task.takes_new THEN
    RETURN CASE WHEN was_followed THEN 'ends' END;
  END IF;
  IF is_filtered THEN
    RETURN CASE WHEN before IS NULL THEN
      'refused: a rule filters its rows, and filters are given to the publication by sluice reload' END;
  END IF;
  IF after ->> 'partitionedBy' IS NULL THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s)', relation::regclass) INTO rows_before;
  ELSE
    EXECUTE format('SELECT EXISTS (SELECT FROM %s)', relation::regclass) INTO rows_before;
  END IF;
  IF rows_before AND NOT was_followed THEN
    RETURN CASE WHEN before IS NULL THEN
      'refused: it had rows before it could be followed' END;
  END IF;
  IF after ->> 'partitionedBy' IS NULL THEN
    IF NOT sluice_ddl.mend_identity(relation, task.gives_identity OR was_followed) THEN
      RETURN CASE WHEN before IS NULL THEN 'refused: it has no replica identity' END;
    END IF;
    IF wants_old_rows AND NOT (CASE WHEN task.gives_identity OR was_followed
        THEN sluice_ddl.give_whole_rows(relation) ELSE (after ->> 'wholeRows')::boolean END) THEN
      RETURN CASE WHEN before IS NULL THEN
        'refused: a rule asks for what its rows were before their updates, and its log does not have whole old rows' END;
    END IF;
    PERFORM sluice_ddl.publish(relation, task.publication);
  ELSIF after -> 'key' <> 'null' THEN
    PERFORM sluice_ddl.publish(relation, task.publication);
  END IF;
  INSERT INTO sluice_ddl.followed VALUES (task.name, relation, pg_current_wal_insert_lsn());
  RETURN 'begins';
END
$function$;

-- Records the definitions of tables without a report, for new and missed tables: a given number of
-- tables from a given oid on. Returns the last one's oid; NULL: there was none.
CREATE OR REPLACE FUNCTION sluice_ddl.take_up(beyond oid, most int) RETURNS oid
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_nestloop = on
SET enable_indexscan = on SET enable_bitmapscan = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  tables oid[] := ARRAY(
    -- Dropped tables have entries here, but none in the catalog.
    SELECT t.relation FROM (
      (SELECT oid AS relation FROM pg_class WHERE relkind IN ('r', 'p') AND oid > beyond
       ORDER BY oid LIMIT most)
      UNION
      (SELECT DISTINCT k.relation FROM sluice_ddl.known k WHERE k.relation > beyond
       ORDER BY k.relation LIMIT most)) t
    ORDER BY t.relation LIMIT most);
BEGIN
  INSERT INTO sluice_ddl.known (relation, entry, definition)
  SELECT now.relation, coalesce(newest.entry, 0) + 1, now.definition
  FROM unnest(tables, sluice_ddl.definitions(tables, false)) now(relation, definition)
  LEFT JOIN LATERAL (
    SELECT k.entry, k.definition FROM sluice_ddl.known k
    WHERE k.relation = now.relation ORDER BY k.entry DESC LIMIT 1) newest ON true
  WHERE now.definition IS DISTINCT FROM newest.definition
  -- A transaction that has altered it meanwhile has a newer entry.
  ON CONFLICT DO NOTHING;
  RETURN tables[cardinality(tables)];
END
$function$;

-- Deletes entries that no slot of this database needs any more: definitions that were replaced
-- before all log that the slots still have to send. Deletes a given number at most; returns how
-- many were deleted.
CREATE OR REPLACE FUNCTION sluice_ddl.forget(most int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  -- Without a slot no entry is needed.
  oldest pg_lsn := (SELECT coalesce(min(restart_lsn), pg_current_wal_insert_lsn())
                    FROM pg_replication_slots WHERE database = current_database());
  gone bigint;
BEGIN
  DELETE FROM sluice_ddl.known k USING (
    SELECT relation, entry FROM (
      SELECT relation, entry, place, definition,
             lead(place) OVER (PARTITION BY relation ORDER BY entry) AS next
      FROM sluice_ddl.known) entries
    WHERE next <= oldest OR next IS NULL AND definition IS NULL AND place <= oldest
    -- A table's end is deleted after all its other entries.
    ORDER BY entry LIMIT most) old
  WHERE k.relation = old.relation AND k.entry = old.entry;
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM sluice_ddl.followed f
  WHERE f.until <= oldest OR NOT EXISTS (SELECT FROM sluice_ddl.known k WHERE k.relation = f.relation);
  DELETE FROM sluice_ddl.full_identity f
  WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = f.relation);
  -- Entries of transactions that have ended without a report.
  DELETE FROM sluice_ddl.rewritten WHERE transaction <> pg_current_xact_id();
  RETURN gone;
END
$function$;

-- Sets the lock timeout of a trigger for the calling function. It is short enough that the
-- application's statement is neither cancelled nor chosen as the victim of a deadlock.
CREATE OR REPLACE FUNCTION sluice_ddl.be_brief() RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  patience text;
BEGIN
  IF current_setting('statement_timeout') = '0' AND current_setting('deadlock_timeout') = '1s' THEN
    -- The calling function's own setting is right.
    RETURN;
  END IF;
  patience := set_config('lock_timeout', greatest(1, floor(1000 * extract(epoch FROM least(
    interval '3 s',
    nullif(current_setting('statement_timeout')::interval, interval '0') / 2,
    current_setting('deadlock_timeout')::interval / 2))))::int::text, true);
END
$function$;

-- The definitions of tables, ancestors first. It keeps no locks on a partition's parents and a
-- root's leaves: PostgreSQL takes these to read partition conditions, the application's statement
-- did not, and they would last until its transaction ends. Tables that the statement does not name
-- and that another session alters are skipped: that session reports them.
CREATE OR REPLACE FUNCTION sluice_ddl.described(
  affected oid[], named oid[], OUT relations oid[], OUT definitions jsonb[])
LANGUAGE plpgsql
AS $function$
DECLARE
  -- The server's lock table has room for some thousands of locks.
  at_once CONSTANT int := 500;
  parted boolean;
  wanted oid[];
  part oid[];
  one oid;
  found jsonb[];
BEGIN
  SELECT bool_or(c.relispartition OR c.relkind = 'p') INTO parted
  FROM pg_class c WHERE c.oid = ANY (affected);
  IF parted IS NOT TRUE THEN
    relations := affected;
    IF cardinality(affected) > 1 THEN
      relations := ARRAY(SELECT DISTINCT w.relation FROM unnest(affected) w(relation)
                         ORDER BY w.relation);
    END IF;
    definitions := sluice_ddl.definitions(relations, false);
    RETURN;
  END IF;
  IF cardinality(named) = 1 THEN
    -- In the order in which they were found below it.
    SELECT array_agg(w.relation ORDER BY w.place) INTO wanted
    FROM (SELECT f.relation, min(f.place) AS place
          FROM unnest(affected) WITH ORDINALITY f(relation, place) GROUP BY f.relation) w;
  ELSE
    SELECT array_agg(a.relation ORDER BY a.depth, a.relation) INTO wanted
    FROM (
      SELECT DISTINCT ON (w.relation) w.relation,
        CASE WHEN c.relispartition THEN (SELECT count(*) FROM pg_partition_ancestors(c.oid))
          WHEN c.relkind = 'p' THEN 1 ELSE 0 END AS depth
      FROM unnest(affected) w(relation) LEFT JOIN pg_class c ON c.oid = w.relation) a;
  END IF;
  relations := '{}';
  definitions := '{}';
  FOR start IN 1 .. cardinality(wanted) BY at_once LOOP
    part := wanted[start : start + at_once - 1];
    BEGIN
      IF NOT part <@ named THEN
        PERFORM set_config('lock_timeout', '1ms', true);
      END IF;
      found := sluice_ddl.definitions(part, false);
      RAISE EXCEPTION USING ERRCODE = 'SL001';
    EXCEPTION
      WHEN SQLSTATE 'SL001' THEN
        -- The rollback releases the locks taken since the block began; the variable keeps its
        -- value.
        relations := relations || part;
        definitions := definitions || found;
      WHEN lock_not_available THEN
        FOREACH one IN ARRAY part LOOP
          BEGIN
            IF one <> ALL (named) THEN
              PERFORM set_config('lock_timeout', '1ms', true);
            END IF;
            found := sluice_ddl.definitions(ARRAY[one], false);
            RAISE EXCEPTION USING ERRCODE = 'SL001';
          EXCEPTION
            WHEN SQLSTATE 'SL001' THEN
              relations := relations || one;
              definitions := definitions || found;
            WHEN lock_not_available THEN
              -- The session that alters its parent does not report what this statement did to the
              -- table.
              IF one = ANY (named) THEN
                relations := relations || one;
                definitions := definitions || sluice_ddl.definitions(ARRAY[one], true);
              END IF;
          END;
        END LOOP;
    END;
  END LOOP;
END
$function$;

-- The definition of one table, without keeping locks, too.
CREATE OR REPLACE FUNCTION sluice_ddl.described(wanted oid) RETURNS jsonb
LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN (SELECT d.definitions[1] FROM sluice_ddl.described(ARRAY[wanted], ARRAY[wanted]) d);
END
$function$;

-- The tasks visible to a transaction with a snapshot of its beginning (REPEATABLE READ or
-- SERIALIZABLE); NULL: it sees all tasks. It may alter tables of a task that it does not see; that
-- task detects this by the report.
CREATE OR REPLACE FUNCTION sluice_ddl.seen() RETURNS jsonb
LANGUAGE plpgsql
AS $function$
BEGIN
  IF current_setting('transaction_isolation') = 'read committed'
      OR current_setting('transaction_isolation') = 'read uncommitted' THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT coalesce(jsonb_agg(name), '[]') FROM sluice_ddl.task);
END
$function$;

-- Writes a report into the log.
CREATE OR REPLACE FUNCTION sluice_ddl.tell(content jsonb) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO sluice_ddl.report (content) VALUES (tell.content::text);
  DELETE FROM sluice_ddl.report WHERE entry = pg_current_xact_id()::text::bigint;
END
$function$;

-- Whether the client's text is a single ALTER TABLE of one of these tables, without USING. False in
-- doubt: a semicolon may only be at the end, and a name must have a known form.
CREATE OR REPLACE FUNCTION sluice_ddl.alters_only(query text, tables oid[]) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  name text := (regexp_match(query,
    '^[[:space:]]*alter[[:space:]]+table[[:space:]]+(?:if[[:space:]]+exists[[:space:]]+)?'
    '(?:only[[:space:]]+)?'
    '((?:[[:alpha:]_][[:alnum:]_$]*|"(?:[^"]|"")+")(?:[.](?:[[:alpha:]_][[:alnum:]_$]*|"(?:[^"]|"")+")){0,2})'
    '(?:[[:space:]]|[*])', 'i'))[1];
  parts text[];
BEGIN
  IF name IS NULL OR query ~* 'using' OR query ~ ';[[:space:]]*[^[:space:]]' THEN
    RETURN false;
  END IF;
  parts := parse_ident(name);
  RETURN EXISTS (
    SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = ANY (tables) AND c.relname = parts[cardinality(parts)]
      AND (cardinality(parts) = 1 OR n.nspname = parts[cardinality(parts) - 1]));
END
$function$;

-- Whether a type was changed by a cast that may differ on a target: a user-defined one, or one of
-- money.
CREATE OR REPLACE FUNCTION sluice_ddl.casts_by_own(before jsonb, after jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT EXISTS (
      SELECT FROM jsonb_array_elements(before -> 'columns') b
      JOIN jsonb_array_elements(after -> 'columns') a ON a -> 'number' = b -> 'number'
        AND a -> 'typeNumber' <> b -> 'typeNumber'
      JOIN pg_type bt ON bt.oid = (b ->> 'typeNumber')::oid
      JOIN pg_type at ON at.oid = (a ->> 'typeNumber')::oid
      WHERE 'money'::regtype IN (bt.oid, bt.typbasetype, bt.typelem, at.oid, at.typbasetype, at.typelem)
        OR EXISTS (SELECT FROM pg_cast c WHERE c.castfunc >= 16384
          AND c.castsource IN (bt.oid, bt.typbasetype, bt.typelem)
          AND c.casttarget IN (at.oid, at.typbasetype, at.typelem))));
END
$function$;

-- A definition without its columns, which may be very large.
CREATE OR REPLACE FUNCTION sluice_ddl.outline(definition jsonb) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
SELECT jsonb_build_object(
  'relation', definition -> 'relation', 'schema', definition -> 'schema',
  'name', definition -> 'name', 'root', definition -> 'root',
  'partition', definition -> 'partition',
  'columns', '[]'::jsonb)
WHERE definition IS NOT NULL
$function$;

-- The decisions of the tasks on one table after a statement, by task; tasks without it are omitted.
CREATE OR REPLACE FUNCTION sluice_ddl.decided(before jsonb, after jsonb) RETURNS jsonb
LANGUAGE plpgsql
AS $function$
DECLARE
  task sluice_ddl.task;
  decision text;
  decisions jsonb := '{}';
BEGIN
  FOR task IN SELECT * FROM sluice_ddl.task ORDER BY name LOOP
    BEGIN
      decision := sluice_ddl.follow(task, before, after);
    EXCEPTION WHEN OTHERS THEN
      IF SQLSTATE = '55P03' THEN
        -- The time for waiting is used up: from here on a locked table is not waited for.
        PERFORM set_config('lock_timeout', '1ms', true);
      END IF;
      decision := 'cannot be followed: ' || SQLERRM;
      RAISE WARNING 'sluice: task % cannot follow table %.%: %',
        task.name, after ->> 'schema', after ->> 'name', SQLERRM;
    END;
    IF decision IS NOT NULL THEN
      decisions := decisions || jsonb_build_object(task.name, decision);
    END IF;
  END LOOP;
  RETURN decisions;
END
$function$;

-- Compares tables with their last definitions and writes the differences into the log.
--   direct: the client sent the command itself; no function ran it
--   named: those of the tables that the statement itself names
CREATE OR REPLACE FUNCTION sluice_ddl.report(
  affected oid[], command text, direct boolean, named oid[]) RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  -- A report with a larger definition, or larger definitions in total, would be too large for the
  -- journal.
  largest_definition CONSTANT int := 1000000;
  largest_report CONSTANT int := 16000000;
  -- A bound for the size of a definition's text relative to its size here.
  widest CONSTANT int := 8;
  mine CONSTANT xid8 := pg_current_xact_id();
  seen CONSTANT jsonb := sluice_ddl.seen();
  relations oid[];
  befores jsonb[];
  afters jsonb[];
  entries int8[];
  settled jsonb[];
  telling int[];
  -- With the roots of the partitions among them, which have no rows of their own.
  rewritten oid[] := '{}';
  converted boolean;
  at int;
  one oid;
  before jsonb;
  after jsonb;
  decisions jsonb;
  is_noted boolean := false;
  size int;
  total int := 0;
  plain boolean;
  changes jsonb[] := '{}';
BEGIN
  -- Others may belong to an enclosing command, whose report follows.
  IF EXISTS (SELECT FROM sluice_ddl.rewritten r WHERE r.transaction = mine) THEN
    WITH gone AS (
      DELETE FROM sluice_ddl.rewritten r
      WHERE r.transaction = mine
        AND (r.relation = ANY (affected) OR pg_partition_root(r.relation) = ANY (affected))
      RETURNING r.relation, r.converted)
    SELECT coalesce(array_agg(DISTINCT w.relation), '{}'), bool_or(g.converted)
    INTO rewritten, converted
    FROM gone g CROSS JOIN LATERAL (
      VALUES (g.relation), (pg_partition_root(g.relation)::oid)) w(relation)
    WHERE w.relation IS NOT NULL;
  END IF;
  SELECT d.relations, d.definitions INTO relations, afters
  FROM sluice_ddl.described(affected, named) d;

  -- Their last definitions, and the tasks' decisions on tables that can be replicated as before, or
  -- were dropped. One query for all tables, since a root may have thousands of partitions. Without
  -- OFFSET the planner would read the whole table for an EXISTS.
  WITH looked AS MATERIALIZED (
    SELECT w.place, w.relation, w.after, k.definition AS before, coalesce(k.entry, 0) AS entry,
      coalesce(w.after, k.definition) -> 'root' AS root,
      w.after -> 'partition' <> 'null' AS is_partition,
      -- The same table under the same root, in all properties on which the tasks' decisions depend.
      coalesce(w.after -> 'root' = k.definition -> 'root'
        AND w.after -> 'schema' = k.definition -> 'schema'
        AND w.after -> 'name' = k.definition -> 'name'
        AND w.after -> 'logged' = k.definition -> 'logged'
        AND w.after #> '{partition,relation}' IS NOT DISTINCT FROM k.definition #> '{partition,relation}'
        AND w.after #> '{partition,bound}' IS NOT DISTINCT FROM k.definition #> '{partition,bound}',
        false) AS is_same
    FROM unnest(relations, afters) WITH ORDINALITY w(relation, after, place)
    LEFT JOIN LATERAL (
      SELECT k.definition, k.entry FROM sluice_ddl.known k
      WHERE k.relation = w.relation ORDER BY k.entry DESC LIMIT 1) k ON true),
  states AS MATERIALIZED (
    SELECT r.root, t.name, rules.selects, rules.filters, rules.wants_old_rows, p.oid AS publication,
      EXISTS (SELECT FROM sluice_ddl.followed f WHERE f.task = t.name
              AND f.relation = (r.root ->> 'relation')::oid AND f.until IS NULL OFFSET 0) AS is_followed,
      p.puballtables OR EXISTS (SELECT FROM pg_publication_rel pr WHERE pr.prpubid = p.oid
                                AND pr.prrelid = (r.root ->> 'relation')::oid OFFSET 0) AS is_published
    FROM (SELECT DISTINCT root FROM looked) r CROSS JOIN sluice_ddl.task t
    CROSS JOIN LATERAL sluice_ddl.rules(t.selection, r.root ->> 'schema', r.root ->> 'name') rules
    LEFT JOIN pg_publication p ON p.pubname = t.publication),
  -- Not merged into the query below, which would ask the tasks once for each mention.
  decided AS MATERIALIZED (
    SELECT l.*, (
      SELECT CASE WHEN bool_and(CASE
          WHEN l.after IS NULL THEN true
          WHEN NOT l.is_same OR NOT (l.after ->> 'logged')::boolean THEN false
          WHEN NOT s.is_followed THEN NOT s.selects OR l.is_partition
          WHEN NOT s.selects OR s.filters THEN false
          WHEN l.after ->> 'partitionedBy' IS NOT NULL THEN true
          ELSE
            CASE WHEN (l.after ->> 'wholeRows')::boolean
              THEN NOT l.after @? '$.columns[*].generated' AND NOT EXISTS (
                SELECT FROM sluice_ddl.full_identity f
                WHERE f.relation = l.relation AND NOT f.whole OFFSET 0)
              ELSE l.after -> 'journalKey' <> 'null' AND NOT s.wants_old_rows END
            AND (s.is_published OR EXISTS (SELECT FROM pg_publication_rel pr
              WHERE pr.prpubid = s.publication AND pr.prrelid = l.relation OFFSET 0))
          END) IS NOT FALSE
        THEN coalesce(jsonb_object_agg(s.name, 'follows') FILTER (WHERE s.is_followed), '{}') END
      FROM states s WHERE s.root = l.root) AS decisions
    FROM looked l)
  SELECT array_agg(d.before ORDER BY d.place), array_agg(d.entry ORDER BY d.place),
    array_agg(d.decisions ORDER BY d.place),
    array_agg(d.place ORDER BY d.place) FILTER (WHERE CASE
      WHEN d.before IS NOT DISTINCT FROM d.after AND d.relation <> ALL (rewritten)
        -- Reading a table's rows locks it: not done for an unnamed table that is unchanged.
        THEN d.decisions IS NULL AND d.relation = ANY (named)
      -- An unchanged partition is reported only by its root.
      ELSE d.decisions IS NULL
        OR (d.decisions <> '{}' OR seen IS NOT NULL) AND NOT (d.is_same AND d.is_partition) END)
  INTO befores, entries, settled, telling
  FROM decided d;

  INSERT INTO sluice_ddl.known (relation, entry, definition)
  SELECT w.relation, w.entry + 1, w.after
  FROM unnest(relations, entries, settled, befores, afters) w(relation, entry, decisions, before, after)
  WHERE w.decisions IS NOT NULL AND w.before IS DISTINCT FROM w.after;

  FOREACH at IN ARRAY coalesce(telling, '{}') LOOP
    one := relations[at];
    before := befores[at];
    after := afters[at];
    decisions := settled[at];
    IF decisions IS NULL THEN
      IF NOT is_noted THEN
        INSERT INTO sluice_ddl.reporting VALUES (mine);
        is_noted := true;
      END IF;
      decisions := sluice_ddl.decided(before, after);
      -- Its replica identity may have been changed above. A new or beginning table was also
      -- published, which other event triggers see.
      IF (SELECT relreplident::text FROM pg_class WHERE oid = one)
          IS DISTINCT FROM after ->> 'identity'
          OR EXISTS (SELECT FROM pg_event_trigger
                     WHERE evtname NOT LIKE 'sluice\_ddl\_%' AND evtenabled <> 'D') THEN
        after := sluice_ddl.described(one);
      END IF;
      CONTINUE WHEN before IS NOT DISTINCT FROM after AND NOT one = ANY (rewritten)
        AND NOT decisions::text ~ '"(begins|ends)"';
      IF before IS DISTINCT FROM after THEN
        INSERT INTO sluice_ddl.known (relation, entry, definition)
        VALUES (one, entries[at] + 1, after);
      END IF;
      -- An unchanged partition is reported only by its root.
      CONTINUE WHEN decisions = '{}' AND seen IS NULL OR (before -> 'partition' <> 'null'
        AND before #> '{partition,relation}' = after #> '{partition,relation}'
        AND before #> '{partition,bound}' = after #> '{partition,bound}'
        AND before -> 'schema' = after -> 'schema' AND before -> 'name' = after -> 'name'
        AND before -> 'logged' = after -> 'logged'
        AND NOT decisions::text ~ '"(begins|ends|its)');
    END IF;
    -- A rewrite matters only for a table that had rows before.
    IF converted AND plain IS DISTINCT FROM false THEN
      plain := direct AND sluice_ddl.alters_only(current_query(), affected)
        AND NOT sluice_ddl.casts_by_own(before, after);
    END IF;
    size := coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0);
    IF size > largest_definition / widest THEN
      size := coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0);
    END IF;
    total := total + size;
    IF size > largest_definition OR total > largest_report THEN
      IF after IS NOT NULL THEN
        SELECT jsonb_object_agg(key, CASE WHEN value #>> '{}' IN ('follows', 'begins') THEN to_jsonb(
            'its definition is too large for the log: ' || pg_size_pretty(size::int8)
            || CASE WHEN size > largest_definition THEN ''
               ELSE ', after others of the same statement' END) ELSE value END)
        INTO decisions FROM jsonb_each(decisions);
      END IF;
      before := sluice_ddl.outline(before);
      after := sluice_ddl.outline(after);
    END IF;
    changes := changes || jsonb_build_object(
      'before', before, 'after', after, 'tasks', decisions, 'rewritten', one = ANY (rewritten));
  END LOOP;
  IF changes <> '{}' THEN
    PERFORM sluice_ddl.tell(jsonb_strip_nulls(jsonb_build_object('seen', seen)) || jsonb_build_object(
      'format', 2, 'command', command,
      -- The log sends a commit before other sessions see it.
      'transaction', mine::text,
      -- Whether rows were rewritten, and values converted at most by PostgreSQL's own cast.
      'plainCasts', coalesce(plain, rewritten <> '{}'),
      'settings', jsonb_build_object('TimeZone', current_setting('TimeZone'),
        'DateStyle', current_setting('DateStyle'), 'IntervalStyle', current_setting('IntervalStyle'),
        'extra_float_digits', current_setting('extra_float_digits'),
        'bytea_output', current_setting('bytea_output')),
      'changes', to_jsonb(changes)));
  END IF;
  IF is_noted THEN
    DELETE FROM sluice_ddl.reporting WHERE transaction = mine;
  END IF;
END
$function$;

-- These tables with all their descendants, by inheritance or partitioning. A loop, since the
-- planner would read the whole catalog for a join of which it expects many rows.
CREATE OR REPLACE FUNCTION sluice_ddl.with_heirs(tables oid[]) RETURNS oid[]
LANGUAGE plpgsql
AS $function$
DECLARE
  around oid[] := tables;
  level oid[] := tables;
BEGIN
  WHILE level <> '{}' LOOP
    -- A table with two parents is found twice.
    level := ARRAY(SELECT DISTINCT inhrelid FROM pg_inherits
                   WHERE inhparent = ANY (level) AND inhrelid <> ALL (around) ORDER BY inhrelid);
    around := around || level;
  END LOOP;
  RETURN around;
END
$function$;

-- The changes for a statement that could not be described: each replicated table that it altered is
-- reported as no longer replicable.
CREATE OR REPLACE FUNCTION sluice_ddl.unsaid(touched oid[], reason text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  everything CONSTANT boolean := sluice_ddl.seen() IS NOT NULL;
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'before', unsaid.outline, 'after', unsaid.outline, 'rewritten', unsaid.is_rewritten,
      'tasks', unsaid.tasks)), '[]')
    FROM (
      SELECT coalesce(sluice_ddl.outline(k.definition), sluice_ddl.outline(jsonb_build_object(
          'relation', c.oid::int8, 'schema', c.relnamespace::regnamespace::text, 'name', c.relname,
          'root', jsonb_build_object('relation', c.oid::int8,
            'schema', c.relnamespace::regnamespace::text, 'name', c.relname)))) AS outline,
        top.is_rewritten,
        (SELECT coalesce(jsonb_object_agg(f.task, CASE WHEN top.is_rewritten
            THEN 'its rows were rewritten by a statement that could not be described'
            ELSE 'a statement on it could not be described' END || ': ' || reason), '{}')
         FROM sluice_ddl.followed f WHERE f.relation = top.root AND f.until IS NULL) AS tasks
      FROM (
        SELECT coalesce(pg_partition_root(r.relation)::oid,
            (SELECT (k.definition #>> '{root,relation}')::oid FROM sluice_ddl.known k
             WHERE k.relation = r.relation AND k.definition IS NOT NULL
             ORDER BY k.entry DESC LIMIT 1), r.relation) AS root,
          bool_or(r.is_rewritten) AS is_rewritten
        FROM (SELECT unnest(touched) AS relation, false AS is_rewritten
              UNION ALL
              SELECT relation, true FROM sluice_ddl.rewritten
              WHERE transaction = pg_current_xact_id()) r
        GROUP BY 1) top
      LEFT JOIN LATERAL (
        SELECT k.definition FROM sluice_ddl.known k
        WHERE k.relation = top.root AND k.definition IS NOT NULL
        ORDER BY k.entry DESC LIMIT 1) k ON true
      -- A transaction may see an older one and one of its own.
      LEFT JOIN LATERAL (SELECT * FROM pg_class c WHERE c.oid = top.root LIMIT 1) c ON true) unsaid
    WHERE unsaid.outline IS NOT NULL AND (unsaid.tasks <> '{}' OR everything));
END
$function$;

-- Reports a failure of the triggers: the application's statement succeeds, and the log has the
-- reason.
CREATE OR REPLACE FUNCTION sluice_ddl.failed(command text, reason text, touched oid[])
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RAISE WARNING 'sluice: % is not replicated: %', command, reason;
  IF NOT sluice_ddl.concerns_us() THEN
    RETURN;
  END IF;
  PERFORM sluice_ddl.tell(
    jsonb_strip_nulls(jsonb_build_object('seen', sluice_ddl.seen())) || jsonb_build_object(
      'format', 2, 'command', command, 'failed', left(reason, 1000),
      'transaction', pg_current_xact_id()::text, 'settings', '{}'::jsonb,
      'changes', sluice_ddl.unsaid(sluice_ddl.with_heirs(touched), left(reason, 300))));
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'sluice: and cannot be told: %', SQLERRM;
END
$function$;

-- Whether this is the database of the installation. A transaction that is older than the
-- installation sees no row.
CREATE OR REPLACE FUNCTION sluice_ddl.is_here() RETURNS boolean
LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN coalesce(
    (SELECT bool_or(h.known = 'sluice_ddl.known'::regclass AND h.database = d.oid)
     FROM sluice_ddl.home h CROSS JOIN pg_database d WHERE d.datname = current_database()),
    current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted'));
END
$function$;

-- Whether this is the database of the installation, and the command is not one of the triggers'
-- own.
CREATE OR REPLACE FUNCTION sluice_ddl.concerns_us() RETURNS boolean
LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN sluice_ddl.is_here()
    AND NOT EXISTS (SELECT FROM sluice_ddl.reporting WHERE transaction = pg_current_xact_id());
END
$function$;

-- The tables that were partitions of these in their last description.
CREATE OR REPLACE FUNCTION sluice_ddl.former_partitions(parents oid[]) RETURNS oid[]
LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN ARRAY(
    SELECT gone.relation FROM (
      SELECT k.relation FROM sluice_ddl.known k
      WHERE (k.definition #>> '{partition,relation}')::int8 = ANY (parents::int8[])
      EXCEPT
      SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = ANY (parents)) gone
    WHERE parents::int8[] @> ARRAY[(
      SELECT (n.definition #>> '{partition,relation}')::int8 FROM sluice_ddl.known n
      WHERE n.relation = gone.relation ORDER BY n.entry DESC LIMIT 1)]);
END
$function$;

-- The tables whose definitions may have changed together with these, which a statement altered or
-- created.
CREATE OR REPLACE FUNCTION sluice_ddl.affected(named oid[], command text) RETURNS oid[]
LANGUAGE plpgsql
AS $function$
DECLARE
  around oid[] := named;
  has_heirs boolean;
  is_parted boolean;
  is_partition boolean;
BEGIN
  SELECT bool_or(relhassubclass), bool_or(relkind = 'p'), bool_or(relispartition)
  INTO has_heirs, is_parted, is_partition FROM pg_class WHERE oid = ANY (named);
  IF is_parted AND command = 'ALTER TABLE' THEN
    around := around || sluice_ddl.former_partitions(named);
  END IF;
  IF is_partition THEN
    -- The default partition of the same parent, whose condition changes.
    around := around || ARRAY(
      SELECT p.partdefid FROM pg_inherits i JOIN pg_partitioned_table p ON p.partrelid = i.inhparent
      WHERE i.inhrelid = ANY (named) AND p.partdefid <> 0);
  END IF;
  RETURN CASE WHEN has_heirs OR is_parted OR is_partition
    THEN sluice_ddl.with_heirs(around) ELSE around END;
END
$function$;

-- The tables in a schema, and those whose definitions use an object in it.
CREATE OR REPLACE FUNCTION sluice_ddl.of_schemas(schemas oid[], OUT named oid[], OUT affected oid[])
LANGUAGE plpgsql
AS $function$
DECLARE
  naming oid[];
BEGIN
  named := ARRAY(SELECT oid FROM pg_class
                 WHERE relnamespace = ANY (schemas) AND relkind IN ('r', 'p'));
  WITH inside (kind, object) AS MATERIALIZED (
    SELECT 'pg_class'::regclass::oid, oid FROM pg_class
    WHERE relnamespace = ANY (schemas) AND relkind = 'S'
    UNION ALL
    SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = ANY (schemas)
    UNION ALL
    SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = ANY (schemas)
    UNION ALL
    SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace = ANY (schemas)
    UNION ALL
    SELECT 'pg_collation'::regclass, oid FROM pg_collation WHERE collnamespace = ANY (schemas)),
  users AS MATERIALIZED (
    SELECT d.classid, d.objid FROM inside i
    JOIN pg_depend d ON d.refclassid = i.kind AND d.refobjid = i.object)
  SELECT array_agg(DISTINCT t.relation) INTO naming FROM (
    SELECT c.oid FROM users u JOIN pg_class c ON c.oid = u.objid
    WHERE u.classid = 'pg_class'::regclass AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT a.adrelid FROM users u JOIN pg_attrdef a ON a.oid = u.objid
    WHERE u.classid = 'pg_attrdef'::regclass) t(relation);
  affected := sluice_ddl.with_heirs(named || coalesce(naming, '{}'));
END
$function$;

-- The tables that are made of these composite types: CASCADE alters them with the type.
CREATE OR REPLACE FUNCTION sluice_ddl.of_types(types oid[]) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN ARRAY(
    SELECT t.oid FROM pg_class c
    JOIN pg_depend d ON d.refclassid = 'pg_type'::regclass AND d.refobjid = c.reltype
      AND d.classid = 'pg_class'::regclass
    JOIN pg_class t ON t.oid = d.objid AND t.reloftype = c.reltype
    WHERE c.oid = ANY (types) ORDER BY t.oid);
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.command_ended(command text, direct boolean, objects oid[])
RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms'
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_nestloop = on
SET enable_indexscan = on SET enable_bitmapscan = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  affected oid[];
  named oid[] := objects;
BEGIN
  -- The triggers' own commands are never direct.
  IF direct THEN
    IF NOT sluice_ddl.is_here() THEN
      RETURN;
    END IF;
  ELSIF NOT sluice_ddl.concerns_us() THEN
    RETURN;
  END IF;
  PERFORM sluice_ddl.be_brief();
  IF command = 'ALTER SCHEMA' THEN
    SELECT s.named, s.affected INTO named, affected FROM sluice_ddl.of_schemas(objects) s;
  ELSE
    IF command = 'ALTER TYPE' THEN
      named := sluice_ddl.of_types(objects);
    END IF;
    affected := sluice_ddl.affected(named, CASE
      -- Looking for former partitions passes over all entries that are not forgotten yet. A keyword
      -- has no other spelling.
      WHEN direct AND current_query() !~* 'detach' THEN 'without detaching' ELSE command END);
  END IF;
  IF affected <> '{}' THEN
    PERFORM sluice_ddl.report(affected, command, direct, named);
  END IF;
END
$function$;

-- The event triggers' own functions return before any setting is changed if the command alters no
-- definition: applications create thousands of temporary tables. So they qualify all names, of
-- types and operators too: others would be looked up by the session's search path.
CREATE OR REPLACE FUNCTION sluice_ddl.on_command_end() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
AS $function$
DECLARE
  context pg_catalog.text;
  objects pg_catalog.oid[];
BEGIN
  -- Tables; for ALTER SCHEMA the schema, for ALTER TYPE the composite type.
  SELECT pg_catalog.array_agg(c.objid) INTO objects
  FROM pg_catalog.pg_event_trigger_ddl_commands() c
  WHERE NOT c.in_extension AND (c.schema_name IS NULL
      OR c.schema_name OPERATOR(pg_catalog.<>) 'pg_temp')
    AND CASE tg_tag OPERATOR(pg_catalog.=) 'ALTER SCHEMA'
      WHEN true THEN c.object_type OPERATOR(pg_catalog.=) 'schema'
      ELSE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
        AND c.object_type OPERATOR(pg_catalog.=) ANY (CASE tg_tag OPERATOR(pg_catalog.=) 'ALTER TYPE'
          WHEN true THEN ARRAY['composite type', 'composite type column']
          ELSE ARRAY['table', 'table column'] END) END;
  IF objects IS NULL THEN
    RETURN;
  END IF;
  -- One line is this function's own; more lines: a function or another trigger ran the command.
  GET DIAGNOSTICS context = PG_CONTEXT;
  PERFORM sluice_ddl.command_ended(tg_tag,
    pg_catalog.strpos(context, pg_catalog.chr(10)) OPERATOR(pg_catalog.=) 0, objects);
EXCEPTION WHEN OTHERS THEN
  -- Works also while the schema is being removed.
  BEGIN
    IF tg_tag OPERATOR(pg_catalog.=) 'ALTER SCHEMA' THEN
      objects := ARRAY(SELECT c.oid FROM pg_catalog.pg_class c
                       WHERE c.relnamespace OPERATOR(pg_catalog.=) ANY (objects));
    ELSIF tg_tag OPERATOR(pg_catalog.=) 'ALTER TYPE' THEN
      objects := sluice_ddl.of_types(objects);
    END IF;
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM, objects);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.objects_dropped(
  command text, direct boolean, dropped oid[], with_index boolean)
RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms'
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_nestloop = on
SET enable_indexscan = on SET enable_bitmapscan = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  named oid[] := coalesce(dropped, '{}');
  affected oid[];
BEGIN
  -- The triggers' own commands are never direct.
  IF direct THEN
    IF NOT sluice_ddl.is_here() THEN
      RETURN;
    END IF;
  ELSIF NOT sluice_ddl.concerns_us() THEN
    RETURN;
  END IF;
  PERFORM sluice_ddl.be_brief();
  IF with_index THEN
    -- The tables that have lost the index of their replica identity.
    named := named || ARRAY(
      SELECT c.oid FROM pg_class c
      WHERE c.oid = ANY (ARRAY(SELECT k.relation FROM sluice_ddl.known k
                               WHERE k.definition ->> 'identity' = 'i'))
        AND c.relreplident = 'i'
        AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident));
  END IF;
  -- The default partition of the same parent, which gets its rows from here on.
  affected := named || sluice_ddl.with_heirs(ARRAY(
    SELECT p.partdefid FROM sluice_ddl.known k
    JOIN pg_partitioned_table p ON p.partrelid = (k.definition #>> '{partition,relation}')::oid
    WHERE k.relation = ANY (dropped) AND p.partdefid <> 0
      AND NOT EXISTS (SELECT FROM sluice_ddl.known n
                      WHERE n.relation = k.relation AND n.entry > k.entry)));
  IF affected <> '{}' THEN
    PERFORM sluice_ddl.report(affected, command, direct, named);
  END IF;
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.on_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
AS $function$
DECLARE
  context pg_catalog.text;
  tables pg_catalog.oid[];
  with_index pg_catalog.bool;
BEGIN
  SELECT pg_catalog.array_agg(d.objid) FILTER (WHERE d.object_type OPERATOR(pg_catalog.<>) 'index'),
    pg_catalog.bool_or(d.object_type OPERATOR(pg_catalog.=) 'index')
  INTO tables, with_index FROM pg_catalog.pg_event_trigger_dropped_objects() d
  WHERE NOT d.is_temporary AND d.object_type OPERATOR(pg_catalog.=)
    ANY (ARRAY['table', 'table column', 'index']);
  IF with_index IS NULL THEN
    RETURN;
  END IF;
  IF tg_tag OPERATOR(pg_catalog.=) 'ALTER TABLE' AND EXISTS (
      SELECT FROM pg_catalog.pg_event_trigger_ddl_commands() c WHERE NOT c.in_extension) THEN
    -- The end of the command checks the same tables.
    RETURN;
  END IF;
  GET DIAGNOSTICS context = PG_CONTEXT;
  PERFORM sluice_ddl.objects_dropped(tg_tag,
    pg_catalog.strpos(context, pg_catalog.chr(10)) OPERATOR(pg_catalog.=) 0, tables, with_index);
EXCEPTION WHEN OTHERS THEN
  -- Works also while the schema is being removed.
  BEGIN
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM, tables);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.on_rewrite() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  -- Of the reasons, 4 is a column whose values are converted. Another one is a new column.
  INSERT INTO sluice_ddl.rewritten AS r (transaction, relation, converted)
  SELECT pg_current_xact_id(), oid, pg_event_trigger_table_rewrite_reason() & 4 <> 0 FROM pg_class
  WHERE oid = pg_event_trigger_table_rewrite_oid() AND relpersistence <> 't'
  ON CONFLICT (transaction, relation) DO UPDATE SET converted = r.converted OR excluded.converted;
EXCEPTION WHEN OTHERS THEN
  -- Works also while the schema is being removed.
  BEGIN
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM, ARRAY[pg_event_trigger_table_rewrite_oid()]);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$function$;

-- An ordinary role's pg_dump locks and reads the tables that it dumps; they have nothing that the
-- catalog does not show to everybody. Only the owner calls the functions.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA sluice_ddl FROM PUBLIC;
GRANT USAGE ON SCHEMA sluice_ddl TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA sluice_ddl TO PUBLIC;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA sluice_ddl TO PUBLIC;

DROP EVENT TRIGGER IF EXISTS sluice_ddl_end;
DROP EVENT TRIGGER IF EXISTS sluice_ddl_drop;
DROP EVENT TRIGGER IF EXISTS sluice_ddl_rewrite;
CREATE EVENT TRIGGER sluice_ddl_rewrite ON table_rewrite EXECUTE FUNCTION sluice_ddl.on_rewrite();
CREATE EVENT TRIGGER sluice_ddl_drop ON sql_drop EXECUTE FUNCTION sluice_ddl.on_drop();
CREATE EVENT TRIGGER sluice_ddl_end ON ddl_command_end
  WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE', 'CREATE SCHEMA',
    'ALTER SCHEMA', 'ALTER TYPE')
  EXECUTE FUNCTION sluice_ddl.on_command_end();
ALTER EVENT TRIGGER sluice_ddl_rewrite ENABLE ALWAYS;
ALTER EVENT TRIGGER sluice_ddl_drop ENABLE ALWAYS;
ALTER EVENT TRIGGER sluice_ddl_end ENABLE ALWAYS;
