-- What Sluice puts on a source so that table definitions travel through its log with the data.
-- One set for all tasks of the database; made anew whenever this text changes. Three rules:
-- an application's statement never fails because of it (whatever goes wrong here ends as a
-- warning), it costs next to nothing for statements that touch no table definition and for
-- temporary tables, otherwise what the touched tables cost and never what the catalog does, and it
-- says what a table is after a statement, not how the statement was worded.

-- Trust: what is written here becomes statements on the targets, run by their loaders. So nobody but
-- the owner writes to report and known, nobody else executes the functions, and nothing that a
-- session can set is believed.

CREATE SCHEMA IF NOT EXISTS sluice_ddl;

-- What the triggers tell. A row is inserted and deleted at once: it is in the log, of which the name
-- of this table proves who wrote it, and nowhere else. (Any role may write messages into the log.)
CREATE TABLE IF NOT EXISTS sluice_ddl.report (
  entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  content text NOT NULL);

-- From which place in the log on the reports are published; none: not known yet. A slot that still
-- has log from before cannot be read with their publication.
CREATE TABLE IF NOT EXISTS sluice_ddl.published (since pg_lsn PRIMARY KEY);

-- The transactions that are making a report just now: what they alter on the way is none of it.
CREATE TABLE IF NOT EXISTS sluice_ddl.reporting (transaction xid8 PRIMARY KEY);

-- The tables that a transaction has rewritten since its last report of them.
CREATE TABLE IF NOT EXISTS sluice_ddl.rewritten (
  transaction xid8,
  relation oid,
  PRIMARY KEY (transaction, relation));

-- The tasks that follow tables of this database.
CREATE TABLE IF NOT EXISTS sluice_ddl.task (
  name text PRIMARY KEY,
  -- Tells it from other tasks of its name, of other targets.
  owner text NOT NULL,
  publication text NOT NULL,
  gives_identity boolean NOT NULL,
  selection jsonb NOT NULL,
  -- Whether it follows new tables: not before its slot is there.
  takes_new boolean NOT NULL DEFAULT true);

-- The tables that a task follows, by the number of the ordinary table or of the root, and from
-- which place in the log on up to which one; NULL: it still does. What lies outside is not its own,
-- whether or not the publication sends it.
CREATE TABLE IF NOT EXISTS sluice_ddl.followed (
  task text REFERENCES sluice_ddl.task ON DELETE CASCADE,
  relation oid,
  since pg_lsn DEFAULT '0/0',
  until pg_lsn,
  PRIMARY KEY (task, relation, since));

-- What each table was, the newest entry being what it is; NULL: it is no table any more.
CREATE TABLE IF NOT EXISTS sluice_ddl.known (
  relation oid,
  entry bigint GENERATED ALWAYS AS IDENTITY,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Changes of the table that lie before this place in the log were made under the entry before:
  -- the statement's lock on the table keeps others away.
  place pg_lsn NOT NULL DEFAULT pg_current_wal_insert_lsn(),
  definition jsonb,
  PRIMARY KEY (relation, entry));
