package dev.sluice.config;

import java.util.List;
import java.util.stream.Collectors;

/** Renders {@code docs/settings.md} from the descriptions of the settings. */
final class SettingsPage {

  private static final String HEAD =
      """
      # Settings

      Every task setting: its unit, default, range and what becomes of it. This page is written from the
      descriptions in the code (`SettingCatalogue`); a test compares the two. After a change there, write it again:

      ```
      mvn -q -pl config -am test -Dtest=SettingsPageTest -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.update=true
      ```

      ## How the documents are read

      - `task-settings` in the task file names a JSON (or, by its ending, YAML) file, or holds the settings itself. A document
        that AWS DMS returned is read as it stands, and so is a block as articles print it, without the outer braces.
      - Names and meanings are DMS's. Seconds may have fractions. A key without a value (`null`) counts as left out.
      - Every problem of all files is told at once, with file, line, column and path. An unknown key, a wrong type or unit, a
        value out of range and a value that cannot be honoured each stop the start; nothing is repaired or rounded.
      - *in effect*: honoured. *not applicable*: nothing here works that way; it is read and named in the start log. *not yet*:
        not built; it is read and named, and a value that would change what lands on the target, or lose a safety, is refused.
      - *live*: a running task takes a new value; see the next part.

      Where defaults differ from DMS's, they are the safe or the fast choice: `BatchApplyEnabled` is true; data and apply
      errors stop the task instead of leaving the target different; control tables live in `sluice_control`.
      `{"Sluice": {"ErrorProfile": "dms-defaults"}}` takes DMS's own defaults of ErrorBehavior. A document that DMS returned says
      each of them itself, and is honoured as it stands; the start log then names the policies that let the target differ.
      The same with `LimitedSizeLobMode`, which is false here and true in most documents of DMS: then values are cut, and
      `check` and the start log name the columns.

      The task file's own keys, the selection rules and the references `${env:NAME}` and `${file:/path}` are described after
      the sections.
      """;

  private static final String LIVE =
      """

      ## Changing settings while the task runs

      Settings marked *live* change in two ways, without stopping the task:

      - **Edit the file.** The daemon looks at the task file and the files that it names once a second. What a valid edit changes
        is in effect from then on. All problems of a bad edit are logged and shown in `sluice status`, and the running settings
        stay until it is mended. Edits of anything that is not live are named, and wait for the next start.
      - **`sluice tune TASK.yaml KEY=VALUE [KEY=VALUE…]`**, where KEY is a setting's name, with or without its section. All of them
        are taken or, where one has a problem, none. A tuned value lasts **until the daemon ends** (also through its own retries)
        and is never written into a file: to keep it, write it there as well. An edit of the same setting in the file replaces it.

      A changed setting closes the window that is being filled (`BARRIER`), so that no window is held to two settings, and the next
      one uses it. MemoryLimitTotal, MemoryKeepTime and SwapLimit concern the open transaction and act at once; a task that waits
      in the state SWAP_FULL goes on as soon as a higher SwapLimit allows it. `sluice status` shows each setting in effect with its
      origin (`default`, `file` or `tune`), the last changes, the problems of the last edit and what waits for a restart.
      """;

  private static final String BATCH_APPLY =
      """

      ## Settings of single tables

      A table-settings rule in the table mappings may hold `batch-apply`; DMS has nothing like it:

      ```json
      {"rule-type": "table-settings", "rule-id": "7", "rule-name": "7",
       "object-locator": {"schema-name": "shop", "table-name": "orders"},
       "batch-apply": {"BatchSplitSize": 1000, "BatchApplyTimeoutMax": 2}}
      ```

      Names are the source's and taken as they are written: like DMS, these rules know no wildcards (`_` is an underscore, `%%` is
      refused). The table must be selected by a rule, and has one such rule at most. The settings are live: an edit of the mappings
      is taken by the running task. Since a window is one transaction on the target, they mean:

      | setting | unit | range | meaning |
      | --- | --- | --- | --- |
      %s
      What a rule leaves out is as the task has it. A window obeys the shortest times among the tables that it has changes of:
      those of a rule for tables that have one, the task's for the others. So a table with longer times makes a window wait only as
      long as no other table is in it. The longest time wins over the least one where a rule gives just one of them. The task's own
      BatchApplyMemoryLimit, and the heap's share, stay the ceiling of the whole window. A transaction is not torn: a table's share
      may be exceeded by one transaction, and one that is larger than a whole window is applied in rounds, which end when the
      table's share is reached.
      """;

