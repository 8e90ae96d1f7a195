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
-- Name: sluice_control; Type: SCHEMA; Schema: -; Owner: -

CREATE SCHEMA sluice_control;

--
-- Name: SCHEMA sluice_control; Type: COMMENT; Schema: -; Owner: -

COMMENT ON SCHEMA sluice_control IS 'Made by Sluice for what its tasks remember';

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: checkpoint; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.checkpoint (
    task text NOT NULL,
    epoch bigint NOT NULL,
    "position" text DEFAULT '0/0'::text NOT NULL,
    durable text DEFAULT '0/0'::text NOT NULL,
    journal_term bigint DEFAULT 0 NOT NULL,
    journal_transaction bigint DEFAULT 0 NOT NULL,
    next_offset bigint DEFAULT 0 NOT NULL,
    journal_topic_id text,
    source_system text,
    source_timeline integer,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
)
WITH (fillfactor='50');

--
-- Name: completion_step; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.completion_step (
    task text NOT NULL,
    step integer NOT NULL,
    table_schema text NOT NULL,
    table_name text NOT NULL,
    stage text NOT NULL,
    place integer NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    references_schema text,
    references_table text,
    things text[] NOT NULL,
    unless text[] NOT NULL,
    statements text[] NOT NULL,
    state text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    started timestamp with time zone,
    ended timestamp with time zone
);