-- Also where all is there already, these statements wait for every statement's transaction.
DO $do$
BEGIN
  IF to_regclass('sluice_ddl.known_name') IS NULL THEN
    CREATE INDEX known_name ON sluice_ddl.known
      ((definition ->> 'schema'), (definition ->> 'name'));
  END IF;
  -- What was a partition of a table, and whose replica identity is an index.
  IF to_regclass('sluice_ddl.known_parent') IS NULL THEN
    CREATE INDEX known_parent ON sluice_ddl.known (((definition #>> '{partition,relation}')::int8))
      WHERE (definition #>> '{partition,relation}')::int8 IS NOT NULL;
    CREATE INDEX known_by_index ON sluice_ddl.known (relation)
      WHERE definition ->> 'identity' = 'i';
  END IF;
  -- An earlier release left a task out altogether until its slot was there.
  IF NOT EXISTS (SELECT FROM pg_attribute
                 WHERE attrelid = 'sluice_ddl.task'::regclass AND attname = 'takes_new') THEN
    ALTER TABLE sluice_ddl.task ADD COLUMN takes_new boolean NOT NULL DEFAULT true;
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

-- Where all of this was installed. A dump that is restored elsewhere brings it along, triggers and
-- all, with numbers of tables that mean others there.
CREATE TABLE IF NOT EXISTS sluice_ddl.home (database oid, known oid, PRIMARY KEY (database, known));

CREATE OR REPLACE FUNCTION sluice_ddl.is_home() RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM sluice_ddl.home h JOIN pg_database d ON d.oid = h.database
    WHERE d.datname = current_database() AND h.known = 'sluice_ddl.known'::regclass);
END
$function$;

-- A role that may write to all tables (pg_write_all_data) may not write to these.
CREATE OR REPLACE FUNCTION sluice_ddl.refuse_others() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  IF current_user <> (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID)
      AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE insufficient_privilege USING MESSAGE =
      format('only the event triggers of Sluice write to %s', TG_RELID::regclass);
  END IF;
  RETURN NULL;
END
$function$;

DO $do$
DECLARE
  guarded regclass;
BEGIN
  FOREACH guarded IN ARRAY '{sluice_ddl.report,sluice_ddl.known}'::regclass[] LOOP
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = guarded AND tgname = 'refuse_others'
                   AND tgenabled = 'A') THEN
      EXECUTE format('DROP TRIGGER IF EXISTS refuse_others ON %s', guarded);
      EXECUTE format('CREATE TRIGGER refuse_others BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE'
        ' ON %s FOR EACH STATEMENT EXECUTE FUNCTION sluice_ddl.refuse_others()', guarded);
      EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER refuse_others', guarded);
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

-- Tables that got REPLICA IDENTITY FULL from here, for want of a key or because whole rows are
-- needed, and what they had: default, nothing, or index and its name.
CREATE TABLE IF NOT EXISTS sluice_ddl.full_identity (
  relation oid PRIMARY KEY,
  was text NOT NULL,
  whole boolean NOT NULL);

-- Notes what a table has before it gets REPLICA IDENTITY FULL.
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
    -- Nothing of another database holds here.
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

-- What is asked for each table is in PL/pgSQL, which keeps the plans for the session: those of an SQL
-- function are made anew in each statement, and take several times as long as what they find.

-- The columns that tell a table's rows apart in the log, as the catalog's reader has it: of the
-- replica identity's index, or with DEFAULT and FULL of the primary key; NULL: there are none. A
-- deferrable key is none, nor is one with a generated column, whose values are not in the log.
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

-- Whether PostgreSQL takes REPLICA IDENTITY FULL for one. From 18 on it refuses the UPDATE and
-- DELETE of a published table with a generated column.
CREATE OR REPLACE FUNCTION sluice_ddl.may_be_full(wanted oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT current_setting('server_version_num')::int < 180000
      OR NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = wanted AND attgenerated <> ''));
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.definition(wanted oid) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET DateStyle = 'ISO, YMD' SET IntervalStyle = 'postgres' SET TimeZone = 'UTC'
SET extra_float_digits = 3 SET bytea_output = 'hex' SET quote_all_identifiers = off
SET standard_conforming_strings = on SET lc_monetary = 'C' SET array_nulls = on
AS $function$
BEGIN
  RETURN (
    SELECT jsonb_build_object(
      'relation', c.oid::int8, 'schema', n.nspname, 'name', c.relname,
      'logged', c.relpersistence = 'p',
      'partitionedBy', pg_get_partkeydef(c.oid),
      'root', (SELECT jsonb_build_object('relation', r.oid::int8, 'schema', rn.nspname, 'name', r.relname)
               FROM pg_class r JOIN pg_namespace rn ON rn.oid = r.relnamespace
               WHERE r.oid = CASE WHEN c.relispartition THEN pg_partition_root(c.oid) ELSE c.oid END),
      'partition', CASE WHEN c.relispartition THEN
        (SELECT jsonb_build_object(
           'relation', p.oid::int8, 'schema', pn.nspname, 'name', p.relname,
           'bound', pg_get_expr(c.relpartbound, c.oid),
           -- The condition of a hash partition names its parent by number; it holds those of all
           -- ancestors.
           'condition', (
             WITH RECURSIVE named AS (
               SELECT c.oid AS ancestor, pg_get_partition_constraintdef(c.oid) AS condition
               UNION ALL
               SELECT a.oid, replace(named.condition, '''' || a.oid || '''::oid',
                 quote_literal(format('%I.%I', an.nspname, a.relname)) || '::regclass')
                 COLLATE "default"
               FROM named
               -- A plain join would read of the whole catalog which table is below which.
               CROSS JOIN LATERAL (SELECT i.inhparent FROM pg_inherits i
                                   WHERE i.inhrelid = named.ancestor LIMIT 1) up
               JOIN pg_class a ON a.oid = up.inhparent JOIN pg_namespace an ON an.oid = a.relnamespace)
             SELECT condition FROM named WHERE ancestor = pg_partition_root(c.oid)))
         FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent
         JOIN pg_namespace pn ON pn.oid = p.relnamespace WHERE h.inhrelid = c.oid) END,
      'identity', c.relreplident,
      'parents', (SELECT jsonb_agg(jsonb_build_object(
                    'relation', p.oid::int8, 'schema', pn.nspname, 'name', p.relname)
                    ORDER BY h.inhseqno)
                  FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent
                  JOIN pg_namespace pn ON pn.oid = p.relnamespace
                  WHERE h.inhrelid = c.oid AND NOT c.relispartition),
      'wholeRows', c.relreplident = 'f',
      'journalKey', to_jsonb(sluice_ddl.key_columns(c.oid, c.relreplident)),
      'key', (SELECT jsonb_strip_nulls(jsonb_build_object('name', k.conname,
                'columns', to_jsonb(k.conkey),
                'checked', CASE WHEN k.condeferred THEN 'DEFERRED'
                             WHEN k.condeferrable THEN 'DEFERRABLE' END))
              FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p'),
      'columns', (
        SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
          'number', a.attnum, 'name', a.attname,
          'type', format_type(a.atttypid, a.atttypmod), 'typeNumber', a.atttypid::int8,
          'modifier', a.atttypmod,
          'collation', (SELECT format('%I.%I', ln.nspname, l.collname)
                        FROM pg_collation l JOIN pg_namespace ln ON ln.oid = l.collnamespace
                        WHERE l.oid = a.attcollation AND a.attcollation <> t.typcollation),
          'notNull', a.attnotnull,
          'generated', nullif(a.attgenerated::text, ''),
          'identity', nullif(a.attidentity::text, ''),
          'default', coalesce(pg_get_expr(d.adbin, d.adrelid),
            CASE WHEN t.typtype = 'd' THEN pg_get_expr(t.typdefaultbin, 0) END),
          -- What the rows hold that were there before the column; a root's are in its leaves.
          'existing', (SELECT (m.attmissingval::text::text[])[1]
            FROM pg_attribute m
            -- With an OR in place of the array, PostgreSQL reads the whole catalog for each column.
            WHERE m.atthasmissing AND m.attname = a.attname AND m.attrelid = ANY (
              CASE WHEN c.relkind = 'p' THEN ARRAY(
                -- pg_partition_tree would lock each of them.
                WITH RECURSIVE below AS (
                  SELECT c.oid AS relation
                  UNION ALL
                  SELECT i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = b.relation)
                SELECT relation FROM below)
              ELSE ARRAY[c.oid] END)
            LIMIT 1),
          'sequence', (
            SELECT jsonb_build_object('schema', sn.nspname, 'name', s.relname,
              'options', format('AS %s START WITH %s INCREMENT BY %s MINVALUE %s MAXVALUE %s CACHE %s%s',
                format_type(q.seqtypid, NULL), q.seqstart, q.seqincrement, q.seqmin, q.seqmax,
                q.seqcache, CASE WHEN q.seqcycle THEN ' CYCLE' ELSE ' NO CYCLE' END),
              'plain', pg_get_expr(d.adbin, d.adrelid)
                = 'nextval(' || quote_literal(s.oid::regclass) || '::regclass)',
              'owned', EXISTS (SELECT FROM pg_depend o WHERE o.classid = 'pg_class'::regclass
                AND o.objid = s.oid AND o.refclassid = 'pg_class'::regclass AND o.refobjid = c.oid
                AND o.refobjsubid = a.attnum AND o.deptype IN ('a', 'i')))
            FROM pg_depend e JOIN pg_class s ON s.relkind = 'S'
              AND s.oid = CASE WHEN e.deptype = 'i' THEN e.objid ELSE e.refobjid END
            JOIN pg_namespace sn ON sn.oid = s.relnamespace JOIN pg_sequence q ON q.seqrelid = s.oid
            WHERE (e.deptype = 'i' AND e.classid = 'pg_class'::regclass
                   AND e.refclassid = 'pg_class'::regclass
                   AND e.refobjid = c.oid AND e.refobjsubid = a.attnum)
               OR (e.classid = 'pg_attrdef'::regclass AND e.objid = d.oid
                   AND e.refclassid = 'pg_class'::regclass AND e.deptype <> 'i')
            LIMIT 1))) ORDER BY a.attnum), '[]')
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = wanted AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
      AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'sluice_ddl'));
