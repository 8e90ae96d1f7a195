-- PostgreSQL database dump

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: shop; Type: SCHEMA; Schema: -; Owner: -

CREATE SCHEMA shop;

--
-- Name: sluice_ddl; Type: SCHEMA; Schema: -; Owner: -

CREATE SCHEMA sluice_ddl;

--
-- Name: SCHEMA sluice_ddl; Type: COMMENT; Schema: -; Owner: -

COMMENT ON SCHEMA sluice_ddl IS 'Sluice''s event triggers, 4d65be3c';

--
-- Name: above(oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.above(partitions oid[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    AS $$
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
$$;

--
-- Name: affected(oid[], text); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.affected(named oid[], command text) RETURNS oid[]
    LANGUAGE plpgsql
    AS $$
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
$$;

--
-- Name: alters_only(text, oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.alters_only(query text, tables oid[]) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;

--
-- Name: be_brief(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.be_brief() RETURNS void
    LANGUAGE plpgsql
    AS $$
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
$$;

--
-- Name: casts_by_own(jsonb, jsonb); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.casts_by_own(before jsonb, after jsonb) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

--
-- Name: command_ended(text, boolean, oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.command_ended(command text, direct boolean, objects oid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '500ms'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_nestloop TO 'on'
    SET enable_indexscan TO 'on'
    SET enable_bitmapscan TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
    affected := sluice_ddl.affected(named, CASE
      -- Looking for former partitions passes over all entries that are not forgotten yet. A keyword
      -- has no other spelling.
      WHEN direct AND current_query() !~* 'detach' THEN 'without detaching' ELSE command END);
  END IF;
  IF affected <> '{}' THEN
    PERFORM sluice_ddl.report(affected, command, direct, named);
  END IF;
END
$$;

--
-- Name: concerns_us(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.concerns_us() RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
  RETURN sluice_ddl.is_here()
    AND NOT EXISTS (SELECT FROM sluice_ddl.reporting WHERE transaction = pg_current_xact_id());
END
$$;

--
-- Name: condition_by_name(oid, text); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.condition_by_name(wanted oid, by_number text) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
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
$$;

--
-- Name: decided(jsonb, jsonb); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.decided(before jsonb, after jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$
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
$$;

--
-- Name: default_of(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.default_of(domain oid) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN (SELECT pg_get_expr(t.typdefaultbin, 0) FROM pg_type t WHERE t.oid = domain AND t.typtype = 'd');
END
$$;

--
-- Name: definitions(oid[], boolean); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.definitions(wanted oid[], condition_as_known boolean) RETURNS jsonb[]
    LANGUAGE plpgsql STABLE
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET "TimeZone" TO 'UTC'
    SET extra_float_digits TO '3'
    SET bytea_output TO 'hex'
    SET quote_all_identifiers TO 'off'
    SET standard_conforming_strings TO 'on'
    SET lc_monetary TO 'C'
    SET array_nulls TO 'on'
    AS $$
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
$$;

--
-- Name: described(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.described(wanted oid) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$
BEGIN
  RETURN (SELECT d.definitions[1] FROM sluice_ddl.described(ARRAY[wanted], ARRAY[wanted]) d);
END
$$;

--
-- Name: described(oid[], oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.described(affected oid[], named oid[], OUT relations oid[], OUT definitions jsonb[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
$$;

--
-- Name: existing_below(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.existing_below(root oid) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    AS $$
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
$$;

--
-- Name: failed(text, text, oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.failed(command text, reason text, touched oid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: task; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.task (
    name text NOT NULL,
    owner text NOT NULL,
    publication text NOT NULL,
    gives_identity boolean NOT NULL,
    selection jsonb NOT NULL,
    takes_new boolean DEFAULT true NOT NULL
);

--
-- Name: filtered(sluice_ddl.task, jsonb); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.filtered(task sluice_ddl.task, definition jsonb) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN (SELECT r.filters FROM sluice_ddl.rules(
    task.selection, definition #>> '{root,schema}', definition #>> '{root,name}') r);
END
$$;

--
-- Name: follow(sluice_ddl.task, jsonb, jsonb); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.follow(task sluice_ddl.task, before jsonb, after jsonb) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

--
-- Name: forget(integer); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.forget(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

--
-- Name: former_partitions(oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.former_partitions(parents oid[]) RETURNS oid[]
    LANGUAGE plpgsql
    AS $$
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
$$;

--
-- Name: give_whole_rows(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.give_whole_rows(wanted oid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM sluice_ddl.keep_whole_rows(wanted);
  RETURN sluice_ddl.may_be_full(wanted);
END
$$;

--
-- Name: has_identity(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.has_identity(wanted oid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN (
    SELECT CASE c.relreplident WHEN 'f' THEN sluice_ddl.may_be_full(wanted)
      ELSE sluice_ddl.key_columns(wanted, c.relreplident) IS NOT NULL END
    FROM pg_class c WHERE c.oid = wanted);
END
$$;

--
-- Name: is_followed(text, oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.is_followed(task_name text, root oid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN (
    SELECT EXISTS (SELECT FROM sluice_ddl.followed f
                   WHERE f.task = task_name AND f.relation = root AND f.until IS NULL));
END
$$;

--
-- Name: is_here(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.is_here() RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
  RETURN coalesce(
    (SELECT bool_or(h.known = 'sluice_ddl.known'::regclass AND h.database = d.oid)
     FROM sluice_ddl.home h CROSS JOIN pg_database d WHERE d.datname = current_database()),
    current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted'));
END
$$;

--
-- Name: is_home(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.is_home() RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN EXISTS (SELECT FROM sluice_ddl.home h JOIN pg_database d ON d.oid = h.database
    WHERE d.datname = current_database() AND h.known = 'sluice_ddl.known'::regclass);
END
$$;

--
-- Name: keep_whole_rows(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.keep_whole_rows(wanted oid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE oid = wanted AND relreplident <> 'f')
      AND sluice_ddl.may_be_full(wanted) THEN
    PERFORM sluice_ddl.note_identity(wanted, true);
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', wanted::regclass);
  END IF;
END
$$;

--
-- Name: key_columns(oid, "char"); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.key_columns(wanted oid, identity "char") RETURNS smallint[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN (
    SELECT (i.indkey::int2[])[0:i.indnkeyatts - 1] FROM pg_index i
    WHERE i.indrelid = wanted AND i.indisvalid AND i.indimmediate
      AND CASE identity WHEN 'i' THEN i.indisreplident WHEN 'n' THEN false ELSE i.indisprimary END
      AND NOT EXISTS (SELECT FROM pg_attribute g WHERE g.attrelid = wanted AND g.attgenerated <> ''
                      AND g.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])));
END
$$;

--
-- Name: known_condition(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.known_condition(wanted oid) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
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
$$;

--
-- Name: may_be_full(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.may_be_full(wanted oid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN (
    SELECT current_setting('server_version_num')::int < 180000
      OR NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = wanted AND attgenerated <> ''));
END
$$;

--
-- Name: mend_identity(oid, boolean); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.mend_identity(wanted oid, gives boolean) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

--
-- Name: note_identity(oid, boolean); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.note_identity(wanted oid, needs_whole boolean) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
INSERT INTO sluice_ddl.full_identity AS f (relation, was, whole)
SELECT c.oid, CASE c.relreplident WHEN 'n' THEN 'nothing'
    WHEN 'i' THEN coalesce('index ' || (SELECT x.relname FROM pg_index i
      JOIN pg_class x ON x.oid = i.indexrelid
      WHERE i.indrelid = c.oid AND i.indisreplident), 'default')
    ELSE 'default' END, needs_whole
FROM pg_class c WHERE c.oid = wanted AND c.relreplident <> 'f'
ON CONFLICT (relation) DO UPDATE SET was = excluded.was, whole = excluded.whole
$$;

--
-- Name: objects_dropped(text, boolean, oid[], boolean); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.objects_dropped(command text, direct boolean, dropped oid[], with_index boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '500ms'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_nestloop TO 'on'
    SET enable_indexscan TO 'on'
    SET enable_bitmapscan TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
$$;

--
-- Name: of_schemas(oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.of_schemas(schemas oid[], OUT named oid[], OUT affected oid[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
$$;

--
-- Name: on_command_end(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.on_command_end() RETURNS event_trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
DECLARE
  context pg_catalog.text;
  objects pg_catalog.oid[];
BEGIN
  -- Tables; for ALTER SCHEMA the schema.
  SELECT pg_catalog.array_agg(c.objid) INTO objects
  FROM pg_catalog.pg_event_trigger_ddl_commands() c
  WHERE NOT c.in_extension AND (c.schema_name IS NULL
      OR c.schema_name OPERATOR(pg_catalog.<>) 'pg_temp')
    AND CASE tg_tag OPERATOR(pg_catalog.=) 'ALTER SCHEMA'
      WHEN true THEN c.object_type OPERATOR(pg_catalog.=) 'schema'
      ELSE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
        AND c.object_type OPERATOR(pg_catalog.=) ANY (ARRAY['table', 'table column']) END;
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
    END IF;
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM, objects);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$$;

--
-- Name: on_drop(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.on_drop() RETURNS event_trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
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
$$;

--
-- Name: on_rewrite(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.on_rewrite() RETURNS event_trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO sluice_ddl.rewritten
  SELECT pg_current_xact_id(), oid FROM pg_class
  WHERE oid = pg_event_trigger_table_rewrite_oid() AND relpersistence <> 't'
  ON CONFLICT DO NOTHING;
EXCEPTION WHEN OTHERS THEN
  -- Works also while the schema is being removed.
  BEGIN
    PERFORM sluice_ddl.failed(tg_tag, SQLERRM, ARRAY[pg_event_trigger_table_rewrite_oid()]);
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'sluice: %', SQLERRM;
  END;
END
$$;

--
-- Name: outline(jsonb); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.outline(definition jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
SELECT jsonb_build_object(
  'relation', definition -> 'relation', 'schema', definition -> 'schema',
  'name', definition -> 'name', 'root', definition -> 'root',
  'partition', definition -> 'partition',
  'columns', '[]'::jsonb)
WHERE definition IS NOT NULL
$$;

--
-- Name: own_collation(oid, oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.own_collation(typed oid, used oid) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN (
    SELECT format('%I.%I', n.nspname, l.collname)
    FROM pg_type t JOIN pg_collation l ON l.oid = used
    JOIN pg_namespace n ON n.oid = l.collnamespace
    WHERE t.oid = typed AND t.typcollation <> used);
END
$$;

--
-- Name: parents_of(oid); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.parents_of(wanted oid) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN (
    SELECT jsonb_agg(jsonb_build_object('relation', p.oid::int8, 'schema', n.nspname, 'name', p.relname)
      ORDER BY h.inhseqno)
    FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent
    JOIN pg_namespace n ON n.oid = p.relnamespace
    WHERE h.inhrelid = wanted);
END
$$;

--
-- Name: publish(oid, text); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.publish(wanted oid, publication text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

--
-- Name: refuse_others(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.refuse_others() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

--
-- Name: report(oid[], text, boolean, oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.report(affected oid[], command text, direct boolean, named oid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
  rewritten oid[] := '{}';
  at int;
  one oid;
  before jsonb;
  after jsonb;
  decisions jsonb;
  is_noted boolean := false;
  is_rewritten boolean;
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
      RETURNING r.relation)
    SELECT coalesce(array_agg(relation), '{}') INTO rewritten FROM gone;
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
    IF rewritten <> '{}' AND plain IS DISTINCT FROM false THEN
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
    is_rewritten := false;
    IF rewritten <> '{}' THEN
      is_rewritten := EXISTS (SELECT FROM unnest(rewritten) r
                              WHERE r = one OR (SELECT pg_partition_root(r)) = one);
    END IF;
    changes := changes || jsonb_build_object(
      'before', before, 'after', after, 'tasks', decisions, 'rewritten', is_rewritten);
  END LOOP;
  IF changes <> '{}' THEN
    PERFORM sluice_ddl.tell(jsonb_strip_nulls(jsonb_build_object('seen', seen)) || jsonb_build_object(
      'format', 2, 'command', command,
      -- The log sends a commit before other sessions see it.
      'transaction', mine::text,
      -- Whether a type was changed only by PostgreSQL's own cast.
      'plainCasts', coalesce(plain, false),
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
$_$;

--
-- Name: rules(jsonb, text, text); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.rules(selection jsonb, table_schema text, table_name text, OUT selects boolean, OUT filters boolean, OUT wants_old_rows boolean) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  SELECT coalesce(bool_or(NOT excluding), false) AND NOT coalesce(bool_or(excluding), false),
    coalesce(bool_or(filtering), false), coalesce(bool_or(whole), false)
  INTO selects, filters, wants_old_rows
  FROM (SELECT (rule ->> 'exclude')::boolean AS excluding, (rule ->> 'filters')::boolean AS filtering,
          (rule ->> 'wholeRows')::boolean AS whole
        FROM jsonb_array_elements(selection) rule
        WHERE table_schema ~ (rule ->> 'schema') AND table_name ~ (rule ->> 'table')) matching;
END
$$;

--
-- Name: seen(); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.seen() RETURNS jsonb
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF current_setting('transaction_isolation') = 'read committed'
      OR current_setting('transaction_isolation') = 'read uncommitted' THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT coalesce(jsonb_agg(name), '[]') FROM sluice_ddl.task);
END
$$;

--
-- Name: sequence_of(oid, smallint, boolean, text); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.sequence_of(wanted oid, number smallint, is_identity boolean, expression text) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    AS $$
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
$$;

--
-- Name: take_up(oid, integer); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.take_up(beyond oid, most integer) RETURNS oid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_nestloop TO 'on'
    SET enable_indexscan TO 'on'
    SET enable_bitmapscan TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
$$;

--
-- Name: tell(jsonb); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.tell(content jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO sluice_ddl.report (content) VALUES (tell.content::text);
  DELETE FROM sluice_ddl.report WHERE entry = pg_current_xact_id()::text::bigint;
END
$$;

--
-- Name: unsaid(oid[], text); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.unsaid(touched oid[], reason text) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;

--
-- Name: with_heirs(oid[]); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.with_heirs(tables oid[]) RETURNS oid[]
    LANGUAGE plpgsql
    AS $$
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
$$;

--
-- Name: withdraw(oid, text); Type: FUNCTION; Schema: sluice_ddl; Owner: -

CREATE FUNCTION sluice_ddl.withdraw(wanted oid, publication text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid
             WHERE p.pubname = publication AND r.prrelid = wanted) THEN
    EXECUTE format('ALTER PUBLICATION %I DROP TABLE ONLY %s', publication, wanted::regclass);
  END IF;
END
$$;

--
-- Name: item; Type: TABLE; Schema: shop; Owner: -

CREATE TABLE shop.item (
    id integer NOT NULL,
    name text,
    at integer DEFAULT 3
);

--
-- Name: made; Type: TABLE; Schema: shop; Owner: -

CREATE TABLE shop.made (
    id integer NOT NULL
);

--
-- Name: noted; Type: TABLE; Schema: shop; Owner: -

CREATE TABLE shop.noted (
    what text
);

ALTER TABLE ONLY shop.noted REPLICA IDENTITY FULL;

--
-- Name: shelf; Type: TABLE; Schema: shop; Owner: -

CREATE TABLE shop.shelf (
    id integer NOT NULL,
    name text
);

--
-- Name: followed; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.followed (
    task text NOT NULL,
    relation oid NOT NULL,
    since pg_lsn DEFAULT '0/0'::pg_lsn NOT NULL,
    until pg_lsn
);

--
-- Name: full_identity; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.full_identity (
    relation oid NOT NULL,
    was text NOT NULL,
    whole boolean NOT NULL
);

--
-- Name: home; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.home (
    database oid NOT NULL,
    known oid NOT NULL
);

--
-- Name: known; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.known (
    relation oid NOT NULL,
    entry bigint NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    place pg_lsn DEFAULT pg_current_wal_insert_lsn() NOT NULL,
    definition jsonb
);

--
-- Name: published; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.published (
    since pg_lsn NOT NULL
);

--
-- Name: report; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.report (
    entry bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    content text NOT NULL
);

--
-- Name: reporting; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.reporting (
    transaction xid8 NOT NULL
);

--
-- Name: rewritten; Type: TABLE; Schema: sluice_ddl; Owner: -

CREATE TABLE sluice_ddl.rewritten (
    transaction xid8 NOT NULL,
    relation oid NOT NULL
);

--
-- Data for Name: item; Type: TABLE DATA; Schema: shop; Owner: -

INSERT INTO shop.item VALUES (1, 'item 1', 3);
INSERT INTO shop.item VALUES (2, 'item 2', 3);
INSERT INTO shop.item VALUES (3, 'item 3', 3);
INSERT INTO shop.item VALUES (4, 'item 4', 3);
INSERT INTO shop.item VALUES (5, 'item 5', 3);
INSERT INTO shop.item VALUES (6, 'item 6', 3);
INSERT INTO shop.item VALUES (8, 'item 8', 3);
INSERT INTO shop.item VALUES (9, 'item 9', 3);
INSERT INTO shop.item VALUES (10, 'item 10', 3);
INSERT INTO shop.item VALUES (11, 'item 11', 3);
INSERT INTO shop.item VALUES (12, 'item 12', 3);
INSERT INTO shop.item VALUES (13, 'item 13', 3);
INSERT INTO shop.item VALUES (14, 'item 14', 3);
INSERT INTO shop.item VALUES (15, 'item 15', 3);
INSERT INTO shop.item VALUES (16, 'item 16', 3);
INSERT INTO shop.item VALUES (17, 'item 17', 3);
INSERT INTO shop.item VALUES (18, 'item 18', 3);
INSERT INTO shop.item VALUES (19, 'item 19', 3);
INSERT INTO shop.item VALUES (20, 'item 20', 3);
INSERT INTO shop.item VALUES (7, 'new', 3);

--
-- Data for Name: made; Type: TABLE DATA; Schema: shop; Owner: -

INSERT INTO shop.made VALUES (1);
INSERT INTO shop.made VALUES (2);
INSERT INTO shop.made VALUES (3);
INSERT INTO shop.made VALUES (4);
INSERT INTO shop.made VALUES (5);
INSERT INTO shop.made VALUES (6);
INSERT INTO shop.made VALUES (7);
INSERT INTO shop.made VALUES (8);
INSERT INTO shop.made VALUES (9);
INSERT INTO shop.made VALUES (10);

--
-- Data for Name: noted; Type: TABLE DATA; Schema: shop; Owner: -

INSERT INTO shop.noted VALUES ('before the end');
INSERT INTO shop.noted VALUES ('while it was down');

--
-- Data for Name: shelf; Type: TABLE DATA; Schema: shop; Owner: -

INSERT INTO shop.shelf VALUES (1, 'shelf 1');
INSERT INTO shop.shelf VALUES (2, 'shelf 2');
INSERT INTO shop.shelf VALUES (3, 'shelf 3');
INSERT INTO shop.shelf VALUES (4, 'shelf 4');
INSERT INTO shop.shelf VALUES (5, 'shelf 5');
INSERT INTO shop.shelf VALUES (9, 'late');

--
-- Data for Name: followed; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

INSERT INTO sluice_ddl.followed VALUES ('shop', 16386, '0/0', NULL);
INSERT INTO sluice_ddl.followed VALUES ('shop', 16393, '0/0', NULL);
INSERT INTO sluice_ddl.followed VALUES ('shop', 16398, '0/0', NULL);
INSERT INTO sluice_ddl.followed VALUES ('shop', 16548, '0/19B3DF0', NULL);

--
-- Data for Name: full_identity; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

--
-- Data for Name: home; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

INSERT INTO sluice_ddl.home VALUES (16384, 16450);

--
-- Data for Name: known; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

INSERT INTO sluice_ddl.known VALUES (16386, 1, '2026-11-26 15:52:56.079675+00', '0/19ADAA8', '{"key": {"name": "item_pkey", "columns": [1]}, "name": "item", "root": {"name": "item", "schema": "shop", "relation": 16386}, "logged": true, "schema": "shop", "columns": [{"name": "id", "type": "integer", "number": 1, "notNull": true, "modifier": -1, "typeNumber": 23}, {"name": "name", "type": "text", "number": 2, "notNull": false, "modifier": -1, "typeNumber": 25}], "parents": null, "identity": "d", "relation": 16386, "partition": null, "wholeRows": false, "journalKey": [1], "partitionedBy": null}');
INSERT INTO sluice_ddl.known VALUES (16393, 1, '2026-11-26 15:52:56.083917+00', '0/19ADEF8', '{"key": null, "name": "noted", "root": {"name": "noted", "schema": "shop", "relation": 16393}, "logged": true, "schema": "shop", "columns": [{"name": "what", "type": "text", "number": 1, "notNull": false, "modifier": -1, "typeNumber": 25}], "parents": null, "identity": "f", "relation": 16393, "partition": null, "wholeRows": true, "journalKey": null, "partitionedBy": null}');
INSERT INTO sluice_ddl.known VALUES (16398, 1, '2026-11-26 15:52:56.083937+00', '0/19AE1D8', '{"key": {"name": "shelf_pkey", "columns": [1]}, "name": "shelf", "root": {"name": "shelf", "schema": "shop", "relation": 16398}, "logged": true, "schema": "shop", "columns": [{"name": "id", "type": "integer", "number": 1, "notNull": true, "modifier": -1, "typeNumber": 23}, {"name": "name", "type": "text", "number": 2, "notNull": false, "modifier": -1, "typeNumber": 25}], "parents": null, "identity": "d", "relation": 16398, "partition": null, "wholeRows": false, "journalKey": [1], "partitionedBy": null}');
INSERT INTO sluice_ddl.known VALUES (16386, 2, '2026-11-26 15:53:35.171719+00', '0/19B0B28', '{"key": {"name": "item_pkey", "columns": [1]}, "name": "item", "root": {"name": "item", "schema": "shop", "relation": 16386}, "logged": true, "schema": "shop", "columns": [{"name": "id", "type": "integer", "number": 1, "notNull": true, "modifier": -1, "typeNumber": 23}, {"name": "name", "type": "text", "number": 2, "notNull": false, "modifier": -1, "typeNumber": 25}, {"name": "at", "type": "integer", "number": 3, "default": "3", "notNull": false, "existing": "3", "modifier": -1, "typeNumber": 23}], "parents": null, "identity": "d", "relation": 16386, "partition": null, "wholeRows": false, "journalKey": [1], "partitionedBy": null}');
INSERT INTO sluice_ddl.known VALUES (16548, 1, '2026-11-26 15:53:35.251629+00', '0/19B3EC8', '{"key": {"name": "made_pkey", "columns": [1]}, "name": "made", "root": {"name": "made", "schema": "shop", "relation": 16548}, "logged": true, "schema": "shop", "columns": [{"name": "id", "type": "integer", "number": 1, "notNull": true, "modifier": -1, "typeNumber": 23}], "parents": null, "identity": "d", "relation": 16548, "partition": null, "wholeRows": false, "journalKey": [1], "partitionedBy": null}');

--
-- Data for Name: published; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

INSERT INTO sluice_ddl.published VALUES ('0/19AD6E8');

--
-- Data for Name: report; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

--
-- Data for Name: reporting; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

--
-- Data for Name: rewritten; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

--
-- Data for Name: task; Type: TABLE DATA; Schema: sluice_ddl; Owner: -

INSERT INTO sluice_ddl.task VALUES ('shop', '4f6297b0-9d08-4c57-b39e-16a6782525f6', 'sluice_shop', false, '[{"table": "^(.|\\n)*$", "schema": "^[s][h][o][p]$", "exclude": false}, {"table": "^(.|\\n)*$", "schema": "^(sluice_ddl|sluice_moved|sluice_cutover|sluice_control)$", "exclude": true}]', true);

--
-- Name: item item_pkey; Type: CONSTRAINT; Schema: shop; Owner: -

ALTER TABLE ONLY shop.item
    ADD CONSTRAINT item_pkey PRIMARY KEY (id);

--
-- Name: made made_pkey; Type: CONSTRAINT; Schema: shop; Owner: -

ALTER TABLE ONLY shop.made
    ADD CONSTRAINT made_pkey PRIMARY KEY (id);

--
-- Name: shelf shelf_pkey; Type: CONSTRAINT; Schema: shop; Owner: -

ALTER TABLE ONLY shop.shelf
    ADD CONSTRAINT shelf_pkey PRIMARY KEY (id);

--
-- Name: followed followed_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.followed
    ADD CONSTRAINT followed_pkey PRIMARY KEY (task, relation, since);

--
-- Name: full_identity full_identity_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.full_identity
    ADD CONSTRAINT full_identity_pkey PRIMARY KEY (relation);

--
-- Name: home home_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.home
    ADD CONSTRAINT home_pkey PRIMARY KEY (database, known);

--
-- Name: known known_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.known
    ADD CONSTRAINT known_pkey PRIMARY KEY (relation, entry);

--
-- Name: published published_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.published
    ADD CONSTRAINT published_pkey PRIMARY KEY (since);

--
-- Name: report report_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.report
    ADD CONSTRAINT report_pkey PRIMARY KEY (entry);

--
-- Name: reporting reporting_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.reporting
    ADD CONSTRAINT reporting_pkey PRIMARY KEY (transaction);

--
-- Name: rewritten rewritten_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.rewritten
    ADD CONSTRAINT rewritten_pkey PRIMARY KEY (transaction, relation);

--
-- Name: task task_pkey; Type: CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (name);

--
-- Name: known_by_index; Type: INDEX; Schema: sluice_ddl; Owner: -

CREATE INDEX known_by_index ON sluice_ddl.known USING btree (relation) WHERE ((definition ->> 'identity'::text) = 'i'::text);

--
-- Name: known_name; Type: INDEX; Schema: sluice_ddl; Owner: -

CREATE INDEX known_name ON sluice_ddl.known USING btree (((definition ->> 'schema'::text)), ((definition ->> 'name'::text)));

--
-- Name: known_parent; Type: INDEX; Schema: sluice_ddl; Owner: -

CREATE INDEX known_parent ON sluice_ddl.known USING btree ((((definition #>> '{partition,relation}'::text[]))::bigint)) WHERE (((definition #>> '{partition,relation}'::text[]))::bigint IS NOT NULL);

--
-- Name: followed refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.followed FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('granted');

ALTER TABLE sluice_ddl.followed ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: full_identity refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.full_identity FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('granted');

ALTER TABLE sluice_ddl.full_identity ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: home refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.home FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('owner');

ALTER TABLE sluice_ddl.home ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: known refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.known FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('owner');

ALTER TABLE sluice_ddl.known ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: published refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.published FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('granted');

ALTER TABLE sluice_ddl.published ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: report refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.report FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('owner');

ALTER TABLE sluice_ddl.report ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: reporting refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.reporting FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('owner');

ALTER TABLE sluice_ddl.reporting ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: rewritten refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.rewritten FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('owner');

ALTER TABLE sluice_ddl.rewritten ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: task refuse_others; Type: TRIGGER; Schema: sluice_ddl; Owner: -

CREATE TRIGGER refuse_others BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON sluice_ddl.task FOR EACH STATEMENT WHEN ((NOT pg_has_role((10)::oid, 'USAGE'::text))) EXECUTE FUNCTION sluice_ddl.refuse_others('granted');

ALTER TABLE sluice_ddl.task ENABLE ALWAYS TRIGGER refuse_others;

--
-- Name: followed followed_task_fkey; Type: FK CONSTRAINT; Schema: sluice_ddl; Owner: -

ALTER TABLE ONLY sluice_ddl.followed
    ADD CONSTRAINT followed_task_fkey FOREIGN KEY (task) REFERENCES sluice_ddl.task(name) ON DELETE CASCADE;

--
-- Name: sluice_ddl; Type: PUBLICATION; Schema: -; Owner: -

CREATE PUBLICATION sluice_ddl WITH (publish = 'insert');

--
-- Name: sluice_shop; Type: PUBLICATION; Schema: -; Owner: -

CREATE PUBLICATION sluice_shop WITH (publish = 'insert, update, delete, truncate');

--
-- Name: PUBLICATION sluice_shop; Type: COMMENT; Schema: -; Owner: -

COMMENT ON PUBLICATION sluice_shop IS 'Made by Sluice for task shop, id 4f6297b0-9d08-4c57-b39e-16a6782525f6, which reads slot sluice_shop and keeps its state in schema sluice_control of postgres@127.0.0.1:26402/shop';

--
-- Name: sluice_shop item; Type: PUBLICATION TABLE; Schema: shop; Owner: -

ALTER PUBLICATION sluice_shop ADD TABLE ONLY shop.item;

--
-- Name: sluice_shop made; Type: PUBLICATION TABLE; Schema: shop; Owner: -

ALTER PUBLICATION sluice_shop ADD TABLE ONLY shop.made;

--
-- Name: sluice_shop noted; Type: PUBLICATION TABLE; Schema: shop; Owner: -

ALTER PUBLICATION sluice_shop ADD TABLE ONLY shop.noted;

--
-- Name: sluice_shop shelf; Type: PUBLICATION TABLE; Schema: shop; Owner: -

ALTER PUBLICATION sluice_shop ADD TABLE ONLY shop.shelf;

--
-- Name: sluice_ddl report; Type: PUBLICATION TABLE; Schema: sluice_ddl; Owner: -

ALTER PUBLICATION sluice_ddl ADD TABLE ONLY sluice_ddl.report;

--
-- Name: sluice_ddl_drop; Type: EVENT TRIGGER; Schema: -; Owner: -

CREATE EVENT TRIGGER sluice_ddl_drop ON sql_drop
   EXECUTE FUNCTION sluice_ddl.on_drop();

ALTER EVENT TRIGGER sluice_ddl_drop ENABLE ALWAYS;

--
-- Name: sluice_ddl_end; Type: EVENT TRIGGER; Schema: -; Owner: -

CREATE EVENT TRIGGER sluice_ddl_end ON ddl_command_end
         WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE', 'CREATE SCHEMA', 'ALTER SCHEMA')
   EXECUTE FUNCTION sluice_ddl.on_command_end();

ALTER EVENT TRIGGER sluice_ddl_end ENABLE ALWAYS;

--
-- Name: sluice_ddl_rewrite; Type: EVENT TRIGGER; Schema: -; Owner: -

CREATE EVENT TRIGGER sluice_ddl_rewrite ON table_rewrite
   EXECUTE FUNCTION sluice_ddl.on_rewrite();

ALTER EVENT TRIGGER sluice_ddl_rewrite ENABLE ALWAYS;

--
-- PostgreSQL database dump complete