  private static final String TASK_FILE =
      """

      ## The task file

      | key | default | meaning |
      | --- | --- | --- |
      | `task` | required | name of the task: a lower-case letter, then at most 39 lower-case letters, digits, `_` or `-` |
      | `migration-type` | required | `full-load`, `cdc` or `full-load-and-cdc` |
      | `source.type`, `target.type` | required | `postgresql` |
      | `source.url`, `target.url` | required | `postgresql://user@host:port/database`, port 5432 where left out; options: sslmode, sslrootcert, sslcert, sslkey, sslNegotiation, channelBinding, gssEncMode, connectTimeout, loginTimeout, socketTimeout, tcpKeepAlive, ApplicationName. A password in the url is refused |
      | `source.password`, `target.password` | none | best as a reference |
      | `source.slot-name`, `source.publication-name` | `sluice_` and the task's name, `-` as `_` | created where missing, as the task's own; a slot that this task did not make, and another task's publication, are left alone and refused |
      | `source.take-slot` | false | with `cdc`: true: a slot of that name that is there already, and that nothing reads, was made for this task; from its first start on it is the task's own, and `sluice stop --drop` removes it |
      | `source.replica-identity-full` | false | true: a table without a replica identity, or whose whole old rows a rule needs, gets REPLICA IDENTITY FULL; false: it is refused |
      | `source.triggers-beside-subscriptions` | false | true: the event triggers for DDL are installed although a publication FOR ALL TABLES of somebody else sends their tables, schema `sluice_ddl`, to its subscribers; make these tables there first, without rows: a subscription ends at a table that it does not know. false: the task goes on without event triggers, and says so |
      | `kafka` | left out: a broker inside the daemon | Kafka client properties of your cluster; `bootstrap.servers` is required |
      | `data-dir` | `data/` and the task's name | where the daemon keeps its files |
      | `http` | `127.0.0.1:8080` | where the status server listens |
      | `cdc-start-position` | the slot's position, or now | with `cdc` only: an LSN such as `4AF/B00000D0` |
      | `overwrite-target-rows` | false | true: the full load may drop or empty target tables that hold rows which this task has not loaded; false: it lists them with their counts and stops. Rows that another task follows are kept in both cases |
      | `run-source-code` | false | true: a full load with `DROP_AND_CREATE` may make tables whose generated columns, checks, indexes, partition keys or domains use functions that are not built in and immutable, or whose triggers' functions are SECURITY DEFINER: they run on the target with the rights of the task's user; false: it lists these functions and stops |
      | `table-mappings` | required | DMS's selection rules, or the file that has them |
      | `task-settings` | all defaults | the settings above, or the file that has them |
      | `import.files` | by their names | for `sluice import`: which files go into which tables, and how they are written; see `docs/import.md` |

      Relative paths are relative to the task file. In every value `${env:NAME}` stands for an environment variable and
      `${file:/path}` for the content of a file without its last line break; one that cannot be resolved is a problem.

      ## Table mappings

      DMS's selection rules: `rule-action` include, exclude (wins over include) or explicit (one plain name); `schema-name` and
      `table-name` with `%`, `_`, `[ab]`, `[a-d]` and `[_]`, case-sensitive; `load-order`. PostgreSQL's own schemas are never selected,
      nor those in which Sluice keeps something: `sluice_control`, the schema that ControlSchema names, `sluice_ddl`, `sluice_moved`
      and `sluice_cutover`. `check` refuses a ControlSchema in which the source has tables of yours.
      `validation` rules are read and named.

      **Views**: a rule speaks of tables, unless its object-locator has `"table-type": "view"` or `"all"`; so do those that exclude.
      A view or materialized view that is selected is loaded once, in one piece and in the tables' snapshot, into a table of its
      (mapped) name with its columns, their types and defaults; a materialized view's indexes are made too. Filters, transformations, `load-order` and
      `lob-settings` act as for tables; `batch-apply` and `parallel-load` rules for a view are refused. Its rows stay as they were
      loaded: changes are never followed, `validate` and the cutover do not compare it, and `sluice reload` refuses it. With
      `migration-type: cdc` views are ignored. `check` names them. A load that goes on after a break keeps a view that is whole on the
      target, as long as its definition, and that of the views under it, is the same; its rows are of the snapshot of then. A view
      whose tables were truncated, rewritten or got other partitions under the load is loaded again. What a function in it reads is
      not watched.

      **Large values** travel whole, in pieces: a value may be larger than the daemon's heap in the full load, up to what one row of
      COPY can be on the source (1 GB; where a table has a type that goes as text, such as interval, a bytea counts twice). Changes
      are bounded by MaxValueSize. `LimitedSizeLobMode` cuts values of `text`, `character varying` without a length and `bytea` at
      LobMaxSize, in the load on the source itself, in changes where they are read from the journal; `lob-settings` of a
      table-settings rule say it for one table: `mode` limited with `bulk-max-size` in KB, or unlimited; `none` is refused. Columns
      of the key and other types stay whole, and `check` names them. What was cut is counted by table in the status and told in
      the log; `validate` compares what is to be there. A text that is cut may become equal to another: a unique index over it
      refuses the row. Another limit holds for what comes after the next start, not for rows that are there.

      **Filters** of rules that include: `eq`, `noteq`, `gte`, `lte` (or `ste`), `between`, `notbetween`, `null`, `notnull`. Of one
      filter's conditions one is enough, filters must all be fulfilled; `noteq` and `notbetween` stand alone in their filter. The
      source's server alone evaluates them, in the load's query and in the publication, so types and collations are its own. A row
      that goes out of the filter is deleted on the target, one that comes in is inserted whole, so columns may change. For changes
      that takes PostgreSQL 15 or newer, a table that is not partitioned, with REPLICA IDENTITY FULL, and columns of built-in types
      and collations; `migration-type: full-load` takes any. The filter of a task that runs cannot be changed. A table that is made
      later and has a filter is taken in by `sluice reload`. PostgreSQL does not let a filter's column be dropped while it is
      published.

      **Transformations** speak of the source's names, and one rule acts on one thing: two that act on the same one are refused.
      On schemas, tables and columns: `rename`, `convert-lowercase`, `convert-uppercase`, `add-`, `remove-` and `replace-prefix`
      and `-suffix`. On columns: `remove-column` and `include-column` (never of the key); `change-data-type`, where the type keeps
      every value as it is; `add-column`, a generated column of the target, with an expression of `$COLUMN`, constants, `||`,
      `+ - * / %`, comparisons, AND, OR, NOT, CASE, and lower, upper, trim, ltrim, rtrim, replace, substr, length, instr, abs, coalesce,
      ifnull, nullif, `$AR_M_SOURCE_SCHEMA` and `$AR_M_SOURCE_TABLE_NAME`. On tables: `define-primary-key`. With TargetTablePrepMode
      DROP_AND_CREATE the task makes all this, with keys and indexes before the load where a rule is for columns, and without the
      checks, foreign keys and triggers of tables with renamed or left out columns, which it names; else it must be there, and
      `check` names the statements. Partition keys keep their columns. Tablespace rules have no effect. Refused: `$AR_H_…`,
      data masking, and with `sluice connect-config` every filter and transformation.

      **Before images**: `add-before-image-columns` (for a column, with schema and table in the object-locator) gives a table
      further columns on the target with what others had before the row's last UPDATE. Its `before-image-def` has a
      `column-prefix`, a `column-suffix` or both, put around the column's name on the target, and a `column-filter`: `pk-only`
      (if left out) takes the columns of the primary key, `non-lob` these and all others but `text`, `character varying` without
      a length and `bytea`, `all` every column that is carried. The columns have the types of those that they are for, may be
      NULL and have no default. An UPDATE sets all of them, also for what it did not change; an INSERT, the full load and a
      reload leave NULL, and so do an UPDATE that moves a row to another partition and one that brings a row into a filter,
      which the log has as a DELETE and an INSERT. Several updates of a row in one window leave the last one's. `non-lob` and
      `all` need REPLICA IDENTITY FULL on the source, which `check` asks for, or `source.replica-identity-full: true` gives; the event
      triggers keep it; tables that are made later get it with that setting only, and are named without. An UPDATE then travels
      with the old row, less what did not change, and both count for MaxValueSize. With TargetTablePrepMode DROP_AND_CREATE the
      task makes the columns; else they must be there, and `check` names those that are missing or not plain columns of the
      type. A source column that is added, dropped, renamed or gets another type takes its before-image column along; a name
      that is taken or longer than 63 bytes, and the loss of the primary key, are decided by the table's error policy. A table
      without a key has none: `check` notes it, and refuses `non-lob` and `all` where changes are followed, since rows are then
      found by all their columns. Generated columns have none either. `validate` and the cutover compare the source's columns
      only. A rule that is added to a task that has begun needs old rows in the log from then on: a change without one stops the
      task, rather than leave a gap. Where the rule goes, or its filter takes less, the columns are dropped at the table's next
      change.

      ## The parts in which a table is loaded

      A table, or a partition, above `Sluice.LoadSegmentSize` is cut by itself, by ranges of its pages. A `table-settings` rule
      says otherwise for one table, in DMS's form (`parallel-load`, with one plain name for schema and table):

      | `type` | meaning |
      | --- | --- |
      | `none` | the table, or each of its partitions, is loaded in one piece |
      | `partitions-auto` | by partition, at every level; a partitioned table always is |
      | `partitions-list` | the same; the names under `partitions` must be there |
      | `ranges` | by the values of `columns`: what is below the first of the `boundaries`, what is below the next, and so on, and the rest; constants, so not `today` |

      Boundaries are compared as the server compares rows of these columns, and must rise; one that is no value of its column is
      refused with the rule's id before anything is touched. A row in which NULL decides is in the last part (DMS leaves such rows
      out). `subpartitions-auto` and `subpartitions` are refused: in PostgreSQL a partition below another one is a partition as
      all others.

      Parts by `ranges`, and partitions that are loaded in one piece, are kept one by one where a load breaks off, if the table has a
      key of built-in types. Each is one transaction of the target then, whatever `CommitRate` says.
      """;