END
$function$;

-- Whether the log tells which row an UPDATE or DELETE means.
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

CREATE OR REPLACE FUNCTION sluice_ddl.selects(selection jsonb, table_schema text, table_name text)
RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT coalesce(bool_or(NOT excluding), false) AND NOT coalesce(bool_or(excluding), false)
    FROM (SELECT (rule ->> 'exclude')::boolean AS excluding FROM jsonb_array_elements(selection) rule
          WHERE table_schema ~ (rule ->> 'schema') AND table_name ~ (rule ->> 'table')) matching);
END
$function$;

-- Whether a task carries a part of the table's rows only.
CREATE OR REPLACE FUNCTION sluice_ddl.filters(selection jsonb, table_schema text, table_name text)
RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT EXISTS (SELECT FROM jsonb_array_elements(selection) rule
      WHERE (rule ->> 'filters')::boolean
        AND table_schema ~ (rule ->> 'schema') AND table_name ~ (rule ->> 'table')));
END
$function$;

-- Whether a task asks for what the table's rows were before their updates.
CREATE OR REPLACE FUNCTION sluice_ddl.wants_old_rows(
  selection jsonb, table_schema text, table_name text)
RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT EXISTS (SELECT FROM jsonb_array_elements(selection) rule
      WHERE (rule ->> 'wholeRows')::boolean
        AND table_schema ~ (rule ->> 'schema') AND table_name ~ (rule ->> 'table')));