--
-- Name: import_batch; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.import_batch (
    task text NOT NULL,
    file text NOT NULL,
    first_byte bigint NOT NULL,
    end_byte bigint NOT NULL,
    first_line bigint NOT NULL,
    next_line bigint NOT NULL,
    rows bigint NOT NULL,
    bad_rows bigint NOT NULL,
    bad_file_end bigint NOT NULL,
    epoch bigint NOT NULL,
    committed_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

--
-- Name: import_file; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.import_file (
    task text NOT NULL,
    file text NOT NULL,
    table_schema text NOT NULL,
    table_name text NOT NULL,
    layout text NOT NULL,
    size bigint NOT NULL,
    modified timestamp with time zone NOT NULL,
    head text NOT NULL,
    first_byte bigint NOT NULL,
    end_byte bigint,
    begun_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamp with time zone
);

--
-- Name: import_task; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.import_task (
    task text NOT NULL,
    epoch bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

--
-- Name: lane_checkpoint; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.lane_checkpoint (
    task text NOT NULL,
    lane text NOT NULL,
    tables text[] NOT NULL,
    epoch bigint NOT NULL,
    "position" text NOT NULL,
    durable text NOT NULL,
    journal_term bigint NOT NULL,
    journal_transaction bigint NOT NULL,
    next_offset bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
)
WITH (fillfactor='50');

--
-- Name: load_segment; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.load_segment (
    task text NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    segment integer NOT NULL,
    rows_of text NOT NULL,
    shape text NOT NULL,
    file_node bigint DEFAULT 0 NOT NULL,
    start_position text NOT NULL,
    attempt bigint NOT NULL,
    loaded_rows bigint DEFAULT 0 NOT NULL,
    loaded_bytes bigint DEFAULT 0 NOT NULL,
    done boolean DEFAULT false NOT NULL,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
)
WITH (fillfactor='50');

--
-- Name: partition_checkpoint; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.partition_checkpoint (
    task text NOT NULL,
    topic text NOT NULL,
    partition integer NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    applied_groups bigint DEFAULT 0 NOT NULL,
    next_offset bigint DEFAULT 0 NOT NULL,
    durable_offset bigint DEFAULT 0 NOT NULL,
    "position" text DEFAULT '0/0'::text NOT NULL,
    event_order bigint DEFAULT 0 NOT NULL,
    topic_id text,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
)
WITH (fillfactor='50');

--
-- Name: replica_identity; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.replica_identity (
    task text NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    before text NOT NULL
);

--
-- Name: row_shape; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.row_shape (
    task text NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    row_schema bytea NOT NULL
);

--
-- Name: sluice_apply_exceptions; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.sluice_apply_exceptions (
    id bigint NOT NULL,
    task_name text NOT NULL,
    table_owner text NOT NULL,
    table_name text NOT NULL,
    error_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    statement text NOT NULL,
    error text NOT NULL,
    sqlstate text NOT NULL,
    kind text NOT NULL,
    action text NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    operation text NOT NULL,
    key json,
    row_data json,
    "position" text NOT NULL,
    journal_term bigint NOT NULL,
    journal_transaction bigint NOT NULL,
    change_number bigint NOT NULL,
    commit_time timestamp with time zone NOT NULL
);

--
-- Name: sluice_apply_exceptions_id_seq; Type: SEQUENCE; Schema: sluice_control; Owner: -

ALTER TABLE sluice_control.sluice_apply_exceptions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME sluice_control.sluice_apply_exceptions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: sluice_history; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.sluice_history (
    server_name text NOT NULL,
    task_name text NOT NULL,
    timeslot_type text NOT NULL,
    timeslot timestamp with time zone NOT NULL,
    timeslot_duration integer NOT NULL,
    timeslot_latency bigint NOT NULL,
    records bigint NOT NULL,
    timeslot_volume numeric NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    windows bigint NOT NULL,
    inserts bigint NOT NULL,
    updates bigint NOT NULL,
    deletes bigint NOT NULL,
    truncates bigint NOT NULL,
    net_changes bigint NOT NULL,
    applied_inserts bigint NOT NULL,
    applied_updates bigint NOT NULL,
    applied_deletes bigint NOT NULL,
    applied_truncates bigint NOT NULL,
    conflicts bigint NOT NULL,
    upserts bigint NOT NULL,
    suspended_changes bigint NOT NULL
)
WITH (fillfactor='50');

--
-- Name: sluice_status; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.sluice_status (
    server_name text NOT NULL,
    task_name text NOT NULL,
    task_status text NOT NULL,
    status_time timestamp with time zone NOT NULL,
    pending_changes bigint NOT NULL,
    disk_swap_size bigint NOT NULL,
    task_memory bigint NOT NULL,
    source_current_position text,
    source_current_timestamp timestamp with time zone,
    source_tail_position text,
    source_tail_timestamp timestamp with time zone,
    source_timestamp_applied timestamp with time zone,
    phase text NOT NULL,
    problem text,
    suspended_tables bigint NOT NULL
)
WITH (fillfactor='50');

--
-- Name: sluice_suspended_tables; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.sluice_suspended_tables (
    server_name text NOT NULL,
    task_name text NOT NULL,
    table_owner text NOT NULL,
    table_name text NOT NULL,
    suspend_reason text NOT NULL,
    suspend_timestamp timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    first_position text NOT NULL,
    "position" text NOT NULL,
    journal_term bigint NOT NULL,
    journal_transaction bigint NOT NULL,
    next_offset bigint NOT NULL,
    journal_topic_id text,
    state text DEFAULT 'suspended'::text NOT NULL,
    rows_whole boolean DEFAULT true NOT NULL
);

--
-- Name: sluice_validation_failures_v2; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.sluice_validation_failures_v2 (
    task_name text NOT NULL,
    table_owner text NOT NULL,
    table_name text NOT NULL,
    failure_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    key_type text NOT NULL,
    key text NOT NULL,
    failure_type text NOT NULL,
    details text NOT NULL,
    resync_result text,
    resync_time timestamp with time zone,
    resync_action text,
    resync_id text,
    id bigint NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    source_row text,
    target_row text,
    source_position text NOT NULL,
    target_position text NOT NULL,
    sessions integer NOT NULL,
    pending_since timestamp with time zone,
    key_hash text NOT NULL
);

--
-- Name: sluice_validation_failures_v2_id_seq; Type: SEQUENCE; Schema: sluice_control; Owner: -

ALTER TABLE sluice_control.sluice_validation_failures_v2 ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME sluice_control.sluice_validation_failures_v2_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: task_identity; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.task_identity (
    task text NOT NULL,
    id uuid NOT NULL,
    source_system text NOT NULL,
    source_database text NOT NULL,
    slot_name text,
    host text NOT NULL,
    data_directory text NOT NULL,
    made_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

--
-- Name: task_step; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.task_step (
    task text NOT NULL,
    step text NOT NULL,
    state text NOT NULL,
    detail text NOT NULL,
    at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

--
-- Name: validation_table; Type: TABLE; Schema: sluice_control; Owner: -

CREATE TABLE sluice_control.validation_table (
    task text NOT NULL,
    source_schema text NOT NULL,
    source_table text NOT NULL,
    shape text NOT NULL,
    source_system text NOT NULL,
    source_timeline integer NOT NULL,
    pass_began_at timestamp with time zone,
    pass_position text,
    pass_rows bigint DEFAULT 0 NOT NULL,
    pass_next text,
    read_at timestamp with time zone,
    read_position text,
    read_rows bigint DEFAULT 0 NOT NULL,
    suspended text NOT NULL,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
)
WITH (fillfactor='50');

--
-- Data for Name: checkpoint; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.checkpoint VALUES ('shop', 1, '0/19B5028', '0/19B5028', 1, 12, 13, '6H2eUKC6TNqcarsB9U-rXQ', '7712508644082783219', 1, '2026-11-26 15:53:50.535288+00');

--
-- Data for Name: completion_step; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.completion_step VALUES ('shop', 1, 'shop', 'item', 'TABLE', 2147483647, 'ANALYZE', 'shop.item', NULL, NULL, '{"statistics of shop.item"}', '{""}', '{"ANALYZE \"shop\".\"item\""}', 'done', '', '2026-11-26 15:53:22.802928+00', '2026-11-26 15:53:22.82379+00');
INSERT INTO sluice_control.completion_step VALUES ('shop', 3, 'shop', 'noted', 'TABLE', 2147483647, 'ANALYZE', 'shop.noted', NULL, NULL, '{"statistics of shop.noted"}', '{""}', '{"ANALYZE \"shop\".\"noted\""}', 'done', '', '2026-11-26 15:53:22.803001+00', '2026-11-26 15:53:22.823762+00');
INSERT INTO sluice_control.completion_step VALUES ('shop', 2, 'shop', 'shelf', 'TABLE', 2147483647, 'ANALYZE', 'shop.shelf', NULL, NULL, '{"statistics of shop.shelf"}', '{""}', '{"ANALYZE \"shop\".\"shelf\""}', 'done', '', '2026-11-26 15:53:22.834038+00', '2026-11-26 15:53:22.846106+00');

--
-- Data for Name: import_batch; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: import_file; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: import_task; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: lane_checkpoint; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: load_segment; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.load_segment VALUES ('shop', 'shop', 'noted', 0, 'all rows', '9d19027d6b943c1418c370dafc7e4e463bb43a0e5a6657757ba9f0a9532bd6c9 into shop.noted', 16393, '0/19AFDB0', 1, 0, 0, true, '2026-11-26 15:53:22.680434+00');
INSERT INTO sluice_control.load_segment VALUES ('shop', 'shop', 'item', 0, 'all rows', '517d73de0d39326f278080adce0fa701bfc23aed118646f2adea1ef17d9194d7 into shop.item', 16386, '0/19AFDB0', 1, 20, 411, true, '2026-11-26 15:53:22.669746+00');
INSERT INTO sluice_control.load_segment VALUES ('shop', 'shop', 'shelf', 0, 'all rows', '14b0d972bd07fd4acf40f5644a630a92cf90f3e68a030c1b6c132b1160053665 into shop.shelf', 16398, '0/19AFDB0', 1, 5, 105, true, '2026-11-26 15:53:22.672331+00');

--
-- Data for Name: partition_checkpoint; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: replica_identity; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: row_shape; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.row_shape VALUES ('shop', 'shop', 'shelf', '\x020473686f70057368656c660202696407696e74656765720202046e616d6504746578740504');
INSERT INTO sluice_control.row_shape VALUES ('shop', 'shop', 'made', '\x020473686f70046d6164650102696407696e74656765720200');
INSERT INTO sluice_control.row_shape VALUES ('shop', 'shop', 'noted', '\x020473686f70056e6f74656401047768617404746578740100');

--
-- Data for Name: sluice_apply_exceptions; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.sluice_apply_exceptions OVERRIDING SYSTEM VALUE VALUES (1, 'shop', 'shop', 'item', '2026-11-26 15:53:29.16383+00', 'UPDATE on shop.item (id=7)', 'update on shop.item: expected each of 1 rows to match one row, found: (id=7) matches 0 rows', '', 'UPDATE', 'LOG_ERROR', 'shop', 'item', 'UPDATE', '{"id" : "7"}', '{"id" : "7", "name" : "new"}', '0/19B00D0', 1, 2, 1, '2026-11-26 15:53:26.855951+00');
INSERT INTO sluice_control.sluice_apply_exceptions OVERRIDING SYSTEM VALUE VALUES (2, 'shop', 'shop', 'shelf', '2026-11-26 15:53:29.164109+00', 'INSERT on shop.shelf (id=9)', 'target table shop.shelf: does not exist; expected a table for the changes of shop.shelf. Create it, or deselect the source table', '', 'TABLE', 'SUSPEND_TABLE', 'shop', 'shelf', 'INSERT', '{"id" : "9"}', '{"id" : "9", "name" : "late"}', '0/19B0180', 1, 3, 1, '2026-11-26 15:53:26.857341+00');

--
-- Data for Name: sluice_history; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: sluice_status; Type: TABLE DATA; Schema: sluice_control; Owner: -

--
-- Data for Name: sluice_suspended_tables; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.sluice_suspended_tables VALUES ('replicator', 'shop', 'shop', 'shelf', 'target table shop.shelf: does not exist; expected a table for the changes of shop.shelf. Create it, or deselect the source table', '2026-11-26 15:53:27.930678+00', 'shop', 'shelf', '0/19B0180', '0/19B00D0', 1, 2, 3, '6H2eUKC6TNqcarsB9U-rXQ', 'suspended', true);

--
-- Data for Name: sluice_validation_failures_v2; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.sluice_validation_failures_v2 OVERRIDING SYSTEM VALUE VALUES ('shop', 'shop', 'item', '2026-11-26 15:53:50.634837+00', 'Row', '{"id":"7"}', 'MISSING_TARGET', '{}', NULL, NULL, NULL, NULL, 2, 'shop', 'item', '{"id":"7","name":"new","at":"3"}', NULL, '0/19B4FB0', '0/19B4FB0', 1, NULL, '389bf6f649e1a6dca027ed7b7d5124457a00a16e130fe39e18474dccf85094b9');

--
-- Data for Name: task_identity; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.task_identity VALUES ('shop', '4f6297b0-9d08-4c57-b39e-16a6782525f6', '7712508644082783219', 'shop', 'sluice_shop', 'replicator', '/srv/sluice/shop', '2026-11-26 15:52:55.904617+00');

--
-- Data for Name: task_step; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.task_step VALUES ('shop', 'prepared-tables', 'known', '[ [ "shop", "item" ], [ "shop", "noted" ], [ "shop", "shelf" ] ]', '2026-11-26 15:53:07.388897+00');
INSERT INTO sluice_control.task_step VALUES ('shop', 'tables', 'known', '[ [ "shop", "item" ], [ "shop", "noted" ], [ "shop", "shelf" ] ]', '2026-11-26 15:53:22.828481+00');
INSERT INTO sluice_control.task_step VALUES ('shop', 'full-load', 'done', '0/19AFDB0', '2026-11-26 15:53:22.91327+00');
INSERT INTO sluice_control.task_step VALUES ('shop', 'completion', 'done', 'DROP_AND_CREATE', '2026-11-26 15:53:22.970116+00');
INSERT INTO sluice_control.task_step VALUES ('shop', 'cached-changes', 'applied', '', '2026-11-26 15:53:26.089568+00');

--
-- Data for Name: validation_table; Type: TABLE DATA; Schema: sluice_control; Owner: -

INSERT INTO sluice_control.validation_table VALUES ('shop', 'shop', 'noted', 'af34b8c8e52b44b1/37aac4', '7712508644082783219', 1, NULL, NULL, 0, NULL, '2026-11-26 15:53:27.278485+00', '0/19B0050', 0, '', '2026-11-26 15:53:27.288863+00');
INSERT INTO sluice_control.validation_table VALUES ('shop', 'shop', 'item', '67e98e3ac93d9273/5fb2707c', '7712508644082783219', 1, NULL, NULL, 0, NULL, '2026-11-26 15:53:27.278485+00', '0/19B0050', 20, '', '2026-11-26 15:53:50.630212+00');

--
-- Name: sluice_apply_exceptions_id_seq; Type: SEQUENCE SET; Schema: sluice_control; Owner: -

SELECT pg_catalog.setval('sluice_control.sluice_apply_exceptions_id_seq', 2, true);

--
-- Name: sluice_validation_failures_v2_id_seq; Type: SEQUENCE SET; Schema: sluice_control; Owner: -

SELECT pg_catalog.setval('sluice_control.sluice_validation_failures_v2_id_seq', 2, true);

--
-- Name: checkpoint checkpoint_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.checkpoint
    ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (task);

--
-- Name: completion_step completion_step_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.completion_step
    ADD CONSTRAINT completion_step_pkey PRIMARY KEY (task, step);

--
-- Name: import_batch import_batch_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.import_batch
    ADD CONSTRAINT import_batch_pkey PRIMARY KEY (task, file, first_byte);

--
-- Name: import_file import_file_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.import_file
    ADD CONSTRAINT import_file_pkey PRIMARY KEY (task, file);

--
-- Name: import_task import_task_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.import_task
    ADD CONSTRAINT import_task_pkey PRIMARY KEY (task);

--
-- Name: lane_checkpoint lane_checkpoint_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.lane_checkpoint
    ADD CONSTRAINT lane_checkpoint_pkey PRIMARY KEY (task, lane);

--
-- Name: load_segment load_segment_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.load_segment
    ADD CONSTRAINT load_segment_pkey PRIMARY KEY (task, source_schema, source_table, segment);

--
-- Name: partition_checkpoint partition_checkpoint_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.partition_checkpoint
    ADD CONSTRAINT partition_checkpoint_pkey PRIMARY KEY (task, topic, partition);

--
-- Name: replica_identity replica_identity_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.replica_identity
    ADD CONSTRAINT replica_identity_pkey PRIMARY KEY (task, source_schema, source_table);

--
-- Name: row_shape row_shape_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.row_shape
    ADD CONSTRAINT row_shape_pkey PRIMARY KEY (task, source_schema, source_table);

--
-- Name: sluice_apply_exceptions sluice_apply_exceptions_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.sluice_apply_exceptions
    ADD CONSTRAINT sluice_apply_exceptions_pkey PRIMARY KEY (id);

--
-- Name: sluice_history sluice_history_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.sluice_history
    ADD CONSTRAINT sluice_history_pkey PRIMARY KEY (task_name, timeslot_type, timeslot, source_schema, source_table);

--
-- Name: sluice_status sluice_status_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.sluice_status
    ADD CONSTRAINT sluice_status_pkey PRIMARY KEY (task_name);

--
-- Name: sluice_suspended_tables sluice_suspended_tables_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.sluice_suspended_tables
    ADD CONSTRAINT sluice_suspended_tables_pkey PRIMARY KEY (task_name, source_schema, source_table);

--
-- Name: sluice_validation_failures_v2 sluice_validation_failures_v2_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.sluice_validation_failures_v2
    ADD CONSTRAINT sluice_validation_failures_v2_pkey PRIMARY KEY (id);

--
-- Name: task_identity task_identity_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.task_identity
    ADD CONSTRAINT task_identity_pkey PRIMARY KEY (task);

--
-- Name: task_step task_step_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.task_step
    ADD CONSTRAINT task_step_pkey PRIMARY KEY (task, step);

--
-- Name: validation_table validation_table_pkey; Type: CONSTRAINT; Schema: sluice_control; Owner: -

ALTER TABLE ONLY sluice_control.validation_table
    ADD CONSTRAINT validation_table_pkey PRIMARY KEY (task, source_schema, source_table);

--
-- Name: sluice_apply_exceptions_task_name_source_schema_source_tabl_idx; Type: INDEX; Schema: sluice_control; Owner: -

CREATE INDEX sluice_apply_exceptions_task_name_source_schema_source_tabl_idx ON sluice_control.sluice_apply_exceptions USING btree (task_name, source_schema, source_table);

--
-- Name: sluice_validation_failures_v2_task_name_source_schema_sourc_idx; Type: INDEX; Schema: sluice_control; Owner: -

CREATE INDEX sluice_validation_failures_v2_task_name_source_schema_sourc_idx ON sluice_control.sluice_validation_failures_v2 USING btree (task_name, source_schema, source_table, key_hash);

--
-- PostgreSQL database dump complete