  private SettingsPage() {}

  static String render() {
    return HEAD
        + SettingCatalogue.SECTIONS.stream()
            .map(SettingsPage::section)
            .collect(Collectors.joining())
        + LIVE
        + BATCH_APPLY.formatted(
            BatchApplyOverride.SETTINGS.stream()
                .map(SettingsPage::tableLine)
                .collect(Collectors.joining()))
        + TASK_FILE;
  }

  private static String tableLine(Setting setting) {
    return "| `%s` | %s | %s | %s |\n"
        .formatted(
            setting.name(),
            setting.kind().unit(),
            setting.refusals().isEmpty() ? setting.kind().range() : "false only",
            setting.meaning());
  }

  private static String section(String section) {
    List<String> lines = SettingCatalogue.of(section).stream().map(SettingsPage::line).toList();
    return "\n## "
        + (section.isEmpty() ? "Top of the document" : section)
        + "\n\n| setting | unit | default | range | effect | meaning |\n"
        + "| --- | --- | --- | --- | --- | --- |\n"
        + String.join("\n", lines)
        + "\n";
  }

  private static String line(Setting setting) {
    return "| `"
        + setting.name()
        + "` | "
        + setting.kind().unit()
        + " | "
        + setting.shownDefault()
        + " | "
        + setting.kind().range()
        + " | "
        + effect(setting)
        + " | "
        + setting.meaning()
        + " |";
  }

  private static String effect(Setting setting) {
    String only =
        setting.refusals().stream()
            .map(refusal -> ", " + refusal.allowed() + " only: " + refusal.reason())
            .collect(Collectors.joining());
    if (!only.isEmpty()) {
      return setting.effect() + only;
    }
    if (setting.live()) {
      return setting.effect() + ", live";
    }
    return setting.effect() + (setting.reason().isEmpty() ? "" : ": " + setting.reason());
  }
}