END
$function$;

-- A table with a filter needs whole old rows, or the application's own UPDATE would be refused.
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

-- The same for a table whose old rows a task asks for; whether the log has them now.
CREATE OR REPLACE FUNCTION sluice_ddl.give_whole_rows(wanted oid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  PERFORM sluice_ddl.keep_whole_rows(wanted);
  RETURN sluice_ddl.may_be_full(wanted);
END
$function$;

-- Gives a table REPLICA IDENTITY FULL where it has none, and its own back where it has a key again.
CREATE OR REPLACE FUNCTION sluice_ddl.mend_identity(wanted oid, gives boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  IF NOT sluice_ddl.has_identity(wanted) AND gives AND sluice_ddl.may_be_full(wanted) THEN
    PERFORM sluice_ddl.note_identity(wanted, false);
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', wanted::regclass);
  ELSIF EXISTS (SELECT FROM sluice_ddl.full_identity f JOIN pg_class c ON c.oid = f.relation
                WHERE f.relation = wanted AND NOT f.whole AND c.relreplident = 'f'
                AND sluice_ddl.key_columns(wanted, 'd') IS NOT NULL) THEN
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY DEFAULT', wanted::regclass);
    DELETE FROM sluice_ddl.full_identity WHERE relation = wanted;
  END IF;
  RETURN sluice_ddl.has_identity(wanted);
END
$function$;

-- Puts a table into a publication unless it is there by any way.
CREATE OR REPLACE FUNCTION sluice_ddl.publish(wanted oid, publication text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  IF EXISTS (SELECT FROM pg_publication p WHERE p.pubname = publication
             AND (p.puballtables
                  OR EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid
                    AND r.prrelid = ANY (wanted || ARRAY(
                      SELECT relid::oid FROM pg_partition_ancestors(wanted)))))) THEN
    RETURN;
  END IF;
  EXECUTE format('ALTER PUBLICATION %I ADD TABLE ONLY %s', publication, wanted::regclass);
END
$function$;

-- Takes a table out of a publication that names it.
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

-- Whether a task follows the table of that number now.
CREATE OR REPLACE FUNCTION sluice_ddl.is_followed(task_name text, root oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RETURN (
    SELECT EXISTS (SELECT FROM sluice_ddl.followed f
                   WHERE f.task = task_name AND f.relation = root AND f.until IS NULL));
END
$function$;

-- What a task does about a table after a statement: 'follows', 'begins', 'ends', NULL (it has
-- nothing to do with it), or why it cannot follow.
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
  is_filtered boolean;
  wants_old_rows boolean;
BEGIN
  IF after IS NULL THEN
    RETURN CASE WHEN was_followed THEN 'follows' END;
  END IF;
  is_filtered := sluice_ddl.filters(
    task.selection, after #>> '{root,schema}', after #>> '{root,name}');
  wants_old_rows := sluice_ddl.wants_old_rows(
    task.selection, after #>> '{root,schema}', after #>> '{root,name}');
  is_followed := sluice_ddl.is_followed(task.name, root);
  IF NOT sluice_ddl.selects(task.selection, after #>> '{root,schema}', after #>> '{root,name}') THEN
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
      -- The application's own UPDATE and DELETE would be refused, and it is published by its root.
      FOR ancestor IN SELECT relid FROM pg_partition_ancestors(relation) LOOP
        PERFORM sluice_ddl.withdraw(ancestor, task.publication);
      END LOOP;
      RETURN 'its partition has no replica identity any more, and the generated columns keep REPLICA IDENTITY FULL from being one';
    END IF;
    IF before IS NOT NULL AND sluice_ddl.filters(
        task.selection, before #>> '{root,schema}', before #>> '{root,name}') THEN
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
      AND sluice_ddl.filters(
        task.selection, before #>> '{root,schema}', before #>> '{root,name}')) THEN
    -- What the publication has of it is the daemon's: a filter never comes or goes from here.
    IF is_filtered IS DISTINCT FROM sluice_ddl.filters(
        task.selection, before #>> '{root,schema}', before #>> '{root,name}') THEN
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
        -- The application's own UPDATE and DELETE would be refused.
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
  -- A table that is new, or not followed so far: from its first row on, or not at all.
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

-- Takes up what tables are without telling it, for those that are new here and for what was missed:
-- so many tables from that number on. Returns the last one's number; NULL: there was none.
CREATE OR REPLACE FUNCTION sluice_ddl.take_up(beyond oid, most int) RETURNS oid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
WITH tables AS (
  -- Those that are gone are known only.
  SELECT t.relation FROM (
    (SELECT oid AS relation FROM pg_class WHERE relkind IN ('r', 'p') AND oid > beyond
     ORDER BY oid LIMIT most)
    UNION
    (SELECT DISTINCT k.relation FROM sluice_ddl.known k WHERE k.relation > beyond
     ORDER BY k.relation LIMIT most)) t
  ORDER BY t.relation LIMIT most),
taken AS (
  INSERT INTO sluice_ddl.known (relation, definition)
  SELECT now.relation, now.definition
  FROM (SELECT t.relation, sluice_ddl.definition(t.relation) AS definition
        FROM tables t OFFSET 0) now
  WHERE now.definition IS DISTINCT FROM (
    SELECT k.definition FROM sluice_ddl.known k
    WHERE k.relation = now.relation ORDER BY k.entry DESC LIMIT 1))
SELECT max(relation) FROM tables
$function$;

-- Forgets what nobody looks at any more, so many entries at the most: what a table was before all
-- that the slots of this database still have to give. Returns how many entries went.
CREATE OR REPLACE FUNCTION sluice_ddl.forget(most int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  -- Where there is no slot, nobody reads.
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
    -- The end of a table goes after all that it was.
    ORDER BY entry LIMIT most) old
  WHERE k.relation = old.relation AND k.entry = old.entry;
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM sluice_ddl.followed f
  WHERE f.until <= oldest OR NOT EXISTS (SELECT FROM sluice_ddl.known k WHERE k.relation = f.relation);
  DELETE FROM sluice_ddl.full_identity f
  WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = f.relation);
  -- Of transactions that have ended without a report.
  DELETE FROM sluice_ddl.rewritten WHERE transaction <> pg_current_xact_id();
  RETURN gone;
END
$function$;

-- How long a trigger waits for a lock, for as long as the function that asks runs: never so long
-- that the application's statement is cancelled or taken for one half of a deadlock.
CREATE OR REPLACE FUNCTION sluice_ddl.be_brief() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $function$
SELECT set_config('lock_timeout', greatest(1, floor(1000 * extract(epoch FROM least(
  interval '3 s',
  nullif(current_setting('statement_timeout')::interval, interval '0') / 2,
  current_setting('deadlock_timeout')::interval / 2))))::int::text, true)
$function$;

-- The same without the locks that PostgreSQL takes to read what a partition holds: on its parents
-- and on a root's leaves, which the application's statement did not lock, until its transaction ends.
CREATE OR REPLACE FUNCTION sluice_ddl.described(wanted oid) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  described jsonb;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_class WHERE oid = wanted AND (relispartition OR relkind = 'p')) THEN
    RETURN sluice_ddl.definition(wanted);
  END IF;
  described := sluice_ddl.definition(wanted);
  RAISE EXCEPTION USING ERRCODE = 'SL001';
EXCEPTION WHEN SQLSTATE 'SL001' THEN
  -- What was locked since the beginning of the block is free again; the variable stays.
  RETURN described;
END
$function$;

-- Writes a report into the log.
CREATE OR REPLACE FUNCTION sluice_ddl.tell(content jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  told bigint;
BEGIN
  INSERT INTO sluice_ddl.report (content) VALUES (tell.content::text) RETURNING entry INTO told;
  DELETE FROM sluice_ddl.report WHERE entry = told;
END
$function$;

-- Whether what the client sent is one single ALTER TABLE of one of these tables, without USING. Any
-- doubt means no: only the last semicolon may be one, and a name of a form that is not known is none.
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

-- Whether a type became another one by a cast that a target may do otherwise: one that somebody has
-- made, or one of money.
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

-- A definition without its columns, which may be of any size.
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

-- Compares tables with what they were, and puts the differences into the log.
--   direct: the command is what the client sent, not what a function ran
CREATE OR REPLACE FUNCTION sluice_ddl.report(
  affected oid[], command text, direct boolean, named oid[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  -- A report of which one definition, or all together, are larger would be too large for a journal.
  largest_definition CONSTANT int := 1000000;
  largest_report CONSTANT int := 16000000;
  mine CONSTANT xid8 := pg_current_xact_id();
  one oid;
  before jsonb;
  after jsonb;
  task sluice_ddl.task;
  decision text;
  decisions jsonb;
  size int;
  total int := 0;
  plain boolean := direct AND sluice_ddl.alters_only(current_query(), affected);
  changes jsonb := '[]';
  patience text;
  rewritten oid[];
BEGIN
  INSERT INTO sluice_ddl.reporting VALUES (mine);
  -- Others may be of a command around this one, whose report is still to come.
  WITH gone AS (
    DELETE FROM sluice_ddl.rewritten r
    WHERE r.transaction = mine
      AND (r.relation = ANY (affected) OR pg_partition_root(r.relation) = ANY (affected))
    RETURNING r.relation)
  SELECT coalesce(array_agg(relation), '{}') INTO rewritten FROM gone;
  FOR one IN
    SELECT a.relation FROM (SELECT DISTINCT unnest(affected) AS relation) a
    LEFT JOIN pg_class c ON c.oid = a.relation
    ORDER BY (SELECT count(*) FROM pg_partition_ancestors(c.oid)), a.relation
  LOOP
    SELECT k.definition INTO before FROM sluice_ddl.known k WHERE k.relation = one
      ORDER BY k.entry DESC LIMIT 1;
    IF one = ANY (named) OR named IS NULL THEN
      after := sluice_ddl.described(one);
    ELSE
      -- Another session is altering a table beside: it will say itself what that becomes.
      patience := current_setting('lock_timeout');
      BEGIN
        PERFORM set_config('lock_timeout', '1ms', true);
        after := sluice_ddl.described(one);
        PERFORM set_config('lock_timeout', patience, true);
      EXCEPTION WHEN lock_not_available THEN
        CONTINUE;
      END;
    END IF;
    -- Who looks at the rows of a table locks it: not of one beside that stays as it is.
    CONTINUE WHEN before IS NOT DISTINCT FROM after AND NOT one = ANY (rewritten)
      AND one <> ALL (named);
    decisions := '{}';
    FOR task IN SELECT * FROM sluice_ddl.task ORDER BY name LOOP
      BEGIN
        decision := sluice_ddl.follow(task, before, after);
      EXCEPTION WHEN OTHERS THEN
        IF SQLSTATE = '55P03' THEN
          -- The time for waiting is spent: what is locked from here on is not waited for.
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
    -- It may have got another replica identity just now; what is new or begins has also been
    -- published, and other event triggers see that.
    IF before IS NULL
        OR (SELECT relreplident::text FROM pg_class WHERE oid = one)
           IS DISTINCT FROM after ->> 'identity'
        OR EXISTS (SELECT FROM jsonb_each_text(decisions) d WHERE d.value <> 'follows') THEN
      after := sluice_ddl.described(one);
    END IF;
    CONTINUE WHEN before IS NOT DISTINCT FROM after AND NOT one = ANY (rewritten)
      AND NOT decisions::text ~ '"(begins|ends)"';
    IF before IS DISTINCT FROM after THEN
      INSERT INTO sluice_ddl.known (relation, definition) VALUES (one, after);
    END IF;
    -- A partition that is still the same one has changed with its root only.
    CONTINUE WHEN decisions = '{}' OR (before -> 'partition' <> 'null'
      AND before #> '{partition,relation}' = after #> '{partition,relation}'
      AND before #> '{partition,bound}' = after #> '{partition,bound}'
      AND before -> 'schema' = after -> 'schema' AND before -> 'name' = after -> 'name'
      AND before -> 'logged' = after -> 'logged'
      AND NOT decisions::text ~ '"(begins|ends|its)');
    plain := plain AND NOT sluice_ddl.casts_by_own(before, after);
    size := coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0);
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
    changes := changes || jsonb_build_array(jsonb_build_object(
      'before', before, 'after', after, 'tasks', decisions,
      'rewritten', EXISTS (SELECT FROM unnest(rewritten) r
        WHERE r = one OR (SELECT pg_partition_root(r)) = one)));
  END LOOP;
  IF changes <> '[]' THEN
    PERFORM sluice_ddl.tell(jsonb_build_object(
      'format', 2, 'command', command,
      -- The log tells of a commit before other sessions see it.
      'transaction', mine::text,
      -- Whether a type was changed by nothing but PostgreSQL's own cast.
      'plainCasts', plain,
      'settings', jsonb_build_object('TimeZone', current_setting('TimeZone'),
        'DateStyle', current_setting('DateStyle'), 'IntervalStyle', current_setting('IntervalStyle'),
        'extra_float_digits', current_setting('extra_float_digits'),
        'bytea_output', current_setting('bytea_output')),
      'changes', changes));
  END IF;
  DELETE FROM sluice_ddl.reporting WHERE transaction = mine;
END
$function$;

-- The followed tables of which this transaction rewrote rows, as changes that nobody can follow.
CREATE OR REPLACE FUNCTION sluice_ddl.rewritten_unsaid() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
SELECT coalesce(jsonb_agg(jsonb_build_object(
    'before', unsaid.outline, 'after', unsaid.outline, 'rewritten', true,
    'tasks', (SELECT jsonb_object_agg(f.task, 'its rows were rewritten by a statement that could not be described')
              FROM sluice_ddl.followed f WHERE f.relation = unsaid.root AND f.until IS NULL))), '[]')
FROM (
  SELECT DISTINCT ON (top.root) top.root, sluice_ddl.outline(k.definition) AS outline
  FROM sluice_ddl.rewritten r
  CROSS JOIN LATERAL (SELECT coalesce(pg_partition_root(r.relation)::oid, r.relation) AS root) top
  JOIN sluice_ddl.known k ON k.relation = top.root AND k.definition IS NOT NULL
  WHERE r.transaction = pg_current_xact_id()
    AND EXISTS (SELECT FROM sluice_ddl.followed f
                WHERE f.relation = top.root AND f.until IS NULL)
  ORDER BY top.root, k.entry DESC) unsaid
$function$;

-- Something went wrong here: the application's statement goes on, and the log says so. A table whose
-- rows became others by it is lost, and not silently.
CREATE OR REPLACE FUNCTION sluice_ddl.failed(command text, reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  RAISE WARNING 'sluice: % is not replicated: %', command, reason;
  PERFORM sluice_ddl.tell(jsonb_build_object(
    'format', 2, 'command', command, 'failed', left(reason, 1000),
    'transaction', pg_current_xact_id()::text, 'settings', '{}'::jsonb,
    'changes', sluice_ddl.rewritten_unsaid()));
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'sluice: and cannot be told: %', SQLERRM;
END
$function$;

-- Whether the command is one of the triggers' own, on the way to a report.
CREATE OR REPLACE FUNCTION sluice_ddl.is_reporting() RETURNS boolean
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $function$
SELECT EXISTS (SELECT FROM sluice_ddl.reporting WHERE transaction = pg_current_xact_id())
$function$;

-- The tables that a command touched, and those whose definitions follow theirs. Arrays and loops,
-- since a join would read the whole catalog where PostgreSQL expects many rows.
CREATE OR REPLACE FUNCTION sluice_ddl.touched(
  command text, OUT named oid[], OUT affected oid[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  around oid[];
  level oid[];
BEGIN
  IF command = 'ALTER SCHEMA' THEN
    SELECT array_agg(c.oid) INTO named FROM pg_event_trigger_ddl_commands() e
    JOIN pg_class c ON c.relnamespace = e.objid AND c.relkind IN ('r', 'p')
    WHERE e.classid = 'pg_namespace'::regclass;
  ELSE
    SELECT array_agg(DISTINCT objid) INTO named FROM pg_event_trigger_ddl_commands()
    WHERE classid = 'pg_class'::regclass AND NOT in_extension
      AND object_type IN ('table', 'table column') AND schema_name IS DISTINCT FROM 'pg_temp';
  END IF;
  around := named;
  level := named;
  WHILE level IS NOT NULL LOOP
    -- Who inherits from two is met twice.
    SELECT array_agg(DISTINCT inhrelid) INTO level FROM pg_inherits
    WHERE inhparent = ANY (level) AND inhrelid <> ALL (around);
    around := around || level;
  END LOOP;
  IF command = 'ALTER TABLE' THEN
    -- What was a partition of it until now.
    around := around || ARRAY(
      SELECT DISTINCT k.relation FROM sluice_ddl.known k
      WHERE (k.definition #>> '{partition,relation}')::int8 = ANY (named::int8[])
        AND NOT EXISTS (SELECT FROM sluice_ddl.known n
                        WHERE n.relation = k.relation AND n.entry > k.entry));
  END IF;
  -- The default partition beside it, whose rows it takes.
  affected := around || ARRAY(
    SELECT p.partdefid FROM pg_inherits i JOIN pg_partitioned_table p ON p.partrelid = i.inhparent
    WHERE i.inhrelid = ANY (named) AND p.partdefid <> 0);
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.command_ended(command text, direct boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms'
AS $function$
DECLARE
  affected oid[];
  named oid[];
BEGIN
  IF NOT sluice_ddl.is_home() OR sluice_ddl.is_reporting() THEN
    RETURN;
  END IF;
  PERFORM sluice_ddl.be_brief();
  SELECT t.named, t.affected INTO named, affected FROM sluice_ddl.touched(command) t;
  IF affected <> '{}' THEN
    PERFORM sluice_ddl.report(affected, command, direct, named);
  END IF;
END
$function$;

-- The event triggers' own functions leave first where nothing concerns us, before any setting is
-- changed: temporary tables come and go by the thousand. So they name the schema of all they use,
-- types and operators too: names without one would be looked up as the session says.
CREATE OR REPLACE FUNCTION sluice_ddl.on_command_end() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
AS $function$
DECLARE
  context pg_catalog.text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger_ddl_commands() c
        WHERE c.schema_name IS NULL OR c.schema_name OPERATOR(pg_catalog.<>) 'pg_temp') THEN
    RETURN;
  END IF;
  -- One line, this function's own; more where a function or another trigger ran the command.
  GET DIAGNOSTICS context = PG_CONTEXT;
  PERFORM sluice_ddl.command_ended(tg_tag,
    pg_catalog.strpos(context, pg_catalog.chr(10)) OPERATOR(pg_catalog.=) 0);
EXCEPTION WHEN OTHERS THEN
  -- Also where all of this is being removed.
  BEGIN
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.objects_dropped(command text, direct boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms'
AS $function$
DECLARE
  affected oid[];
BEGIN
  IF NOT sluice_ddl.is_home() OR sluice_ddl.is_reporting() THEN
    RETURN;
  END IF;
  PERFORM sluice_ddl.be_brief();
  SELECT array_agg(DISTINCT objid) INTO affected FROM pg_event_trigger_dropped_objects()
  WHERE classid = 'pg_class'::regclass AND object_type IN ('table', 'table column')
    AND NOT is_temporary;
  -- What has lost the index of its replica identity.
  IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE object_type = 'index') THEN
    affected := affected || ARRAY(
      SELECT c.oid FROM pg_class c
      WHERE c.oid = ANY (ARRAY(SELECT k.relation FROM sluice_ddl.known k
                               WHERE k.definition ->> 'identity' = 'i'))
        AND c.relreplident = 'i'
        AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident));
  END IF;
  IF affected <> '{}' THEN
    PERFORM sluice_ddl.report(affected, command, direct);
  END IF;
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.on_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
AS $function$
DECLARE
  context pg_catalog.text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger_dropped_objects() d
        WHERE NOT d.is_temporary AND d.object_type OPERATOR(pg_catalog.=)
          ANY (ARRAY['table', 'table column', 'index'])) THEN
    RETURN;
  END IF;
  GET DIAGNOSTICS context = PG_CONTEXT;
  PERFORM sluice_ddl.objects_dropped(tg_tag,
    pg_catalog.strpos(context, pg_catalog.chr(10)) OPERATOR(pg_catalog.=) 0);
EXCEPTION WHEN OTHERS THEN
  -- Also where all of this is being removed.
  BEGIN
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$function$;

CREATE OR REPLACE FUNCTION sluice_ddl.on_rewrite() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  INSERT INTO sluice_ddl.rewritten
  SELECT pg_current_xact_id(), oid FROM pg_class
  WHERE oid = pg_event_trigger_table_rewrite_oid() AND relpersistence <> 't'
  ON CONFLICT DO NOTHING;
EXCEPTION WHEN OTHERS THEN
  -- Also where all of this is being removed.
  BEGIN
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$function$;

-- pg_dump by an ordinary role locks and reads what it dumps; nothing in it is more than what the
-- catalog shows to everybody. Nobody else calls the functions.
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
    'ALTER SCHEMA')
  EXECUTE FUNCTION sluice_ddl.on_command_end();
ALTER EVENT TRIGGER sluice_ddl_rewrite ENABLE ALWAYS;
ALTER EVENT TRIGGER sluice_ddl_drop ENABLE ALWAYS;
ALTER EVENT TRIGGER sluice_ddl_end ENABLE ALWAYS;
